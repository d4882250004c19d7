"""Guests that compute several times: which answer does what they write of each input follow?

What is here: `out_of_turn`. Copies get another answer at one compute than at all others. What is not: answers
that are the same each time (all other rules).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .asked import Asked, Given, OneOutput, places_that_differ
from .batches import TOKEN, differing
from .behind_by_one import are_judged
from .thresholds import DECIMAL

OF_COLUMNS, OF_LAST, FEWEST, MOST = 2, 3, 4, 16
"""The fewest answers of a run that show one answer in all columns, the last answer alone, and a wrong order;
and the most that are compared."""
MOST_CLASSES = 4096
LESS, MORE = 0.6, 0.9
"""How large the largest element is in an answer that is less sure than another, and in that."""
DIGITS = regex(r"\d+")
NUMBERS = regex(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
COLUMNS = 3
"""The fewest different lines that are a table."""
PERCENT = regex(r"\d+(?:\.\d+)? ?%")
RECORDS = regex(
    r"so far|best|max|peak|record|highest|loudest|surest|most|top|until|winner|final|\btrack|\block|\bhold"
    r"|\bheld|stable|consensus",
    re.IGNORECASE,
)
"""Words for the largest of several answers, and for what keeps its name until a surer one is there."""
MEAN = regex(r"averag|mean|mostly|overall|of the time|on the whole|usually|altogether", re.IGNORECASE)
SMOOTHED = regex(
    r"smooth|\bema\b|moving|running|rolling|recent|exponential|decay|weight|filter|low[ -]?pass",
    re.IGNORECASE,
)
"""Words for a mean in which the last answers count for more."""
SHARE = regex(r"(?<![\w.])(\d+(?:\.\d+)?)( ?%)?(?![\w.]*\d)")
PERCENTS = regex(r"(\d+(?:\.\d+)?) ?%")
ALL = (100.0, 0.0, 0.0)
NEAR = 0.02
ORDERS = (
    ("a", "b", "c", "d"), ("first", "second", "third"), ("one", "two", "three"),
    ("left", "right"), ("before", "after"), ("old", "new"),
)  # fmt: skip
"""Words by which two things or more are told apart, in their order."""


def out_of_turn(asked: Asked) -> str:
    """Returns what is wrong with the order of answers and what is written of them, or "" if nothing is."""
    control = asked.ending
    if control is None or not control.is_whole or not FEWEST <= (count := len(control.texts)) <= MOST + 1:
        return ""
    for index, output in asked.fetched():
        if output.array.dtype.kind != "f" or len(output.lengths) > 1 or output.array.size > MOST_CLASSES:
            continue
        one = Turns(asked, index, output, count)
        if wrong := one.late() or one.kept() or one.halved() or one.divided():
            return f"{output.what}: {wrong}"
    return ""


def last_alone(asked: Asked) -> str:
    """The same is said of each of several inputs, by the last answer alone."""
    control = asked.ending
    if control is None or not control.is_whole or not OF_COLUMNS <= (count := len(control.texts)) <= MOST:
        return ""
    for index, output in asked.fetched():
        is_row = output.array.dtype.kind == "f" and len(output.lengths) == 1
        if not is_row or output.array.size > MOST_CLASSES:
            continue
        one = Turns(asked, index, output, count)
        if wrong := (one.last() if count >= OF_LAST else "") or one.of_each() or one.columns():
            return f"{output.what}: {wrong}"
    return ""


class Turns(OneOutput):
    """What a guest writes if one answer differs from all others."""

    def __init__(self, asked: Asked, index: int, output: Given, count: int) -> None:
        super().__init__(asked, index, output)
        self._count = count
        self._text = "" if asked.ending is None else asked.ending.text

    def _answer(self, place: int, level: float) -> Any:
        """An answer with the largest element here: a share, or as far above the others as they reach."""
        array = self._output.array
        low, high = float(array.min()), float(array.max())
        if array.size == 1:
            return numpy.full(array.shape, low + level + place, array.dtype)
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        made = numpy.full(array.size, low + (high - low) * (1 - level) / array.size, array.dtype)
        made[place] = low + (high - low or 1.0) * level
        return made.reshape(array.shape)

    def _said(self, *answers: Any) -> list[str] | None:
        """Returns the lines that are written if these are the answers, or None if the guest doesn't come so
        far."""
        text = self._asked.series(self._index, answers)
        return None if text is None else text.splitlines()

    def _other(self, at: int, other: Any, usual: Any) -> list[int] | None:
        """The lines that differ if one answer is another."""
        plain = self._said(*[usual] * 2)
        said = self._said(*[usual] * at, other, *[usual] * (self._count - 1 - at))
        if plain is None or said is None or len(plain) != len(said):
            return None
        return places_that_differ(plain, said)

    def late(self) -> str:
        """What is written of each input is the answer to the one before, and no forecast beside what came."""
        if are_judged(self._text):
            return ""
        usual, other = self._answer(0, MORE), self._answer(min(1, self._output.array.size - 1), MORE)
        if self._output.array.size == 1:
            other = self._answer(1, MORE)
        found = [self._other(at, other, usual) for at in (0, 1, self._count - 1)]
        first, second, last = found
        if not first or not second or last != [] or len(first) != 1 or second != [first[0] + 1]:
            return ""
        lines = self._said(usual) or []
        line = first[0]
        shapes = [DIGITS.sub("#", one).split(" ")[0] for one in lines[line - 1 : line + 2]]
        if not line or len(shapes) < 3 or len({*shapes}) > 1 or line + self._count - 1 > len(lines):
            return ""
        return (
            f"line {line + 1} of what the guest writes follows the answer before, line {line + 2} that to "
            "the next one, and no line follows the last: is each line written before its answer was fetched?"
        )

    def last(self) -> str:
        """Each of several lines, which are about different things, follows the last answer, and none follows
        another one."""
        usual, other = self._answer(0, MORE), self._answer(1, MORE)
        base, changed = self._said(usual), self._said(*[usual] * (self._count - 1), other)
        if not base or changed is None or len(base) != len(changed):
            return ""
        pairs = [pair for pair in zip(base, changed, strict=True) if pair[0] != pair[1]]
        said = {differing(*pair) for pair in pairs}
        if len(pairs) != self._count or len(said) > 1 or len({one for one, _ in pairs}) < len(pairs):
            return ""
        if any(self._said(*[usual] * at, other, usual) != base for at in range(self._count - 1)):
            return ""
        return (
            f"all {self._count} lines follow the last of {self._count} answers, and no line follows another "
            "one: was each answer written over the one before, in one buffer, before anything was read?"
        )

    def of_each(self) -> str:
        """Returns a hint if the guest says one class of each input, which it names, by the last answer alone,
        or ""."""
        usual, other = self._answer(0, MORE), self._answer(1, MORE)
        last = [*[usual] * (self._count - 1), other]
        base, changed = (self._asked.series(self._index, one) or "" for one in ([usual], last))
        words, others = ([*TOKEN.finditer(text)] for text in (base, changed))
        if base == changed or len(words) != len(others):
            return ""
        places: dict[tuple[str, str], list[int]] = {}
        for at, pair in enumerate(zip(words, others, strict=True)):
            if pair[0][0] != pair[1][0]:
                places.setdefault((pair[0][0], pair[1][0]), []).append(at)
        names = [PurePosixPath(name).stem for name, _ in self._asked.files()]
        for found in places.values():
            ends = [0, *(words[at].end() for at in found)]
            before = [base[end : words[at].start()] for end, at in zip(ends, found, strict=False)]
            if len(found) == self._count and are_about_each(before, names):
                break
        else:
            return ""
        if any(self._said(*[usual] * at, other, usual) != base.splitlines() for at in range(self._count - 1)):
            return ""
        return (
            f"what is said of each of {self._count} inputs follows the last of {self._count} answers, and "
            "nothing follows another one: do all lie in one buffer (static, or one array for all), which the "
            "last answer fills?"
        )

    def columns(self) -> str:
        """Each of several lines has the last answer's element as often as there are answers, and nothing of
        another one."""
        own = [NUMBERS.findall(line) for line in self._text.splitlines()]
        if sum(bool(columns_of(one, one, self._count)) for one in own) < COLUMNS:
            return ""
        array = self._output.array
        ramp = numpy.linspace(float(array.max()) or 1.0, float(array.min()), array.size)
        usual, other = (one.astype(array.dtype).reshape(array.shape) for one in (ramp, ramp[::-1]))
        base, changed = self._said(usual), self._said(*[usual] * (self._count - 1), other)
        if not base or changed is None or len(base) != len(changed):
            return ""
        found = zip(*(map(NUMBERS.findall, one) for one in (base, changed)), strict=True)
        pairs = [pair for pair in found if pair[0] != pair[1]]
        lines = [columns_of(one, two, self._count) for one, two in pairs]
        if len({*lines} - {""}) < COLUMNS or "" in lines:
            return ""
        if any(self._said(*[usual] * at, other, usual) != base for at in range(self._count - 1)):
            return ""
        return (
            f"lines have each number of the last answer {self._count} times, as of {self._count} answers "
            f"beside each other, and nothing follows another one: do all {self._count} lie in one buffer "
            "(static, or one array for all), which the last answer fills?"
        )

    def kept(self) -> str:
        """A surer answer is said of all later inputs."""
        if self._output.array.size < 2 or RECORDS.search(self._text):
            return ""
        sure, less = ([self._answer(place, level) for place in (0, 1)] for level in (MORE, LESS))
        ones, twos = self._masked(sure[0]), self._masked(sure[1])
        if not ones or not twos or ones == twos or len(ones) != len(twos):
            return ""
        falling, rising = self._masked(sure[0], less[1]), self._masked(less[0], sure[1])
        if falling != ones or rising in (ones, twos) or len(rising) != len(twos):
            return ""
        followed = [at for at, (one, two) in enumerate(zip(ones, twos, strict=True)) if one != two]
        changes = [at for at in followed if rising[at] == twos[at]]
        if any(rising[at] != ones[at] for at in followed if at not in changes):  # too unsure to be said
            return ""
        if len(changes) < FEWEST - 1 or len(changes) != len(followed) - 1:
            return ""
        if self._masked(sure[1], less[0]) != twos:  # the first class is what is said of all unsure ones
            return ""
        return (
            "an answer that is less sure than one before is not said: the guest says that one again, for all "
            "later inputs: was the best one so far not forgotten before the next input?"
        )

    def _masked(self, *answers: Any) -> list[str]:
        """The lines that are written, or, if there are few, the characters, without values."""
        text = self._asked.series(self._index, answers) or ""
        masked = DECIMAL.sub("#", PERCENT.sub("#", text))
        return masked.splitlines() if masked.count("\n") >= FEWEST - 1 else list(masked)

    def halved(self) -> str:
        """A mean of all answers in which each later one counts as much as all before together."""
        if not MEAN.search(self._text) or SMOOTHED.search(self._text) or self._output.array.size < 2:
            return ""
        ones, other = self._sure(0), self._sure(1)
        last = self._asked.series(self._index, [*[ones] * (self._count - 1), other])
        before = self._asked.series(self._index, [*[ones] * (self._count - 2), other, ones])
        shares = [
            [float(number) / (100 if sign else 1) for number, sign in SHARE.findall(text or "")]
            for text in (last, before)
        ]
        rest = (0.75, 0.75 - 0.5**self._count)  # the first answer is the mean, or is averaged with 0
        halves = [one for one in shares[0] if abs(one - 0.5) < NEAR]
        if halves and any(abs(one - other) < NEAR for one in shares[1] for other in rest):
            return (
                f"of {self._count} answers the last one counts for a half of the mean that the guest writes, "
                "the one before for a quarter: is each new answer averaged with the mean so far, in place of "
                "dividing the sum of all by their number?"
            )
        return ""

    def divided(self) -> str:
        """A percent of counts that is 0 unless all count."""
        if not PERCENT.search(self._text):
            return ""
        for most, few, between in self._levels():
            percents = [
                [float(one) for one in PERCENTS.findall(self._asked.series(self._index, answers) or "")]
                for answers in ([most, most], [few, most], [few, few], [between, most])
            ]  # of which the last one tells counts from the least or the product of all
            if len({*map(len, percents)}) == 1 and ALL in zip(*percents[:3], strict=True):
                place = [*zip(*percents[:3], strict=True)].index(ALL)
                if percents[3][place] in ALL:
                    return (
                        f"a share that the guest writes is 100 % if {self._count} answers are the same, and "
                        "0 if one of them is another: are two counts divided as whole numbers?"
                    )
        return ""

    def _levels(self) -> list[tuple[Any, Any, Any]]:
        """Answers that count, others that don't, and one that counts and isn't so sure."""
        array = self._output.array
        if array.size == 1:
            low, high, between = (array * 0 + array.dtype.type(one) for one in (0.001, 0.999, 0.7))
            return [(high, low, between)]
        sure, less = ([self._answer(place, level) for place in (0, 1)] for level in (MORE, LESS))
        return [(sure[0], sure[1], less[0]), (sure[1], sure[0], less[1])]

    def _sure(self, place: int) -> Any:
        """An answer that has a share of 1 also after softmax."""
        array = self._output.array
        low, high = float(array.min()), float(array.max())
        if low >= 0 and high <= 1:
            made = array * 0
            made.reshape(-1)[place] = 1
            return made
        return self._output.filled([place], clearly=True)


def are_about_each(before: Sequence[str], names: Sequence[str]) -> bool:
    """Whether texts are each about another thing: each has the name of another file, or their ends differ by
    one word alone, which counts on or is the next one of some such words."""
    about = [max((name for name in names if name in text), key=len, default="") for text in before]
    if "" not in about and len({*about}) == len(before):
        return True
    words = [[word.lower().strip(".#") for word in TOKEN.findall(text)] for text in before]
    most = min(map(len, words))
    columns = zip(*(one[len(one) - most :] for one in words), strict=True)
    differ = [column for column in columns if len({*column}) > 1]
    return len(differ) == 1 and count_on(differ[0])


def count_on(words: Sequence[str]) -> bool:
    """Whether words are numbers that go on by 1, or some that stand behind each other in an order."""
    if all(map(str.isdecimal, words)):
        return all(int(other) == int(one) + 1 for one, other in pairwise(words))
    return any((*words,) == order[: len(words)] for order in ORDERS)


def columns_of(one: list[str], two: list[str], count: int) -> str:
    """Returns a line's number that is there for each of so many answers, and changes each time, or ""."""
    is_table = len(one) == len(two) == count and len({*one}) == len({*two}) == 1
    return one[0] if is_table else ""
