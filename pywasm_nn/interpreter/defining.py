"""The one object for each defined type of the process: equal recursive groups of any modules share theirs.

What is not here: the types (`types.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from weakref import WeakValueDictionary, ref

from .types import DefType, Exact, FuncType, HeapType, Key, Known, RecType, TypeIdx


def nothing() -> None:
    """A reference to a type that nobody made yet."""


class Group:
    """The object for all equal recursive groups. `rectype` is one of them as written, and `known` what its
    indices mean. A type keeps its group and not the other way round: types that nobody uses are gone at once,
    not when the garbage collector runs, in the time of some other guest."""

    __slots__ = ("__weakref__", "_known", "_made", "rectype")

    def __init__(self, rectype: RecType, known: Known) -> None:
        self.rectype = rectype
        self._known = known
        self._made: list[Callable[[], DefType | None]] = [nothing] * len(rectype.subtypes)

    def types(self) -> tuple[DefType, ...]:
        """The types of the group. The caller holds the lock."""
        return tuple([made() or self._make(index) for index, made in enumerate(self._made)])

    def _make(self, index: int) -> DefType:
        made = DefType(self, index)
        self._made[index] = ref(made)
        return made

    def close(self, heap: HeapType) -> HeapType:
        """A heap type of the group as written, closed."""
        if not isinstance(heap, TypeIdx):
            return heap.replaced(self.close) if isinstance(heap, Exact) else heap
        found = self._known[heap.index]
        if not isinstance(found, int):
            return found
        own = self._made[-1 - found]()
        if own is None:
            with _GROUPS_LOCK:
                own = self._made[-1 - found]() or self._make(-1 - found)
        return own


_GROUPS: WeakValueDictionary[Key, Group] = WeakValueDictionary()
_GROUPS_LOCK = Lock()
NOTHING_KNOWN: Known = {}


class Reading(dict[int, DefType | int]):
    """The meaning of the indices that a group uses, found when its key is made."""

    def __init__(self, find: Callable[[int], DefType], start: int, stop: int) -> None:
        """The group's types have the indices from `start` to `stop`; `find` tells the others, or raises
        InvalidError."""
        super().__init__()
        self._find, self._start, self._stop = find, start, stop
        self.found_own = False
        """Whether an index of its own types was found: an equal group elsewhere means other types by it."""

    def __missing__(self, index: int) -> DefType | int:
        if self._start <= index < self._stop:
            self.found_own = True
            self[index] = own = self._start - 1 - index
            return own
        self[index] = found = self._find(index)
        return found


def define(rectype: RecType, reading: Reading | None = None) -> tuple[DefType, ...]:
    """The types of a group as written; without `reading` it has no indices."""
    key = rectype.key(NOTHING_KNOWN if reading is None else reading)
    with _GROUPS_LOCK:
        group = _GROUPS.get(key)
        if group is None:
            group = _GROUPS[key] = Group(rectype, dict(reading) if reading else NOTHING_KNOWN)
        return group.types()


def define_func(type_: FuncType) -> DefType:
    """The type of a function that no module defines."""
    return define(RecType.of(type_))[0]
