"""Pays fuel for instances without a fuel limit: the called instance pays from its own purse.

A call from the host into an instance with `Limits.fuel` pays for all instances without a purse that run
meanwhile on its thread, in the same store or called by host functions. What is not here: purses (`quota.py`),
and counting (`meter.py`).
"""

from __future__ import annotations

from threading import get_ident

from .quota import SHARED, Holder, Purse
from .store import Store

ENDLESS = 1 << 100
"""The fuel of a call without a limit."""


class Payment:
    """The payer during one call: `Payment.of` begins it, `end` ends it."""

    __slots__ = ("_around", "_lent", "_purse", "_thread")

    def __init__(self, purse: Purse, around: Payment | None) -> None:
        self._purse = purse
        self._around = around
        self._lent = False
        self._thread = get_ident()

    @classmethod
    def of(cls, store: Store, purse: Purse | None) -> Payment:
        """Begin a call into the store; `purse` is the called instance's, or None."""
        around = PAYING.get(get_ident())
        payer = purse if purse is not None or around is None else around._purse
        if payer is not None:
            store.count_fuel()
        if around is not None:
            around.settle()
        payment = PAYING[get_ident()] = cls(Purse(ENDLESS) if payer is None else payer, around)
        return payment

    @property
    def is_limited(self) -> bool:
        """Whether the payer has a limit."""
        return self._purse.left < ENDLESS // 2

    def slice(self, holder: Holder, owed: int, most: int) -> int:
        """A fuel slice for an instance without a purse. Raises FuelError."""
        self._lent = True
        return self._purse.slice(holder, owed, most)

    def settle(self) -> None:
        """Take back lent slices, so that no instance keeps fuel of another call."""
        if self._lent:
            self._purse.collect()
            self._lent = False

    def end(self) -> None:
        """End the call. After an interrupt in its middle it may be called again."""
        self.settle()
        if self._around is None:
            PAYING.pop(self._thread, None)
        else:
            PAYING[self._thread] = self._around


PAYING: dict[int, Payment] = {}
"""The innermost call of each thread. Empty as long as no instance has a fuel limit."""


def settle() -> None:
    """Take back the slices that this thread's innermost call has lent."""
    if (payment := PAYING.get(get_ident())) is not None:
        payment.settle()


def is_paid() -> bool:
    """Whether a limit on fuel pays for what runs on this thread."""
    return (payment := PAYING.get(get_ident())) is not None and payment.is_limited


def lent(holder: Holder, owed: int, most: int) -> int:
    """A fuel slice for an instance without a purse."""
    payment = PAYING.get(get_ident())
    # Without a payment, the instance began to count in the middle of a call: then nobody pays.
    return SHARED if payment is None else payment.slice(holder, owed, most)
