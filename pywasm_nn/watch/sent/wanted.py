"""What a model knows of the elements of its inputs, against what is sent: numbers beyond all at which its
trees split, and numbers that were scaled though the model scales them itself.

What is here: `Wanted`, which follows rows of elements. What is not: reading models (`nn.formats`), elements
in another order or unit than the model's means (`scalers.py`), kinds by their places in lists
(`sheets/listed_kinds.py`), and pictures (`firsts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.formats.format import Column
from ...nn.tensor import Tensor
from ..sheets.listed_kinds import otherwise_numbered
from ..surroundings import Files
from .all_in_tenths import all_in_tenths
from .headed_units import unlike_heading
from .other_places import are_impossible, column_by_column, in_any_order, of_few_lines, other_places
from .scalers import likelier_order, other_order, other_unit
from .several_units import other_units
from .split_units import other_unit_by_splits

MOST_COLUMNS, MOST_ROWS, FEWEST_ROWS = 4096, 32, 5
FEW_SPLITS, MANY_SPLITS = 4, 8
"""Trees that split an element less often say little of its range; those that split it often say it alone."""
BEYOND = 0.1
"""Elements are beyond the numbers of all splits by this part of their range at least: counts may all be 0."""
SMALL = 10.0
"""Numbers at which trees split are so many times larger than elements that were scaled."""
FEWEST_ABOVE, LARGEST_SCALED = 3, 1.5
"""Trees of scaled elements split some below 0, or all at `LARGEST_SCALED` or less. Trees that split
otherwise, and at least `FEWEST_ABOVE` elements, want these as they are."""
FEWEST_RANDOM, NEARLY, DIGITS, WHOLE = 8, 0.8, 4, 1e-2
"""There are at least `FEWEST_RANDOM` random numbers, from 0 or -1 to 1, and the largest is above `NEARLY`.
That part of them has more than the `DIGITS` that people write: it is farther than `WHOLE` from numbers with
these."""
HALF, MOSTLY = 0.5, 0.75
ALIKE = 0.25
"""Columns are alike if their means and deviations are apart by at most this part of a deviation."""
FAR = 10.0
"""Elements so many deviations from the mean are no usual ones."""
AROUND, WIDTHS = 1.5, (0.2, 4.0)
"""The mean and deviation of elements that were scaled are within these."""
OWN_MEAN, OWN_WIDTHS = 3.0, (0.3, 3.0)
"""A mean beyond this, or a deviation beyond these, are not those of elements that were scaled."""


class Wanted:
    """Gives sentences after inputs."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._columns: dict[int | None, Any] = {}
        self._rows: dict[Any, list[Any]] = {}
        self._called: dict[Any, str] = {}
        """By graph and index, the names of inputs."""

    def loaded(self, graph: int | None, columns: Mapping[int, Sequence[Column]]) -> None:
        """A model was loaded; `columns` say what it knows of its inputs' elements."""
        self._columns[graph] = columns

    def scales(self, graph: int | None, index: int) -> bool:
        """Whether a model scales an input itself, or its trees split it at numbers of another scale."""
        known: Sequence[Column] = self._columns.get(graph, {}).get(index, ())
        if any(column.centre is not None or max(column.splits, default=0) > SMALL for column in known):
            return True
        splits = [column.splits for column in known if column.splits]
        is_above = all(min(one) > 0 for one in splits) and len(splits) >= FEWEST_ABOVE
        return is_above and max(map(max, splits)) > LARGEST_SCALED

    def scales_again(self, graph: int | None, index: int) -> str:
        """Returns what is wrong with lines that a file's means and deviations scaled, or "" if the model has
        none of numbers that weren't scaled."""
        known: Sequence[Column] = self._columns.get(graph, {}).get(index, ())
        centres = [one.centre for one in known if one.centre is not None and one.centre[2]]
        telling = [one for one in centres if is_own(*one[:2])]
        if len(telling) < 2 or len(telling) < HALF * len(known) or known[0].is_all:
            return ""
        self._columns[graph] = {}
        return (
            "its lines were scaled by a mean and a deviation of each column, and the model takes means away "
            f"and divides itself (by {telling[0][0]:.4g} and {telling[0][1]:.4g}, which are none of numbers "
            "that were scaled): are they scaled twice?"
        )

    def set(self, graph: int | None, index: int, tensor: Tensor, called: str = "") -> Iterator[str]:
        """An input was set. `called` is its name."""
        self._called[graph, index] = called
        columns: Sequence[Column] = self._columns.get(graph, {}).get(index, ())
        rows = self._with(graph, index, tensor) if columns and not columns[0].is_all else None
        if rows is None or len(columns) > rows.shape[1] or self._is_made_up(rows):
            return
        said = column_by_column(columns, rows) if tensor.shape == rows.shape else ""
        said = said or unlike_heading(columns, rows, self._files)
        said = said or other_order(columns, rows) or other_places(columns, rows) or other_unit(columns, rows)
        if not said and len(rows) >= FEWEST_ROWS:
            said = beyond_splits(columns, rows) or scaled_before(columns, rows) or far_off(columns, rows)
            said = said and (in_any_order(columns, rows) or said)
            said = said or order_or_units(columns, rows) or other_unit_by_splits(columns, rows)
        said = said or all_in_tenths(columns, rows) or likelier_order(columns, rows)
        if not said and len(rows) >= FEWEST_ROWS and any(column.rows for column in columns):
            said = otherwise_counted(columns, rows, self._files())
        if said:
            self._columns[graph] = {}
            yield said

    def _is_made_up(self, rows: Any) -> bool:
        """Tells whether elements are random numbers, which somebody sends to see how long a model takes, and
        the guest has read no file from which they could come."""
        is_random = bool(rows.min() >= -1 and 1 > rows.max() > NEARLY and rows.size >= FEWEST_RANDOM)
        if not is_random or any(KNOWN.of_file(name) is None for name, _ in self._files()):
            return False
        levels = rows * 10.0**DIGITS
        return bool((abs(levels - levels.round()) > WHOLE).mean() > NEARLY)

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with inputs of a few lines after which no more were sent."""
        for (graph, index, width), kept in self._rows.items():
            columns: Sequence[Column] = self._columns.get(graph, {}).get(index, ())
            is_few = 0 < len(kept) < FEWEST_ROWS and len(columns) <= width
            if is_few and (said := of_few_lines(columns, numpy.stack(kept))):
                yield f'input {index} "{self._called[graph, index]}": {said}'

    def _with(self, graph: int | None, index: int, tensor: Tensor) -> Any:
        """Returns the rows of an input and of those before it, or None if they are enough already."""
        numbers = tensor.numbers()
        width = tensor.shape[-1] if len(tensor.shape) in (1, 2) else 0
        if numbers is None or not 0 < width <= MOST_COLUMNS or not numpy.isfinite(numbers).all():
            return None
        kept = self._rows.setdefault((graph, index, width), [])
        if len(kept) >= MOST_ROWS:
            return None
        kept += list(numbers.reshape(-1, width)[: MOST_ROWS - len(kept)].astype("f8"))
        return numpy.stack(kept) if kept else None


def order_or_units(columns: Sequence[Column], rows: Any) -> str:
    """Several elements that are far from their means: in another order, or in other units, unless it may be
    both."""
    order = in_any_order(columns, rows) if are_impossible(columns, rows) else ""
    units = other_units(columns, rows)
    return "" if order and units else order or units


def beyond_splits(columns: Sequence[Column], rows: Any) -> str:
    """Elements that lie beyond all numbers at which trees split, so that no split tells any from another."""
    looked = [place for place, column in enumerate(columns) if len(column.splits) >= FEW_SPLITS]
    out = [place for place in looked if is_beyond(columns[place].splits, rows[:, place])]
    alone = [place for place in out if len(columns[place].splits) >= MANY_SPLITS]
    far = [place for place in alone if is_far(columns[place].splits, rows[:, place])]
    if not (far or (len(out) > 1 and len(out) >= HALF * len(looked))):
        return ""
    place = (far or out)[0]
    own, splits = rows[:, place], columns[place].splits
    scaled = abs(own).max() < SMALL < splits[-1]
    was = "was it scaled before?" if scaled else "is it in another unit or range?"
    return (
        f"element {place} is {own.min():.4g} to {own.max():.4g} in {len(rows)} inputs, beyond all numbers at "
        f"which the model's trees split it ({splits[0]:.4g} to {splits[-1]:.4g}), and so are {len(out) - 1} "
        f"more of {len(looked)} elements: {was}"
    )


def is_beyond(splits: Sequence[float], own: Any) -> bool:
    """Whether all elements lie on one side of all splits, and not near them."""
    low, high, reach = splits[0], splits[-1], splits[-1] - splits[0]
    if own.min() == own.max():
        return False  # such as a count that is 0 for all
    if own.min() > high:
        return bool(own.min() - high > BEYOND * reach)
    if own.max() >= low:
        return False
    scaled = own.min() < 0 < low and high > SMALL * abs(own).max()
    return bool(scaled or low - own.max() > BEYOND * reach)


def is_far(splits: Sequence[float], own: Any) -> bool:
    """Whether all elements are farther from all splits than these are from each other."""
    reach = splits[-1] - splits[0]
    return bool(own.min() > splits[-1] + reach or own.max() < splits[0] - reach)


def scaled_before(columns: Sequence[Column], rows: Any) -> str:
    """Elements that were scaled, though the model takes means away and divides by deviations itself."""
    telling = [
        (place, column.centre[0], column.centre[1])
        for place, column in enumerate(columns)
        if column.centre is not None and column.centre[2] and is_own(*column.centre[:2])
    ]
    twice = [one for one in telling if is_scaled(rows[:, one[0]]) and off(rows[:, one[0]], *one[1:])]
    if len(twice) < 2 or len(twice) < MOSTLY * len(telling) or are_alike(twice):
        return ""
    place, mean, deviation = twice[0]
    own = rows[:, place]
    return (
        f"the model scales its inputs itself: it takes {mean:.4g} away from element {place} and divides by "
        f"{deviation:.4g}, but {len(rows)} inputs have {own.min():.3g} to {own.max():.3g} there, as if "
        f"scaled before (so do {len(twice) - 1} more of {len(telling)} elements)"
    )


def are_alike(columns: Sequence[tuple[int, float, float]]) -> bool:
    """Whether columns have the same mean and deviation, so nearly that they may be the same quantity in
    several places: what one of them has by chance, all have."""
    _, mean, deviation = columns[0]
    return all(
        abs(other - mean) <= ALIKE * deviation and abs(wide - deviation) <= ALIKE * deviation
        for _, other, wide in columns[1:]
    )


def is_own(mean: float, deviation: float) -> bool:
    """Whether a mean and deviation are not those of elements that were scaled."""
    low, high = OWN_WIDTHS
    return deviation > 0 and (abs(mean) > OWN_MEAN or not low < deviation < high)


def is_scaled(own: Any) -> bool:
    low, high = WIDTHS
    return abs(float(own.mean())) < AROUND and low < float(own.std()) < high and float(own.min()) < 0


def off(own: Any, mean: float, deviation: float) -> bool:
    """Whether elements are not around a mean as a deviation says."""
    level = (own - mean) / deviation
    return bool(abs(level.mean()) > OWN_MEAN or level.std() < BEYOND)


def far_off(columns: Sequence[Column], rows: Any) -> str:
    """Elements that are many deviations from the mean, most of them."""
    known = [
        (place, *column.centre)
        for place, column in enumerate(columns)
        if column.centre is not None and column.centre[1] > 0
    ]
    far = [one for one in known if abs(float(((rows[:, one[0]] - one[1]) / one[2]).mean())) > FAR]
    if len(far) < 2 or len(far) < HALF * len(known):
        return ""
    place, mean, deviation, own = far[0]
    who = "the model takes away and divides by" if own else "the model saw in training"
    return (
        f"element {place} is {rows[:, place].min():.4g} to {rows[:, place].max():.4g} in {len(rows)} inputs; "
        f"the mean and deviation that {who} are {mean:.4g} and {deviation:.4g} (so it is with "
        f"{len(far) - 1} more of {len(known)} elements)"
    )


def otherwise_counted(columns: Sequence[Column], rows: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Kinds that are places in a list that was read, of as many as the model has, but not in its order or not
    from 0 on."""
    for place, column in enumerate(columns):
        said = otherwise_numbered(column.rows, [int(one) for one in rows[:, place]], files)
        if said:
            return f"element {place} {said}"
    return ""
