"""Numbers in what a guest writes: as they stand, with the precision that they were written with.

What is here: `written`, the text of a host call, and `Heard`, that of many; `filled_lines`; and `Spoken`, a
text's numbers, pairs of an index and a value, shares and percents, and what they match. What is not: what is
wrong with them (`written/misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import isfinite
from typing import Any, AnyStr

from ..interpreter.runtime.observe import HostEvent
from ..records import Frozen
from .regex import regex

OUTPUTS = (1, 2)
"""The descriptors of standard output and standard error."""
TO_STREAMS = ("output-stream.write", "output-stream.blocking-write-and-flush")
"""Components' functions that write."""
MOST_TEXT, MOST_NUMBERS = 1 << 14, 256
"""Bytes and numbers that are looked at."""
DIGITS = 3
"""A number with fewer digits may stand for anything."""
NUMBER = regex(r"(?<![\w.])-?\d{1,20}(?:\.\d{1,17})?(?:[eE][-+]?\d{1,3})?(?![\w]|\.\d)")
PERCENT = regex(r"(-?\d{1,6}(?:\.\d{1,9})?)\s*(?:%|per ?cent)")
SHARE = regex(
    r"\b(?<!log[ _-])(?:prob(?:ability)?|confidence|conf|likelihood)\b[\s:=(]{1,4}"
    r"(-?\d{1,6}\.\d{1,9})(?!\s*(?:%|per ?cent)|\d)",
    re.IGNORECASE,
)
RANK = regex(r"(?m)^\s*#?\d{1,2}[.)]\s|\b(?:top|rank)[- ]?\d{1,2}\b|#\d{1,2}\b", re.IGNORECASE)
ROUNDING = 3e-7
"""Elements are often computed in f32 again before they are printed."""


def written(event: HostEvent, most: int) -> bytes:
    """Returns what a guest wrote to its standard output or error by a host call, at most so many bytes, or
    nothing for other calls, and for those that failed."""
    if event.error is not None:
        return b""
    arguments = dict(event.arguments)
    if event.name in TO_STREAMS:
        stream, data = (getattr(arguments.get(name), "value", None) for name in ("self", "contents"))
        if getattr(stream, "number", None) in OUTPUTS and isinstance(data, bytes) and event.result == "ok":
            return data[:most]
        return b""
    text = bytearray()
    pieces = arguments.get("ciovs")
    if event.name == "fd_write" and arguments.get("fd") in OUTPUTS and isinstance(pieces, list):
        for piece in pieces:
            text += bytes(piece[: most - len(text)])
    return bytes(text)


def filled_lines(text: AnyStr, *, with_ends: bool = False) -> list[AnyStr]:
    """The lines of a text that have more than white space, as they are, without or with their ends."""
    return [line for line in text.splitlines(keepends=with_ends) if line.strip()]


class Heard:
    """The first bytes of what a guest writes."""

    def __init__(self, most: int = MOST_TEXT) -> None:
        self.data = bytearray()
        self._most = most

    def add(self, event: HostEvent) -> None:
        """A host function returned, which may have written."""
        self.data += written(event, self._most - len(self.data))

    @property
    def text(self) -> Spoken:
        return Spoken(self.data.decode("utf-8", "replace"))

    def parts(self, begins: Sequence[int]) -> list[str]:
        """What was written from each of some places on, up to the next one."""
        ends = [*begins[1:], len(self.data)]
        pairs = zip(begins, ends, strict=True)
        return [self.data[begin:end].decode("utf-8", "replace") for begin, end in pairs]


class Word(Frozen):
    """A number as it stands in a text, and by how much what it stands for may differ."""

    text: str
    value: float
    unit: float

    @staticmethod
    def of(text: str) -> Word:
        mantissa, _, power = text.lower().partition("e")
        places = len(mantissa.partition(".")[2]) - int(power or 0)
        return Word(text, float(text), float(f"1e{-places}"))

    @property
    def is_whole(self) -> bool:
        return self.text.lstrip("-").isdecimal()

    @property
    def digits(self) -> int:
        """Digits that say something: without zeros at the beginning."""
        return len(self.text.lower().partition("e")[0].lstrip("-").replace(".", "").lstrip("0"))

    def fits(self, value: Any) -> Any:
        """Whether it stands for a value, or for which of an array. One beyond all floats stands for none."""
        room = 0.501 * self.unit + ROUNDING * abs(self.value) if isfinite(self.value) else -1.0
        return abs(value - self.value) <= room


def fit(words: Iterable[Word], values: Iterable[Any], times: float = 1.0) -> bool:
    """Whether numbers stand for values, one for each, all multiplied by the same."""
    return all(bool(word.fits(times * value)) for word, value in zip(words, values, strict=True))


class Spoken(str):
    """A text that a guest wrote."""

    @cached_property
    def lines(self) -> list[list[Word]]:
        """The numbers of each line, without ranks."""
        text = RANK.sub(lambda found: " " * len(found[0]), self)
        lines, left = [], MOST_NUMBERS
        for line in text.splitlines():
            words = [Word.of(one) for one in NUMBER.findall(line)[:left]]
            left -= len(words)
            if words:
                lines.append(words)
        return lines

    @cached_property
    def words(self) -> list[Word]:
        """All numbers, in order."""
        return [word for line in self.lines for word in line]

    @cached_property
    def wholes(self) -> frozenset[int]:
        """All whole numbers, ranks too."""
        return frozenset(int(one) for one in NUMBER.findall(self) if one.lstrip("-").isdecimal())

    def sequences(self) -> Iterator[list[Word]]:
        """Numbers that may follow each other in a tensor: all, those with a point, and the last of each line,
        which may have an index before it."""
        yield self.words
        yield [word for word in self.words if not word.is_whole]
        yield [line[-1] for line in self.lines]

    def pairs(self) -> Iterator[tuple[int, Word, float]]:
        """An index and a value that stand in one line, and what the value is multiplied by."""
        percents = set(PERCENT.findall(self))
        for line in self.lines:
            for index in line:
                for word in line:
                    if index.is_whole and index.value >= 0 and not word.is_whole and word.digits >= DIGITS:
                        yield int(index.value), word, 100.0 if word.text in percents else 1.0

    def percents(self) -> list[Word]:
        return [Word.of(one) for one in PERCENT.findall(self)]

    def shares(self) -> list[Word]:
        """Numbers that are said to be probabilities, without a sign of percent."""
        return [Word.of(one) for one in SHARE.findall(self)]
