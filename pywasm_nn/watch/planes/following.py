"""`Planes`: small inputs of one channel, beside the pictures and films that a guest read.

What is here: which inputs are compared, and when. What is not: the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..facts import picture_of
from ..origin.readings import first
from ..origin.runs import in_bytes
from .chroma import exchanged_chroma
from .clips import (
    COLOURS,
    Series,
    frames_of,
    in_series,
    may_be_frames,
    misplaced_frames,
    numbers_of,
    ran_over,
    summed,
)
from .films import Film, begins_early, film_in
from .numbered import by_number
from .overlapping import overlapping
from .wrapped import Plane, differences, sums, wrapped

Pictures = Sequence[tuple[str, Any]]
Files = Sequence[tuple[str, bytes]]

MOST_PIXELS, LEAST_PIXELS, MOST_PICTURE = 1 << 16, 64, 1 << 20
LOOKS = 4
LITTLE, FEW_LOOKS = 1 << 17, 2
"""Inputs of more bytes are compared with films and series less often."""
MOST_ELEMENTS, MOST_PICTURES_IN_SERIES, MOST_IN_SERIES = 1 << 19, 64, 1 << 22
MOST_PICTURES, MOST_FRAMES = 3, 8


class Planes:
    """Gives sentences after inputs."""

    def __init__(
        self,
        pictures: Callable[[], Pictures] = tuple,
        files: Callable[[], Files] = tuple,
        arguments: Sequence[str] = (),
    ) -> None:
        """`pictures` gives names and pixels [height, width, channels] of the pictures that were read, `files`
        names and bytes of files; `arguments` are those of the guest."""
        self._arguments = arguments
        self._pictures = pictures
        self._files = files
        self._looked: dict[Any, int] = {}
        self._in_order: set[tuple[Any, str]] = set()
        """Each pair has an input that was a clip in its order, and the name of the film or series of the
        clip."""
        self._films: dict[tuple[str, int], Series | None] = {}
        """The frames of films, by the file's name and length."""

    def set(self, key: Any, tensor: Tensor) -> Iterator[str]:
        """An input was set."""
        yield from islice(chain(self._frame(key, tensor), self._clips(key, tensor)), 1)

    def _frame(self, key: Any, tensor: Tensor) -> Iterator[str]:
        """Yields what is wrong with an input of one channel."""
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

    def _clips(self, key: Any, tensor: Tensor) -> Iterator[str]:
        """Yields what is wrong with an input of several frames, or with sums of pixels."""
        looked = self._looked[key, Series] = self._looked.get((key, Series), 0) + 1
        most = LOOKS if tensor.nbytes <= LITTLE else FEW_LOOKS
        numbers = tensor.numbers() if looked <= most and tensor.size <= MOST_ELEMENTS else None
        if numbers is None or numbers.dtype.kind not in "fu":
            return
        array = numbers.reshape(tensor.shape)
        for one in self._series() if may_be_frames(array) else ():
            places = numbers_of(array, one)
            if places is not None and array.shape[0] == 1 and (numpy.diff(places) > 0).all():
                self._in_order.add((key, one.name))
            elif places is not None and (key, one.name) in self._in_order:
                continue  # it is compared with the clip in its order
            if said := (misplaced_frames(array, one) or summed(array, one) or overlapping(array, one.frames)):
                yield f"compared with {one.name}, {said}"
        for name, data in self._files():
            if (film := film_in(data)) is not None and (said := exchanged_chroma(array, name, data, film)):
                yield said
        yield from self._colours(array)

    def _colours(self, array: Any) -> Iterator[str]:
        """Yields what is wrong with sums of the pixels of a picture in colours."""
        picture, shown = picture_of(array.shape), self._pictures()[-1:]
        if picture is None or picture.channels != COLOURS or not shown:
            return
        name, pixels = shown[0]
        if pixels.shape[2] >= COLOURS and pixels.size <= MOST_PICTURE:
            planes, colours = (
                one[..., :COLOURS].transpose(2, 0, 1) for one in (first(array, picture), pixels)
            )
            if said := ran_over(planes, colours) or overlapping(array, colours):
                yield f"compared with {name}, {said}"

    def _series(self) -> Iterator[Series]:
        """Films, and pictures of one size that were read one after the other."""
        for name, data in self._files():
            film = film_in(data)
            if film is not None and (name, len(data)) not in self._films:
                self._films[name, len(data)] = frames_of(name, data, film)
            if film is not None and (found := self._films[name, len(data)]) is not None:
                yield found
        shown = self._pictures()[-MOST_PICTURES_IN_SERIES:]
        alike = [one for one in shown if one[1].shape == shown[-1][1].shape]
        if alike and sum(pixels.size for _, pixels in alike) <= MOST_IN_SERIES:
            yield in_series(by_number(alike, self._arguments))

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
    """Returns the brightness of a frame, [height, width], or None if the file ends before."""
    size = film.width * film.height
    if len(data) < start + size:
        return None
    return numpy.frombuffer(data, "u1", size, start).reshape(film.height, film.width)
