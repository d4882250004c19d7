"""Who pays fuel for instances that have no limit on it themselves: whoever was entered, from its own purse.

A call from outside of an instance with `Limits.fuel` pays for all that run meanwhile on its thread, in its
store or called by host functions, and have no purse of their own. What is not here: what a purse is
(`quota.py`), and who counts (`meter.py`).
"""

from __future__ import annotations

from threading import get_ident

from .quota import SHARED, Holder, Purse
from .store import Store

ENDLESS = 1 << 100
"""Fuel of a call for which nobody pays."""


class Payment:
    """Who pays during one call: `Payment.of` when it begins, `end` when it ends."""

    __slots__ = ("_around", "_lent", "_purse", "_thread")

    def __init__(self, purse: Purse, around: Payment | None) -> None:
        self._purse = purse
        self._around = around
        self._lent = False
        self._thread = get_ident()

    @classmethod
    def of(cls, store: Store, purse: Purse | None) -> Payment:
        """Begin a call of somebody in the store who has this purse, or none."""
        around = PAYING.get(get_ident())
        payer = purse if purse is not None or around is None else around._purse
        if payer is not None:
            store.count_fuel()
        if around is not None:
            around.settle()
        payment = PAYING[get_ident()] = cls(Purse(ENDLESS) if payer is None else payer, around)
        return payment

    def slice(self, holder: Holder, owed: int, most: int) -> int:
        """A slice for an instance without a purse. Raises FuelError."""
        self._lent = True
        return self._purse.slice(holder, owed, most)

    def settle(self) -> None:
        """Take back what was lent, so that nobody has fuel from another call."""
        if self._lent:
            self._purse.collect()
            self._lent = False

    def end(self) -> None:
        """The call is over."""
        self.settle()
        if self._around is None:
            del PAYING[self._thread]
        else:
            PAYING[self._thread] = self._around


PAYING: dict[int, Payment] = {}
"""The innermost call of each thread. Empty as long as nobody has a limit on fuel."""


def settle() -> None:
    """Take back what the innermost call of this thread has lent."""
    if (payment := PAYING.get(get_ident())) is not None:
        payment.settle()


def lent(holder: Holder, owed: int, most: int) -> int:
    """A slice for an instance without a purse."""
    payment = PAYING.get(get_ident())
    # Nobody pays where the instance began to count in the middle of a call.
    return SHARED if payment is None else payment.slice(holder, owed, most)
