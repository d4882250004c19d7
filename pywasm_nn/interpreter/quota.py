"""How much of something one instance may still take, all of a kind together."""

from __future__ import annotations


class Quota:
    """An amount that only becomes less."""

    __slots__ = ("left",)

    def __init__(self, amount: int) -> None:
        self.left = amount

    def take(self, amount: int) -> bool:
        """Take so much; False, taking nothing, if there isn't as much."""
        if amount > self.left:
            return False
        self.left -= amount
        return True
