"""Types of components, all indices resolved: what validation compares, and the canonical ABI is made from.

What is here: value types with their layout in memory and as core values, function types, resources, and types
of instances, components and core modules. What is not: types as a binary writes them (`syntax.py`), and which
type may stand for which (`validate/subtype.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#type-definitions

Two types are equal if they are built alike (`alike`), and one object if they were defined at one place:
which types have a name outside of a component is asked of the object.
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
from ..records import record

POINTERS: dict[NumType, int] = {I32: 4, I64: 8}
"""Types of addresses, and their sizes in bytes."""
MOST_FLAT_PARAMS = 16
MOST_FLAT_ASYNC_PARAMS = 4
MOST_FLAT_RESULTS = 1
"""Core values that a function passes as such; beyond that values are passed in memory.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#flattening"""
ENOUGH_FLAT = MOST_FLAT_PARAMS + 1
"""Core values of a type that are told apart: with so many it is passed in memory whatever follows."""


class Sort(Enum):
    """What an index space holds; the value is its name in the text format."""

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
    """How a value type is built; the value is its name in the text format."""

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
"""Types whose values are handles, whatever comes through them."""
NAMED = frozenset({Kind.RECORD, Kind.VARIANT, Kind.FLAGS, Kind.ENUM})
"""Types that need a name where they cross a component's edge."""


F = TypeVar("F")


def by_shape(*, fields: F, lists: F, flags: F, handles: F, variants: F) -> Mapping[Kind, F]:
    """What is done with types of each kind, where kinds that are passed alike are treated alike."""
    return {
        **dict.fromkeys((Kind.RECORD, Kind.TUPLE), fields),
        **dict.fromkeys((Kind.LIST, Kind.MAP), lists),
        Kind.FLAGS: flags,
        **dict.fromkeys((Kind.OWN, Kind.BORROW, Kind.STREAM, Kind.FUTURE), handles),
        **dict.fromkeys((Kind.VARIANT, Kind.ENUM, Kind.OPTION, Kind.RESULT), variants),
    }


class Prim:
    """A value type that needs no definition."""

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
        """Bytes of a value in a list, where addresses are of this type; so for all value types."""
        return self._size if self._flat else 2 * POINTERS[pointer]

    def alignment(self, pointer: NumType) -> int:
        """What its address in memory is a multiple of, in bytes."""
        return self._size if self._flat else POINTERS[pointer]

    def flat(self, pointer: NumType) -> tuple[NumType, ...]:
        """The core values that stand for a value, or some of them if they are more than `ENOUGH_FLAT`."""
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
"""Names of types that keys of maps may have."""


class Origin:
    """What makes a resource type the type that it is: one is made wherever a type is new."""

    def __init__(self, name: str = "", representation: NumType | None = None) -> None:
        self.name = name
        """For messages."""
        self.representation = representation
        """The core type that stands for a resource where it is defined; None where that isn't known."""


class Resource:
    """A resource type. Another name of it is another object with the same origin."""

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
    """A value type that is built from others.

    `labels` are those of fields, cases or flags. `parts` are the types of fields or cases (None for a case
    without a value), of elements, of what a handle stands for. `length` is that of a list that always has as
    many elements.
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
        """Types and labels that it is made of, counted wherever they stand: so generated code grows."""
        self.depth: int = max((part.depth for part in inner), default=0) + 1
        self.borrows: bool = kind is Kind.BORROW or any(part.borrows for part in inner)
        """Whether there is a borrowed handle in it."""
        self.points: bool = kind not in PASSED_LATER and (
            kind is Kind.MAP or (kind is Kind.LIST and length is None) or any(part.points for part in inner)
        )
        """Whether some of a value lies in memory, wherever the value itself is."""
        self.name = name
        """What it is exported or imported as; empty if it isn't."""
        self.face: Any = None
        """Its Python class, once it has one."""
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
        """The values of cases, of whatever is passed as a variant."""
        return CASES[self.kind](self)


ValType = Prim | Compound
Part = ValType | Resource | None
LONGEST_TEXT = 200
"""Characters of a type in messages."""
MOST_SHOWN = 8
"""Labels, types or names of one thing in messages."""


def type_text(type_: Part, depth: int = 4) -> str:
    """A type as WIT writes it, as far down as `depth`."""
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
    """The value types in it."""
    for part in compound.parts:
        if isinstance(part, Prim | Compound):
            yield part


def measure_record(compound: Compound, pointer: NumType) -> tuple[int, int]:
    """Size and alignment in bytes; so for the other kinds."""
    size, widest = 0, 1
    for part in values_of(compound):
        alignment = part.alignment(pointer)
        size = aligned(size, alignment) + part.size(pointer)
        widest = max(widest, alignment)
    return aligned(size, widest), widest


def discriminant_size(count: int) -> int:
    """Bytes that tell so many cases apart."""
    return 1 if count <= 1 << 8 else 2 if count <= 1 << 16 else 4


def payload_offset(compound: Compound, pointer: NumType) -> int:
    """Where the value of a case begins, in bytes, of whatever is passed as a variant."""
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
    """The core type that carries either."""
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
    """The core values that stand for values, or some of them if they are more than `ENOUGH_FLAT`."""
    flat: tuple[NumType, ...] = ()
    for type_ in types:
        if len(flat) >= ENOUGH_FLAT:
            break
        flat += type_.flat(pointer)
    return flat


# What isn't a value


class FuncType:
    """The type of a component's function."""

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
        """The result, if there is one."""
        return () if self.result is None else (self.result,)

    def lowered(self, pointer: NumType) -> CoreFuncType:
        """The type of a core function that it is lowered to, called synchronously.
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


@record
class ModuleType:
    """What a core module wants and gives. Types of functions and tags are defined types."""

    imports: Mapping[tuple[str, str], CoreExtern]
    exports: Mapping[str, CoreExtern]

    def __repr__(self) -> str:
        return f"core module of {len(self.imports)} imports and {len(self.exports)} exports"


@record
class CoreExtern:
    """Something of a core module or core instance: its sort, and its type."""

    sort: Sort
    type: DefType | TableType | MemType | GlobalType


class InstanceType:
    """What an instance gives. `origins` are those of resource types that each instance of it has anew."""

    def __init__(self, exports: Mapping[str, Extern], origins: frozenset[Origin] = frozenset()) -> None:
        self.exports = exports
        self.origins = origins

    def __repr__(self) -> str:
        return f"instance of {', '.join(list(self.exports)[:MOST_SHOWN]) or 'nothing'}"


class ComponentType:
    """What a component wants and gives. `wanted` are the origins of resource types that it gets with its
    imports, `made` of those that each of its instances has anew."""

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
        """The definitions of a component, in order; none of a type of components."""

    def __repr__(self) -> str:
        return f"component of {len(self.imports)} imports and {len(self.exports)} exports"


@record
class Step:
    """A valid definition: its content as it was decoded, the type of what it added, and what else linking it
    takes."""

    content: Any
    added: Any
    note: Any = None


AnyType = ValType | FuncType | Resource | InstanceType | ComponentType
"""What the index space of types holds."""


@record
class Extern:
    """Something that is imported or exported: its sort, and its type. For the sort TYPE it is the type
    itself."""

    sort: Sort
    type: AnyType | ModuleType
