"""Lines of a table that go into an input of 8 or 16 bits as they are, though the model says what a step of it
stands for (scale and zero point).

What is here: `Unquantised`. What is not: pixels, whose zero point is half of their range (`whatif`), and
answers (`probes.quantised`).

Small whole numbers are in many lines by chance, so that several inputs have to show the same mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.tensor import DType, Tensor
from ...records import Frozen
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
            found = self._found(numbers, scale, zero)
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

    def _found(self, numbers: Any, scale: float, zero: int) -> dict[str, Shown]:
        """Returns the mistakes that give these elements, or {} if a line gives them rightly."""
        own, limits = numbers.astype("f8"), numpy.iinfo(numbers.dtype)
        found: dict[str, Shown] = {}
        for name, data in self._files():
            sheet = sheet_of(name, data)
            if sheet is None:
                continue
            for start in range(sheet.numbers.shape[1] - own.size + 1):
                lines = sheet.numbers[:, start : start + own.size]
                right = numpy.clip(lines / scale + zero, limits.min, limits.max)
                if (abs(right - own) < NEAR).all(axis=1).any():
                    return {}
                for made, said in readings(lines, scale, zero):
                    shown = [shown_by(one, own, limits) for one in (made, numpy.trunc(made))]
                    best = min(shown, key=lambda one: one.chance)
                    if best.lines:
                        found.setdefault(f"compared with {name}, {said}", best)
        return found


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
    size = limits.max - limits.min + 1
    best = Shown(frozenset(), float("inf"), 1.0)
    for one in (numpy.clip(whole, limits.min, limits.max), (whole - limits.min) % size + limits.min):
        same = one == own
        lines = numpy.flatnonzero(same.all(axis=1)).tolist()
        alike = float(same.mean(axis=0).prod())
        if lines and alike < best.alike:
            best = Shown(frozenset(lines), min(1.0, alike * len(one)), alike)
    return best
