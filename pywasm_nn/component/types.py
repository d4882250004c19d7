"""Types of components with resolved indices, for validation and the canonical ABI.

What is here: value types with their layout in memory and as core values, function types, resources, and types
of instances, components and core modules. What is not: types as in the binary (`syntax.py`), and subtyping
(`validate/subtype.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#type-definitions

Two types are equal if they are structurally equal (`alike`); a type definition is one object, which is used
to find out whether the type has a name outside a component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from ..interpreter.types import (
    F32,
    F64,
    I32,
    I64,
    DefType,
    GlobalType,
    MemType,
    NumType,
    TableType,
)
from ..interpreter.types import FuncType as CoreFuncType
from ..records import Frozen

POINTERS: dict[NumType, int] = {I32: 4, I64: 8}
"""Types of addresses, and their sizes in bytes."""
MOST_FLAT_PARAMS = 16
MOST_FLAT_ASYNC_PARAMS = 4
MOST_FLAT_RESULTS = 1
"""The most core values that a function passes directly; more are passed in memory.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#flattening"""
ENOUGH_FLAT = MOST_FLAT_PARAMS + 1
"""The most core values to compute for a type: with so many it is always passed in memory."""


class Sort(Enum):
    """Kinds of index spaces; the value is the name in the text format."""

    __hash__ = object.__hash__  # that of Enum is written in Python, and each definition looks for its space

    CORE_FUNC = "core func"
    CORE_TABLE = "core table"
    CORE_MEMORY = "core memory"
    CORE_GLOBAL = "core global"
    CORE_TAG = "core tag"
    CORE_TYPE = "core type"
    CORE_MODULE = "core module"
    CORE_INSTANCE = "core instance"
    FUNC = "func"
    VALUE = "value"
    TYPE = "type"
    COMPONENT = "component"
    INSTANCE = "instance"


class Kind(Enum):
    """Kinds of value types; the value is the name in the text format."""

    RECORD = "record"
    VARIANT = "variant"
    LIST = "list"
    TUPLE = "tuple"
    FLAGS = "flags"
    ENUM = "enum"
    OPTION = "option"
    RESULT = "result"
    OWN = "own"
    BORROW = "borrow"
    STREAM = "stream"
    FUTURE = "future"
    MAP = "map"


PASSED_LATER = (Kind.STREAM, Kind.FUTURE)
"""Types whose values are handles, independent of their element type."""
NAMED = frozenset({Kind.RECORD, Kind.VARIANT, Kind.FLAGS, Kind.ENUM})
"""Types that need a name if they are imported or exported."""


F = TypeVar("F")


def by_shape(*, fields: F, lists: F, flags: F, handles: F, variants: F) -> Mapping[Kind, F]:
    """A function for each kind of type, where kinds with the same representation share one."""
    return {
        **dict.fromkeys((Kind.RECORD, Kind.TUPLE), fields),
        **dict.fromkeys((Kind.LIST, Kind.MAP), lists),
        Kind.FLAGS: flags,
        **dict.fromkeys((Kind.OWN, Kind.BORROW, Kind.STREAM, Kind.FUTURE), handles),
        **dict.fromkeys((Kind.VARIANT, Kind.ENUM, Kind.OPTION, Kind.RESULT), variants),
    }


class Prim:
    """A primitive value type."""

    def __init__(self, name: str, code: int, flat: NumType | None, size: int) -> None:
        self.name = name
        self.code = code
        self.points = flat is None
        self._flat = flat
        self._size = size

    leaves: int = 1
    depth: int = 1
    borrows = False
    parts: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        return self.name

    def size(self, pointer: NumType) -> int:
        """Bytes of a value in a list, for this type of addresses; also for other value types."""
        return self._size if self._flat else 2 * POINTERS[pointer]

    def alignment(self, pointer: NumType) -> int:
        """The alignment of a value in memory, in bytes."""
        return self._size if self._flat else POINTERS[pointer]

    def flat(self, pointer: NumType) -> tuple[NumType, ...]:
        """The core values of a value, cut off after `ENOUGH_FLAT`."""
        return (self._flat,) if self._flat else (pointer, pointer)


PRIMS = tuple(
    Prim(name, 0x7F - index, flat, size)
    for index, (name, flat, size) in enumerate(
        [
            ("bool", I32, 1), ("s8", I32, 1), ("u8", I32, 1), ("s16", I32, 2), ("u16", I32, 2),
            ("s32", I32, 4), ("u32", I32, 4), ("s64", I64, 8), ("u64", I64, 8), ("f32", F32, 4),
            ("f64", F64, 8), ("char", I32, 4), ("string", None, 0),
        ]
    )
)  # fmt: skip
ERROR_CONTEXT = Prim("error-context", 0x64, I32, 4)
PRIM_BY_CODE = {prim.code: prim for prim in (*PRIMS, ERROR_CONTEXT)}
PRIM_BY_NAME = {prim.name: prim for prim in (*PRIMS, ERROR_CONTEXT)}
STRING, CHAR, U8 = PRIM_BY_NAME["string"], PRIM_BY_NAME["char"], PRIM_BY_NAME["u8"]
KEYS = frozenset(PRIM_BY_NAME) - {"f32", "f64", "error-context"}
"""Names of primitive types that may be keys of maps."""


class Origin:
    """The identity of a resource type, created with each new type."""

    def __init__(self, name: str = "", representation: NumType | None = None) -> None:
        self.name = name
        """For messages."""
        self.representation = representation
        """The core type of the representation; None if unknown."""


class Resource:
    """A resource type. Another name for it is another object with the same origin."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    leaves: int = 1
    depth: int = 1
    borrows = points = False

    @property
    def parts(self) -> tuple[Part, ...]:
        return ()

    def __repr__(self) -> str:
        return self.origin.name or "resource"


class Compound:
    """A compound value type.

    `labels` are the labels of fields, cases or flags. `parts` are the types of fields or cases (None for a
    case without a value), of elements, or of a handle's resource. `length` is the length of a list of fixed
    length.
    """

    def __init__(
        self,
        kind: Kind,
        labels: tuple[str, ...] = (),
        parts: tuple[Part, ...] = (),
        length: int | None = None,
        name: str = "",
    ) -> None:
        self.kind = kind
        self.labels = labels
        self.parts = parts
        self.length = length
        inner = [part for part in parts if part is not None]
        self.leaves: int = sum(part.leaves for part in inner) + len(labels) + 1
        """The number of types and labels in it, counted at each occurrence: the size of generated code
        depends on it."""
        self.depth: int = max((part.depth for part in inner), default=0) + 1
        self.borrows: bool = kind is Kind.BORROW or any(part.borrows for part in inner)
        """Whether it contains borrowed handles."""
        self.points: bool = kind not in PASSED_LATER and (
            kind is Kind.MAP or (kind is Kind.LIST and length is None) or any(part.points for part in inner)
        )
        """Whether a part of a value is always in memory (behind a pointer)."""
        self.name = name
        """The name under which it is exported or imported; empty if it isn't."""
        self.face: Any = None
        """Its Python class, created on first use."""
        self._flat: dict[NumType, tuple[NumType, ...]] = {}
        self._layout: dict[NumType, tuple[int, int]] = {}

    def __repr__(self) -> str:
        text = type_text(self)
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."

    def size(self, pointer: NumType) -> int:
        """See `Prim.size`."""
        return self._measured(pointer)[0]

    def alignment(self, pointer: NumType) -> int:
        """See `Prim.alignment`."""
        return self._measured(pointer)[1]

    def _measured(self, pointer: NumType) -> tuple[int, int]:
        measured = self._layout.get(pointer)
        if measured is None:
            measured = self._layout[pointer] = MEASURES[self.kind](self, pointer)
        return measured

    def flat(self, pointer: NumType) -> tuple[NumType, ...]:
        """See `Prim.flat`."""
        flat = self._flat.get(pointer)
        if flat is None:
            flat = self._flat[pointer] = FLATTENINGS[self.kind](self, pointer)[:ENOUGH_FLAT]
        return flat

    @cached_property
    def pair(self) -> Compound:
        """The type of a map's elements: a tuple of key and value."""
        return Compound(Kind.TUPLE, (), self.parts)

    @property
    def cases(self) -> tuple[ValType | None, ...]:
        """The types of the cases' values, for every type that is represented as a variant."""
        return CASES[self.kind](self)


ValType = Prim | Compound
Part = ValType | Resource | None
LONGEST_TEXT = 200
"""Characters of a type in messages."""
MOST_SHOWN = 8
"""The most labels, types or names of one item in messages."""


def type_text(type_: Part, depth: int = 4) -> str:
    """A type in WIT, with nesting up to `depth`."""
    if not isinstance(type_, Compound):
        return "_" if type_ is None else repr(type_)
    if type_.labels:
        labels = [*type_.labels[:MOST_SHOWN], *["..."] * (len(type_.labels) > MOST_SHOWN)]
        return f"{type_.kind.value} {{ {', '.join(labels)} }}"
    inner = [type_text(part, depth - 1) if depth else "..." for part in type_.parts[:MOST_SHOWN]]
    inner += ["..."] * (len(type_.parts) > MOST_SHOWN)
    if type_.length is not None:
        inner.append(str(type_.length))
    return f"{type_.kind.value}<{', '.join(inner)}>"


# Layout: https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#element-size


def aligned(offset: int, alignment: int) -> int:
    """The next multiple of the alignment."""
    return -(-offset // alignment) * alignment


def values_of(compound: Compound) -> Iterator[ValType]:
    """The value types among its parts."""
    for part in compound.parts:
        if isinstance(part, Prim | Compound):
            yield part


def measure_record(compound: Compound, pointer: NumType) -> tuple[int, int]:
    """Size and alignment in bytes; the same for the other kinds."""
    size, widest = 0, 1
    for part in values_of(compound):
        alignment = part.alignment(pointer)
        size = aligned(size, alignment) + part.size(pointer)
        widest = max(widest, alignment)
    return aligned(size, widest), widest


def discriminant_size(count: int) -> int:
    """The size of a discriminant for so many cases, in bytes."""
    return 1 if count <= 1 << 8 else 2 if count <= 1 << 16 else 4


def payload_offset(compound: Compound, pointer: NumType) -> int:
    """The offset of a case's value, in bytes, for every type that is represented as a variant."""
    widest = max((case.alignment(pointer) for case in compound.cases if case), default=1)
    return aligned(discriminant_size(len(compound.cases)), widest)


def measure_variant(compound: Compound, pointer: NumType) -> tuple[int, int]:
    cases = [case for case in compound.cases if case]
    alignment = max(discriminant_size(len(compound.cases)), *(case.alignment(pointer) for case in cases), 1)
    size = payload_offset(compound, pointer) + max((case.size(pointer) for case in cases), default=0)
    return aligned(size, alignment), alignment


def measure_flags(compound: Compound, pointer: NumType) -> tuple[int, int]:
    count = len(compound.labels)
    size = 1 if count <= 8 else 2 if count <= 16 else 4
    return size, size


def measure_list(compound: Compound, pointer: NumType) -> tuple[int, int]:
    if compound.length is None:
        return 2 * POINTERS[pointer], POINTERS[pointer]
    (element,) = values_of(compound)
    return compound.length * element.size(pointer), element.alignment(pointer)


def measure_handle(compound: Compound, pointer: NumType) -> tuple[int, int]:
    return 4, 4


MEASURES = by_shape(
    fields=measure_record,
    lists=measure_list,
    flags=measure_flags,
    handles=measure_handle,
    variants=measure_variant,
)


def flat_record(compound: Compound, pointer: NumType) -> tuple[NumType, ...]:
    flat: tuple[NumType, ...] = ()
    for part in values_of(compound):
        flat += part.flat(pointer)
        if len(flat) >= ENOUGH_FLAT:
            break
    return flat


def flat_variant(compound: Compound, pointer: NumType) -> tuple[NumType, ...]:
    joined: list[NumType] = []
    for case in compound.cases:
        for index, type_ in enumerate(case.flat(pointer) if case else ()):
            if index < len(joined):
                joined[index] = join(joined[index], type_)
            else:
                joined.append(type_)
    return (I32, *joined)


def join(one: NumType, other: NumType) -> NumType:
    """The core type that can carry both."""
    if one is other:
        return one
    return I32 if {one, other} == {I32, F32} else I64


def flat_list(compound: Compound, pointer: NumType) -> tuple[NumType, ...]:
    if compound.length is None:
        return pointer, pointer
    (element,) = values_of(compound)
    return element.flat(pointer) * min(compound.length, ENOUGH_FLAT)


def flat_handle(compound: Compound, pointer: NumType) -> tuple[NumType, ...]:
    return (I32,)


FLATTENINGS = by_shape(
    fields=flat_record,
    lists=flat_list,
    flags=flat_handle,
    handles=flat_handle,
    variants=flat_variant,
)


def cases_of_parts(compound: Compound) -> tuple[ValType | None, ...]:
    return tuple(part if isinstance(part, Prim | Compound) else None for part in compound.parts)


CASES: Mapping[Kind, Callable[[Compound], tuple[ValType | None, ...]]] = {
    Kind.VARIANT: cases_of_parts,
    Kind.RESULT: cases_of_parts,
    Kind.OPTION: lambda compound: (None, *cases_of_parts(compound)),
    Kind.ENUM: lambda compound: (None,) * len(compound.labels),
}


def flat_types(types: Sequence[ValType], pointer: NumType) -> tuple[NumType, ...]:
    """The core values of several values, cut off after `ENOUGH_FLAT`."""
    flat: tuple[NumType, ...] = ()
    for type_ in types:
        if len(flat) >= ENOUGH_FLAT:
            break
        flat += type_.flat(pointer)
    return flat


# Types other than value types


class FuncType:
    """The type of a component function."""

    def __init__(
        self,
        labels: tuple[str, ...],
        params: tuple[ValType, ...],
        result: ValType | None,
        is_async: bool = False,
    ) -> None:
        self.labels = labels
        self.params = params
        self.result = result
        self.is_async = is_async

    @property
    def results(self) -> tuple[ValType, ...]:
        """The result as a tuple of one or no types."""
        return () if self.result is None else (self.result,)

    def lowered(self, pointer: NumType) -> CoreFuncType:
        """The core type of the function after lowering it for synchronous calls.
        https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#flattening"""
        params, results = flat_types(self.params, pointer), flat_types(self.results, pointer)
        if len(params) > MOST_FLAT_PARAMS:
            params = (pointer,)
        if len(results) > MOST_FLAT_RESULTS:
            return CoreFuncType((*params, pointer))
        return CoreFuncType(params, results)

    def __repr__(self) -> str:
        params = ", ".join(
            f"{label}: {type_text(type_)}" for label, type_ in zip(self.labels, self.params, strict=True)
        )
        result = f" -> {type_text(self.result)}" if self.result else ""
        return f"{'async ' * self.is_async}func({params}){result}"


class ModuleType(Frozen):
    """The imports and exports of a core module. Types of functions and tags are defined types."""

    imports: Mapping[tuple[str, str], CoreExtern]
    exports: Mapping[str, CoreExtern]

    def __repr__(self) -> str:
        return f"core module of {len(self.imports)} imports and {len(self.exports)} exports"


class CoreExtern(Frozen):
    """An import or export of a core module, or an export of a core instance: its sort and its type."""

    sort: Sort
    type: DefType | TableType | MemType | GlobalType


class InstanceType:
    """The exports of an instance. `origins` are those of resource types that are new in each instance."""

    def __init__(self, exports: Mapping[str, Extern], origins: frozenset[Origin] = frozenset()) -> None:
        self.exports = exports
        self.origins = origins

    def __repr__(self) -> str:
        return f"instance of {', '.join(list(self.exports)[:MOST_SHOWN]) or 'nothing'}"


class ComponentType:
    """The imports and exports of a component. `wanted` are the origins of imported resource types, `made`
    those of resource types that are new in each instance."""

    def __init__(
        self,
        imports: Mapping[str, Extern],
        exports: Mapping[str, Extern],
        wanted: frozenset[Origin] = frozenset(),
        made: frozenset[Origin] = frozenset(),
        steps: tuple[Step, ...] = (),
    ) -> None:
        self.imports = imports
        self.exports = exports
        self.wanted = wanted
        self.made = made
        self.steps = steps
        """The definitions of a component, in order; empty if this is only a declared type."""

    def __repr__(self) -> str:
        return f"component of {len(self.imports)} imports and {len(self.exports)} exports"


class Step(Frozen):
    """A valid definition: its decoded content, the type that it added, and further data for linking."""

    content: Any
    added: Any
    note: Any = None


AnyType = ValType | FuncType | Resource | InstanceType | ComponentType
"""The types in the index space of types."""


class Extern(Frozen):
    """An import or export: its sort and its type. For the sort TYPE the type itself."""

    sort: Sort
    type: AnyType | ModuleType
