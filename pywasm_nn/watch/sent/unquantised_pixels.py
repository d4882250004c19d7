"""Pictures that go into an input of 8 bits, where a step of the model's own (scale and zero point) was left
out, done the other way round, or not at all.

What is here: `UnquantisedPixels`, which makes the elements again from the picture that was read, in each
usual range, rightly and by each mistake. What is not: lines of tables (`unquantised.py`), and pixels as they
are in the file, of which the model says more (`whatif.quantised_ways`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..budget import always
from ..changes.encodings import RAW, USUAL, per_channel
from ..facts import picture_of
from ..origin.decoding import Source
from ..origin.readings import first
from ..origin.resizing import resized
from .divided import nearest
from .unquantised import INVERSE, KINDS, NO_SCALE, NO_ZERO, OPPOSITE, PLAIN, Affine, readings

MOST, ENOUGH = 1 << 20, 1024
"""Elements of an input, and pixels that are compared."""
FEW, SOME = 64, 0.75
"""Of so many pixels first of all this part must be what is made."""
DIFFERENT = 3
"""Different elements that a mistake leaves at least."""
NEARLY_ALL, ROUNDED = 0.995, 1
"""This part of the elements must be what is made, which may be rounded otherwise."""
COARSE = 16
"""Elements of fewer values are compared exactly."""
SAID = {
    PLAIN: "were made bytes as they are, without the model's scale and zero point",
    NO_ZERO: "were divided by the scale, and the zero point was not added",
    NO_SCALE: "were not divided by the scale, and the zero point was added",
    INVERSE: "were multiplied by the scale, and not divided",
    OPPOSITE: "were divided by the scale, and the zero point was taken away, not added",
}


class UnquantisedPixels:
    """Gives a sentence after an input. `last` gives the last picture that was read, as far as it may be in an
    input."""

    def __init__(self, last: Callable[[Any], Source | None]) -> None:
        self._last = last
        self._right: set[str] = set()
        """Files whose pixels were sent rightly: a guest that also sends them otherwise does so on purpose."""

    def wrong(self, tensor: Tensor, affine: Affine, left: Callable[[], bool] = always) -> str:
        """Returns what is wrong with pixels that should have been divided by a scale and moved by a zero
        point, or "" if nothing is, or if no time is `left`."""
        numbers, picture = tensor.numbers(), picture_of(tensor.shape)
        if tensor.dtype not in KINDS or numbers is None or picture is None or numbers.size > MOST:
            return ""
        array = numbers.reshape(tensor.shape)
        source = self._last(array) if affine[0] > 0 and len(numpy.unique(numbers)) >= DIFFERENT else None
        if source is None or array.size != picture.height * picture.width * picture.channels:
            return ""
        own, limits = first(array, picture), numpy.iinfo(numbers.dtype)
        size = own.shape[:2]
        pixels = source.array[..., :3] if source.array.shape[-1] > picture.channels else source.array
        if pixels.shape[2] != own.shape[2]:
            return ""
        step = max(1, picture.height * picture.width // ENOUGH)
        own = own.reshape(-1, picture.channels)[::step]
        for shown in (*nearest(pixels, size), resized(pixels.astype("f4"), *size)) if left() else ():
            some = shown.reshape(-1, picture.channels)[::step].astype("f8") * (255 / source.top)
            said = compared(own, some, limits, *affine) if left() else ""
            if said == RIGHT:
                self._right.add(source.name)
            if said:
                return "" if source.name in self._right else f"compared with {source.name}, {said}"
        return ""


RIGHT = "right"


def compared(own: Any, pixels: Any, limits: Any, scale: float, zero: int) -> str:
    """Returns what is wrong with elements [pixels, channels] that are made of pixels from 0 to 255, RIGHT if
    they are made rightly, or "" if they are not made of them."""
    found = ""
    for encoding in USUAL:
        if not encoding.fits(own.shape[1]):
            continue
        means, deviations = per_channel(encoding, own.shape[1])
        for shown in (pixels, pixels[..., ::-1]) if own.shape[1] > 1 else (pixels,):
            meant = (shown - means) / deviations
            if any(same(own, one) for one in stored(meant / scale + zero, limits)):
                return RIGHT
            for made, said in () if found or encoding is RAW else readings(meant, scale, zero):
                if any(same(own, one) for one in stored(made, limits)):
                    found = (
                        f"its pixels {encoding.said} {SAID[said]}; by the model an element stands for "
                        f"(element - {zero}) x {scale:.4g}: divide by the scale, round, and add the zero "
                        "point"
                    )
    return found


def stored(made: Any, limits: Any) -> Iterator[Any]:
    """Numbers as bytes: rounded or cut off, and then cut to their range, or run over in it."""
    size = limits.max - limits.min + 1
    for whole in (numpy.rint(made), numpy.trunc(made)):
        yield numpy.clip(whole, limits.min, limits.max)
        if whole.min() < limits.min or whole.max() > limits.max:
            yield (whole - limits.min) % size + limits.min


def same(own: Any, made: Any) -> bool:
    """Whether nearly all elements are those that were made, of which there are several."""
    apart = abs(own - made)
    if (apart[:FEW] > ROUNDED).mean() > 1 - SOME or (apart <= ROUNDED).mean() < NEARLY_ALL:
        return False
    different = len(numpy.unique(made))
    return different >= COARSE or (different >= DIFFERENT and bool((apart == 0).mean() >= NEARLY_ALL))
