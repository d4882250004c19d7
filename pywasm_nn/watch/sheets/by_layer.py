"""Lines of a table that are sent as they stand, against the first dense layer of a model that has its scaler
in it: columns in another order, and one in another unit than the model was trained in.

What is here: `unlike_layer`. What is not: scalers that are layers of their own (`sent/wanted.py`), and
columns that the guest scales (`one_unscaled.py`).

A layer that was trained on (x - mean) / deviation is often kept as one of x: its weights are divided by the
deviations, and the means are in its heights. So the heights say the means, if these explain them, and the
sizes of the weights say about how wide each element was, but for a factor that is the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Layer
from ...records import Frozen
from ..regex import regex
from ..units import UNITS, unit_in
from .rows import matched
from .sheet import Sheet
from .units import CUSTOMARY, converted

FEWEST, FEWEST_ELEMENTS = 3, 4
UNEXPLAINED, HALF = 0.05, 0.5
"""The part of the heights that means leave over, where these are sure; and that of what chance leaves over,
in layers with a scaler in them, and of all heights where there are units enough."""
FAR, NEAR = 4.0, 2.0
"""How many widths an element is from its mean in each line at least, and at most. Weights are a few tenths
where elements have a deviation of 1, so that a width is two deviations or more."""
ASIDE, BESIDE, AROUND, NARROW = 1.5, 1.0, 0.7, 0.03
"""A column in another unit is so many widths from its mean on average, and in each line; in the right one, as
the others, at most so many on average; and it varies by more than the last."""
APART, ALIKE, AS_MUCH = (4.0, 2.5), 4.0, (2.0, 4.0)
"""An element in another unit says so many times less, or more, than each other one, by its size, and by how
much it varies in a few lines; these are within such a factor of each other; and in the right unit it says as
much as they, or so many times less or more."""
EXACT = 1e-5
SQUARE = regex(r"(?:\bsq|square)[ _.-]?(ft|feet|foot|m\b|met)\w*|(ft|m)(?:²|\^2)", re.IGNORECASE)
AREAS: Mapping[str, str] = {"m": "m2", "met": "m2", "ft": "ft2", "feet": "ft2", "foot": "ft2"}


class Known(Frozen):
    """What a layer says of each element: its mean, if it says that, and about its width. `left` is the part
    of the heights that the means leave over, and `by_chance` what any numbers would."""

    means: Any
    widths: Any
    left: float
    by_chance: float

    @property
    def is_sure(self) -> bool:
        return self.left <= UNEXPLAINED and self.by_chance >= HALF

    @property
    def is_likely(self) -> bool:
        """Whether the layer has a scaler in it, though its means are vague."""
        return self.left <= HALF * self.by_chance

    def levels(self, numbers: Any, place: int) -> Any:
        """How far numbers are from the mean of an element."""
        return (numbers - self.means[place]) / self.widths[place]


def has_scaler(layer: Layer, rows: Any) -> bool:
    """Whether a layer takes means away itself, and lines as they stand are around these means."""
    if rows.shape[1] != layer.weights.shape[1] or not layer.weights.any(axis=0).all():
        return False
    known = known_of(layer)
    away = numpy.stack([abs(known.levels(rows[:, place], place)) for place in range(rows.shape[1])])
    return known.is_likely and bool(numpy.median(away, axis=1).max() <= NEAR)


def unlike_layer(sheet: Sheet, rows: Any, layer: Layer) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that are a table's lines as they stand, or "" if
    nothing is."""
    columns = plain_columns(sheet, rows) if rows.shape[1] == layer.weights.shape[1] else []
    if len(rows) < FEWEST or len(columns) < FEWEST_ELEMENTS or not layer.weights.any(axis=0).all():
        return ""
    known = known_of(layer)
    said = other_order(sheet, rows, columns, known) or by_means(sheet, rows, columns, known)
    return said or by_sizes(sheet, rows, columns, known)


def plain_columns(sheet: Sheet, rows: Any) -> list[int]:
    """The column that each element is as it stands, all different ones, or [] if any is none."""
    numbers = sheet.numbers[: len(rows)]
    found: list[int] = []
    for own in rows.T if len(numbers) == len(rows) else ():
        same = numpy.isclose(numbers, own[:, None], rtol=EXACT, atol=0).all(axis=0)
        places = [one for one in numpy.flatnonzero(same).tolist() if one not in found]
        if not places:
            return []
        found.append(places[0])
    return found


def known_of(layer: Layer) -> Known:
    weights, heights = layer.weights.astype("f8"), layer.heights.astype("f8")
    widths = 1 / numpy.sqrt((weights**2).mean(axis=0))
    scaled = weights * widths
    found = numpy.linalg.lstsq(scaled, -heights, rcond=None)[0]
    left = float(((scaled @ found + heights) ** 2).sum())
    by_chance = max(0.0, 1 - weights.shape[1] / len(weights))
    return Known(found * widths, widths, left / float((heights**2).sum()), by_chance)


def other_order(sheet: Sheet, rows: Any, columns: Sequence[int], known: Known) -> str:
    """Columns of which one can't be in its place, and all can in another order."""
    if not known.is_sure:
        return ""
    places = range(len(columns))
    fits = {
        place: [one for one in places if float(abs(known.levels(rows[:, one], place)).max()) <= NEAR]
        for place in places
    }
    far = [one for one in places if float(abs(known.levels(rows[:, one], one)).min()) >= FAR]
    telling = [place for place in far if len(fits[place]) == 1]
    if not telling or matched(fits) < len(columns):
        return ""
    place = telling[0]
    sent, wanted = (sheet.named(columns[one]) for one in (place, fits[place][0]))
    return (
        f"by the model's first layer, which has a scaler in it, the columns are in another order: element "
        f"{place} is {sent} ({ends(rows[:, place])}), for a mean of about {known.means[place]:.2g}, which "
        f"{wanted} alone fits ({ends(rows[:, fits[place][0]])}); in another order all {len(columns)} fit: "
        "are they sent as the file has them, and not as the model was trained?"
    )


def by_means(sheet: Sheet, rows: Any, columns: Sequence[int], known: Known) -> str:
    """A column that is far from its mean in the unit of its heading, and near it in another, as all others
    are."""
    if not known.is_sure or not sheet.headings:
        return ""
    away = [abs(float(known.levels(rows[:, place], place).mean())) for place in range(len(columns))]
    for place, column in enumerate(columns):
        own, others = known.levels(rows[:, place], place), numpy.delete(away, place)
        unit = unit_of(sheet.headings[column])
        if not unit or away[place] < ASIDE or abs(own).min() < BESIDE or others.max() > AROUND:
            continue
        for other, numbers in converted(unit, rows[:, place]):
            level = known.levels(numbers, place)
            if abs(level.mean()) <= AROUND and abs(level).max() <= NEAR and level.std() > NARROW:
                return (
                    f"{sheet.named(column)} is sent as it stands, {ends(rows[:, place])} in {unit} by its "
                    f"heading: by the model's first layer, which has a scaler in it, its mean is about "
                    f"{known.means[place]:.3g}, and in {other} it is {ends(numbers)}: is it to be converted?"
                )
    return ""


def by_sizes(sheet: Sheet, rows: Any, columns: Sequence[int], known: Known) -> str:
    """An area that says far less or more than all other columns in the unit of its heading, by its size and
    by how much it varies, and as much as they in another. Other units are too near to each other for that, or
    so many times as large that some of them fits anything."""
    said = numpy.stack([numpy.sqrt((rows**2).mean(axis=0)), rows.std(axis=0)]) / known.widths
    apart, as_much = numpy.array(APART), numpy.array(AS_MUCH)
    for place, column in enumerate(columns if sheet.headings and known.is_likely else ()):
        unit, own = unit_of(sheet.headings[column], "area"), said[:, place]
        others = numpy.delete(said, place, axis=1)
        low, high = others.min(axis=1), others.max(axis=1)
        is_less = bool((own * apart <= low).all())
        is_odd = is_less or bool((own >= apart * high).all())
        if not unit or not is_odd or bool((high > ALIKE * low).any()):
            continue
        for other, numbers in converted(unit, rows[:, place]):
            made = numpy.sqrt((numbers**2).mean()) / known.widths[place], numbers.std() / known.widths[place]
            is_like = bool((made >= low / as_much).all() and (made <= high * as_much).all())
            if is_like and (unit in CUSTOMARY) != (other in CUSTOMARY):
                times = float(low[0] / own[0] if is_less else own[0] / high[0])
                return (
                    f"{sheet.named(column)} is sent as it stands, {ends(rows[:, place])} in {unit} by its "
                    f"heading: by the weights of the model's first layer it says {times:.0f} times "
                    f"{'less' if is_less else 'more'} than any other column, and as much as they in {other} "
                    f"({ends(numbers)}): is it to be converted?"
                )
    return ""


def unit_of(heading: str, kind: str = "") -> str:
    """The unit that a heading names, or is, if that is one of areas; "" if it has none, or none of a kind."""
    name = SQUARE.sub(lambda found: " " + AREAS[(found[1] or found[2]).lower()] + " ", heading)
    words = name.lower().split()
    alone = words[0].strip("()[]") if len(words) == 1 else ""
    unit = alone if UNITS.get(alone, ("",))[0] == "area" else unit_in(name)[1]
    return unit if unit and kind in ("", UNITS[unit][0]) else ""


def ends(numbers: Any) -> str:
    return f"{numbers.min():.4g} to {numbers.max():.4g}"
