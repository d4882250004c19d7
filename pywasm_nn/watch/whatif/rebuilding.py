"""Asks a model that rebuilds its input (an autoencoder, as for finding what is unusual) about other versions
of it: the numbers as they stand in a file, windows that begin elsewhere, and usual scalings.

What is here: `rebuilt_otherwise`. What is not: models that choose a class (`asking.py`).

Such a model rebuilds what it was trained on nearly, and anything else badly. What is unusual is rebuilt badly
in any version, so most rows of an input have to be rebuilt far better in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10, prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.straight import line_through
from ..sheets.sheet import sheet_of
from ..surroundings import Files
from .asking import Runs

FEWEST, MOST_ELEMENTS, MOST_NUMBERS, MOST_BYTES = 8, 1 << 16, 1 << 17, 1 << 20
MOST_ROWS = 8
"""So many rows are looked for in files."""
FEWEST_LINES = 8
"""Lines whose means and deviations are about those of the training."""
TYPES = ("<f8", "<f4", "<i2", "u1")
ALIKE = 1e-4
"""Numbers of a file are a row's if the row is so straight over them."""
SAME = 1e-3
REBUILT, BETTER, CLEARLY = 0.05, 10.0, 1.5
"""The error of what is rebuilt is at most so large, as a part of the variance, and so many times smaller than
as sent; of the very numbers of a file, of which the guest made others."""
USUAL, FEWEST_ROWS = 10.0, 3
"""Elements of a row that is scaled are no farther from 0, even in one that is unusual; and so many rows are
no longer unusual by where they lie."""
TENS = (3.0, 6.0)
"""Powers of ten between units."""


class Rows(Frozen):
    """Where rows of an input begin among a file's numbers: as sent, they are `times` these, and `plus`."""

    file: str
    numbers: Any
    starts: tuple[int, ...]
    times: float
    plus: float


def rebuilt_otherwise(
    graph: Graph,
    inputs: Sequence[Tensor],
    answer: Sequence[Tensor],
    files: Files,
    seconds: float,
    most: float,
    lines: Any = None,
) -> str | None:
    """Returns what speaks for another version of the only input, or None if nothing does. `answer` is what
    the model gave for it, in so many `seconds`; `lines` are the numbers of all lines of the table that it is
    a line of, if it is one."""
    if len(inputs) != 1 or len(answer) != 1 or inputs[0].shape != answer[0].shape:
        return None
    array, given = inputs[0].numpy(), answer[0].numpy()
    if array is None or given is None or array.dtype.kind != "f" or array.size > MOST_ELEMENTS:
        return None
    width = prod(array.shape[1:]) if array.ndim > 1 and array.shape[0] > 1 else array.size
    if width < FEWEST or not numpy.isfinite(array).all():
        return None
    rows = array.reshape(-1, width).astype("f8")
    sent = errors(rows, given)
    if float(numpy.median(sent)) < SAME:
        return None
    found: list[tuple[float, str]] = []
    with numpy.errstate(all="ignore"), Runs(graph, inputs, most, seconds=seconds) as runs:
        for said, made, times in (*of_columns(rows, lines), *versions(rows, files)):
            got = runs.outputs_of(0, made.reshape(array.shape).astype(array.dtype)) if runs.left() else []
            wrong = errors(made, got[0].numpy()) if got else sent
            if numpy.median(wrong) <= REBUILT and numpy.median(sent / wrong.clip(1e-12)) >= times:
                found.append((float(f"{numpy.median(wrong):.2g}"), said))
    if not found:
        return None
    least, said = min(found, key=lambda one: one[0])
    return (
        f'input 0 "{graph.inputs[0].name}": {said} the model rebuilds it with an error of {least:g} of its '
        f"variance; as sent it is {numpy.median(sent):.2g}"
    )


def errors(rows: Any, given: Any) -> Any:
    """The mean square of what is rebuilt wrongly in each row, as a part of its variance."""
    wrong = ((given.reshape(rows.shape).astype("f8") - rows) ** 2).mean(axis=1)
    return wrong / rows.var(axis=1).clip(1e-30)


def of_columns(rows: Any, lines: Any) -> Iterator[tuple[str, Any, float]]:
    """Lines of a table of which each column is scaled by itself."""
    if lines is None or lines.shape[1] != rows.shape[1]:
        return
    known = lines[numpy.isfinite(lines).all(axis=1)]
    if len(known) < FEWEST_LINES:
        return
    low, size, deviation = known.min(axis=0), numpy.ptp(known, axis=0), known.std(axis=0)
    by = numpy.where(deviation > 0, deviation, 1)
    forgotten = "(was a scaler forgotten?)"
    said = f"with each column's mean taken away and divided by its deviation {forgotten}"
    yield said, (rows - known.mean(axis=0)) / by, BETTER
    yield (
        f"with each column brought to 0..1 {forgotten}",
        (rows - low) / numpy.where(size > 0, size, 1),
        BETTER,
    )


def versions(rows: Any, files: Files) -> Iterator[tuple[str, Any, float]]:
    """Other versions of rows, what was done, and by how much better they have to be rebuilt."""
    found = next(filter(None, (located(rows, *one) for one in numbers_of(files()))), None)
    if found is not None:
        yield from of_file(rows, found)
    low, high = rows.min(), rows.max()
    # What is unusual in one row may be how high it lies, or where it begins.
    is_told = len(rows) >= FEWEST_ROWS or abs(rows).max() > USUAL
    centred = rows - rows.mean(axis=1, keepdims=True)
    if high > low and is_told:
        if low < -SAME or high > 1 + SAME:
            yield "brought to 0..1", (rows - low) / (high - low), BETTER
        whole = (rows - rows.mean()) / rows.std()
        yield "with the mean of all taken away and divided by their deviation", whole, BETTER
        each = centred / rows.std(axis=1, keepdims=True).clip(1e-30)
        yield "with each row's mean taken away and divided by its deviation", each, BETTER
    for tens in TENS:
        yield f"divided by {10**tens:,.0f}", rows / 10**tens, BETTER
        yield f"times {10**tens:,.0f}", rows * 10**tens, BETTER


def of_file(rows: Any, found: Rows) -> Iterator[tuple[str, Any, float]]:
    """The very numbers of a file, and windows that begin at multiples of their length."""
    width, count = rows.shape[1], len(found.numbers)
    power = log10(abs(found.times)) if found.times else 0.0
    is_scaled = abs(found.times - 1) > SAME or abs(found.plus) > SAME * rows.std()
    if is_scaled:
        plain = (rows - found.plus) / found.times
        is_factor = abs(found.plus) <= SAME * rows.std()
        is_unit = is_factor and abs(power - round(power)) < SAME
        how = f"times {found.times:.4g}" if is_factor else f"scaled to {rows.min():.3g}..{rows.max():.3g}"
        yield f"as {found.file} has its numbers (they were sent {how})", plain, CLEARLY if is_unit else BETTER
        yield f"as a thousandth of the numbers of {found.file} (they were sent {how})", plain / 1000, BETTER
    aside, first = {start % width for start in found.starts}, found.starts[0]
    if len(found.starts) < FEWEST_ROWS or len(aside) != 1 or not (by := aside.pop()):
        return
    apart = found.starts[1] - first
    made = rows.copy()
    for at in range(len(rows)):
        start = first - by + at * apart
        if 0 <= start <= count - width:
            made[at] = found.numbers[start : start + width] * found.times + found.plus
    said = f"from number {first - by:,} of {found.file} on (it was sent from number {first:,} on)"
    yield said, made, BETTER


def numbers_of(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, Any]]:
    """The numbers of files, as each of some types, and of columns and lines of tables."""
    for name, data in files:
        if len(data) > MOST_BYTES:
            continue
        if (sheet := sheet_of(name, data)) is not None:
            numbers = sheet.numbers
            flat = numbers.reshape(-1) if numbers.shape[1] >= FEWEST else None
            columns = [numbers[:, place] for place in range(min(numbers.shape[1], FEWEST))]
            for one in (columns if flat is None else [flat])[:FEWEST]:
                yield name, one[numpy.isfinite(one)][:MOST_NUMBERS]
            continue
        for kind in TYPES:
            size = numpy.dtype(kind).itemsize
            with numpy.errstate(invalid="ignore"):  # bytes of something else may be no number in a float
                found = numpy.frombuffer(data, kind, min(len(data) // size, MOST_NUMBERS)).astype("f8")
            if found.size and numpy.isfinite(found).all() and abs(found).max() < MOST_BYTES:
                yield name, found


def located(rows: Any, name: str, numbers: Any) -> Rows | None:
    """Returns where rows come from among numbers, all scaled in the same way, or None if they don't."""
    width = rows.shape[1]
    if len(numbers) < width:
        return None
    starts, times, plus = [], [], []
    for row in rows[:MOST_ROWS]:
        start = place_of(row, numbers)
        if start is None:
            break
        slope, height = line_through(numbers[start : start + width], row)
        starts.append(start)
        times.append(slope)
        plus.append(height)
    if not starts or len(starts) < len(rows[:MOST_ROWS]) - 1 or numpy.ptp(times) > SAME * abs(times[0]):
        return None
    return Rows(name, numbers, tuple(starts), times[0], plus[0])


def place_of(row: Any, numbers: Any) -> int | None:
    """Where a row begins among numbers, over which it is straight."""
    width = len(row)
    if row.std() == 0:
        return None
    unit = (row - row.mean()) / (row.std() * width)
    size = 1 << (len(numbers) + width).bit_length()
    level = numbers - numbers.mean()
    spectrum = numpy.fft.rfft(level, size) * numpy.conj(numpy.fft.rfft(unit, size))
    products = numpy.fft.irfft(spectrum, size)[: len(numbers) - width + 1]
    sums = [numpy.concatenate([[0.0], numpy.cumsum(level**power)]) for power in (1, 2)]
    mean, square = ((one[width:] - one[:-width]) / width for one in sums)
    deviations = numpy.sqrt((square - mean**2).clip(1e-12 * level.var() + 1e-30))
    start = int((products / deviations).argmax())
    there = numbers[start : start + width]
    if there.std() == 0 or 1 - numpy.corrcoef(row, there)[0, 1] > ALIKE:
        return None
    return start
