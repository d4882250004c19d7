"""Backtraces with source lines, and what would show more.

What is here: what the command line and the debugger add to `frames.backtrace`. What is not: what frames hold
and how they are written (`frames.py`), and how a failure as a whole is shown (`cli.show`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WasmError
from ..frames import GuestFrame, backtrace
from .sources import Sources, can_read, has_lines

RING = 2000
"""So many instructions are worth a look."""


def written(error: WasmError) -> list[str]:
    """A line for each frame of an error, and one for those that are left out."""
    return backtrace(error.frames, sources_of)


def sources_of(frames: Sequence[GuestFrame]) -> list[str]:
    """The source line of each frame that has one, else ""."""
    known = {id(frame.binary): Sources(frame.binary) for frame in frames if frame.binary is not None}
    found = [known[id(frame.binary)].at(frame.offset) if frame.binary else None for frame in frames]
    return [str(source or "") for source in found]


def hint(error: WasmError) -> str:
    """What would show more."""
    debugs = any(frame.binary is not None and has_lines(frame.binary) for frame in error.frames)
    if debugs and not can_read():
        return 'the module tells its source lines: `pip install "pywasm-nn[debug]"` shows them'
    return f"the last instructions: `--trace=ring:{RING}`" if error.frames else ""
