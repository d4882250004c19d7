"""Models that answer with their input restored: does the guest compare the answer with the input?

What is here: `compared` and `uncompared`. The answer is made the input itself, from which nothing differs,
the line of a table or the part of a file that the input was made of, and what is far from both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..origin.tables import table_in
from ..regex import regex
from ..whatif.rebuilding import FEWEST, MOST_ELEMENTS, located, numbers_of
from .asked import NUMBER, Asked, Given
from .thresholds import DECIMAL

FAR, MOST_FAR = 9.0, 8
"""By how many of its largest elements an answer is away from an input, and in how many ways at most."""
ALARM = regex(
    r"alarm|anomal|error|outlier|fault|deviat|defect|\b(?:ab)?normal|\bok\b|unusual|strange", re.IGNORECASE
)
"""Words for what differs, or doesn't."""
NEAR, ALIKE = 0.01, 0.5
LEAST = 3
"""Elements of an input, at least."""


def restorations(asked: Asked) -> Iterator[tuple[int, Given, str, Any]]:
    """The outputs that have the shape of an input: index, output, that input's name, and its elements in the
    output's shape and type."""
    for index, output in asked.fetched():
        given = next(
            (one for one in asked.sent if one.shape == output.array.shape and one.array is not None), None
        )
        if given is not None and output.array.dtype.kind == "f" and output.array.size >= LEAST:
            yield (
                index,
                output,
                given.name,
                given.array.reshape(output.array.shape).astype(output.array.dtype),
            )


def compared(asked: Asked) -> str:
    """Returns a hint about an answer that is compared with numbers before they were scaled, or "" if it
    isn't."""
    for index, output, what, own in restorations(asked):

        def said(array: Any, index: int = index, kind: Any = output.array.dtype) -> tuple[str, list[float]]:
            text = asked.text(index, array.astype(kind)) or ""
            return DECIMAL.sub("#", text), [float(one) for one in NUMBER.findall(text)]

        for raw in lines(asked, own.size) or windows(asked, own.reshape(1, -1)):
            line = raw.reshape(own.shape)
            if numpy.allclose(line, own) or not is_nearer(output.array, own, line):
                continue
            same, there = said(own), said(line)
            if there[0] == same[0] and not least(there[1], [same[1]]):
                continue
            beyond = [said(one) for one in (*away_from(line), *far(own))]
            alike = all(one[0] == same[0] for one in beyond) and there[0] != same[0]
            if alike or least(there[1], [same[1], *(one[1] for one in beyond)]):
                return (
                    f"{output.what}: it restores {what}, and the guest says the least difference, or "
                    "another thing, where it is the line of the table as it was before it was scaled; "
                    "compare the answer with the numbers that were sent"
                )
    return ""


def uncompared(asked: Asked) -> str:
    """A number by which a guest says that something is wrong, and which is 0 if the answer is, not if nothing
    differs from the input."""
    for index, output, what, own in restorations(asked):
        if not is_near(own, output.array):
            continue
        texts = [asked.text(index, array) or "" for array in (own, 0 * own, -own, 3 * own)]
        if not any(map(ALARM.search, texts)):
            continue
        numbers = [[float(one) for one in NUMBER.findall(text)] for text in texts]
        if is_told_apart(texts[0], texts[2]):
            continue
        for same, none, minus, more in zip(*numbers, strict=False):
            if none == 0 < same and abs(minus - same) <= NEAR * same and more > 2 * same:
                return (
                    f"{output.what}: it restores {what}, and the guest says {same:g} if it is the "
                    "same as that, and 0 if it is all 0: is the input not taken away before the error is "
                    "summed up?"
                )
    return ""


def is_told_apart(same: str, minus: str) -> bool:
    """Whether what is written of an answer that is the input isn't what is written of its opposite, but for
    signs: then the two are compared, whatever else is written of the answer alone."""
    if DECIMAL.sub("#", same.replace("-", "")) != DECIMAL.sub("#", minus.replace("-", "")):
        return True
    pairs = [[abs(float(one)) for one in NUMBER.findall(text)] for text in (same, minus)]
    return any(abs(one - other) > NEAR * max(one, other) for one, other in zip(*pairs, strict=False))


def is_near(own: Any, answer: Any) -> bool:
    """Whether an answer is much like an input."""
    with numpy.errstate(invalid="ignore"):  # some that are no numbers can't be widened silently
        one, other = own.reshape(-1).astype("f8"), answer.reshape(-1).astype("f8")
    return bool(numpy.dot(one, other) > ALIKE * numpy.linalg.norm(one) * numpy.linalg.norm(other) > 0)


def is_nearer(answer: Any, own: Any, line: Any) -> bool:
    """Whether an answer is nearer to an input than to the line of which that was made: a model may also
    restore what was before."""
    return bool(numpy.linalg.norm(answer - own) < numpy.linalg.norm(answer - line))


def far(own: Any) -> list[Any]:
    """Answers that are far away, each by another element, so that no one of them is the largest in all."""
    places = range(own.size) if own.size <= MOST_FAR else range(0, own.size, -(-own.size // MOST_FAR))
    found = []
    for place in places:
        made = own.astype("f8").copy()
        made.reshape(-1)[place] += FAR * max(1.0, float(abs(own).max()))
        found.append(made)
    return found


def away_from(line: Any) -> list[Any]:
    """Answers as large as a line that differ from it: what follows from its size is said of them, too."""
    return [3 * line, -line, line.reshape(-1)[::-1].reshape(line.shape)]


def lines(asked: Asked, size: int) -> list[Any]:
    """The numbers of the line of each table that this compute may be about: of their columns the first ones
    or the last ones, without those of texts and times."""
    found = []
    for _, data in asked.files():
        table = table_in(data) or table_in(data[: data.rfind(b"\n") + 1])  # a read may end within a line
        if table is None or table.numbers.shape[1] < size or len(table.numbers) < asked.round:
            continue
        line = table.numbers[asked.round - 1][~numpy.isnan(table.numbers).all(axis=0)]
        if line.size >= size and (line == line).all():
            found += [line[:size], line[-size:]][: 1 + (line.size > size)]
    return found


def windows(asked: Asked, own: Any) -> Iterator[Any]:
    """The numbers of a file of which an input's are a part, scaled in one way."""
    if not FEWEST <= own.size <= MOST_ELEMENTS or not numpy.isfinite(own).all():
        return
    for name, numbers in numbers_of(asked.files()):
        if (found := located(own.astype("f8"), name, numbers)) is not None:
            yield found.numbers[found.starts[0] :][: own.size]
            return


def least(there: list[float], others: list[list[float]]) -> bool:
    """Whether a number is 0 there, and far from it in all others."""
    if any(len(one) != len(there) for one in others):
        return False
    return any(number == 0 and all(one[place] != 0 for one in others) for place, number in enumerate(there))
