"""Backtraces as people read them: where the guest was, with values, innermost first.

What is here: how the frames of an error are written, and which of very many. What is not: what they hold
(`frames.py`), and how a failure as a whole is shown (`cli.show`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import WasmError
from ..frames import GuestFrame
from .sources import SourceLine, Sources, can_read, has_lines

MOST_FRAMES = 12
"""So many frames are written; of more, the innermost and the outermost half."""
RING = 2000
"""So many instructions are worth a look."""
WIDEST = 48
"""Characters of a place or a source line beyond which it doesn't make its column wider."""


def written(error: WasmError) -> list[str]:
    """A line for each frame of an error, and one for those that are left out."""
    frames = error.frames
    if len(frames) <= MOST_FRAMES:
        return lines(range(len(frames)), frames)
    half = MOST_FRAMES // 2
    numbers = [*range(half), *range(len(frames) - half, len(frames))]
    shown = lines(numbers, [frames[number] for number in numbers])
    return [*shown[:half], f"  ... {len(frames) - 2 * half} more ...", *shown[half:]]


def lines(numbers: Sequence[int], frames: Sequence[GuestFrame]) -> list[str]:
    """ "  0: 0x2a1f  app.wasm!decode_block   src/jpeg.rs:88   $p=0x10fffe $n=12", columns aligned."""
    sources = [str(source or "") for source in sources_of(frames)]
    place, source = column(frame.place for frame in frames), column(sources)
    digits = len(str(max(numbers, default=0)))
    columns = f"{{:{place}}}   {{:{source}}}   {{}}" if any(sources) else f"{{:{place}}}   {{}}{{}}"
    return [
        f"  {number:{digits}}: {columns.format(frame.place, line, frame.values)}".rstrip()
        for number, frame, line in zip(numbers, frames, sources, strict=True)
    ]


def column(texts: Iterable[str]) -> int:
    """How wide a column of texts is; what is very long doesn't count, and sticks out."""
    return max((len(text) for text in texts if len(text) <= WIDEST), default=0)


def sources_of(frames: Sequence[GuestFrame]) -> list[SourceLine | None]:
    """The source line of each frame that has one."""
    known = {id(frame.binary): Sources(frame.binary) for frame in frames if frame.binary is not None}
    return [known[id(frame.binary)].at(frame.offset) if frame.binary else None for frame in frames]


def hint(error: WasmError) -> str:
    """What would show more."""
    debugs = any(frame.binary is not None and has_lines(frame.binary) for frame in error.frames)
    if debugs and not can_read():
        return 'the module tells its source lines: `pip install "pywasm-nn[debug]"` shows them'
    return f"the last instructions: `--trace=ring:{RING}`" if error.frames else ""
