"""`Elements`: what the elements of an input say by themselves of places in a batch or a text, and of the
inputs before.

What is here: which of these rules are asked. What is not: the rules, and what files say of the values
(`inputs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..changes.arrangements import interleaved
from ..changes.sides import are_exchanged, exchanged_said
from ..facts import picture_of
from ..origin import Origin, Origins
from ..origin.alpha_sent import alpha_sent
from ..origin.laid_out import MOST_BYTES
from ..origin.unheaded_turns import two_channels
from .batches import items_in, repeated
from .borders import Borders
from .escaped import escaped
from .loudness import not_logarithms
from .onehots import other_way
from .whole_batches import misplaced
from .wrapped import line_ends_in


class Elements:
    """Gives hints about inputs."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._borders = Borders()

    def wrong(self, key: Any, tensor: Tensor, found: Origin | None) -> Iterator[str]:
        """Yields what each rule says of an input, or "" if it says nothing. `found` is where it came from, if
        known."""
        numbers = tensor.numbers()
        if numbers is None:
            return
        array, origins = numbers.reshape(tensor.shape), self._origins
        yield repeated(
            array, origins.pictures_read, lambda count: items_in(origins.sheets(array.shape), count)
        )
        yield other_way(array)
        yield line_ends_in(array, origins.files())
        yield escaped(array, origins.files())
        if found is None or not (found.wrong or found.order):
            yield alpha_sent(array, origins.files(MOST_BYTES))
        if found is None:
            yield misplaced(array, origins.sheets(array.shape), origins.pictures())
            yield self._not_logarithms(key, array)
            yield sides_exchanged(array)
        yield two_channels(array, found)
        yield self._borders.wrong(key, array, found)

    def _not_logarithms(self, key: Any, array: Any) -> str:
        """Returns what is wrong with features of a sound whose name says logarithms, or "" if nothing is."""
        heard = self._origins.last_sound() is not None
        return not_logarithms(self._origins.names.get(key, ""), array) if heard else ""


def sides_exchanged(array: Any) -> str:
    """Returns what is wrong with the sides of a picture that is in no file as it is, or "" if nothing is."""
    picture = picture_of(array.shape)
    if picture is None or not numpy.isfinite(array).all():
        return ""
    flat = interleaved(array, picture)[0].reshape(-1, picture.channels).astype("f4").mean(axis=1)
    if not are_exchanged(flat, picture.height, picture.width, is_known=False):
        return ""
    return exchanged_said(picture.height, picture.width)
