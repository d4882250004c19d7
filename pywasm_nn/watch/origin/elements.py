"""What each element of several inputs is of a table's lines, where not all of them are columns: a column
scaled, one of its values (one-hot), a sine or cosine.

What is here: `by_elements`, which finds the lines by the elements that are columns, and looks at the others.
What is not: inputs of which nearly all elements are columns (`scaled.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from .bends import BENDS, to_another_base, unbent
from .columns import STANDING_IN, WHOLE_TURN, marks_in, may_be_degrees
from .dummies import are_of_lines_beside, may_be_others
from .scalers import was_scaled
from .straight import line_of, straightness
from .tables import Part, Table, is_answer, is_code, named

FEWEST_LINES = 5
STRAIGHT = 0.99999
"""The correlation of a column with an element that is made of it."""
FEWEST_VALUES = 4
"""Elements with fewer different values lie straight by chance."""
NEAR = 1e-4
CODES = 32
"""Columns with more different values are no kinds."""
LARGE, SMALL = 10.0, 2.0
"""An element that was not scaled, and the most of all others if they were."""
VAST, FEWEST_SCALED = 100.0, 2
"""A number, and so many times all other elements, that is left where so many columns were scaled."""
FAR_ZERO, ALONE = 2.0, 1.0
"""The fewest deviations from an empty field's 0 to the mean, and to the next number of the column."""
BELOW, WIDE = -0.05, 0.5
"""What is sent of it in a range from 0 to 1 is at most this; and the least of the largest other element."""
LEAST_TURN = 0.05
"""The sines, or cosines, of a column differ by this at least: if the column is small by its period, all of
its sines are nearly 0, and its cosines nearly 1, as elements that never change may be."""
FEWEST_KINDS_LINES = 6
"""So many inputs show that a column named as an answer is one of its kinds in each."""
PERIODS = (24.0, 12.0, 7.0, 60.0, 365.0, 366.0, 52.0, WHOLE_TURN)
"""What goes round: hours, months, days of a week, minutes, days of a year, weeks, degrees."""
TOP = 1.5
"""Scaled elements are hardly beyond this where all others are within 1."""
UNITS = {32 / 1.8: "degrees Celsius were made Fahrenheit (x 1.8 + 32)", 273.15: "273.15 was added (kelvins)"}
"""Units with another zero, by what is added to the column."""


class Column(Frozen):
    """An element that is a column, divided by something after something was taken away, and the values that
    were sent where the column has none."""

    place: int
    taken: float
    divided: float
    gaps: tuple[tuple[int, float], ...] = ()


class Aligned(Frozen):
    """Inputs, [inputs, elements], the table, and the line that the first input comes from. `columns` has the
    elements that are columns, `bent` those that are logarithms of columns."""

    table: Table
    rows: Any
    start: int
    columns: dict[int, Column]
    bent: dict[int, Column]

    def lines(self) -> Any:
        return self.table.numbers[self.start : self.start + len(self.rows)]

    def others(self) -> list[int]:
        known = self.columns.keys() | self.bent.keys()
        return [index for index in range(self.rows.shape[1]) if index not in known]


def by_elements(table: Table, rows: Any, least: float = 0.0) -> Part | None:
    """Returns how inputs came from lines that follow each other, element by element. Returns None if they
    didn't, or if columns explain less than the share `least` of the elements that change."""
    if len(rows) < FEWEST_LINES or not numpy.isfinite(rows).all() or len(table.numbers) < len(rows):
        return None
    found = aligned(table, rows)
    if found is None or len(found.columns) + len(found.bent) < least * len(varied_in(rows)):
        return None
    wrong = next(filter(None, (look(found) for look in LOOKS)), "")
    first, last = table.lines[found.start], table.lines[found.start + len(rows) - 1]
    used = [f"{index} from {named(table, one.place)}" for index, one in found.columns.items()]
    used += [f"{index} from the logarithm of {named(table, one.place)}" for index, one in found.bent.items()]
    return Part(f"lines {first} to {last}, elements {', '.join(used)}", wrong)


def aligned(table: Table, rows: Any) -> Aligned | None:
    """Where the inputs begin: the only place at which most elements lie straight over columns."""
    count = len(rows)
    with numpy.errstate(all="ignore"):
        numbers = numpy.concatenate([table.numbers, *(bend(table.numbers) for bend in BENDS)], axis=1)
    alike = straightness(numbers, rows)
    varied = varied_in(rows)
    steps = abs(numpy.diff(numbers, n=2, axis=0)).max(axis=0, initial=0)
    uneven = ~(steps <= 1e-9 * abs(numbers).max(axis=0))
    if not varied or not uneven.any():
        return None
    fits = (alike[:, uneven][:, :, varied].max(axis=1) > STRAIGHT).sum(axis=1)
    start = int(fits.argmax())
    if not fits[start] or (fits == fits[start]).sum() > 1 or (fits[start] < 2 and count < FEWEST_LINES + 1):
        return None
    lines, width = numbers[start : start + count], table.numbers.shape[1]
    found = {index: one for index in varied if (one := column_of(lines, rows[:, index])) is not None}
    beyond = {index: one for index, one in found.items() if one.place >= width}
    bent = {index: changed(one, place=one.place % width) for index, one in beyond.items()}
    columns = {index: one for index, one in found.items() if one.place < width}
    return Aligned(table, rows, start, columns, bent) if found else None


def varied_in(rows: Any) -> list[int]:
    """Returns which elements of inputs have several values."""
    return [index for index in range(rows.shape[1]) if len(numpy.unique(rows[:, index])) >= FEWEST_VALUES]


def column_of(lines: Any, sent: Any) -> Column | None:
    """The column that an element is, also if some lines have no number there."""
    for place in range(lines.shape[1]):
        there = lines[:, place]
        known = numpy.isfinite(there)
        if known.sum() < FEWEST_VALUES or len(numpy.unique(there[known])) < FEWEST_VALUES - 1:
            continue
        line = line_of(sent[known], there[known], NEAR)
        if line is not None:
            slope, height = line
            gaps = tuple((int(at), float(sent[at])) for at in numpy.flatnonzero(~known))
            return Column(place, -float(height / slope), float(1 / slope), gaps)
    return None


def gaps_filled(found: Aligned) -> str:
    """A number that stands for a missing one, and that no line has."""
    marks = marks_in(found.rows.T)
    for column in found.columns.values():
        if is_told(found, column.place):
            continue
        there = found.table.numbers[:, column.place]
        there = there[numpy.isfinite(there)]
        low, high = there.min() - numpy.ptp(there), there.max() + numpy.ptp(there)
        for at, sent in column.gaps:
            plain = sent * column.divided + column.taken
            beyond = not low <= plain <= high or is_far_zero(column, there, sent)
            beyond = beyond or (sent <= BELOW and is_by_range(found))
            beyond = beyond and sent not in marks
            if beyond and (round(sent, 3) in STANDING_IN or round(plain, 3) in STANDING_IN):
                line = found.table.lines[found.start + at]
                where = f"{named(found.table, column.place)} is missing in line {line}"
                unscaled = round(plain, 3) + 0.0  # and never -0
                before = "" if round(sent, 3) in STANDING_IN else f" ({unscaled:.4g} before it was scaled)"
                return f"{where}, and was sent as {sent:g}{before}, far from all other lines"
    return ""


def is_told(found: Aligned, place: int) -> bool:
    """Whether another element says which lines have no number in a column, by 0 and 1: then it is known that
    what stands there is none. One of several kinds that a column has may be alone in such a line, too."""
    lines = found.lines()
    gaps = ~numpy.isfinite(lines[:, place])
    kinds = [column == one for column in lines.T for one in numpy.unique(column[numpy.isfinite(column)])]
    return not any(bool((gaps == one).all()) for one in kinds) and any(
        bool((found.rows[:, index] == own).all()) for index in found.others() for own in (gaps, ~gaps)
    )


def is_far_zero(column: Column, there: Any, sent: float) -> bool:
    """Whether a number is what 0 becomes, and as far from the scaled numbers of its column as those are from
    each other by the deviation that they were scaled with: atof of an empty field is 0."""
    scaled = (there - column.taken) / column.divided
    is_zero = abs(sent * column.divided + column.taken) < NEAR * abs(column.taken)
    return bool(is_zero and abs(sent) >= FAR_ZERO and abs(scaled - sent).min() >= ALONE)


def is_by_range(found: Aligned) -> bool:
    """Whether all columns were brought to 0..1 by the ends of their ranges, which the training has: what is
    below 0 then was in none of its lines."""
    gaps = {(at, index) for index, one in found.columns.items() for at, _ in one.gaps}
    known = [
        float(found.rows[at, index])
        for index, one in found.columns.items()
        for at in range(len(found.rows))
        if (at, index) not in gaps and one.taken
    ]
    is_within = bool(known) and min(known) >= 0 and WIDE <= max(known) <= 1
    return is_within and len(found.columns) >= FEWEST_SCALED


def gaps_as_zero(found: Aligned) -> str:
    """A column of which few lines have a number, and the others were sent as if it were 0, which is far from
    all of these."""
    for place, there in enumerate(found.lines().T):
        known = numpy.isfinite(there)
        filled = numpy.where(known, there, 0.0)
        if known.all() or len(numpy.unique(filled)) < FEWEST_VALUES - 1 or known.sum() < 2:
            continue
        low, high = there[known].min(), there[known].max()
        if low - (high - low) <= 0 <= high + (high - low) or is_told(found, place):
            continue
        for index in found.others():
            sent = found.rows[:, index]
            if line_of(sent, filled, NEAR) is not None:
                at = int(numpy.flatnonzero(~known)[0])
                line, column = found.table.lines[found.start + at], named(found.table, place)
                return (
                    f"{column} is missing in line {line}, and was sent as {sent[at]:g}, by which it is 0, "
                    f"far from all other lines ({low:g} to {high:g}): atof of an empty field is 0"
                )
    return ""


def not_scaled(found: Aligned) -> str:
    """One column that is as it is, and large, where all other elements are small."""
    sizes = abs(found.rows).max(axis=0)
    plain = [
        index
        for index, one in found.columns.items()
        if abs(one.divided - 1) < NEAR
        and abs(one.taken) < NEAR * sizes[index]
        and not is_code(found.table, one.place)
    ]
    others = [one for index, one in found.columns.items() if index not in plain]
    if not any(was_scaled(one.taken, one.divided) for one in others):
        return ""
    if wrong := one_vast(found, plain, len(others), sizes):
        return wrong
    if len(plain) != 1 or sizes[plain[0]] < LARGE:
        return ""
    known = [*plain, *(index for index, one in found.columns.items() if is_code(found.table, one.place))]
    if numpy.delete(sizes, known).max(initial=0) > SMALL:
        return ""
    column = named(found.table, found.columns[plain[0]].place)
    return f"{column} was not scaled, and all other elements are within {SMALL:g}"


def one_vast(found: Aligned, plain: Sequence[int], scaled: int, sizes: Any) -> str:
    """One column that is as it is, such as a year, beside which all others are tiny; small numbers, such as
    of rooms, may be as they are."""
    vast = [index for index in plain if sizes[index] > VAST]
    rest = float(numpy.delete(sizes, vast).max(initial=0))
    if len(vast) != 1 or scaled < FEWEST_SCALED or not 0 < rest < sizes[vast[0]] / VAST:
        return ""
    column = named(found.table, found.columns[vast[0]].place)
    return (
        f"{column} was not scaled: element {vast[0]} comes up to {sizes[vast[0]]:g}, and all others to "
        f"{rest:.3g}, {scaled} of them columns that were scaled"
    )


def other_unit(found: Aligned) -> str:
    """A column in a unit with another zero, beyond 1, and without it within 1, as all other elements are."""
    sizes = abs(found.rows).max(axis=0)
    for index, one in found.columns.items():
        for added, said in UNITS.items():
            if abs(-one.taken - added) > 0.002 * added:
                continue
            times = 1.8 if added < 100 else 1.0
            plain = found.lines()[:, one.place] / (one.divided * times)
            within = numpy.nanmax(abs(plain)) <= 1 and numpy.delete(sizes, index).max(initial=0) <= 1 + NEAR
            if within and sizes[index] > TOP:
                return (
                    f"of {named(found.table, one.place)}, {said}: elements come up to {sizes[index]:.2g} by "
                    "that, and all others are within 1, as these would be without it"
                )
    return ""


def in_degrees(found: Aligned) -> str:
    """Sines or cosines of degrees, as if they were radians."""
    for index in found.others():
        for place in range(found.table.numbers.shape[1]):
            there = found.lines()[:, place]
            if not numpy.isfinite(there).all() or len(numpy.unique(there)) < FEWEST_VALUES:
                continue
            for period in PERIODS:
                if period == WHOLE_TURN and not may_be_degrees(found.table, place):
                    continue
                angle = there * 360 / period
                for name, turn in (("sine", numpy.sin), ("cosine", numpy.cos)):
                    if numpy.ptp(found.rows[:, index]) < LEAST_TURN:
                        continue
                    if abs(turn(angle) - found.rows[:, index]).max() < 10 * NEAR:
                        return (
                            f"element {index} is the {name} of {named(found.table, place)} in degrees, as if "
                            "they were radians"
                        )
                    if abs(turn(there / period) - found.rows[:, index]).max() < 10 * NEAR:
                        return (
                            f"element {index} is the {name} of {named(found.table, place)} / {period:g}, "
                            "which goes round once if it is multiplied by 2 pi"
                        )
    return ""


def one_hot(found: Aligned) -> str:
    """Kinds as zeros and a one, which are all at the place of the kind before or behind."""
    flags = [index for index in found.others() if set(found.rows[:, index].tolist()) <= {0.0, 1.0}]
    for place in range(found.table.numbers.shape[1]):
        if is_answer(found.table, place) and len(found.rows) < FEWEST_KINDS_LINES:
            continue
        there = found.table.numbers[:, place]
        codes = numpy.unique(there[numpy.isfinite(there)])
        if not 3 <= len(codes) <= CODES or (numpy.diff(codes) != 1).any():
            continue
        if wrong := shifted(found, flags, place, codes):
            return wrong
    return ""


def shifted(found: Aligned, flags: Sequence[int], place: int, codes: Any) -> str:
    """Returns what is said if as many flags that follow each other as there are kinds are off by one, or ""
    if they are not."""
    count = len(codes)
    there = found.lines()[:, place]
    if not numpy.isfinite(there).all() or len(numpy.unique(there)) < 3:
        return ""
    for first in flags:
        block = found.rows[:, first : first + count]
        if any(index not in flags for index in range(first, first + count)) or block.shape[1] < count:
            continue
        wanted = (there - codes[0]).astype(int)
        for off in (1, -1):
            turned = numpy.eye(count)[(wanted + off) % count]
            cut = numpy.where(((wanted + off) % count == wanted + off)[:, None], turned, 0)
            is_off = bool((block == turned).all() or (block == cut).all())
            if is_off and not is_meant(found, block, place, codes, off):
                return (
                    f"{named(found.table, place)} is sent as zeros and a one (one-hot), off by one: "
                    f"{there[0]:g}, of {codes[0]:g} to {codes[-1]:g}, is place {wanted[0]}, and the one is "
                    f"at {int(block[0].argmax()) if block[0].any() else 'none'}"
                )
    return ""


def is_meant(found: Aligned, block: Any, place: int, codes: Any, off: int) -> bool:
    """Whether zeros and ones that seem to be off by one are those of all kinds but one, and another element,
    or of the lines behind or before."""
    used = {place, *(one.place for one in (*found.columns.values(), *found.bent.values()))}
    is_empty = not block[:, -1 if off < 0 else 0].any()
    lines = slice(found.start, found.start + len(found.rows))
    if is_empty and may_be_others(found.table, used, lines):
        return True
    ones = numpy.where(block.any(axis=1), block.argmax(axis=1), -1)
    return are_of_lines_beside(found.table.numbers[:, place] - codes[0], found.start, ones, off)


def no_logarithm(found: Aligned) -> str:
    """A column that was scaled by the numbers of its logarithm, or a logarithm by those of the column."""
    for columns, is_bent in ((found.columns, False), (found.bent, True)):
        for one in columns.values():
            wrong = unbent(found.table.numbers[:, one.place], one.taken, one.divided, is_bent=is_bent)
            if wrong:
                return f"{named(found.table, one.place)} {wrong}"
    return ""


def other_base(found: Aligned) -> str:
    """Logarithms of columns that were scaled by the means and deviations of those to another base."""
    columns = [found.table.numbers[:, one.place] for one in found.bent.values()]
    if wrong := to_another_base(columns, [(one.taken, one.divided) for one in found.bent.values()]):
        names = ", ".join(named(found.table, one.place) for one in found.bent.values())
        return f"{names}: {wrong}"
    return ""


LOOKS: tuple[Callable[[Aligned], str], ...] = (
    gaps_filled,
    gaps_as_zero,
    one_hot,
    in_degrees,
    not_scaled,
    other_unit,
    no_logarithm,
    other_base,
)
