"""Windows of numbers of 12 bits, two in three bytes, whose shared byte was taken apart wrongly: not masked,
its halves exchanged, without the numbers' sign, or the bytes were taken for whole numbers of 16 bits.

What is here: `misread_triples`. What is not: whole slices of such numbers (`sent/slices.py`), and records of
whole bytes (`packed.py`, `raw_windows.py`). Source: format 212 of https://physionet.org/physiotools/wag/signal-5.htm
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...records import Frozen
from ..origin.raw_places import is_raw, is_telling, places
from .packed import jumps_around
from .rings import laid_out

FEWEST, MOST_FILES, MOST_BYTES = 24, 3, 1 << 16
"""The fewest samples of a window, the last files that are searched, and the most bytes of each."""
TOGETHER, TOP = 3, 4096
"""Bytes that hold two numbers, and above all numbers of 12 bits."""
LEADS = (1, 2)
"""How far apart numbers of one signal are."""
SMOOTHER, SMOOTH, STEPS = 0.35, 0.5, 0.5
"""In the right reading numbers differ from one to the next by less than this part of what they do as sent,
both in parts of their deviation; or, where nobody would pack numbers so, by less than that part of their
deviation, and of the steps as sent."""
WITHOUT, WITH = ", without a sign", ", with a sign"
WRONG = (
    "the shared byte's upper half left in the first number",
    "the shared byte's lower half left in the second number",
    "the whole shared byte in both numbers",
    "the shared byte's halves exchanged",
    "the whole shared byte left in the second number",
    "the whole shared byte left in the first number",
)
"""Ways to take numbers apart that only a mistake makes."""


class Reading(Frozen):
    """How two numbers are made of three bytes: in words, whether that may be right, and a file's numbers."""

    said: str
    may_be_right: bool
    numbers: Any


class Run(Frozen):
    """The numbers of a reading from a place on that are so far apart."""

    reading: Reading
    begins: int
    apart: int

    @property
    def numbers(self) -> Any:
        return self.reading.numbers[self.begins :: self.apart]

    @property
    def step(self) -> float:
        """By how much numbers change from one to the next."""
        return float(abs(numpy.diff(self.numbers)).mean())

    @property
    def rough(self) -> float:
        """The same in parts of their deviation."""
        size = float(self.numbers.std())
        return self.step / size if size else float("inf")


def readings(data: bytes) -> Iterator[Reading]:
    """The numbers of a file in each way, right ones first."""
    low, shared, high = (
        numpy.frombuffer(data, "u1", len(data) // TOGETHER * TOGETHER).reshape(-1, TOGETHER).T.astype("i4")
    )
    first, second = shared & 15, shared >> 4
    right = {
        "the shared byte's lower half above the first byte, its upper half above the third (format 212)": (
            low | first << 8,
            high | second << 8,
        ),
        "the lower bits first": (low | first << 8, second | high << 4),
        "the higher bits first": (low << 4 | second, first << 8 | high),
        "the shared byte last (MIPI RAW12)": (low << 4 | high & 15, shared << 4 | high >> 4),
    }
    wrong = (
        (low | shared << 8, high | second << 8),
        (low | first << 8, high | shared << 8),
        (low | shared << 8, high | shared << 8),
        (low | second << 8, high | first << 8),
        (low | first << 8, shared | high << 4),
        (low << 4 | shared, first << 8 | high),
    )
    for said, pair in right.items():
        numbers = in_turns(pair)
        yield Reading(said + WITHOUT, True, numbers)
        yield Reading(said + WITH, True, numbers - TOP * (numbers >= TOP // 2))
    for said, pair in zip(WRONG, wrong, strict=True):
        yield Reading(said, False, in_turns(pair))


def in_turns(pair: tuple[Any, Any]) -> Any:
    """The first numbers and the second ones of all triples in their order."""
    return numpy.stack(pair, axis=1).reshape(-1).astype("f8")


def misread_triples(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file from which a window comes, and what is wrong with how its numbers were read, both
    "" if nothing is known to be wrong."""
    column = next((one[:, 0].astype("f8") for one in laid_out(array)), None)
    if column is None or len(column) < FEWEST or not is_telling(column):
        return "", ""
    raw = [one for one in reversed(files) if is_raw(one[1]) and KNOWN.of_file(one[0]) is None]
    for name, data in raw[:MOST_FILES]:
        if len(data) >= TOGETHER * FEWEST and (said := misread(column, data[:MOST_BYTES])):
            return name, said
    return "", ""


def misread(column: Any, data: bytes) -> str:
    """Returns what is wrong with how numbers of a file were read, or "" if nothing is known to be. If they
    may have been read in several ways, each must be wrong."""
    ways = [*readings(data)]
    words = [numpy.frombuffer(data[at : at + (len(data) - at) // 2 * 2], "<u2") for at in (0, 1)]
    plain = [Reading("whole numbers of 16 bits", False, one.astype("f8")) for one in words]
    said = []
    for own in (*ways, *plain):
        for apart in LEADS:
            begins = next((at for at, _ in places(column, own.numbers, apart)), -1)
            if begins >= 0:
                right = [Run(one, begins % apart, apart) for one in ways if one.may_be_right]
                said.append(judged(Run(own, begins % apart, apart), right))
    return said[0] if said and all(said) else ""


def judged(own: Run, right: Sequence[Run]) -> str:
    """Returns what is wrong with a reading, by those that may be right, or "" if nothing is known to be."""
    best = min(right, key=lambda one: one.rough)
    wrong = best.rough < SMOOTHER * own.rough
    if own.reading.said in WRONG:
        wrong = best.rough < SMOOTH and best.step < STEPS * own.step
    elif own.reading.said.endswith(WITHOUT):
        signed = next(one for one in right if one.reading.said == own.reading.said.replace(WITHOUT, WITH))
        if jumps_around(own.numbers, signed.numbers, TOP):
            best, wrong = signed, True
    if not wrong:
        return ""
    return (
        f"its numbers were read as {own.reading.said}, and jump; they go on smoothly as 12 bits each, two in "
        f"three bytes, {best.reading.said}: is the shared byte to be masked (& 15) or shifted (>> 4), or has "
        "the highest bit to be taken as the sign?"
    )
