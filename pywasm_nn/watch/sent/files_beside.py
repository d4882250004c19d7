"""How a model is asked about the files that lie beside the one that an input came from.

What is here: `files_beside`, which joins reading them (`origin.siblings`) with the ways to send them
(`whatif.ways`). What is not: asking (`whatif.beside`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from ...interpreter.runtime.deadline import paused
from ...nn.tensor import Tensor
from ...records import changed
from ..budget import Budget
from ..depicted import Depicted
from ..facts import picture_of
from ..origin import Origin
from ..origin.matching import TOP_LEFT
from ..origin.siblings import Sibling, siblings, sounds_beside
from ..whatif.beside import Beside
from ..whatif.quantised_ways import of_quantised
from ..whatif.ways import of_picture, of_sound

MOST_BYTES = 1 << 22
"""Larger inputs are not kept."""


def files_beside(
    index: int,
    found: Origin,
    tensor: Tensor,
    place: Path,
    budget: Budget,
    depicts: Callable[[str, int], Depicted | None],
    affine: tuple[float, int] | None = None,
) -> Beside | None:
    """Returns what to ask about an input whose origin is known, or None if the origin doesn't say enough.
    `affine` are the scale and the zero point of one of whole numbers."""
    array, name = tensor.numpy(), PurePath(found.source.name).name
    if array is None or array.nbytes > MOST_BYTES or found.in_part.startswith(TOP_LEFT):
        return None  # of the ground in a corner a model is as sure in any order
    if found.source.rate:
        return of_sounds(index, name, found, array, place, budget, depicts)
    picture = picture_of(tensor.shape)
    is_one = picture is not None and array.size == picture.channels * picture.height * picture.width
    if picture is None or not is_one:
        return None
    own = found.source.array
    made = of_quantised(array, own, affine) if affine and array.dtype.kind in "iu" else None
    if made is not None:
        pixels, (sent, ways) = own.reshape(picture.height, picture.width, picture.channels), made
        found = changed(found, order="")
    elif found.encoding is not None:
        pixels, sent, ways = of_picture(array.copy(), picture, found.encoding, found.order == "BGR")
    else:
        return None

    def others() -> list[Sibling]:
        with paused(), budget.searching() as left:
            return siblings(found, place, pixels, picture, left)

    return Beside(index, name, pixels, sent, ways, others, depicts)


def of_sounds(
    index: int,
    name: str,
    found: Origin,
    array: Any,
    place: Path,
    budget: Budget,
    depicts: Callable[[str, int], Depicted | None],
) -> Beside | None:
    """Returns what to ask about the samples of a sound of one channel, or None if there is nothing to ask."""
    if found.span is None or found.span[2] or found.source.array.ndim != 1 or array.dtype.kind != "f":
        return None
    samples = found.source.array
    sent, ways = of_sound(array.copy(), samples, found.span[0], found.source.rate)

    def others() -> list[Sibling]:
        with paused(), budget.searching() as left:
            return sounds_beside(found, place, left)

    return Beside(index, name, samples, sent, ways, others, depicts, "sounds")
