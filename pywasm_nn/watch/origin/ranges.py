"""Which range the elements of a picture are in: a usual one, or one that comes from a usual mistake.

What is here: `Range`, scale and shift of each channel as steps that guests take one after the other. What is
not: finding scale and shift (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ...records import Frozen
from ..changes.encodings import IMAGENET, IMAGENET_DEVIATION, MISTAKEN, USUAL, Encoding
from .formulas import FORMULAS, OTHERS, TWICE

Line = tuple[float, float, float]
"""Scale, shift and the mean difference in pixels."""
SWAPPED = "black and white swapped"
PER_CHANNEL = tuple(one for one in (*OTHERS, *FORMULAS) if len({*one.mean}) > 1)
"""Formulas with other numbers for each channel, which nothing fits by chance, even where elements are only
nearly those of the picture."""
Lines = Sequence[Line | None]
"""One for each channel; None where nothing is known."""
Affine = tuple[tuple[float, ...], tuple[float, ...]]
"""Scales and shifts of three channels, from pixels to elements."""

CLOSE, ROUGHLY = (0.02, 1.6), (0.09, 9.0)
"""How far a range may be from a usual one, relatively in its scale and in pixels in its shift: where the
elements are exactly those of the picture, and where they are nearly."""


WHITES = (255, 65535)
"""White has the first value in files of 8 bits, and the second in files of 16."""


class Range(Frozen):
    """The range of elements: `said` continues "the picture, ", `wrong` says what is surely wrong with it.
    `encoding` is the usual encoding that it is."""

    said: str
    wrong: str = ""
    encoding: Encoding | None = None
    is_reversed: bool = False
    """Whether its numbers are for the other order of channels."""


def ends(mean: Sequence[float], deviation: Sequence[float]) -> Affine:
    return tuple(1 / d for d in deviation), tuple(-m / d for m, d in zip(mean, deviation, strict=True))


UNIT_MEANS = tuple(mean / 255 for mean in IMAGENET)
UNIT_DEVIATIONS = tuple(deviation / 255 for deviation in IMAGENET_DEVIATION)
STEPS: dict[str, Affine] = {
    "divided by 255": ends((0.0,) * 3, (255.0,) * 3),
    "times 255": ((255.0,) * 3, (0.0,) * 3),
    "brought from 0..1 to -1..1": ends((0.5,) * 3, (0.5,) * 3),
    "brought from 0..255 to -1..1": ends((127.5,) * 3, (127.5,) * 3),
    "normalised by ImageNet's mean and deviation": ends(UNIT_MEANS, UNIT_DEVIATIONS),
}
"""Steps of preprocessing, each once."""
UNIT, TIMES, HALF, WHOLE, STANDARD = STEPS
CHAINS: dict[tuple[str, ...], str] = {
    (UNIT, UNIT): "divided by 255 twice",
    (UNIT, UNIT, UNIT): "divided by 255 three times",
    (TIMES,): "multiplied by 255, though they were from 0 to 255",
    (UNIT, TIMES, TIMES): "multiplied by 255 twice",
    (HALF,): "brought to -1..1 without the division by 255",
    (STANDARD,): "by ImageNet's mean and deviation, without the division by 255",
    (UNIT, STANDARD, STANDARD): "normalised twice by ImageNet's mean and deviation",
    (UNIT, STANDARD, UNIT, STANDARD): "normalised twice by ImageNet's mean and deviation, each time after a "
    "division by 255",
    (UNIT, STANDARD, STANDARD, STANDARD): "normalised three times by ImageNet's mean and deviation",
    (UNIT, UNIT, STANDARD): "by ImageNet's mean and deviation after a division by 255 too many",
    (UNIT, STANDARD, UNIT): "by ImageNet's mean and deviation, and then divided by 255 again",
    (UNIT, STANDARD, TIMES): "by ImageNet's mean and deviation, and then multiplied by 255",
    (UNIT, STANDARD, HALF): "by ImageNet's mean and deviation, and then brought to -1..1 as well",
    (UNIT, HALF, HALF): "brought to -1..1 twice (the mean 0.5 and deviation 0.5 applied twice)",
    (UNIT, HALF, HALF, HALF): "brought to -1..1 three times",
    (WHOLE, WHOLE): "brought to -1..1 twice",
    (UNIT, WHOLE): "brought to 0..1, and then to -1..1 as if they were 0 to 255",
    (UNIT, UNIT, HALF): "brought to -1..1 after a division by 255 too many",
    (UNIT, HALF, UNIT): "brought to -1..1, and then divided by 255 again",
    (UNIT, HALF, TIMES): "brought to -1..1, and then multiplied by 255",
    (UNIT, HALF, STANDARD): "brought to -1..1, and then by ImageNet's mean and deviation as well",
    (WHOLE, STANDARD): "brought to -1..1, and then by ImageNet's mean and deviation as well",
}
"""What nobody means, by the steps that lead there."""


@cache
def mistaken() -> tuple[Encoding, ...]:
    """The mistakes as encodings, of which those of the module's tables come first."""
    known = [encoding for encoding in MISTAKEN if encoding.is_mistake]
    said = {encoding.said for encoding in known}
    return (*known, *(made for made in chains() if made.said not in said))


def chains() -> Iterator[Encoding]:
    for names, said in CHAINS.items():
        scales: tuple[float, ...] = (1.0,) * 3
        shifts: tuple[float, ...] = (0.0,) * 3
        for name in names:
            times, plus = STEPS[name]
            scales = tuple(a * b for a, b in zip(scales, times, strict=True))
            shifts = tuple(a * b + c for a, b, c in zip(shifts, times, plus, strict=True))
        means = tuple(-shift / scale for scale, shift in zip(scales, shifts, strict=True))
        deviations = tuple(1 / scale for scale in scales)
        if len(set(means)) == len(set(deviations)) == 1:
            means, deviations = means[:1], deviations[:1]
        yield Encoding(said, means, deviations, True)


def range_of(lines: Lines, is_bgr: bool, within: tuple[float, float], top: int = 255) -> Range:
    """The range as words, and what is surely wrong with it, if anything is. `top` is the value of white in
    the file, if that isn't 255, also of 16 bits."""
    for encoding in (*USUAL, *MISTAKEN, *mistaken()):
        if fits(lines, encoding, is_bgr != encoding.is_bgr, within):
            said = f"pixels {encoding.said}"
            wrong = f"pixels are {encoding.said}" if encoding.is_mistake else ""
            return Range(said, wrong, None if encoding.is_mistake else encoding)
    for encoding in (*USUAL, *mistaken()):
        if len(encoding.mean) == 3 and fits(lines, encoding, is_bgr == encoding.is_bgr, within):
            said = f"pixels {encoding.said} in the wrong order of channels"
            have = "BGR" if is_bgr else "RGB"
            return Range(
                said, f"{said}: these are {have}, and the numbers for the other order", encoding, True
            )
    for assumed in WHITES if top != WHITES[0] else ():
        raw = [None if one is None else (one[0] * assumed / top, one[1], one[2]) for one in lines]
        found = range_of(raw, is_bgr, within) if assumed != top else Range("")
        if found.encoding is not None and found.encoding.said != "from 0 to 255":
            said = f"{found.said}, as if white were {assumed}"
            return Range(said, f"{said}; in the file it is {top}")
        if found.encoding is not None and assumed == WHITES[0]:
            return Range(f"pixels from 0 to {top}")
    for encoding in (*OTHERS, *FORMULAS, *TWICE) if within == CLOSE else PER_CHANNEL:
        for reverse in (False, True):
            if fits(lines, encoding, reverse, CLOSE):
                wrong = f"pixels are {encoding.said}" if encoding.is_mistake else ""
                return Range(f"pixels {encoding.said}", wrong)
    negative = [None if one is None else (-one[0], one[1] + 255 * one[0], one[2]) for one in lines]
    if all(one is None or one[0] > 0 for one in negative):
        found = range_of(negative, is_bgr, within)
        return Range(f"{SWAPPED}, {found.said}", found.wrong, found.encoding)
    known = [one for one in lines if one is not None]
    parts = [f"{scale:.4g} x pixel {shift:+.4g}" for scale, shift, _ in known]
    return Range(parts[0] if len(set(parts)) == 1 else "; ".join(parts))


def fits(lines: Lines, encoding: Encoding, reverse: bool, within: tuple[float, float]) -> bool:
    """Whether all known channels are in an encoding, whose channels may lie in the reverse order."""
    if not any(lines) or not encoding.fits(len(lines)):
        return False
    times = len(lines) if len(encoding.mean) == 1 else 1
    step = -1 if reverse and len(encoding.mean) == len(lines) else 1
    pairs = zip(lines, (encoding.mean * times)[::step], (encoding.deviation * times)[::step], strict=True)
    return all(one is None or is_close(one, mean, deviation, within) for one, mean, deviation in pairs)


def is_close(found: Line, mean: float, deviation: float, within: tuple[float, float]) -> bool:
    scale, shift, _ = found
    relative, pixels = within
    wanted = 1 / deviation
    near = pixels + relative * min(abs(mean), 255)
    return abs(scale - wanted) <= relative * wanted and abs(shift / wanted + mean) <= near
