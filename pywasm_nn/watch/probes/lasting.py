"""Times of the rows of an answer to features of a recording, by which it would last much longer than it does,
and how long things last by an output that says only where they begin.

What is here: `too_long`, for sounds (WAV) and records of sensors (EDF, BDF), `too_short`, and `unheard`, for
what sounds by such an output. What is not:
inputs that are the samples themselves (`times.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from struct import error
from typing import Any

from ...arrays import numpy
from ..origin.waves import wave_in
from ..regex import regex
from ..spoken import Word
from .asked import NUMBER, Asked, Given
from .thresholds import DECIMAL
from .times import moved, near, times_in

FEWEST_ROWS, FEWEST_BANDS = 16, 8
TIMES = 2.0, 4.0
"""How many times as long rows may be by mistake."""
MOST_ROWS, LONG, SHORTER, NEAR_BEGIN = 1 << 14, 8, 4, 3
"""The most rows or columns that are compared; the fewest places of what lasts long; how many times as long as
its beginning it is; and the most places between the beginnings in both outputs."""
MOSTLY, FEWEST = 0.9, 2
"""The part of what lasts long that must have such a beginning, and the fewest things that last long."""
TWICE, NEARLY, TIMES_AS_LONG = 2.0, 0.15, (1, 2, 4, 8)
A_TIME = regex(
    r"\d ?(?:ms|s|sec\w*|min\w*|frames?|steps?|beats?|ticks?)\b"
    r"|\b(?:(?:milli)?seconds|secs|ms|frames|beats|long|lasts?|length|duration|until|ends?)\b",
    re.IGNORECASE,
)
ATTACK = regex(r"\battack|\bbegin(?:s|ning)? (?:for|lasts?)\b", re.IGNORECASE)
"""Words of a guest that says how long beginnings last, on purpose."""
BIOSEMI, PLAIN = b"\xffBIOSEMI", b"0       "


def too_long(asked: Asked) -> str:
    """Returns what is wrong with the times that are said, or "" if nothing is."""
    known = [*durations(asked.files())]
    for index, output in asked.fetched() if len(known) == 1 else ():
        lengths = output.lengths
        if output.array.dtype.kind != "f" or len(lengths) != 2 or not is_of_features(asked, lengths[0]):
            continue
        file, seconds = known[0]
        own = seconds / lengths[0]
        said = next(filter(None, (step(asked, index, output, one) for one in columns(lengths[1]))), 0.0)
        for by in TIMES:
            if said and near(said, by * own):
                return (
                    f"{output.what}: the guest says times {said:.4g} s a row, so that its {lengths[0]} rows "
                    f"last {said * lengths[0]:.4g} s; {file} lasts {seconds:.4g} s, so that rows are "
                    f"{own:.3g} s apart: is their distance taken for {by:g} times what it is?"
                )
    return ""


def durations(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, float]]:
    """Recordings with how many seconds they last."""
    for name, data in files:
        with suppress(ValueError, error):
            if data[:8] in (BIOSEMI, PLAIN):
                yield name, float(data[236:244]) * float(data[244:252])
            elif data[:4] == b"RIFF" and (wave := wave_in(data)).rate:
                yield name, len(wave.samples) / wave.rate


def is_of_features(asked: Asked, rows: int) -> bool:
    """Whether an input has as many columns of several bands as an answer has rows."""
    shapes = [[length for length in one.shape if length != 1] for one in asked.sent]
    return rows >= FEWEST_ROWS and any(
        len(one) == 2 and rows in one and min(one) >= FEWEST_BANDS for one in shapes
    )


def columns(count: int) -> list[int]:
    """The classes of which times may be said: the last, the middle and the first."""
    return [*dict.fromkeys((count - 1, count // 2, 0))]


def step(asked: Asked, index: int, output: Given, column: int) -> float:
    """How much later a time is said for each row by which the largest elements are further down; 0.0 if none
    is."""
    rows, count = output.lengths
    apart = rows // 4

    def said(first: int) -> list[str]:
        places = [row * count + column for row in range(first, first + apart)]
        return times_in(asked.text(index, output.filled(places)) or "")

    return moved(said(rows // 8), said(rows // 8 + apart), apart)


def too_short(asked: Asked) -> str:
    """Returns a hint if how long things last follows an output with short beginnings of what lasts long in
    another one, whatever that one says, or "" if it doesn't."""
    for index, number, axis in () if ATTACK.search(asked.control.text) else beginnings(asked):
        output, other = asked.outputs[index], asked.outputs[number]
        if follows(asked, (index, number), axis):
            return (
                f"{output.what}: the guest says how long things last by it, but it is high only "
                f"where they begin, and {other.what} is as long as they last: is that one meant?"
            )
    return ""


def unheard(asked: Asked) -> str:
    """Returns a hint if a guest says the same without all that begins in an output of beginnings, another
    thing (not only other numbers) of what is between or of what lasts, and never fetches the output that is
    as long as things last, or "" if it doesn't."""
    for index, number, axis in beginnings(asked):
        output, other = asked.outputs[index], asked.outputs[number]
        if number in asked.control.fetched:
            continue
        lanes = lanes_of(output, axis)
        flat = output.array.reshape(output.lengths)
        level = numpy.median(flat, axis=axis, keepdims=True)
        rest = numpy.where(lanes.T if axis == 0 else lanes, level, flat).reshape(output.array.shape)
        moved = numpy.roll(flat, 1, axis=1 - axis).reshape(output.array.shape)
        # No higher than this output, so that nothing but how long it lasts is another thing.
        lasting = (other.array * (output.array.max() / other.array.max())).reshape(output.array.shape)
        own = asked.control.text
        if asked.text(index, rest.astype(flat.dtype)) != own:
            continue
        by_moved, by_lasting = (asked.text(index, one.astype(flat.dtype)) or own for one in (moved, lasting))
        if DECIMAL.sub("#", by_lasting) == DECIMAL.sub("#", own) and by_lasting != own:
            continue  # the same things are said by what lasts, in other numbers
        if by_moved != own or by_lasting != own:
            return (
                f"{output.what}: it is high only where things begin, and the guest says the same without all "
                f"that, and another thing of what lasts, or lies between; {other.what}, which is never "
                "fetched, has as many elements and is as long as things last: is that one meant?"
            )
    return ""


def beginnings(asked: Asked) -> Iterator[tuple[int, int, int]]:
    """Outputs that are fetched and high where another one begins to be, with that one, and the axis along
    which things last."""
    for index, output in asked.fetched():
        for number, other in asked.outputs.items():
            if number != index and are_alike(output, other):
                found = (axis for axis in (0, 1) if are_beginnings(output, other, axis))
                yield from ((index, number, axis) for axis in found)


def are_alike(one: Given, other: Given) -> bool:
    """Whether two outputs have rows and columns, as many of each."""
    return (
        one.lengths == other.lengths
        and len(one.lengths) == 2
        and one.array.dtype.kind == other.array.dtype.kind == "f"
        and FEWEST_ROWS <= max(one.lengths) <= MOST_ROWS
    )


def lanes_of(output: Given, axis: int) -> Any:
    """Which elements are at least half as large as the largest, with the places that follow each other in
    rows."""
    array = output.array.reshape(output.lengths)
    return (array.T if axis == 0 else array) > float(array.max()) / 2


def are_beginnings(one: Given, other: Given, axis: int) -> bool:
    """Whether an output is high where the other one begins to be, and only there, nearly each time."""
    short, long = lanes_of(one, axis), unbroken(lanes_of(other, axis))
    edges = numpy.diff(numpy.pad(long, ((0, 0), (1, 1))).astype("i1"), axis=1)
    starts, ends = numpy.argwhere(edges == 1), numpy.argwhere(edges == -1)
    all_, right = 0, 0
    for (lane, start), (_, end) in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start >= LONG:
            begins = short[lane, max(0, start - NEAR_BEGIN) : start + NEAR_BEGIN + 1].any()
            all_ += 1
            right += bool(begins and SHORTER * short[lane, start:end].sum() <= end - start)
    return all_ >= FEWEST and right >= MOSTLY * all_


def unbroken(lanes: Any) -> Any:
    """Lanes without gaps that are too short to be told from a beginning: a share may be low for a moment."""
    at = numpy.arange(lanes.shape[1])
    before = numpy.maximum.accumulate(numpy.where(lanes, at, -len(at)), axis=1)
    after = numpy.minimum.accumulate(numpy.where(lanes, at, 2 * len(at))[:, ::-1], axis=1)[:, ::-1]
    return after - before <= NEAR_BEGIN + 1


def follows(asked: Asked, outputs: tuple[int, int], axis: int) -> bool:
    """Whether something is said to last twice as long if the first of two outputs is high for twice as long,
    and the same if the second one is."""
    one = asked.outputs[outputs[0]]
    count = one.lengths[axis]
    lane, start, short = one.lengths[1 - axis] // 2, count // 8, max(LONG, count // 12)

    def said(*lengths: int) -> str:
        made = {}
        for index, length in zip(outputs, lengths, strict=True):
            places = numpy.zeros(one.lengths, bool)
            (places.T if axis == 0 else places)[lane, start : start + length] = True
            made[index] = asked.outputs[index].filled(numpy.flatnonzero(places).tolist())
        return asked.said(made) or ""

    if start + SHORTER * TWICE * short > count:
        return False
    long = SHORTER * short
    own = said(short, long)
    if not A_TIME.search(own) or said(short, int(TWICE * long)) != own:
        return False
    texts = [own, said(int(TWICE * short), long)]
    numbers = [[float(one) for one in NUMBER.findall(text)] for text in texts]
    if len({*map(len, numbers)}) > 1 or texts[0] == texts[1]:
        return False
    if any(map(is_twice, *map(lengths_in, numbers))):
        return True
    return are_as_long([*texts, *(said(times * short, long) for times in TIMES_AS_LONG[2:])])


def are_as_long(texts: Sequence[str]) -> bool:
    """Whether a number of each text says how long something lasts that goes on for 1, 2, 4 and 8 times as
    long, as far as it is written: 0.2, 0.3, 0.6 and 1.2."""
    found = [[Word.of(one) for one in NUMBER.findall(text)] for text in texts]
    if len({*map(len, found)}) > 1:
        return False
    for words in zip(*found, strict=True):
        step = words[-1].value / TIMES_AS_LONG[-1]
        is_growing = all(before.value < after.value for before, after in pairwise(words[1:]))
        pairs = zip(words, TIMES_AS_LONG, strict=True)
        room = (one.unit / 2 + NEARLY * by * step - abs(one.value - by * step) for one, by in pairs)
        if is_growing and min(room) >= 0:
            return True
    return False


def lengths_in(numbers: Sequence[float]) -> list[float]:
    """Numbers of a text that may be lengths: each, and from each to the next."""
    return [*numbers, *(after - before for before, after in pairwise(numbers))]


def is_twice(one: float, other: float) -> bool:
    return one > 0 and abs(other - TWICE * one) <= NEARLY * TWICE * one
