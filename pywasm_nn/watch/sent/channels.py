"""Guests that take the channel of a sound in which there is only noise, and leave the one with the sound.

What is here: `Channels`. What is not: a channel that is silent (`feedback.py`), and how an input came from a
sound (`origin.sequences`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin import Origin
from ..regex import regex

CHANNEL = regex(r"channel (\d+), ")
LOUDER = 10.0
"""The other channel is so many times as loud."""
FRAME, FEWEST = 0.02, 16
"""Seconds of a part, and parts of a sound."""
EVEN, VARIED = 3.0, 10.0
"""The loud parts of noise are at most so many times as loud as its quiet ones, and those of a sound at least.
"""
LOUD, QUIET = 95, 5
ONCE = 1.2
"""A guest that sends so many times as many samples as a channel has goes over both."""


class Taken(Frozen):
    """The sound that inputs come from, which channel of it (None: several, or their mean), and the name of
    the input."""

    origin: Origin
    channel: int | None
    name: str


class Channels:
    """Keeps which channel of a sound the inputs were."""

    def __init__(self) -> None:
        self._taken: dict[Any, Taken] = {}
        self._sent: dict[Any, int] = {}

    def sent(self, key: Any, count: int) -> None:
        """An input of so many elements was set."""
        self._sent[key] = self._sent.get(key, 0) + count

    def found(self, key: Any, name: str, origin: Origin) -> None:
        """It is known how an input came from a sound."""
        if not origin.source.rate or origin.source.array.ndim == 1:
            return
        match = CHANNEL.match(origin.steps[0]) if origin.steps and not origin.wrong else None
        channel = int(match[1]) if match else None
        before = self._taken.get(key)
        is_other = before is not None and (
            before.channel != channel or before.origin.source.name != origin.source.name
        )
        self._taken[key] = Taken(origin, None if is_other else channel, name)

    def finish(self) -> Iterator[str]:
        """Hints when a guest has ended."""
        for key, taken in self._taken.items():
            source = taken.origin.source
            is_once = self._sent.get(key, 0) <= ONCE * len(source.array)
            if taken.channel is not None and is_once and (other := louder(taken)) is not None:
                own, there = (source.array[:, one].std() for one in (taken.channel, other))
                yield (
                    f"{taken.name}: compared with {source.name}, channel {taken.channel} was taken, in which "
                    f"there is only even noise (deviation {own:.2g}), and never channel {other}, which is "
                    f"{there / own:,.0f} times as loud and has the sound"
                )


def louder(taken: Taken) -> int | None:
    """Returns the channel that has the sound, if the one that was taken has even noise only, or None for
    others."""
    source = taken.origin.source
    size = max(1, int(FRAME * source.rate))
    count = len(source.array) // size
    if count < FEWEST or taken.channel is None or taken.channel >= source.array.shape[1]:
        return None
    parts = source.array[: count * size].astype("f8").reshape(count, size, -1)
    levels = parts.std(axis=1)
    spread = source.array.std(axis=0)
    other = int(spread.argmax())
    own, there = (between(levels[:, one]) for one in (taken.channel, other))
    is_louder = spread[other] >= LOUDER * spread[taken.channel] > 0
    return other if is_louder and own <= EVEN and there >= VARIED else None


def between(levels: Any) -> float:
    """How many times as loud as quiet parts loud ones are."""
    loud, quiet = numpy.percentile(levels, [LOUD, QUIET])
    return float(loud / max(quiet, 1e-12))
