"""Inputs that begin a few elements before the program's own data, which have exactly their length.

What is here: `beside_data`. What is not: inputs that begin behind where such data do, as a window does that
moves on, and files of which one begins at another place.

Two signs are asked for: segments that follow one another without a gap have as many bytes as the input, which
begins a little earlier; and what the input has before them is 0, as memory that nobody wrote is. Compilers
make one segment of much data, of which the length is an input's by no chance.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...interpreter.module import Module
from ...interpreter.runtime.memory import Memory
from ..facts import Input

FEWEST, FARTHEST, MOST = 8, 4, 1 << 12
"""The fewest elements of an input, how many it begins before the data at most, and the most segments."""
SIZES = {"f32": 4, "f64": 8, "i32": 4, "i64": 8}


def beside_data(given: Input, module: Module, memory: Memory, address: int) -> str | None:
    """Returns a hint about an input that begins before the program's data of its length, or None."""
    size, width = given.tensor.size, SIZES.get(given.tensor.dtype, 0)
    if not width or size < FEWEST * width or len(module.datas) > MOST or address + size > memory.size:
        return None
    for start, end in runs(module):
        early = start - address
        if end - start != size or not 0 < early <= FARTHEST * width or early % width:
            continue
        if not any(memory.view(address, early)) and any(memory.view(start, size)):
            return (
                f"{given}: it begins at address {address}, {early} bytes before {size} bytes of the "
                f"program's own data at {start}, which are as many as it has: is the address right?"
            )
    return None


def runs(module: Module) -> Iterator[tuple[int, int]]:
    """Yields where data of the first memory begin and end that follow one another without
    a gap."""
    known = []
    for data in module.datas:
        if data.mode is None or data.mode.index:
            continue
        (first, *more), imms = data.mode.offset.ops, data.mode.offset.imms
        if first.name == "i32.const" and len(more) == 1:  # and the end
            start = int(imms[0])
            known.append((start, start + len(data.init)))
    known.sort()
    begun: list[int] = []
    for (start, end), (after, _) in zip(known, [*known[1:], (-1, -1)], strict=True):
        begun.append(start)
        if end != after:
            yield begun[0], end
            begun = []
