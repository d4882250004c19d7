"""Globals and tags (https://webassembly.github.io/spec/core/exec/runtime.html#global-instances), and the
conversion of Python values to canonical ones.

What is not here: functions and instances (`instance.py`), memories and tables, which have files of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...brief import brief, counted, named
from ...errors import Trap, TrapKind, WasmException
from ...printable import LONGEST_REPR, printable
from ..defining import define_func
from ..module import Body
from ..types import DefType, FuncType, GlobalType, RefType, ValType, val_type
from .heap import is_reference, store_of
from .store import Store
from .values import from_guest, to_guest


def canonical(types: Sequence[ValType], values: Sequence[Any]) -> tuple[Any, ...]:
    """Canonical values for Python values of these types. Raises TypeError, ValueError."""
    made = tuple(map(to_guest, types, values))
    for type_, value in zip(types, made, strict=True):
        if isinstance(type_, RefType) and not is_reference(value, type_):
            raise TypeError(f"{brief(value)} is no {type_}")
    return made


def references_checked(types: Sequence[ValType], result: Any) -> Any:
    """Results; their references must have the right types. Raises TypeError."""
    for type_, value in zip(types, result if len(types) > 1 else (result,), strict=False):
        if isinstance(type_, RefType) and not is_reference(value, type_):
            raise TypeError(f"{brief(value)} is no {type_}")
    return result


class AnyGlobal:
    """The public interface of all globals; engines use `raw`, the canonical value."""

    __slots__ = ()

    type: GlobalType
    raw: Any

    @property
    def store(self) -> Store | None:
        """The store of the instances that share the global and of the functions that it can lead to; None for
        numbers."""
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """The Python value, integers signed. Setting it raises TypeError or ValueError for a value that
        doesn't fit, and TypeError if the global is immutable."""
        return from_guest(self.type.type, self.raw)

    @value.setter
    def value(self, value: Any) -> None:
        if not self.type.mutable:
            raise TypeError("the global is immutable")
        (raw,) = canonical((self.type.type,), (value,))
        if self.store is not None:
            self.store.join(store_of(raw))
        self.raw = raw

    def __repr__(self) -> str:
        return named("global", f"{self.type} {brief(self.value)}")


class Global(AnyGlobal):
    """A global variable that is visible outside its instance."""

    __slots__ = ("_store", "raw", "type")

    def __init__(self, type_: GlobalType, raw: Any) -> None:
        self.type = type_
        self.raw = raw
        self._store: Store | None = None
        if isinstance(type_.type, RefType):
            self._store = Store()
            self._store.join(store_of(raw))

    @property
    def store(self) -> Store | None:
        return self._store

    @classmethod
    def of(cls, type_: ValType | str, value: Any, *, mutable: bool = False) -> Global:
        """A global of the host, for imports: `Global.of("i32", -1)`. Raises TypeError, ValueError."""
        type_ = val_type(type_)
        return cls(GlobalType(type_, mutable), canonical((type_,), (value,))[0])


def becomes_name(type_: GlobalType, init: Body) -> bool:
    """Whether a global that only its instance sees becomes a name of the namespace of generated code: if it
    is mutable, and no pointer. A name is read in less time than the slot of an object, and set in more. A
    number that begins with another value than 0 is C's stack pointer, which is set as often as it is read;
    flags begin with 0 and are mostly read."""
    is_literal = len(init.ops) == 2 and init.ops[0].name in ("i32.const", "i64.const")
    return type_.mutable and not (is_literal and init.imms[0])


class NamedGlobal(AnyGlobal):
    """A global that is a name (`becomes_name`)."""

    __slots__ = ("_name", "_namespace", "type")

    def __init__(self, type_: GlobalType, value: Any, namespace: dict[str, Any], name: str) -> None:
        self.type = type_
        self._namespace = namespace
        self._name = name
        namespace[name] = value

    @property
    def store(self) -> Store | None:
        found: Store = self._namespace["instance"].store
        return found

    @property
    def raw(self) -> Any:
        return self._namespace[self._name]

    @raw.setter
    def raw(self, raw: Any) -> None:
        self._namespace[self._name] = raw


class Tag:
    """A kind of exceptions, with the types of their values. Two tags are different even if their types are
    equal."""

    __slots__ = ("deftype", "type")

    def __init__(self, deftype: DefType) -> None:
        assert isinstance(deftype.composite, FuncType)  # as validated
        self.deftype = deftype
        self.type = deftype.composite

    @classmethod
    def carrying(cls, *types: ValType | str) -> Tag:
        """A tag of the host: `Tag.carrying("i32", "f64")`. Raises ValueError for an unknown type."""
        return cls(define_func(FuncType(tuple(map(val_type, types)))))

    def to_guest(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Canonical values for Python values. Raises TypeError, ValueError."""
        params = self.type.params
        if len(values) != len(params):
            wanted = counted(len(params), "value")
            raise TypeError(f"the tag takes {wanted} {self}, got {len(values)}")
        return canonical(params, values)

    def from_guest(self, payload: tuple[Any, ...]) -> tuple[Any, ...]:
        """Python values for canonical values."""
        return tuple(map(from_guest, self.type.params, payload))

    def __repr__(self) -> str:
        return printable(f"[{' '.join(map(str, self.type.params))}]", LONGEST_REPR)


def rethrown(reference: WasmException | None) -> WasmException:
    """The exception that throw_ref throws, with a new traceback. Raises Trap for null."""
    if reference is None:
        raise Trap(TrapKind.NULL_EXCEPTION)
    return reference.with_traceback(None)
