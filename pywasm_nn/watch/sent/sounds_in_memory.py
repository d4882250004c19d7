"""Samples of a sound that lie misread in the guest's memory, as floats, when it asks the model: whatever
features it makes of them.

What is here: `SoundsInMemory`, which looks for misread samples, exactly, and for the right ones. What is not:
what samples may be misread as (`origin/sequences.py`), and samples that are sent, or of which usual features
are (`origin`).

A run of floats that is exactly that of a mistake is no chance. But programs put samples into floats before
they take channels apart, cut a header off or move silence to 0: these readings say nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from ...arrays import numpy
from ...errors import WasmError
from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent, Watched
from ...namespaces import is_inference
from ..budget import Budget, Left
from ..follower import Follower
from ..origin.decoding import Source
from ..origin.sequences import HALVES, RAN_OVER, SILENCE, Sounding, readings

RUN, PARTS, DIFFERENT = 24, 3, 12
"""Elements of a run that is looked for, parts of the sound in which one is chosen, and the different values
that it has at least."""
STEP = 4
"""Places for a run are tried so many samples apart."""
MOST_MEMORY, MOST_SAMPLES = 1 << 25, 1 << 20
PAGE = 1 << 12
SOUNDS = 3
"""So many sounds are looked for."""
SCALES = (1.0, 32768.0, 32768.0 / 32767)
"""Programs keep the range from -1 to 1, or multiply it by one of these."""
FLOATS = ("<f4", "<f8")
LATER = (HALVES, SILENCE, "the header", "the file's header", "lie in turns")
"""Sentences about readings that are right at first, before the program goes on with its samples."""
ASKING = frozenset({"set_input", "set-input", "compute"})
WAV, CHUNKS = b"RIFF", 12


class SoundsInMemory(Follower):
    """Gives a hint when the guest has ended. `last` gives the sound that was read last, and `said` has the
    lines about inputs: one that came from the sound shows itself how its samples were taken."""

    def __init__(self, last: Callable[[], Source | None], budget: Budget, said: Collection[str] = ()) -> None:
        self._last, self._budget, self._said = last, budget, said
        self._seen: set[str] = set()
        self._hint = ""

    def asked(self, event: HostEvent, guest: Callable[[], Watched | None]) -> None:
        """A host function returned; `guest` gives the instance, if there is one."""
        if event.name not in ASKING or not is_inference(event.module) or len(self._seen) >= SOUNDS:
            return
        sound = self._last()
        if self._hint or sound is None or not sound.rate or sound.name in self._seen:
            return
        instance = guest()
        if instance is None or not instance.mems or instance.mems[0].size > MOST_MEMORY:
            return
        self._seen.add(sound.name)
        memory = instance.mems[0]
        with paused(), self._budget.comparing() as left:
            try:
                held = in_use(memory.view(0, memory.size)) if left() else b""
            except WasmError:  # another thread closed it
                return
            self._hint = misread_in(held, sound, left)

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint."""
        if self._hint and not any(name in line for name in self._seen for line in self._said):
            yield "origin", self._hint


def in_use(memory: memoryview) -> bytes:
    """The bytes of memory without the pages that are empty."""
    pages = numpy.frombuffer(memory, "u1", len(memory) // PAGE * PAGE).reshape(-1, PAGE)
    return pages[pages.view("u8").any(axis=1)].tobytes()


def misread_in(memory: bytes, sound: Source, left: Left) -> str:
    """Returns what is said of samples that lie misread in a guest's memory, and nowhere rightly, or ""."""
    known = [one for one in readings(sound) if len(one.samples) >= RUN]
    right = [one for one in known if not one.wrong]
    for one in known:
        if not one.wrong or any(said in one.wrong for said in LATER) or not left():
            continue
        there = places(one, right)
        if lies_in(memory, one, sound, there) and not any(
            lies_in(memory, other, sound, there if one.wrong == RAN_OVER else places(other, ()))
            for other in right
        ):
            return (
                f"{sound.name}: the guest makes floats of its samples, which lie misread in its memory when "
                f"the model is asked: {one.wrong}{odd_chunk(sound, one)}"
            )
    return ""


def lies_in(memory: bytes, one: Sounding, sound: Source, there: Collection[int]) -> bool:
    """Whether a run of samples in a reading, from one of these on, lies in memory, in one of the scales and
    types."""
    channels = 1 if sound.array.ndim == 1 else sound.array.shape[1]
    for at in there:
        run = one.samples[at : at + RUN]
        for scale in (*SCALES, *([channels, channels * SCALES[1]] if channels > 1 else [])):
            for kind in FLOATS:
                data = (run * scale).astype(kind).tobytes()
                if data in memory and data not in sound.data:
                    return True
    return False


def places(one: Sounding, right: Collection[Sounding]) -> list[int]:
    """Returns the samples at which runs of many different values begin, one in each part of the sound.
    Samples that ran over have to differ from the right ones there."""
    samples = one.samples[:MOST_SAMPLES]
    if one.wrong == RAN_OVER:
        own = next((other.samples for other in right), samples)
        odd = numpy.flatnonzero(abs(own[: len(samples)] - samples) > 1 / 2)
        starts: Any = numpy.clip(odd - RUN // 2, 0, len(samples) - RUN)
    else:
        starts = numpy.arange(0, len(samples) - RUN + 1, STEP)
    found = []
    for part in numpy.array_split(starts, PARTS):
        varied = (at for at in part.tolist() if len(numpy.unique(samples[at : at + RUN])) >= DIFFERENT)
        found += [at for at in (next(varied, None),) if at is not None]
    return found


def odd_chunk(sound: Source, one: Sounding) -> str:
    """Asks about a chunk of odd length before the samples of a WAV file, if they begin at an odd byte."""
    at, data = CHUNKS, sound.data
    while "odd byte" in one.wrong and data.startswith(WAV) and at + 8 < sound.start:
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        if length & 1:
            name = data[at : at + 4].decode("latin-1").strip()
            return f' (its chunk "{name}" has {length} bytes: is the one that fills it up to be passed over?)'
        at += 8 + length
    return ""
