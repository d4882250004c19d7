"""Parts of a picture at places that a table or the guest's arguments list, made the size of the input by
loops.

What is here: `misplaced_part`. The very elements are calculated, as they are meant and as each mistake makes
them. What is not: the mistakes (`sheets.boxes`), and parts that are found in the picture (`origin`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..facts import Picture, picture_of
from ..origin.calculated import WAYS, Size, compared
from ..origin.readings import first
from ..sheets.boxes import MOST_PARTS, Box, Part, meant, mistaken

MOST_PIXELS, SMALLEST = 1 << 20, 4
GREYS = ((0.299, 0.587, 0.114), (1 / 3, 1 / 3, 1 / 3), (0.2126, 0.7152, 0.0722))
COLOURS = 3


def misplaced_part(
    tensor: Tensor,
    picture: tuple[str, Any] | None,
    boxes: Sequence[Box],
    left: Callable[[], bool],
) -> str:
    """Returns what is wrong with an input that shows a part of the last picture that was read, if a list has
    these parts, or "" if nothing is known to be wrong."""
    shape, numbers = picture_of(tensor.shape), tensor.numbers()
    if shape is None or numbers is None or picture is None or numbers.dtype.kind not in "fu":
        return ""
    if shape.channels not in (1, COLOURS) or numbers.size != shape.channels * shape.height * shape.width:
        return ""
    boxes = boxes[:MOST_PARTS] if numpy.ptp(numbers) else []
    own, (name, pixels) = first(numbers.reshape(tensor.shape), shape), picture
    for parts in (meant, mistaken):
        for part in (part for box in boxes for part in parts(box, pixels.shape[1])):
            if min(part.width, part.height) < SMALLEST or part.width * part.height > MOST_PIXELS:
                continue
            if any(is_shown(own, shape, there) for there in cut(pixels, part) if left()):
                return part.wrong and f"compared with {name}, {part.wrong}"
    return ""


def cut(pixels: Any, part: Part) -> Iterator[Any]:
    """The pixels that loops take for a part of a picture [height, width, colours]. Beyond the picture's ends
    they take the last pixel, the pixel that follows in memory, or 0, or they make the part smaller."""
    height, width = pixels.shape[:2]
    flat = pixels.reshape(height * width, -1)[:, :COLOURS]
    rows, columns = numpy.arange(part.height)[:, None], numpy.arange(part.width)
    for apart in {part.stride, width} if part.stride else ():
        places = part.top * apart + part.left + rows * part.stride + columns
        yield flat[places.clip(0, len(flat) - 1)]
    if part.stride:
        return
    down, across = part.top + rows, part.left + columns
    inside = (down >= 0) & (down < height) & (across >= 0) & (across < width)
    near = flat[down.clip(0, height - 1) * width + across.clip(0, width - 1)]
    yield near
    if not inside.all():
        yield flat[(down * width + across).clip(0, len(flat) - 1)]
        yield near * inside[..., None]
        yield near[inside.any(axis=1)][:, inside.any(axis=0)]


def is_shown(own: Any, shape: Picture, there: Any) -> bool:
    """Whether elements [height, width, channels] are pixels [height, width, colours], made another size by
    loops."""
    if min(there.shape[:2]) < SMALLEST:
        return False
    made = there.astype("f4").repeat(COLOURS if there.shape[2] == 1 else 1, axis=2)
    shown = [made] if shape.channels == COLOURS else [made @ numpy.array(one, "f4")[:, None] for one in GREYS]
    if there.shape[2] == 1:
        shown = shown[:1]
    size = Size(shape.height, shape.width, 0, 0)
    return any(compared(own, one, size, way) is not None for one in shown for way in WAYS)
