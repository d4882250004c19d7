"""One state for two sounds, or two channels of one, of which windows are sent in turns: each gets what the
other one's became.

What is here: `SoundsInTurns`. What is not: lines of tables in turns (`shared.py`), and sounds one after the
other (`files.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from struct import error
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..budget import Budget
from ..origin.headerless import as_samples
from ..origin.locating import correlation
from ..origin.sequences import place_of
from ..origin.waves import wave_in
from .files import Files
from .round import Round

WINDOWS = range(128, 1 << 13)
"""How many samples a window may have."""
CONTEXT = 0.25
"""The part of a window that may be the end of the one before, of whichever sound."""
LIKE = 0.999
"""The least correlation of the same samples."""
MOST_OF_A_SOUND, LONGEST = 1 << 22, 1 << 18
"""The most bytes of a file, and how many of them are searched: windows go on from its beginning."""
MOST_SEARCHES = 8
TURNS, TIMES = (2, 3, 4), 3
"""How many sounds may be sent in turns, and how often each must be."""
FULL, EXACT, DIFFERENT, SHOWN = 32768.0, 1e-2, 8, 64
"""The range of samples of 16 bits, how far they may be from whole numbers, the fewest different ones, and
among how many of the first."""
AHEAD = 3
"""The lengths of a window within which one sound is searched for its next window."""


class At(Frozen):
    """Where a window lies: in which series, and from which sample on."""

    series: int
    place: int


class Series(Frozen):
    """The samples of one channel of a file, also as those of 16 bits (`words`)."""

    name: str
    samples: Any
    words: bytes

    def place_of(self, own: Any) -> int | None:
        """Where the very samples lie, or None if they don't. This takes next to no time."""
        numbers = own * FULL
        whole = numpy.rint(numbers)
        if (
            abs(numbers - whole).max() > EXACT
            or abs(whole).max() >= FULL
            or len({*whole[:SHOWN].tolist()}) < DIFFERENT
        ):
            return None
        wanted, at = whole.astype("<i2").tobytes(), -1
        while (at := self.words.find(wanted, at + 1)) >= 0:
            if at % 2 == 0:
                return at // 2
        return None


class SoundsInTurns:
    """Compares the windows of one graph, as long as a state goes on from each compute to the next."""

    def __init__(self, files: Callable[[], Files], budget: Budget) -> None:
        self._files = files
        self._budget = budget
        self._last: dict[int | None, Round] = {}
        self._known: dict[int | None, list[At | None]] = {}
        """By graph, where the windows lie since the state has gone on; None for silence."""
        self._searched: dict[int | None, int] = {}
        self._series: dict[tuple[tuple[str, int], ...], list[Series]] = {}
        """By the files' names and how much of each was read."""

    def computed(self, graph: int | None, now: Round, pairs: Sequence[tuple[int, int]]) -> str:
        """Returns a hint if one state goes on through sounds in turns, or "" if it doesn't."""
        before, self._last[graph] = self._last.get(graph), now
        known = self._known.setdefault(graph, [])
        if self._searched.get(graph, 0) > MOST_SEARCHES:
            return ""
        window = window_of(now, {index for index, _ in pairs})
        if window is None or before is None or not goes_on(before, now, pairs):
            known.clear()
            return ""
        series = self._sounds()
        known.append(self._at(graph, window, series) if series else None)
        if is_one(known):
            self._searched[graph] = MOST_SEARCHES + 1
            return ""
        turns = next((count for count in TURNS if are_in_turns(known, count, len(window))), 0)
        if not turns or goes_on_in(known[-2 * turns :], series, len(window)):
            return ""
        self._searched[graph] = MOST_SEARCHES + 1
        where = [
            f"{series[one.series].name} from sample {one.place:,} on"
            for one in known[-turns:]
            if one is not None
        ]
        what = next(now.inputs[index].what for index, _ in pairs if index in now.inputs)
        return (
            f"{what} goes on from each compute to the next, though these have windows of {turns} sounds in "
            f"turns ({' and '.join(where)}): does each of them need a state of its own?"
        )

    def _at(self, graph: int | None, window: Any, series: Sequence[Series]) -> At | None:
        """Where a window lies: where one of those before goes on, or anywhere."""
        own = window[int(CONTEXT * len(window)) :]
        if not own.any():
            return None
        known = self._known[graph]
        for place in dict.fromkeys(going_on(known, len(window))):
            there = series[place.series].samples[place.place :][len(window) - len(own) : len(window)]
            if len(there) == len(own) and abs(correlation(own, there)) >= LIKE:
                return place
        begin = len(window) - len(own)
        for number, one in enumerate(series):
            if (found := one.place_of(own)) is not None:
                return At(number, found - begin)
        self._searched[graph] = self._searched.get(graph, 0) + 1
        with self._budget.searching() as left:
            for number, one in enumerate(series):
                at, _, _, like = place_of(own, one.samples) if left() else (0, 0.0, 0.0, 0.0)
                if abs(like) >= LIKE:
                    return At(number, at - begin)
        return None

    def _sounds(self) -> list[Series]:
        files = self._files()
        key = tuple((name, len(data)) for name, data in files)
        if key not in self._series:
            self._series = {key: [one for name, data in files for one in channels_of(name, data)]}
        return self._series[key]


def channels_of(name: str, data: bytes) -> Iterator[Series]:
    """The channels of a sound, also of one without a header; none of other files."""
    found: list[Any] = []
    with suppress(ValueError, error):
        if data[:4] == b"RIFF":
            found = [wave_in(data[:LONGEST]).samples]
        else:
            found = [one.array for one in as_samples(name, data[:LONGEST])]
    for samples in found:
        for number, one in enumerate(samples.reshape(len(samples), -1).T if len(samples) else ()):
            own = one.astype("f8")
            words = numpy.clip(numpy.rint(own * FULL), -FULL, FULL - 1).astype("<i2").tobytes()
            yield Series(f"channel {number} of {name}" if samples.ndim > 1 else name, own, words)


def window_of(now: Round, states: set[int]) -> Any:
    """The samples of a round that has one input of them beside its states, or None if it has none."""
    found = [
        one.flat for index, one in now.inputs.items()
        if index not in states and one.array.dtype.kind == "f" and one.flat.size in WINDOWS
    ]  # fmt: skip
    return found[0].astype("f8") if len(found) == 1 else None


def goes_on(before: Round, now: Round, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether all states are what they became in the round before, and one isn't as it was."""
    states = [
        (before.inputs.get(index), now.inputs.get(index), before.outputs.get(made)) for index, made in pairs
    ]
    return all(one is not None and one.equals(made) for _, one, made in states) and any(
        one is not None and not one.equals(old) for old, one, _ in states
    )


def going_on(known: Sequence[At | None], size: int) -> Iterator[At]:
    """Where a window may lie that goes on from one before: by its size, or by as much as others did."""
    for turns in (1, *TURNS):
        last = known[-turns] if len(known) >= turns else None
        steps = {size} | {
            other.place - one.place
            for one, other in zip(known[:-turns], known[turns:], strict=True)
            if one is not None and other is not None and one.series == other.series
        }
        for step in steps if last is not None else ():
            if last is not None and last.place + step >= 0:
                yield At(last.series, last.place + step)


def is_one(known: Sequence[At | None]) -> bool:
    """Whether the last windows follow each other in one sound."""
    return len(known) >= TIMES and steps_of(known[-TIMES:], 1) is not None


def steps_of(known: Sequence[At | None], turns: int) -> int | None:
    """By how much each window lies behind the one of its sound before, or None if that isn't the same for
    all, or isn't known."""
    steps = {
        other.place - one.place if one is not None and other is not None and one.series == other.series else 0
        for one, other in zip(known[:-turns], known[turns:], strict=True)
    }
    step = steps.pop() if len(steps) == 1 else 0
    return step if step > 0 else None


def are_in_turns(known: Sequence[At | None], turns: int, size: int) -> bool:
    """Whether the last windows are those of so many sounds, which are others, or places far from each
    other."""
    last = known[-TIMES * turns :]
    if len(last) < TIMES * turns or (step := steps_of(last, turns)) is None:
        return False
    first = [one for one in last[:turns] if one is not None]
    ahead = [At(one.series, one.place + step) for one in first]
    return len(first) == turns and all(
        one.series != other.series or abs(one.place - other.place) >= size
        for number, one in enumerate(first)
        for other in (*first[number + 1 :], *ahead[:number])
    )


def goes_on_in(known: Sequence[At | None], series: Sequence[Series], size: int) -> bool:
    """Whether a window is also found a little behind the one before: what a sound repeats lies at several
    places."""
    for one, other in pairwise(known):
        if one is not None and other is not None:
            begin = int(CONTEXT * size)
            part = series[other.series].samples[other.place + begin : other.place + size]
            there = series[one.series].samples[one.place : one.place + AHEAD * size]
            at, _, _, like = place_of(part, there)
            if abs(like) >= LIKE and at > begin:
                return True
    return False
