"""Tables (https://webassembly.github.io/spec/core/exec/runtime.html#table-instances).

A table owns its elements and, for each function type that any linked module calls through it, one dispatch
list: entry i is the callable if its type matches, otherwise a stub that traps. So an indirect call is one
subscript and one call. The lists stay the same objects for the lifetime of the table and are updated in
place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

from ...brief import brief, counted, named
from ...errors import TableLimitError, Trap, TrapKind
from ...limits import DEFAULTS
from ...records import Frozen
from ..pace import PIECE, STRIDE, Patience, paced, pieces, unhurried
from ..types import DefType, RefType, SizeRange, TableType, val_type
from .heap import is_reference, store_of
from .quota import Quota
from .store import Store


class Entry(Frozen):
    """The entries of a kind of dispatch list: `of` makes the entry for a function of the type, `null` is the
    entry for null, and `mistyped` the one for a function of another type."""

    of: Callable[[Any], Any]
    null: Any
    mistyped: Any


class Callee(Protocol):
    """A function reference in a table: its type and a callable of exact arity."""

    @property
    def deftype(self) -> DefType: ...
    @property
    def callable(self) -> Callable[..., Any]: ...


def null_element(*arguments: Any) -> NoReturn:
    """The entry of dispatch lists for null."""
    raise Trap(TrapKind.UNINITIALIZED_ELEMENT)


def mistyped_element(*arguments: Any) -> NoReturn:
    """The entry of dispatch lists for functions of another type."""
    raise Trap(TrapKind.INDIRECT_CALL_TYPE)


def callable_of(callee: Callee) -> Callable[..., Any]:
    return callee.callable


CALLABLES = Entry(callable_of, null_element, mistyped_element)


def entries_for(
    elements: Sequence[Callee | None], type_: DefType, entry: Entry, patience: Patience = unhurried
) -> list[Any]:
    """The entries of a dispatch list for these elements. A function matches if its type is this one or a
    subtype."""
    entries: list[Any] = []
    for element in elements if len(elements) <= STRIDE else paced(elements, patience):
        if element is None:
            entries.append(entry.null)
        elif element.deftype is type_ or type_ in element.deftype.supers:
            entries.append(entry.of(element))
        else:
            entries.append(entry.mistyped)
    return entries


class Table:
    """A table of references, in the form of a guest's stack: None is null."""

    foreign = ""
    """The engine outside this package that owns the elements, "" for none; see `Engine.foreign`."""

    def __init__(self, type_: TableType, limit: int, element: Any = None, quota: Quota | None = None) -> None:
        """A table of at most `limit` elements, within `quota`, which several tables and dispatch lists
        share."""
        wanted = type_.size.minimum
        if wanted > limit:
            message = f"the module wants a table of {wanted} elements, the limit is {limit}"
            raise TableLimitError("table", message)
        self.quota = quota or Quota(DEFAULTS.table_total)
        self.type = type_
        self.take(wanted)
        self.limit = limit
        self.store = Store()
        """The store of the instances that share the table and of the functions in it."""
        self.elements: list[Any] = [element] * type_.size.minimum
        self._lists: dict[tuple[DefType, Entry], list[Any]] = {}

    @classmethod
    def of(cls, element: RefType | str, minimum: int, maximum: int | None = None) -> Table:
        """A table of nulls of the host, for imports: `Table.of("funcref", 10)`. Raises ValueError,
        LimitError."""
        type_ = val_type(element)
        if not isinstance(type_, RefType):
            raise ValueError(f"a table holds references, not {type_}")
        return cls(TableType(type_, SizeRange.of(minimum, maximum)), DEFAULTS.table)

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return named("Table", f"of {len(self.elements)} {self.type.element}")

    def __getitem__(self, index: int) -> Any:
        """An element, for Python callers. Raises IndexError."""
        if not 0 <= index < len(self.elements):
            raise IndexError(f"there is no element {index}, the table has {len(self.elements)}")
        return self.elements[index]

    def __setitem__(self, index: int, element: Any) -> None:
        """Set an element, for Python callers. Raises IndexError, TypeError for a value of another type, and
        BusyError while another thread runs an instance that shares the table."""
        self[index]
        if not is_reference(element, self.type.element):
            raise TypeError(f"{brief(element)} is no {self.type.element}")
        self.store.join(store_of(element))
        with self.store.turn():
            self[index]  # check again: another thread may have restored fewer elements
            self.set(index, element)

    def dispatch(self, type_: DefType, entry: Entry = CALLABLES, patience: Patience = unhurried) -> list[Any]:
        """The dispatch list for functions of this type, kept up to date for the lifetime of the table.

        `entry` is the kind of entries, by default callables.
        """
        if (type_, entry) not in self._lists:
            self.take(len(self.elements))
            try:
                self._lists[type_, entry] = entries_for(self.elements, type_, entry, patience)
            except BaseException:
                self.quota.left += len(self.elements)
                raise
        return self._lists[type_, entry]

    def take(self, count: int) -> None:
        """Count elements of this table or of a dispatch list. Raises TableLimitError."""
        if not self.quota.take(count):
            message = f"the guest wants {count} elements of tables more, {self.quota.left} are left"
            raise TableLimitError("table_total", message)

    def check(self, index: int, count: int) -> None:
        if index < 0 or index + count > len(self.elements):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_TABLE,
                f"{count} elements at {index}, the table has {len(self.elements)}",
            )

    def get(self, index: int) -> Any:
        self.check(index, 1)
        return self.elements[index]

    def set(self, index: int, element: Any) -> None:
        self.write(index, [element])

    def write(self, index: int, elements: Sequence[Any], patience: Patience = unhurried) -> None:
        """Put elements from `index` on, or trap and change nothing. `patience` is the time of the waiting
        guest, here and in all methods below; if it ends, all lists have the elements written so far."""
        self.check(index, len(elements))
        if len(elements) <= STRIDE:
            self._put(index, elements)
            return
        for piece in pieces(len(elements), patience, STRIDE):
            self._put(index + piece.start, elements[piece])

    def _put(self, index: int, elements: Sequence[Any]) -> None:
        self.elements[index : index + len(elements)] = elements
        for (type_, entry), entries in self._lists.items():
            entries[index : index + len(elements)] = entries_for(elements, type_, entry)

    def grow(self, delta: int, element: Any, patience: Patience = unhurried) -> int:
        """Add `delta` elements. Returns the old size, or -1 if that is too much."""
        old = len(self.elements)
        maximum = self.type.size.maximum
        if maximum is not None and old + delta > maximum:
            return -1
        if old + delta > self.limit or not self.quota.take(delta * (1 + len(self._lists))):
            what = f"{counted(delta, 'more element')} of a table"
            self.quota.refuse(what, "table", self.limit, old + delta)
            return -1
        self._repeat(old, element, delta, patience)
        return old

    def fill(self, index: int, element: Any, count: int, patience: Patience = unhurried) -> None:
        self.check(index, count)
        self._repeat(index, element, count, patience)

    def _repeat(self, index: int, element: Any, count: int, patience: Patience) -> None:
        """Set `count` elements from `index` on to this element; the range may extend the table."""
        made = [(self.elements, [element])]
        for (type_, entry), entries in self._lists.items():
            made.append((entries, entries_for([element], type_, entry)))
        size = max(PIECE // len(made), 1)
        for piece in pieces(count, patience, size):
            for entries, one in made:
                entries[index + piece.start : index + piece.stop] = one * (piece.stop - piece.start)

    def copy(
        self, target: int, source: Table, index: int, count: int, patience: Patience = unhurried
    ) -> None:
        """table.copy: `count` elements from `index` of `source`, which may be this table, to `target`."""
        source.check(index, count)
        self.check(target, count)
        self.write(target, source.elements[index : index + count], patience)

    def init(
        self,
        target: int,
        elements: Sequence[Any],
        index: int,
        count: int,
        patience: Patience = unhurried,
    ) -> None:
        """table.init: `count` elements from `index` of a segment to `target`."""
        if index + count > len(elements):
            raise Trap(
                TrapKind.OUT_OF_BOUNDS_TABLE, f"{count} elements at {index}, the segment has {len(elements)}"
            )
        self.check(target, count)
        self.write(target, elements[index : index + count], patience)

    def restore(self, elements: Sequence[Any]) -> None:
        """Replace all elements, whatever the size was. Raises TableLimitError, changing nothing."""
        more = (len(elements) - len(self.elements)) * (1 + len(self._lists))
        if more > 0:
            self.take(more)
        else:
            self.quota.left -= more
        for element in elements:
            self.store.join(store_of(element))
        # Replace each list in one step, because other threads may read it.
        self.elements[:] = elements
        for (type_, entry), entries in self._lists.items():
            entries[:] = entries_for(elements, type_, entry)
