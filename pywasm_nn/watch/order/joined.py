"""Windows of a sound that begin with a few samples of the window before: are they the last ones of it? And
where all windows of a sound begin.

What is here: `Joined`. What is not: windows that begin with zeros, or leave samples out (`sent/sounds.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..follower import Follower
from ..series.near import counted_in_bytes, too_near
from ..surroundings import Files
from .streams import BLOCK, header_of

SCALES = (32768.0, 32767.0, 1.0)
LEAST, MOST = 128, 1 << 14
"""Elements of an input."""
SHORTEST, LARGEST_PART = 8, 0.5
"""Samples before the window, and the part of the input that they are at most."""
TELLING = 32
"""Different samples that are in one place of a sound only."""
FEWEST, LOOKS = 3, 64
WIDTH, SILENCE = 2, -2
"""The bytes of a sample, and the number that is kept as the start of a window of zeros, which may lie
anywhere."""


class Joined(Follower):
    """Gives a sentence after inputs."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._found: dict[Any, list[tuple[int, int, int]]] = {}
        """By input, the samples before the windows, where these began, and where those."""
        self._looked: dict[Any, int] = {}
        self._starts: dict[tuple[Any, str], list[int]] = {}
        """Where each input began that is one part of a sound."""
        self._sizes: dict[tuple[Any, str], tuple[int, int]] = {}
        """The samples of an input, and of the sound."""

    def set(self, key: Any, tensor: Tensor) -> Iterator[str]:
        """An input was set."""
        numbers = tensor.numbers() if LEAST <= tensor.size <= MOST else None
        if numbers is None or numbers.dtype.kind != "f" or self._looked.get(key, 0) >= LOOKS:
            return
        sounds = [(name, data) for name, data in self._files() if header_of(data)]
        for name, data in sounds:
            self._looked[key] = self._looked.get(key, 0) + 1
            found, start = parts_of(numbers, data) if numbers.any() else (None, SILENCE)
            self._starts.setdefault((key, name), []).append(start)
            self._sizes[key, name] = numbers.size, (len(data) - header_of(data)) // 2
            if found is None:
                continue
            kept = self._found.setdefault((key, name), [])
            kept.append(found)
            if len(kept) == FEWEST and len({(before, start - other) for before, other, start in kept}) == 1:
                before, other, start = kept[-1]
                yield (
                    f"compared with {name}, its first {before} elements are samples {other:,} to "
                    f"{other + before - 1:,}, and then samples {start:,} to "
                    f"{start + numbers.size - before - 1:,} follow; the {before} samples before those are "
                    f"{start - before:,} to {start - 1:,}: is the wrong end of the window before kept?"
                )
            return

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended, as a pair of a rule's name and a sentence."""
        for (key, name), starts in self._starts.items():
            size, length = self._sizes[key, name]
            said = too_near(starts, len(starts), size, length) if -1 not in starts else ""
            if said := said or self._in_bytes(name, starts, size):
                yield "origin", f"{name}: {said}"
                return

    def _in_bytes(self, name: str, starts: list[int], size: int) -> str:
        """Windows of samples of 16 bits of one channel, whose starts were taken as bytes."""
        data = dict(self._files()).get(name, b"")
        begins = header_of(data)
        if int.from_bytes(data[BLOCK : BLOCK + 2], "little") != WIDTH or -1 in starts:
            return ""
        length = int.from_bytes(data[begins - 4 : begins], "little") // WIDTH
        samples = numpy.frombuffer(data[begins : begins + (len(data) - begins) // WIDTH * WIDTH], "<i2")
        return counted_in_bytes(starts, size, samples[:length], length)


def parts_of(numbers: Any, data: bytes) -> tuple[tuple[int, int, int] | None, int]:
    """Of an input that is two parts of a sound: the length of the first, and where both begin, None if it is
    one part, or none; and where one part begins, -1 if it isn't one."""
    body = data[header_of(data) :]
    body = body[: len(body) // 2 * 2]
    samples = numpy.frombuffer(body, "<i2")
    own = next((whole for scale in SCALES if (whole := whole_of(numbers, scale)) is not None), None)
    if own is None or len(samples) < own.size:
        return None, -1
    if len(numpy.unique(own[-TELLING:])) < TELLING / 2:
        return None, at_sample(body, own.tobytes())
    end = at_sample(body, own[-TELLING:].tobytes()) + TELLING
    begin = end - own.size
    if end <= TELLING or begin < 0:
        return None, -1
    differ = numpy.flatnonzero(samples[begin:end] != own)
    if not len(differ):
        return None, begin
    before = int(differ[-1]) + 1
    if not SHORTEST <= before <= LARGEST_PART * own.size or len(numpy.unique(own[:before])) < SHORTEST:
        return None, -1
    other = at_sample(body, own[:before].tobytes())
    return ((before, other, begin + before) if other >= 0 else None), -1


def whole_of(numbers: Any, scale: float) -> Any:
    """Returns elements as samples of 16 bits, if they are such by a scale, or None if they aren't."""
    made = numbers.astype("f8") * scale
    whole = numpy.rint(made)
    if abs(made - whole).max() > 0.01 or not 1 < abs(whole).max() <= 32768:
        return None
    return whole.clip(-32768, 32767).astype("<i2")


def at_sample(body: bytes, part: bytes) -> int:
    """Returns the sample from which on others lie in a sound, or -1 if they don't."""
    at = body.find(part)
    while at > 0 and at % 2:  # between two samples
        at = body.find(part, at + 1)
    return at // 2 if at >= 0 else -1
