"""Pixels that were scaled by a mean of their own whose sum began again at 0, as a number of 8 or 16 bits
does: what is taken away is the rest of the sum, divided by their number.

What is here: `WrappedSums`. What is not: numbers scaled by other means (`own_scale.py`, `normalised.py`), and
elements that wrap themselves (`wrapped.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..surroundings import Files

FEWEST, MOST, MOST_BYTES, LOOKS = 64, 1 << 18, 1 << 21, 8
"""Elements of an input that is looked at, the bytes of files, and how many inputs are."""
WIDTHS = (16, 8)
"""Bits of a sum."""
EXACT, NEAR = 2e-4, 0.002
"""How far elements are from a line over the bytes, as a part of their range, and means from each other, in
levels of a pixel."""
FAR, ENOUGH = 1.0, 2
"""By how many levels the wrong mean is another one, at least, and in how many inputs: a mean that is always
the same may be like the rest of one sum by chance."""
PARTS = 64
"""So many elements are compared to find the frames of a file that may be the input."""


class Taken(Frozen):
    """The bytes that an input was made of, in which file, and the number that was taken away from each."""

    file: str
    numbers: Any
    mean: float

    def wrapped(self) -> str:
        """Returns what is wrong with the mean, or "" if nothing is."""
        count, whole = len(self.numbers), int(self.numbers.sum(dtype="i8"))
        right = whole / count
        for bits in WIDTHS if abs(self.mean - right) >= FAR else ():
            rest = whole % (1 << bits)
            for sum_ in (rest, rest - (1 << bits)):
                if whole >> bits and abs(sum_ / count - self.mean) <= NEAR:
                    kind = "uint" if sum_ == rest else "int"
                    return (
                        f"compared with {self.file}, {self.mean:.4g} was taken away as the mean, which "
                        f"is {right:.4g}: the sum of the {count} pixels is {whole:,}, of which {bits} bits "
                        f"keep {sum_:,}: is it added up in a number of {bits} bits ({kind}{bits}_t)?"
                    )
        return ""


class WrappedSums(Follower):
    """Gives a hint at the end, if this is so of two inputs."""

    def __init__(self, files: Files, last_picture: Callable[[], tuple[str, Any] | None]) -> None:
        self._files, self._last_picture = files, last_picture
        self._kept: list[tuple[str, Any, tuple[str, Any] | None]] = []
        """Inputs: the name of each in hints, its elements, and the picture that was read last before it."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._kept) >= LOOKS:
            return
        for index, spec, tensor in inputs_of(event):
            numbers = tensor.numbers() if tensor.nbytes <= MOST else None
            if numbers is None or numbers.dtype.kind != "f" or numbers.size < FEWEST:
                continue
            own = numbers.reshape(-1).astype("f8")
            if numpy.isfinite(own).all() and own.min() < own.max():
                self._kept.append((f'input {index} "{spec.name}"', own, self._last_picture()))

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint when the guest has ended."""
        means = set()
        for name, own, shown in self._kept:
            found = self._taken(own, shown)
            if found is None or not (wrong := found.wrapped()):
                continue
            means.add(round(found.mean, 1))
            if len(means) >= ENOUGH:
                yield "origin", f"{name}: {wrong}"
                return

    def _taken(self, own: Any, shown: tuple[str, Any] | None) -> Taken | None:
        """Returns the bytes of which an input was made, or None if they aren't known."""
        if shown is not None and shown[1].size == own.size:
            return taken_of(own, shown[0], shown[1].reshape(1, -1))
        for name, data in reversed(self._files()):
            if own.size <= len(data) <= MOST_BYTES:
                for start in {0, len(data) % own.size}:
                    count = (len(data) - start) // own.size
                    frames = numpy.frombuffer(data, "u1", count * own.size, start).reshape(count, -1)
                    if (found := taken_of(own, name, frames)) is not None:
                        return found
        return None


def taken_of(own: Any, name: str, frames: Any) -> Taken | None:
    """Returns what an input was made of, if it is one of several frames of bytes, lessened and divided by
    something, or None if it is none."""
    places = numpy.linspace(0, own.size - 1, PARTS).astype(int)
    part, few = own[places], frames[:, places].astype("f8")
    part, few = part - part.mean(), few - few.mean(axis=1, keepdims=True)
    sizes = numpy.sqrt((few**2).sum(axis=1) * (part**2).sum())
    alike = numpy.divide(few @ part, sizes, out=numpy.zeros(len(few)), where=sizes > 0)
    frame = frames[int(alike.argmax())].astype("f8")
    if not numpy.ptp(frame):
        return None
    slope = float(((frame - frame.mean()) * (own - own.mean())).sum() / ((frame - frame.mean()) ** 2).sum())
    shift = float(own.mean() - slope * frame.mean())
    if slope <= 0 or abs(slope * frame + shift - own).max() > EXACT * numpy.ptp(own):
        return None
    return Taken(name, frame, -shift / slope)
