"""Which class a guest chooses, where it writes names that no file has: classes that it never looks at, bytes
that it takes as signed, shares that it sorts without their names.

What is here: `mischosen`. What is not: classes by their numbers, and by names in files (`classes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...arrays import numpy
from ..origin.comparing import are_shares
from ..regex import regex
from .asked import Asked, Given, OneOutput
from .classes import is_left_out
from .maps import NUMBER
from .thresholds import DECIMAL

FEWEST, MOST_CLASSES, FEW = 3, 1 << 12, 20
LOOKED_AT = 6
"""Of many classes, so many are asked about whether they are looked at."""
HALF, TOP = 0.5, 1.0
NAMED = regex(r"([^\W\d_][\w-]*)\W{1,3}(\d+(?:\.\d+)?)")


def mischosen(asked: Asked) -> str:
    """Returns what is wrong with the class that a guest says by a name, or "" if nothing is."""
    for index, output in asked.fetched():
        if len(output.lengths) != 1 or not FEWEST <= output.array.size <= MOST_CLASSES:
            continue
        if asked.is_batch(output):  # one number for each input, of which a guest may write some
            continue
        if wrong := Choice(asked, index, output).wrong():
            return f"{output.what}: {wrong}"
    return ""


class Choice(OneOutput):
    """What a guest writes of an output with one row of classes."""

    def __init__(self, asked: Asked, index: int, output: Given) -> None:
        super().__init__(asked, index, output)
        self._count = output.array.size
        self._are_shares = output.array.dtype.kind == "f" and are_shares(output.array.reshape(-1))

    def _said(self, levels: Mapping[int, float]) -> str:
        """Returns what is written, without numbers, if some classes lie so high between the smallest and the
        largest element, or "" if nothing is written."""
        return NUMBER.sub("#", DECIMAL.sub("#", self._text(levels)))

    def _text(self, levels: Mapping[int, float]) -> str:
        array = self._output.filled([])
        low = array.reshape(-1)[0].item()
        if self._are_shares:  # they stay 1 together: a guest may draw by them, and the last one has the rest
            whole = sum(levels.values())
            levels = {place: level / whole for place, level in levels.items()}
        for place, level in levels.items():
            array.reshape(-1)[place] = level if self._are_shares else self._between(low, level)
        return self._written(array)

    def _between(self, low: float, level: float) -> float:
        """A number so high between the smallest element and the largest that is given."""
        own = self._output.array
        if own.dtype.kind in "iu":
            most = int(numpy.iinfo(own.dtype).max)
            return min(int(low) + round(level * (most - int(low))), most)
        return low + level * (float(own.max()) - low or 1.0)

    def wrong(self) -> str:
        ones, twos = self._said({1: TOP}), self._said({2: TOP})
        if not ones or not twos:
            return ""
        if ones == twos:
            return self._sorted()
        return self._unseen(ones, twos)

    def _unseen(self, ones: str, twos: str) -> str:
        """The last classes change nothing, however large they are."""
        is_counted = {*ones.splitlines()} == {*twos.splitlines()} and ones.count("\n") != twos.count("\n")
        if is_counted or is_left_out(self._asked, self._count):
            return ""  # more or fewer of a line, such as that a label differs, are no names of classes
        if self._is_unseen(self._count - 1 - (self._count - 1) // 2, ones, twos):
            return ""  # so much is left out on purpose
        first, end = self._count - 1 - (self._count - 1) // 2, self._count
        while end - first > 1:
            middle = (first + end) // 2
            first, end = (first, middle) if self._is_unseen(middle, ones, twos) else (middle, end)
        if end == self._count or self._said({1: HALF}) != ones or self._said({2: HALF}) != twos:
            return ""
        if self._said({0: TOP}) in (ones, twos):  # class 1 or 2 may be another name for 0, or not looked at
            return ""
        others = range(end // LOOKED_AT, end, end // LOOKED_AT) if end > FEW else ()
        if any(self._is_unseen(one, ones, twos) for one in others):
            return ""  # points of which some are looked at, not classes
        last = self._count - 1
        which = f"class {last}" if end == last else f"classes {end} to {last}"
        return (
            f"the guest says the same however large {which} of {self._count} may be, though it says others "
            "by their elements: does the search end too early?"
        )

    def _is_unseen(self, place: int, ones: str, twos: str) -> bool:
        """Whether it changes nothing how large a class is."""
        beside = ((1, ones), (2, twos))
        return place > 2 and all(self._said({one: HALF, place: TOP}) == said for one, said in beside)

    def _sorted(self) -> str:
        """Names stand with the same shares whichever class has them."""
        if self._count > FEW:
            return ""
        levels = [(place + 1) / self._count for place in range(self._count)]
        rising = self._text(dict(enumerate(levels)))
        falling = self._text(dict(enumerate(levels[::-1])))
        other = self._text({0: TOP, 1: HALF, 2: HALF / 2})
        first, constant = rising.strip().partition("\n")[0], NAMED.findall(other.strip().partition("\n")[0])
        shares = [pair for pair in NAMED.findall(first) if pair not in constant]
        names = [name for name, _ in shares]
        numbers = [float(number) for _, number in shares]
        if rising != falling or rising == other or len({*names}) < len(names) or len(names) < self._count - 1:
            return ""
        if numbers != sorted(numbers, reverse=True) or len({*numbers}) < 2:
            return ""
        return (
            f'the guest says "{first[:60]}" whichever class has which share: '
            "were the shares sorted, and the names not with them?"
        )
