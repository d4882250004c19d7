"""Pixels from 0 to 1 that were quantised for a model whose own numbers go from -1 to 1: they use only the
upper half of its bytes. And f32, of which the host makes bytes, beyond the range for which these stand.

What is here: `half_used` and `beyond`. What is not: a scale or zero point that was left out
(`unquantised_pixels.py`).
"""

from __future__ import annotations

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..facts import picture_of
from ..origin import Origin

WHOLE = ("u8", "i8")
SIGNED = 0.6
"""The lowest number of a model whose bytes stand for numbers below and above 0, as a part of the highest."""
DARK, PART = 100.0, 0.05
"""At least this part of a picture is darker than that, of 255."""
CUT, FEWEST = 0.5, 16
"""The part of elements that were beyond the range, and the fewest elements: a few rightly are."""
HIGH = 0.7
"""The largest element is at least this part of the way up."""


def half_used(event: NNEvent, tensor: Tensor, affine: tuple[float, int], found: Origin | None) -> str:
    """Returns what is wrong with a picture whose elements are all at the zero point or above, though it has
    dark pixels, which are below it in a model's own range, or "" if nothing is known to be wrong."""
    numbers, (scale, zero), dtype = tensor.numbers(), affine, tensor.dtype.value
    if numbers is None or dtype not in WHOLE or picture_of(tensor.shape) is None:
        return ""
    limits = numpy.iinfo(numbers.dtype)
    low, high = scale * (limits.min - zero), scale * (limits.max - zero)
    first, last = int(numbers.min()), int(numbers.max())
    if -low < SIGNED * high or first < zero or scale * (last - zero) < HIGH * high:
        return ""
    if found is None:
        return ""
    shown = found.source.array
    if found.part is not None and shown.ndim > 2:  # a bright part of a picture has no dark pixels
        top, left, bottom, right = found.part
        shown = shown[top:bottom, left:right]
    pixels = shown[..., :3] * (255 / found.source.top)
    is_dark = pixels.size > 0 and float((pixels < DARK).mean()) >= PART
    return sentence(event, dtype, affine, (low, high), (first, last)) if is_dark else ""


def beyond(given: Tensor | None, dtype: str, affine: tuple[float, int] | None) -> str:
    """Returns what is wrong with f32 of which most is beyond the range for which a model's own numbers stand,
    or "" if it isn't, or all of it is one value, or none was given."""
    if given is None or affine is None:
        return ""
    numbers, (scale, zero) = given.numbers(), affine
    if numbers is None or dtype not in WHOLE or numbers.size < FEWEST or scale <= 0:
        return ""
    limits = numpy.iinfo("u1" if dtype == "u8" else "i1")
    low, high = scale * (limits.min - zero), scale * (limits.max - zero)
    first, last = float(numbers.min()), float(numbers.max())
    cut = float(((numbers < low - scale) | (numbers > high + scale)).mean())
    if not cut >= CUT or not first < last:
        return ""
    return (
        f"the model's own type is {dtype}, and f32 was sent, which may be from {low:.3g} to {high:.3g}; as "
        f"sent they go from {first:.4g} to {last:.4g}, and {cut:.0%} of them were cut to an end of that "
        f"range: send {dtype} (such as the picture's bytes), or f32 in that range"
    )


def sentence(
    event: NNEvent, dtype: str, affine: tuple[float, int], range_: tuple[float, float], ends: tuple[int, int]
) -> str:
    """The mistake in words."""
    scale, zero = affine
    sent = " to ".join(f"{scale * (one - zero):.2g}" for one in ends)
    wanted = f"{range_[0]:.3g} to {range_[1]:.3g}"
    by = f"(number / {scale:.4g} + {zero}), which stands for {wanted}"
    only = f"{sent}, as sent, is only {ends[0]} to {ends[1]}"
    if event.floats is not None:
        return (
            f"the model's own type is {dtype}, and f32 was sent, of which the host makes {dtype} {by}; {only}"
            f": send the picture's bytes as {dtype}, or f32 from {wanted}"
        )
    return f"the model wants {dtype} {by}; {only}: were pixels quantised that are from 0 to 1, not -1 to 1?"
