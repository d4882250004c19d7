"""Backtraces with source lines, and what would show more.

What is here: what the command line and the debugger add to `frames.backtrace`. What is not: what frames hold
and how they are written (`frames.py`), and how a failure as a whole is shown (`cli.show`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WasmError
from ..frames import GuestFrame, backtrace
from .sources import SECONDS, Sources, within

RING = 2000
"""So many instructions are worth a look."""
LEFT_OUT = f"  source lines left out: the debug information takes more than {SECONDS:g} s to read"


def written(error: WasmError) -> list[str]:
    """A line for each frame of an error, and one for those that are left out."""
    found = Found()
    lines = backtrace(error.frames, found.lines)
    return [*lines, LEFT_OUT] if found.cut_short else lines


class Found:
    """Source lines of frames, which are read for a while, however many modules the frames are of."""

    def __init__(self) -> None:
        self.cut_short = False
        """Whether that was too short."""

    def lines(self, frames: Sequence[GuestFrame]) -> list[str]:
        """The source line of each frame that has one, else ""."""
        keep_on = within(SECONDS)
        known = {id(frame.binary): Sources(frame.binary, keep_on) for frame in frames if frame.binary}
        found = [known[id(frame.binary)].at(frame.offset) if frame.binary else None for frame in frames]
        self.cut_short = any(sources.cut_short for sources in known.values())
        return [str(source or "") for source in found]


def sources_of(frames: Sequence[GuestFrame]) -> list[str]:
    """The source line of each frame that has one, else ""."""
    return Found().lines(frames)


def hint(error: WasmError) -> str:
    """What would show more: of a component, whose core modules are named `app.wasm/main`, host calls."""
    if not error.frames:
        return ""
    if "/" in error.frames[0].module:
        return "what the component asked of the host: `--trace=host`"
    return f"the last instructions: `--trace=ring:{RING}`"
