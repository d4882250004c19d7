"""Pictures of classes that a guest writes to a file: is each pixel made of the scores of its own place?

What is here: `Argmaxed`, for an answer with scores of a few classes for each place, whose best class is
written as a level, a colour or a number. What is not: what is written to the terminal (`probes/maps.py`), and
pictures of one map (`painted.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.decoding import decoded
from .made import Made

MOST_WRITTEN, MOST_BYTES, MOST_ROUNDS = 1 << 21, 16 << 20, 32
LEAST_SIDE, MOST_CLASSES = 8, 64
PICTURES = (b"P5", b"P6", b"BM", b"\x89PNG")
"""The first bytes of files that are decoded."""
STEPS = range(1, 9)
"""Every pixel is written, or every second one, ..."""
SAME, APART, RARE = 0.998, 0.95, 0.01
"""This part of the pixels follow from classes; at most so many from those of the other layout; and so many
are of a second class."""


class Argmaxed(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._made = Made(MOST_WRITTEN)
        self._last: tuple[str, Any] | None = None
        """How the last answer is called, and its elements."""
        self._rounds = 0

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._made.host_call(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        tensor = event.tensors[0]
        lengths = [one for one in tensor.shape if one != 1]
        is_of_classes = len(lengths) == 3 and min(lengths) <= MOST_CLASSES
        if not is_of_classes or sorted(lengths)[1] < LEAST_SIDE or tensor.nbytes > MOST_BYTES:
            return
        self._rounds += 1
        numbers = tensor.numbers() if self._rounds <= MOST_ROUNDS else None
        what = f'output {event.index or 0} "{event.specs[0].name}"'
        self._last = None if numbers is None else (what, numbers.reshape(lengths).copy())

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if self._last is None:
            return
        what, scores = self._last
        layouts = layouts_of(scores)
        for path, data in self._made.files.items() if layouts is not None else ():
            assert layouts is not None
            own, right, other, wrong = layouts
            pixels = pixels_of(path, bytes(data), right.shape)
            if pixels is not None and are_misread(pixels, right, wrong):
                yield (
                    "answer",
                    f"{what}: each pixel in {path} is the largest of elements that aren't those of its "
                    f"place: the guest reads the answer as if it were {other}; it is {own}",
                )
                return


def layouts_of(scores: Any) -> tuple[str, Any, str, Any] | None:
    """The layout of an answer, its best classes [rows, columns], the other layout, and the classes by that
    one; or None if it isn't known where classes are."""
    lengths = scores.shape
    classes = min(lengths)
    if lengths.count(classes) > 1 or classes not in (lengths[0], lengths[2]):
        return None
    height, width = (one for one in lengths if one != classes)
    planar = scores.reshape(classes, height, width).argmax(axis=0)
    beside = scores.reshape(height, width, classes).argmax(axis=2)
    if lengths[0] == classes:
        return "NCHW", planar, "NHWC", beside
    return "NHWC", beside, "NCHW", planar


def pixels_of(path: str, data: bytes, shape: tuple[int, ...]) -> Any:
    """Returns whole numbers [rows, columns] for the pixels of a file, which is a picture, or has one byte for
    each place of an answer, or None for other files."""
    if not data.startswith(PICTURES):
        is_raw = len(data) == shape[0] * shape[1]
        return numpy.frombuffer(data, "u1").reshape(shape).astype("i8") if is_raw else None
    source = decoded(path, data)
    if source is None or not source.is_picture:
        return None
    picture = source.array.astype("i8")
    return picture if picture.ndim == 2 else picture @ (256 ** numpy.arange(picture.shape[2]))


def are_misread(pixels: Any, right: Any, wrong: Any) -> bool:
    """Whether pixels follow from the wrong classes, and not from the right ones."""
    kinds, counts = numpy.unique(pixels, return_counts=True)
    if not 2 <= len(kinds) <= MOST_CLASSES or numpy.sort(counts)[-2] < RARE * pixels.size:
        return False
    for step in STEPS:
        for first in sorted({0, step // 2}):
            own, other = (one[first::step, first::step] for one in (right, wrong))
            if own.shape == pixels.shape and following(pixels, other) >= SAME:
                return following(pixels, own) <= APART
    return False


def following(pixels: Any, classes: Any) -> float:
    """The share of the pixels that have the most frequent value of their class."""
    found = 0
    for one in numpy.unique(classes):
        values = pixels[classes == one]
        found += int(numpy.unique(values, return_counts=True)[1].max())
    return found / int(pixels.size)
