"""Inputs of which the first quarter of the bytes alone came from each line or vector, and the rest stayed
that of the first input: so many bytes were copied as there are elements.

What is here: `StaleParts`. What is not: inputs whose rest is 0 and whose elements are a multiple of an
element's bytes (`moves.py`), and windows that moved in part (there, too).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..origin.raw_places import is_raw
from ..sheets.rows import FEWEST as FEWEST_STRAIGHT
from ..sheets.rows import straight
from ..sheets.sheet import sheet_of
from ..surroundings import Files

FEWEST, MOST, MOST_WIDE, FEWEST_INPUTS, MOST_INPUTS = 8, 1 << 14, 64, 3, 16
"""Elements of an input, those of a line of a table, and inputs."""
FEWEST_NEW = 3
"""Elements that came from a line, where these were scaled."""
SIZES = (4, 8)


class StaleParts(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._kept: dict[Any, list[Any]] = {}
        self._others: set[Any] = set()
        """Inputs whose last part changed, too."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            key = event.graph_id, index, spec.name
            numbers = tensor.numbers() if tensor.nbytes <= MOST and key not in self._others else None
            if numbers is None or numbers.dtype.kind != "f" or numbers.dtype.itemsize not in SIZES:
                continue
            flat, kept = numbers.reshape(-1), self._kept.setdefault(key, [])
            if flat.size < FEWEST or (kept and not is_stale(kept[0], flat)):
                self._others.add(key)
            elif len(kept) < MOST_INPUTS and not any((one == flat).all() for one in kept):
                kept.append(flat.copy())

    def finish(self) -> Iterator[tuple[str, str]]:
        """The guest has ended."""
        for (graph, index, name), kept in self._kept.items():
            if (graph, index, name) in self._others or len(kept) < FEWEST_INPUTS:
                continue
            count, size = len(kept[0]), kept[0].dtype.itemsize
            if not kept[0][-(-count // size) :].any() and count % size == 0:
                continue
            for file, data in self._files():
                if begins(kept, data) or is_scaled_part(numpy.stack(kept), data):
                    yield (
                        "origin",
                        f'input {index} "{name}": compared with {file}, only the first {count} bytes of each '
                        f"input are those of a line of the file, and the others stay as in the first input, "
                        f"though the file has others there: memcpy and the like count bytes, {size} for each "
                        f"of the {count} elements",
                    )
                    return


def is_stale(first: Any, now: Any) -> bool:
    """Whether all bytes behind as many as there are elements are those of the first input."""
    return bool(first.size == now.size and first.tobytes()[first.size :] == now.tobytes()[now.size :])


def begins(kept: Sequence[Any], data: bytes) -> bool:
    """Whether all inputs but the first begin as lines of a table or vectors of a file do, which go on
    otherwise."""
    count, size = len(kept[0]), kept[0].dtype.itemsize
    if is_raw(data):
        raw = [data]
    else:
        sheet = sheet_of("", data) if count <= MOST_WIDE else None
        raw = [] if sheet is None else [one.astype(kept[0].dtype).tobytes() for one in sheet.numbers]
    return bool(raw) and all(
        any(goes_on(one.tobytes(), count, there, size) for there in raw) for one in kept[1:]
    )


def goes_on(own: bytes, count: int, there: bytes, size: int) -> bool:
    """Whether bytes of a file or line begin as these, at an element, and go on otherwise."""
    at = there.find(own[:count])
    more = there[at + count : at + len(own)]
    return at >= 0 and at % size == 0 and len(more) == len(own) - count and more != own[count:]


def is_scaled_part(rows: Any, data: bytes) -> bool:
    """Whether the first elements of inputs are columns of a table's first lines, each scaled, and those of
    the rest, which are always the same, are none, though their columns change."""
    inputs, count = rows.shape
    part, size = count // rows.dtype.itemsize, rows.dtype.itemsize
    if count % size and not numpy.ptp(rows[:, part]):
        return False  # no byte of that element was copied
    sheet = sheet_of("", data) if inputs >= FEWEST_STRAIGHT and FEWEST_NEW <= part <= MOST_WIDE else None
    if sheet is None or len(sheet.rows) < inputs or sheet.numbers.shape[1] < count:
        return False
    numbers = sheet.numbers[:inputs]
    fits = straight(rows.astype("f8"), numbers).fits
    for start in range(numbers.shape[1] - count + 1):
        rest = numbers[:, start + -(-count // size) : start + count]
        if fits[range(part), range(start, start + part)].all() and (numpy.ptp(rest, axis=0) > 0).all():
            return True
    return False
