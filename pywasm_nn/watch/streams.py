"""Files that are read piece by piece, each of the size of an input, such as the frames of a camera or
samples: does each round send its own?

What is here: `Streams`. What is not: pictures and sounds with a header (`rounds.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from stat import S_ISREG
from typing import Any
from zlib import crc32

from ..nn.operation import NNEvent
from .origin.following import STREAMS

FEWEST = 3
"""So many pieces are no chance."""
MOST_PIECES, MOST_HEADER = 256, 512
LEAST, MOST = 256, 1 << 18
"""Elements of an input."""


class Streams:
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Callable[[], Sequence[tuple[str, bytes]]]) -> None:
        self._files = files
        self._sums: dict[Any, list[int]] = {}
        """By graph and input, the checksums of what was sent."""
        self._last: dict[Any, list[Any]] = {}
        """The last two tensors, as numbers."""
        self._items: dict[Any, int] = {}
        """How many items the last tensor has, one behind the other."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = list(event.given)
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            given.append((event.index, event.specs[0], event.tensors[0]))
        for index, _, tensor in given if event.error is None else ():
            if not LEAST <= tensor.size <= MOST or (numbers := tensor.numbers()) is None:
                continue
            sums = self._sums.setdefault((event.graph_id, event.model, index), [])
            last = self._last.setdefault((event.graph_id, event.model, index), [])
            if len(sums) <= MOST_PIECES:
                sums.append(crc32(tensor.view()))
                last.append(numbers.copy())
                del last[:-2]
                self._items[event.graph_id, event.model, index] = tensor.shape[0] if tensor.shape else 1

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for key, sums in self._sums.items():
            size, items = self._last[key][-1].size, self._items[key]
            for name, data in self._files() if len(sums) >= FEWEST else ():
                wrong = (
                    read_once(sums, size, data, name)
                    or repeated(sums, size, data)
                    or cut_short(sums, size, data, self._last[key], items)
                )
                if wrong:
                    yield "stale", f"{name} {wrong}"
                    return


def repeated(sums: Sequence[int], size: int, data: bytes) -> str:
    """As many inputs as a file has pieces, of which some are the same though no pieces are; "" if not."""
    count, rest = divmod(len(data), size)
    if rest or count != len(sums) or len({*sums}) == count:
        return ""
    if len({crc32(data[at : at + size]) for at in range(0, len(data), size)}) < count:
        return ""
    differ = len({*sums})
    which = f"of which only {differ} differ" if differ > 1 else "which are all the same"
    moved = ", or is its address that of a vector before it grew, which was freed then" if differ == 1 else ""
    return (
        f"has {count} pieces of the input's size ({size:,} bytes), all different; the model was "
        f"given {count} inputs, {which}: "
        f"does each round send the piece that it read{moved}?"
    )


def read_once(sums: Sequence[int], size: int, data: bytes, name: str) -> str:
    """The same about the rest of the standard input, if that is a file of which only the first piece was
    read; "" if not."""
    if name != STREAMS[0] or len(data) != size or len({*sums}) != 1:
        return ""
    whole = data + unread(data, size * len(sums))
    pieces = [crc32(whole[at : at + size]) for at in range(0, len(whole), size)]
    if len(whole) != size * len(sums) or len({*pieces}) < FEWEST:
        return ""
    return (
        f"has {len(sums)} pieces of the input's size ({size:,} bytes), of which only the first was read; the "
        f"model was given {len(sums)} inputs, which are all the same: does each round read its own?"
    )


def unread(begin: bytes, most: int, number: int = 0) -> bytes:
    """What follows the beginning in the standard input (or another descriptor), if that is a file of at most
    so many bytes."""
    try:
        about = os.fstat(number)
        data = os.pread(number, most, 0) if S_ISREG(about.st_mode) and about.st_size <= most else b""
    except (OSError, AttributeError):  # closed, or a system without pread
        return b""
    return data[len(begin) :] if data.startswith(begin) else b""


def cut_short(sums: Sequence[int], size: int, data: bytes, last: Sequence[Any], items: int = 1) -> str:
    """One input more than a file has whole pieces, the one before where the file has ended; "" if not. Of a
    batch of several items the last may be filled in part, with whole items."""
    if len(last) < 2 or last[0].shape != last[1].shape or (last[0] == last[1]).all():
        return ""
    ways = ((1, 0), *((width, header) for width in (2, 4) for header in (0, header_of(data))))
    if items > 1 and not all((len(data) - header) * items % (width * size) for width, header in ways):
        return ""
    for width, header in ways:
        count, rest = divmod(len(data) - header, width * size)
        if rest and count + 1 == len(sums) and stands_behind(last, rest // width, width):
            return (
                f"ends after {rest:,} bytes of piece {count + 1} (of {width * size:,} bytes each), and the "
                "last input has the elements of the one before behind them: was it used after a read that "
                "was cut short?"
            )
    return ""


def stands_behind(last: Sequence[Any], rest: int, width: int) -> bool:
    """Whether the last tensor has the elements of the one before behind its first ones: at any places if they
    are bytes, which may be pixels in another layout."""
    if width == 1:
        return bool((last[0] == last[1]).sum() >= last[0].size - rest)
    behind = last[0][rest:]
    return bool((behind == last[1][rest:]).all() and (behind != behind[0]).any())


def header_of(data: bytes) -> int:
    """How many bytes a sound has before its samples."""
    place = data[:MOST_HEADER].find(b"data") if data.startswith(b"RIFF") else -1
    return place + 8 if place > 0 else 0
