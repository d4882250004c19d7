"""`Planes`: small inputs of one channel, beside the pictures and films that a guest read.

What is here: which inputs are compared, and when. What is not: the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...nn.tensor import Tensor
from ..facts import picture_of
from ..origin.readings import first
from ..origin.runs import in_bytes
from .films import Film, begins_early, film_in
from .wrapped import Plane, differences, sums, wrapped

Pictures = Sequence[tuple[str, Any]]
Files = Sequence[tuple[str, bytes]]

MOST_PIXELS, LEAST_PIXELS, MOST_PICTURE = 1 << 16, 64, 1 << 20
LOOKS = 4
MOST_PICTURES, MOST_FRAMES = 3, 8


class Planes:
    """Gives sentences after inputs."""

    def __init__(self, pictures: Callable[[], Pictures] = tuple, files: Callable[[], Files] = tuple) -> None:
        """`pictures` gives names and pixels [height, width, channels] of the pictures that were read, `files`
        names and bytes of files."""
        self._pictures = pictures
        self._files = files
        self._looked: dict[Any, int] = {}

    def set(self, key: Any, tensor: Tensor) -> Iterator[str]:
        """An input was set."""
        picture = picture_of(tensor.shape)
        if picture is None or picture.channels != 1 or not LEAST_PIXELS <= tensor.size <= MOST_PIXELS:
            return
        looked = self._looked[key] = self._looked.get(key, 0) + 1
        numbers = tensor.numbers() if looked <= LOOKS else None
        if numbers is None or picture.height * picture.width != numbers.size:
            return
        array = numbers.reshape(tensor.shape)
        own = first(array, picture)[..., 0]
        films = [(name, data, film) for name, data in self._files() if (film := film_in(data)) is not None]
        for name, data, film in films:
            for _, rows in in_bytes(array, picture, 255):
                if said := begins_early(film, rows[..., 0], data):
                    yield f"compared with {name}, {said}"
                    return
        for name, planes in self._planes(films):
            if said := wrapped(own, planes):
                yield f"compared with {name}, {said}"
                return

    def _planes(self, films: Sequence[tuple[str, bytes, Film]]) -> Iterator[tuple[str, Iterator[Plane]]]:
        shown = [one for one in self._pictures()[-MOST_PICTURES:] if one[1].size <= MOST_PICTURE]
        for name, pixels in shown[::-1]:
            if pixels.shape[2] >= 3 and (pixels[..., 0] != pixels[..., 1]).any():
                yield name, sums(pixels)
        for (_, one), (name, other) in pairwise(shown):
            if one.shape == other.shape:
                middle = min(1, one.shape[2] - 1)
                yield name, differences(other[..., middle], one[..., middle])
        for name, data, film in films:
            frames = [frame(data, film, start) for start in film.starts[:MOST_FRAMES]]
            for before, after in pairwise(one for one in frames if one is not None):
                yield name, differences(after, before)


def frame(data: bytes, film: Film, start: int) -> Any:
    """The brightness of a frame, [height, width]; None if the file ends before."""
    import numpy

    size = film.width * film.height
    if len(data) < start + size:
        return None
    return numpy.frombuffer(data, "u1", size, start).reshape(film.height, film.width)
