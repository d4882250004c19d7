"""Lines of a table that go into an input of 8 or 16 bits as they are, though the model says what a step of it
stands for (scale and zero point), or that run over there; the same of lines that a file's numbers scale.

What is here: `Unquantised`. What is not: pixels, whose zero point is half of their range (`whatif`), and
answers (`probes.quantised`).

Small whole numbers are in many lines by chance, so that several inputs have to show the same mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import DType, Tensor
from ...records import Frozen, changed
from ..sheets.formulas import RIGHTLY
from ..sheets.scaler_files import Lists, lists_of
from ..sheets.sheet import sheet_of
from ..surroundings import Files

Affine = tuple[float, int]

KINDS = frozenset({DType.I8, DType.U8, DType.I16})
FEWEST, MOST_ELEMENTS, MOST_INPUTS = 3, 64, 12
"""Elements of a line, of which so many differ at least; and inputs that are looked at."""
ONE = 0.05
"""A scale that differs less from 1 changes next to nothing."""
NEAR = 1.02
"""What rounding or cutting off leaves, in steps."""
CHANCE, WAYS = 1e-3, 12
"""How probable it may be that inputs are what a mistake makes, and in how many ways that is tried."""
OPPOSITE = "the zero point was taken away, and not added"
PLAIN = "numbers of a line were sent as they are, without the model's scale and zero point"
NO_ZERO = "numbers of a line were divided by the scale, and the zero point was not added"
NO_SCALE = "the zero point was added to numbers of a line, which were not divided by the scale"
INVERSE = "numbers of a line were multiplied by the scale, and not divided"
SCALER, RANGES = RIGHTLY[:1], RIGHTLY[1:3]
"""What is made of a line with means and deviations, and with the ends of ranges."""


class Base(Frozen):
    """Lines of a table as they are, or scaled as they should be, [lines, elements], and how that is said."""

    what: str
    lines: Any


class Shown(Frozen):
    """Lines that are the last input by a mistake, how probable it is that all inputs are by chance, and that
    the last one is one line."""

    lines: frozenset[int]
    chance: float
    alike: float

    def followed_by(self, other: Shown) -> Shown:
        """The same after one more input."""
        following = other.lines & {line + 1 for line in self.lines}
        chance = self.chance * (other.alike if following else other.chance)
        return Shown(following or other.lines, chance, other.alike)


class Unquantised:
    """Gives a sentence after an input."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._shown: dict[Any, dict[str, Shown]] = {}
        """By input, the mistakes that all inputs so far show."""
        self._looked: dict[Any, int] = {}

    def wrong(self, key: Any, tensor: Tensor, affine: Affine | None) -> str:
        """Returns what is wrong with a line that should have been divided by a scale and moved by a zero
        point, or "" if nothing is."""
        if affine is None or tensor.dtype not in KINDS or tensor.size > 2 * MOST_ELEMENTS:
            return ""
        numbers, (scale, zero) = tensor.numbers(), affine
        if numbers is None or scale <= 0 or (abs(scale - 1) < ONE and not zero):
            return ""
        if len(numbers) > MOST_ELEMENTS or len(numpy.unique(numbers)) < FEWEST:
            return ""
        self._looked[key] = self._looked.get(key, 0) + 1
        if self._looked[key] > MOST_INPUTS:
            return ""
        with numpy.errstate(all="ignore"):
            bases = [*self._bases(len(numbers))]
            if not bases:
                return ""  # the file is read later, or a part of it
            found = found_in(bases, numbers, scale, zero)
            said = run_over(bases, numbers, scale, zero)
        if said:
            self._looked[key] = MOST_INPUTS
            return said
        before = self._shown.get(key)
        if before is not None:
            found = {said: before[said].followed_by(one) for said, one in found.items() if said in before}
        self._shown[key] = found
        said = min(found, key=lambda one: found[one].chance, default="")
        if not said or found[said].chance > CHANCE / WAYS:
            return ""
        self._looked[key] = MOST_INPUTS
        return (
            f"{said}; by the model an element stands for (element - {zero}) x {scale:.4g}: divide by the "
            "scale, round, and add the zero point"
        )

    def _bases(self, width: int) -> Iterator[Base]:
        """The lines that so many elements may be, as they are, and scaled by the numbers of other files."""
        files = self._files()
        for name, data in files:
            sheet = sheet_of(name, data)
            if sheet is None or sheet.numbers.shape[1] < width:
                continue
            every = [*lists_of([one for one in files if one[1] != data], width)]
            for start in range(sheet.numbers.shape[1] - width + 1):
                lines = sheet.numbers[:, start : start + width]
                yield Base(f"compared with {name}", lines)
                yield from (
                    changed(one, what=f"compared with {name}, {one.what}") for one in scaled(lines, every)
                )


def scaled(lines: Any, every: Sequence[Lists]) -> Iterator[Base]:
    """Lines as usual formulas make them with the lists of files that fit them."""
    for lists in every:
        is_range = lists.is_bare and lists.is_range_of(lines)
        is_scaler = lists.fits(lines) or (lists.is_bare and not is_range and lists.may_fit(lines))
        for formula in SCALER if is_scaler else RANGES if is_range else ():
            yield Base(f"scaled by {lists.where}", formula(lines, *lists.both))


def found_in(bases: Sequence[Base], numbers: Any, scale: float, zero: int) -> dict[str, Shown]:
    """Returns the mistakes that give these elements, or {} if a line gives them rightly."""
    own, limits = numbers.astype("f8"), numpy.iinfo(numbers.dtype)
    found: dict[str, Shown] = {}
    for base in bases:
        right = numpy.clip(base.lines / scale + zero, limits.min, limits.max)
        if (abs(right - own) < NEAR).all(axis=1).any():
            return {}
        for made, said in readings(base.lines, scale, zero):
            shown = [shown_by(one, own, limits) for one in (made, numpy.trunc(made))]
            best = min(shown, key=lambda one: one.chance)
            if best.lines:
                found.setdefault(f"{base.what}, {said}", best)
    return found


def run_over(bases: Sequence[Base], numbers: Any, scale: float, zero: int) -> str:
    """Returns what is wrong if elements are a line by the model's scale and zero point, of which some begin
    again at the other end of their type, or "" if that is not so."""
    own, limits = numbers.astype("f8"), numpy.iinfo(numbers.dtype)
    for base in bases:
        made = base.lines / scale + zero
        for whole in (numpy.rint(made), numpy.trunc(made)):
            is_out = (whole < limits.min) | (whole > limits.max)
            same = within(whole, limits) == own
            line = int((same.all(axis=1) & is_out.any(axis=1)).argmax())
            chance = float(same.mean(axis=0).prod()) * len(same)
            if not same[line].all() or not is_out[line].any() or chance > CHANCE:
                continue
            place = int(is_out[line].argmax())
            return (
                f"{base.what}, element {place} of a line comes to {whole[line, place]:.0f} by the model's "
                f"scale and zero point ({scale:.4g} and {zero}), and was sent as {own[place]:.0f}: "
                f"{numbers.dtype} begins again beyond {limits.min} and {limits.max}: clamp before the cast"
            )
    return ""


def readings(lines: Any, scale: float, zero: int) -> Iterator[tuple[Any, str]]:
    """Lines as elements, as mistakes make them."""
    yield lines, PLAIN
    if abs(scale - 1) >= ONE:
        yield lines * scale + zero, INVERSE
        if zero:
            yield lines / scale, NO_ZERO
            yield lines + zero, NO_SCALE
    if zero:
        yield lines / scale - zero, OPPOSITE


def shown_by(made: Any, own: Any, limits: Any) -> Shown:
    """In which lines a mistake gives these elements, if they are rounded and cut to their range, or run over
    in it."""
    whole = numpy.rint(made)
    best = Shown(frozenset(), float("inf"), 1.0)
    for one in (numpy.clip(whole, limits.min, limits.max), within(whole, limits)):
        same = one == own
        lines = numpy.flatnonzero(same.all(axis=1)).tolist()
        alike = float(same.mean(axis=0).prod())
        if lines and alike < best.alike:
            best = Shown(frozenset(lines), min(1.0, alike * len(one)), alike)
    return best


def within(whole: Any, limits: Any) -> Any:
    """Whole numbers as they are in a type in which they run over."""
    return (whole - limits.min) % (limits.max - limits.min + 1) + limits.min
