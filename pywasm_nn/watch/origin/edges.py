"""From which frequency to which bands of mels are, where that isn't one of the most usual choices.

What is here: `nearest_bank`. What is not: the recipes that come near (`features.py`), which have other edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...records import changed
from ..budget import Left
from .spectra import HTK, MELS, SLANEY, Bank

LOWS = (0, 20, 30, 32, 40, 50, 60, 64, 80, 100, 125, 150, 200, 300)
HIGHS = (3400, 3800, 4000, 5000, 6000, 6500, 7000, 7500, 7600, 7800, 7900, 8000, 10000, 11000, 12000, 14000,
         15000, 16000)  # fmt: skip


def nearest_bank(bank: Bank, likes: Callable[[Sequence[Bank]], Sequence[float]], left: Left) -> Bank:
    """Returns the bank that is most like the elements, of those with usual edges. `likes` says how like banks
    are. The two edges are tried together, as the best of one is another with each of the other."""
    highs = [high for high in HIGHS if high < bank.rate / 2] + [bank.rate / 2]
    best = likes([bank])[0], bank
    for low in LOWS:
        several = [changed(bank, low=float(low), high=float(high)) for high in highs if high > 4 * low]
        if several and left():
            best = max(best, *zip(likes(several), several, strict=True), key=lambda one: one[0])
    kinds = (bank.kind,) if bank.kind == SLANEY else (HTK, MELS)
    several = [changed(best[1], kind=kind) for kind in kinds]
    return max(zip(likes(several), several, strict=True), key=lambda one: one[0])[1]
