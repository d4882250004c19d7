"""Inputs that are the top left of a larger picture, which nobody means unless other parts follow.

What is here: `Parts`, which keeps what is said of them until the end, and `is_chosen`. What is not: which
part of a picture an input is (`origin`), and whether inputs are its tiles (`tiles.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zlib import crc32

from ...records import Frozen, changed
from ..facts import picture_of
from ..origin.matching import TOP_LEFT, Origin
from ..origin.tiny import LARGEST as TINY
from .squeezing import free_sides

MOST = 64
"""So many different inputs are counted."""


class Part(Frozen):
    """What is said of the first input, and the files of which that much was sent."""

    said: str
    files: tuple[str, ...]
    is_top_left: bool
    is_small: bool = False
    """Whether it may be the first of several, such as digits, so that one file says nothing."""


class Parts:
    """Gives sentences at the end. `pictures` says how many different pictures were read."""

    def __init__(self, pictures: Callable[[], int]) -> None:
        self._pictures = pictures
        self._kept: dict[Any, Part] = {}
        self._others: set[Any] = set()
        """Inputs of which other things were sent, too."""
        self._sent: dict[Any, set[int]] = {}
        """By input, checksums of what was sent, looked at or not."""
        self._unsearched: set[Any] = set()
        """Keeps the inputs of which nobody sought the origin at least once, as no time was left."""

    def set(self, key: Any, data: Any) -> None:
        """An input was set to these bytes."""
        sums = self._sent.setdefault(key, set())
        if len(sums) <= MOST:
            sums.add(crc32(data))

    def unfound(self, key: Any, *, is_searched: bool) -> None:
        """Notes that nobody knows where an input came from, or has looked for that."""
        if is_searched:
            self._other(key)
        else:
            self._unsearched.add(key)

    def found(self, key: Any, name: str, found: Origin, *, may_be_only_one: bool) -> None:
        """An input came from a picture. `may_be_only_one`: it is not a batch, and comes behind no other
        model's."""
        kept = self._kept.get(key)
        is_top_left = found.in_part.startswith(TOP_LEFT)
        if not found.in_part or not may_be_only_one or key in self._others:
            self._other(key)
        elif kept is None:
            said = f"{name}: compared with {found.source.name}, {found.in_part}"
            is_small = found.lies is not None and max(found.lies[2:]) <= TINY
            self._kept[key] = Part(said, (found.source.name,), is_top_left, is_small)
        elif not (kept.is_top_left and is_top_left) or found.source.name in kept.files:
            self._other(key)
        else:
            self._kept[key] = changed(kept, files=(*kept.files, found.source.name))

    def _other(self, key: Any) -> None:
        self._kept.pop(key, None)
        self._others.add(key)

    def finish(self) -> Iterator[str]:
        """Yields what is said of parts that no others followed. Of several pictures no more was sent than one
        part each."""
        for key, part in self._kept.items():
            count = len(part.files)
            is_only_one = count == 1 and key not in self._unsearched and not part.is_small
            if is_only_one or (count > 1 and len(self._sent.get(key, ())) <= self._pictures()):
                others = "" if count == 1 else f" (as little was sent of {', '.join(part.files[1:])})"
                yield part.said + others
        self._kept = {}


def is_chosen(found: Origin, shape: Sequence[int], wanted: Sequence[object] | None) -> bool:
    """Tells whether a part is as wide as its picture, and lower, and the model leaves the height open, or the
    other way round. Then somebody cut out a strip, and didn't take a picture for a smaller one."""
    picture = picture_of(shape)
    if picture is None or wanted is None or len(wanted) < 3 or found.part is None:
        return False
    free = free_sides(picture, wanted)
    whole = [end - begin for begin, end in ((found.part[0], found.part[2]), (found.part[1], found.part[3]))]
    cut = [own < side for own, side in zip(whole, found.source.array.shape, strict=False)]
    return (cut == [True, False] and free[0]) or (cut == [False, True] and free[1])
