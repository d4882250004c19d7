"""Backtraces as people read them: where the guest was, with values, innermost first.

What is here: how the frames of an error are written, and which of very many. What is not: what they hold
(`frames.py`), and how a failure as a whole is shown (`cli.failure`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import WasmError
from ..frames import GuestFrame

MOST_FRAMES = 12
"""So many frames are written; of more, the innermost and the outermost half."""
WIDEST_PLACE = 48
"""Columns up to which what stands beside the places is aligned."""


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
    """ "  0: 0x2a1f  app.wasm!decode_block   $p=0x10fffe $n=12", columns aligned."""
    width = min(max((len(frame.place) for frame in frames), default=0), WIDEST_PLACE)
    digits = len(str(max(numbers, default=0)))
    return [
        f"  {number:{digits}}: {frame.place:{width}}   {frame.values}".rstrip()
        for number, frame in zip(numbers, frames, strict=True)
    ]
