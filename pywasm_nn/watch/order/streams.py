"""Files that are read piece by piece, each of the size of an input, such as the frames of a camera or
samples: does each round send its own?

What is here: `Streams`. What is not: pictures and sounds with a header (`rounds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..loops.standing import MEASURED
from ..origin.cut import IDX_HEADER
from ..origin.following import STREAMS
from ..origin.kinds import PICTURES
from ..origin.unread import behind, unread
from ..regex import regex
from ..series.following import rounds_of
from ..spoken import Heard
from ..surroundings import Files

FEWEST = 3
"""So many pieces are no chance."""
MOST_PIECES, MOST_HEADER = 256, 512
SAMPLES = regex(r"(?i)s16|pcm|\.wav$|\.raw$")
"""Names of files whose samples may have two bytes."""
WRITTEN = b"0123456789+-.,;:eE \t\r\n"
"""The bytes of numbers that are written out: no element is one of them."""
LEAST, MOST = 256, 1 << 18
"""Elements of an input."""


class Streams(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self,
        files: Files,
        about: Callable[[str], tuple[Path | None, int]] = lambda _: (None, 0),
    ) -> None:
        """`about` gives where the host has a file, and how often its bytes were read again."""
        self._files = files
        self._about = about
        self._sums: dict[Any, list[int]] = {}
        """By graph and input, the checksums of what was sent."""
        self._last: dict[Any, list[Any]] = {}
        """The last two tensors, as numbers."""
        self._items: dict[Any, int] = {}
        """How many items the last tensor has, one behind the other."""
        self._heard = Heard()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sums:
            self._heard.add(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, _, tensor in inputs_of(event) if event.error is None else ():
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
        is_measured = bool(MEASURED.search(self._heard.text))
        for key, sums in self._sums.items():
            if is_measured and len({*sums}) == 1:
                continue  # one piece may be sent again and again
            size, items = self._last[key][-1].size, self._items[key]
            for name, data in self._files() if len(sums) >= FEWEST else ():
                if KNOWN.of_file(name) is not None or data.startswith(PICTURES) or not data.strip(WRITTEN):
                    continue  # a model, a picture with a header, whose pixels are anywhere, or digits
                wrong = (
                    self._read_once(sums, size, data, name)
                    or repeated(sums, size, data)
                    or one_window(sums, size, data)
                    or cut_short(sums, size, data, self._last[key], items)
                    or sent_again(sums, size, data, widths_of(name, self._last[key][-1]))
                )
                if wrong:
                    yield "stale", f"{name} {wrong}"
                    return

    def _read_once(self, sums: Sequence[int], size: int, data: bytes, name: str) -> str:
        """Returns what is wrong with the same piece in all rounds: the rest of the file was not read, or the
        file was read from its beginning each time, or "" if nothing is."""
        if len({*sums}) != 1 or len(data) < size:
            return ""
        place, again = self._about(name)
        if name == STREAMS[0]:
            rest = unread(data, size * len(sums))
        elif place is not None:
            rest = behind(place, data, size * MOST_PIECES)
        else:
            rest = b""
        pieces = pieces_of(data + rest, size)
        if not rest or len({*pieces}) < FEWEST:
            return ""
        if again >= len(sums) - 1:
            return (
                f"was read from the same place in each of {len(sums)} rounds, so that all inputs are "
                f"the same of its {len(pieces)} pieces of the input's size ({size:,} bytes): does something "
                "go back to the file's beginning (rewind, seek, the same offset)?"
            )
        if len(pieces) != len(sums) or len(data) >= 2 * size:
            return ""
        return (
            f"has {len(sums)} pieces of the input's size ({size:,} bytes), of which only the first was read; "
            f"the model was given {len(sums)} inputs, which are all the same: does each round read its own?"
        )


def pieces_of(data: bytes, size: int) -> list[int]:
    """Checksums of the pieces of a size, if nothing is left behind the last."""
    if len(data) % size:
        return []
    return [crc32(data[at : at + size]) for at in range(0, len(data), size)]


def repeated(sums: Sequence[int], size: int, data: bytes) -> str:
    """Returns a hint if as many inputs were sent as a file has pieces, and some are the same though no pieces
    are, or "" if that is not so."""
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


def one_window(sums: Sequence[int], size: int, data: bytes) -> str:
    """Returns a hint if as many inputs were sent as a sound has windows, and all are the same, or "" if that
    is not so."""
    begins = header_of(data)
    width = int.from_bytes(data[BLOCK : BLOCK + 2], "little") if begins else 0
    samples = (len(data) - begins) // width if width else 0
    if len({*sums}) != 1 or samples < size or len(sums) not in rounds_of(samples, size):
        return ""
    pieces = range(begins, len(data) - width * size + 1, width * size)
    if len({crc32(data[at : at + width * size]) for at in pieces}) < FEWEST:
        return ""
    return (
        f"has {len(sums)} windows of the input's {size:,} samples; the model was given {len(sums)} inputs, "
        "which are all the same: does each round send its own window (and not the beginning of the buffer)?"
    )


BLOCK = 32
"""Where a WAV says how many bytes a sample of all channels has."""


def cut_short(sums: Sequence[int], size: int, data: bytes, last: Sequence[Any], items: int = 1) -> str:
    """Returns a hint if one input more was sent than a file has whole pieces, the one before where the file
    has ended, or "" if that is not so. Of a batch of several items the last may be filled in part, with whole
    items."""
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


PADDING = 2
"""So many different elements may be padding and a mask, which stay as they are."""


def stands_behind(last: Sequence[Any], rest: int, width: int) -> bool:
    """Whether the last tensor has the elements of the one before behind its first ones: at any places if they
    are bytes, which may be pixels in another layout."""
    if width == 1:
        same = last[0] == last[1]
        return bool(same.sum() >= last[0].size - rest) and len({*last[0][same].tolist()}) > PADDING
    behind = last[0][rest:]
    return bool((behind == last[1][rest:]).all() and (behind != behind[0]).any())


def header_of(data: bytes) -> int:
    """How many bytes a sound has before its samples."""
    place = data[:MOST_HEADER].find(b"data") if data.startswith(b"RIFF") else -1
    return place + 8 if place > 0 else 0


def widths_of(name: str, last: Any) -> set[int]:
    """Bytes that an element of an input may have in a file."""
    return {1, last.itemsize} | ({2} if SAMPLES.search(name) else set())


def sent_again(sums: Sequence[int], size: int, data: bytes, widths: set[int]) -> str:
    """Returns a hint if one input more was sent than a file has pieces, and the last one is the same as that
    before, or "" if that is not so."""
    if sums[-1] != sums[-2] or any(one == other for one, other in pairwise(sums[:-1])):
        return ""
    for width in widths:
        for header in {0, IDX_HEADER, header_of(data)}:
            count, rest = divmod(len(data) - header, width * size)
            if rest or count + 1 != len(sums):
                continue
            return (
                f"has {count} pieces of the input's size ({width * size:,} bytes), and the model was given "
                f"{count + 1} inputs, the last of which is the one before again: was the end of the file "
                "noticed only after a read that failed (while not feof)?"
            )
    return ""
