"""Times of windows of a sound that a guest works out with another rate than the sound's.

What is here: `Clocked`, which keeps where each window begins and what is written. What is
not: windows that overlap, with times as if they didn't, and times of rows of one answer (`probes.times`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower
from ..origin.decoding import Source
from ..origin.straight import factor_of
from ..regex import regex
from ..spoken import Heard, Word

RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 176400, 192000)
"""Usual ones, also as bytes a second of two or four bytes a sample."""
TIME = regex(r"(?<![\w.:])(\d+(?:\.\d+)?) ?(ms|milliseconds|s|sec|secs|seconds)\b")
MILLI = ("ms", "milliseconds")
FEWEST, MOST = 64, 1 << 17
"""Samples of a window."""
FEWEST_WINDOWS, MOST_WINDOWS = 3, 64
NEAR = 2e-3
"""How far samples may be from those of the sound, as a part of the largest."""
OFF = 0.03
"""Rates that differ by less are the same."""


class Clocked(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, last: Callable[[], Source | None]) -> None:
        """`last` gives the sound that was read last."""
        self._last = last
        self._sound: Source | None = None
        self._set: Any = None
        """The input that was set last."""
        self._starts: list[int] = []
        """The first sample of each window."""
        self._heard = Heard()
        self._lost = False
        """Whether a window is no part of the sound."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or self._lost:
            return
        if event.operation.startswith("set_input") and event.tensors:
            self._set = samples_of(event.tensors[0])
        elif event.operation == "compute":
            self._computed()

    def _computed(self) -> None:
        sound = self._sound = self._sound or self._last()
        start = None if sound is None or self._set is None else self._start(sound)
        self._lost = start is None or len(self._starts) >= MOST_WINDOWS
        if start is not None:
            self._starts.append(start)

    def _start(self, sound: Source) -> int | None:
        """Returns where the next window begins, or None if that isn't found."""
        size = len(self._set)
        known = self._starts[-2:]
        steps = [size, size // 2, size // 4, 3 * size // 4]
        if len(known) == 2:
            steps.insert(0, known[1] - known[0])
        places = [known[-1] + step for step in steps] if known else [0]
        samples = sound.array if sound.array.ndim == 1 else sound.array.mean(axis=1)
        return next((at for at in places if factor_of(self._set, samples[at : at + size], NEAR)), None)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._starts and not self._lost:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        sound, starts = self._sound, self._starts
        lines = self._heard.text.splitlines()
        found = [one for one in map(TIME.search, lines) if one is not None]
        if sound is None or not sound.rate or self._lost or not FEWEST_WINDOWS <= len(found) == len(starts):
            return
        if rate := rate_of([(one[1], one[2] in MILLI) for one in found], starts, sound.rate):
            right = starts[-1] / sound.rate * (1000 if found[-1][2] in MILLI else 1)
            yield (
                "answer",
                f'the guest says "{found[-1][0]}" of the window that begins at sample {starts[-1]:,}, and '
                f"times that are worked out with {rate:,} Hz; {sound.name} has {sound.rate:,} Hz, so it is "
                f"{right:.4g} {found[-1][2]}",
            )


def samples_of(tensor: Tensor) -> Any:
    """Returns the elements of a window, or None for other inputs."""
    numbers = tensor.numbers() if max(tensor.shape, default=0) in range(FEWEST, MOST) else None
    is_wave = numbers is not None and numbers.size == max(tensor.shape)
    return numbers.reshape(-1).astype("f8") if numbers is not None and is_wave else None


def rate_of(said: Sequence[tuple[str, bool]], starts: Sequence[int], own: int) -> int:
    """Returns the rate by which all times, each with whether it is in ms, follow from where windows begin, if
    it is a usual one, and another than the sound's, or 0 otherwise."""
    times = [Word.of(one) for one, _ in said]
    if len({is_milli for _, is_milli in said}) != 1:
        return 0
    by = 1000 if said[0][1] else 1

    def fits(rate: int) -> bool:
        return all(
            abs(time.value - times[0].value - by * (start - starts[0]) / rate) <= time.unit
            for time, start in zip(times, starts, strict=True)
        )

    if fits(own) or times[-1].value == times[0].value:
        return 0
    usual = [rate for rate in RATES if fits(rate)]
    return usual[0] if len(usual) == 1 and abs(usual[0] / own - 1) > OFF else 0
