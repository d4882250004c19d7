"""How an input would be if a picture with alpha were blended over another colour.

What is here: `grounds_of`. What is not: asking a model about that (`whatif/grounds.py`), and how the input
came from the picture (`origin/blended.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..depicted import Depicted
from ..facts import picture_of
from ..origin import Origin
from ..origin.blended import GROUNDS, has_alpha, over
from ..origin.siblings import prepared
from ..whatif.grounds import Grounds
from ..whatif.ways import of_picture

ASKED = GROUNDS[:2]
"""White and black, over which people blend."""
COLOURS = 3


def grounds_of(
    index: int, found: Origin, tensor: Tensor, depicts: Callable[[str, int], Depicted | None]
) -> Grounds | None:
    """Returns what to ask about an input whose origin is a picture with alpha, or None if it is another, or
    the range of its pixels isn't known."""
    array, picture, source = tensor.numpy(), picture_of(tensor.shape), found.source
    pixels = source.with_alpha if source.with_alpha is not None else source.array
    has = source.with_alpha is not None or has_alpha(source)
    if array is None or picture is None or found.wrong or found.encoding is None or not has:
        return None
    if array.size != picture.channels * picture.height * picture.width:
        return None
    sent = of_picture(array.copy(), picture, found.encoding, found.order == "BGR")[1]

    def made(colours: Any) -> Any:
        kept = sent(prepared(colours, found, picture))
        if array.dtype.kind != "f":
            limits = numpy.iinfo(array.dtype)
            kept = numpy.rint(kept).clip(limits.min, limits.max)
        return numpy.ascontiguousarray(kept, array.dtype).reshape(array.shape)

    def ways() -> dict[str, Any]:
        return {name: made(over(pixels, level)) for name, level in ASKED}

    return Grounds(index, source.name, lambda: made(pixels[..., :COLOURS]), ways, depicts)
