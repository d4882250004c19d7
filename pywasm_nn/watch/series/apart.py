"""Inputs that are pieces of a file, at another distance than their own size: `Apart`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .near import behind_the_end

FEWEST, LEAST = 3, 16
"""Inputs, and bytes of one."""
MOST_BYTES, MOST_KEPT = 1 << 20, 1 << 21
"""Larger files are left out, and all inputs that are kept have so many bytes together at most."""


class Apart:
    """Follows where in a file each input begins. It keeps inputs, and looks for them when the guest has
    ended: before that there may be no time, and the last ones say as much as the first."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[bytes]] = {}
        """Maps an input to the bytes of the first arrays that were sent as it."""
        self._room = MOST_KEPT
        self._sent: Counter[Any] = Counter()
        self._sizes: dict[Any, int] = {}
        """Maps an input to the number of its bytes, or to 0 if that has changed."""

    def set(self, key: Any, array: Any) -> None:
        """An input was set."""
        self._sent[key] += 1
        if self._sizes.setdefault(key, array.nbytes) != array.nbytes:
            self._sizes[key] = 0
        kept = self._kept.setdefault(key, [])
        if LEAST <= array.nbytes <= self._room and len(kept) == self._sent[key] - 1:
            self._room -= array.nbytes
            kept.append(array.tobytes())

    def sent(self, key: Any) -> int:
        """How many inputs there were."""
        return self._sent[key]

    def said(self, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with where inputs began, or "" if nothing is."""
        for key, kept in self._kept.items():
            for name, data in files if self._sizes[key] and len(kept) >= 2 else ():
                begins = begins_in(data, kept) if len(data) <= MOST_BYTES else []
                if wrong := self._wrong(key, begins, len(data)):
                    return f"compared with {name}, {wrong}"
        return ""

    def _wrong(self, key: Any, begins: Sequence[int], length: int) -> str:
        """Returns what is wrong with inputs that begin at these bytes of a file of `length`, or ""."""
        size, by = self._sizes[key], begins[1] if len(begins) > 1 else 0
        count, rest = divmod(length, size)
        if rest or not by or by == size or list(begins) != [by * at for at in range(len(begins))]:
            return ""
        if wrong := self._behind(key, begins, length):
            return f"of its bytes {wrong}"
        last = begins[-1] + size
        if not FEWEST <= self._sent[key] == count == len(begins) or by > size or last >= length:
            return ""
        return (
            f"it has {count} pieces of the input's {size} bytes, and {count} inputs were sent, "
            f"each {by} bytes behind the one before: they overlap, and the last "
            f"{length - last} bytes were not sent: is each to begin {size} bytes behind the one before (was "
            "the step counted in something else)?"
        )

    def _behind(self, key: Any, begins: Sequence[int], length: int) -> str:
        """Returns what is wrong if the last inputs lie behind the end of a file of `length` bytes, or "". Of
        many inputs only the first ones are kept."""
        size, step = self._sizes[key], begins[1]
        inside = (length - size) // step + 1
        if len(begins) != min(len(self._kept[key]), inside):
            return ""
        return behind_the_end(step, size, (self._sent[key], inside), length)


def begins_in(data: bytes, pieces: Sequence[bytes]) -> list[int]:
    """Returns where pieces begin in a file, up to the first piece that isn't there. The first one has to
    begin at 0, and each other one behind the beginning of the one before."""
    begins: list[int] = []
    for one in pieces:
        at = data.find(one, begins[-1] + 1 if begins else 0) if any(one) else -1
        if at < 0 or (not begins and at):
            break
        begins.append(at)
    return begins
