"""Backtraces with source lines: the same text in notes of errors, on the command line and in the debugger.

What is here: which of very many frames are shown, and finding their source lines within a time limit. What is
not: the data of frames and their columns (`frames.py`), reading debug information (`sources`), and the report
of a whole failure (`cli.show`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .frames import GuestFrame, lines
from .records import changed
from .sources import SECONDS, Sources, within

MOST_FRAMES = 12
"""The number of frames that are shown; of more frames, the innermost and the outermost half."""
LEFT_OUT = f"  source lines left out: the debug information takes more than {SECONDS:g} s to read"


class Stopped(Protocol):
    """What ended a guest's call: an error."""

    @property
    def frames(self) -> tuple[GuestFrame, ...]: ...
    @property
    def thread(self) -> int: ...


def written(error: Stopped) -> list[str]:
    """The backtrace of an error, under the number of a further thread of the guest."""
    text = backtrace(error.frames)
    return [f"in thread {error.thread} of the guest:", *text] if error.thread and text else text


def backtrace(frames: Sequence[GuestFrame]) -> list[str]:
    """A line for each frame, and notes about frames and source lines that are left out."""
    numbers = shown(len(frames))
    found = with_sources([frames[number] for number in numbers])
    text = lines(numbers, found)
    if len(frames) > len(numbers):
        text.insert(len(numbers) // 2, f"  ... {len(frames) - len(numbers)} more ...")
    return [*text, LEFT_OUT] if any(is_cut_short(frame) for frame in found) else text


def shown(count: int) -> list[int]:
    """Which of so many frames are shown."""
    half = MOST_FRAMES // 2
    return [*range(count)] if count <= MOST_FRAMES else [*range(half), *range(count - half, count)]


def with_sources(frames: Iterable[GuestFrame]) -> list[GuestFrame]:
    """The frames with their source lines. Reading stops after SECONDS, however many modules they are of."""
    keep_on, found = within(SECONDS), []
    for frame in frames:
        if frame.source is None and frame.binary is not None:
            sources: Sources = frame.binary.sources
            sources.read(keep_on)
            frame = changed(frame, source=str(sources.at(frame.offset) or ""))
        found.append(frame)
    return found


def is_cut_short(frame: GuestFrame) -> bool:
    """Whether the time ran out before all source lines of its module were read."""
    return frame.binary is not None and bool(frame.binary.sources.cut_short)


def portable(frames: Sequence[GuestFrame]) -> tuple[GuestFrame, ...]:
    """The frames for another process, which doesn't have their modules: those that are shown have their
    source lines."""
    numbers = shown(len(frames))
    found = dict(zip(numbers, with_sources([frames[number] for number in numbers]), strict=True))
    return tuple([found.get(number, frame) for number, frame in enumerate(frames)])
