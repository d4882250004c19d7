"""How much of something one instance, or several together, may still take."""

from __future__ import annotations

from ..limits import Limits


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


class Quotas:
    """What the instances of one program may take together: bytes of memories, elements of tables."""

    __slots__ = ("memories", "tables")

    def __init__(self, limits: Limits) -> None:
        self.memories = Quota(limits.memory_total)
        self.tables = Quota(limits.table_total)
