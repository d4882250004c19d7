"""Backtraces with source lines, and the option that would show more.

What is here: what the command line and the debugger add to `frames.backtrace`. What is not: the data of
frames and their text (`frames.py`), and the report of a whole failure (`cli.show`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WasmError
from ..frames import GuestFrame, backtrace
from .sources import SECONDS, Sources, within

RING = 2000
"""The number of last instructions that the hint suggests to keep."""
LEFT_OUT = f"  source lines left out: the debug information takes more than {SECONDS:g} s to read"


def written(error: WasmError) -> list[str]:
    """A line for each frame of an error, under the number of a further thread of the guest, and a note if
    source lines were left out."""
    found = Found()
    lines = backtrace(error.frames, found.lines)
    if error.thread and lines:
        lines.insert(0, f"in thread {error.thread} of the guest:")
    return [*lines, LEFT_OUT] if found.cut_short else lines


class Found:
    """Source lines of frames. Reading stops after SECONDS, however many modules the frames belong to."""

    def __init__(self) -> None:
        self.cut_short = False
        """Whether the time ran out before all source lines were read."""

    def lines(self, frames: Sequence[GuestFrame]) -> list[str]:
        """The source line of each frame, "" for a frame without one."""
        keep_on = within(SECONDS)
        known = {id(frame.binary): Sources(frame.binary, keep_on) for frame in frames if frame.binary}
        found = [known[id(frame.binary)].at(frame.offset) if frame.binary else None for frame in frames]
        self.cut_short = any(sources.cut_short for sources in known.values())
        return [str(source or "") for source in found]


def sources_of(frames: Sequence[GuestFrame]) -> list[str]:
    """The source line of each frame, "" for a frame without one."""
    return Found().lines(frames)


def hint(error: WasmError) -> str:
    """The option that would show more: host calls of a component (its core modules are named
    `app.wasm/main`), else the last instructions; "" if a trace has shown that."""
    if not error.frames:
        return ""
    if "/" in error.frames[0].module:
        return "" if "host" in error.traced else "what the component asked of the host: `--trace=host`"
    return "" if error.traced & {"ring", "instr"} else f"the last instructions: `--trace=ring:{RING}`"
