"""How single values cross between a guest and Python: `Crossing` and its kinds, by annotations of parameters.

Pointers are checked before anything is looked at. What is not: whole functions (`signature.py`).
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from functools import cached_property
from struct import Struct, calcsize, pack_into
from typing import Annotated, Any, Generic, Protocol, TypeVar

from ..errors import Trap, TrapKind
from ..interpreter.runtime.externs import canonical
from ..interpreter.runtime.values import from_guest, to_guest
from ..interpreter.types import F32, F64, I32, I64, FuncType, NumType, ValType
from ..limits import Limits
from ..records import record

T = TypeVar("T")


class Memory(Protocol):
    """What a host function may do with guest memory. Every method traps out of bounds; none clamps."""

    @property
    def size(self) -> int: ...
    def view(self, address: int, count: int) -> memoryview: ...
    def read(self, address: int, count: int) -> bytes: ...
    def write(self, address: int, data: bytes | memoryview) -> None: ...


class Caller(Protocol):
    """The guest instance that called: a host function gets it by naming a parameter's type `Caller`."""

    @property
    def memory(self) -> Memory: ...
    @property
    def remaining(self) -> float | None: ...
    def patience(self) -> float | None: ...
    def call(self, names: Sequence[str], type_: FuncType, *arguments: Any) -> Any: ...


class PointerError(Trap):
    """A guest pointer or length reaches outside memory. A face may map it to a number; else it is a trap."""

    def __init__(self, address: int, count: int, size: int) -> None:
        super().__init__(
            TrapKind.OUT_OF_BOUNDS_MEMORY, f"{count} bytes at 0x{address:x}, memory is 0x{size:x} bytes"
        )


class AlignmentError(Trap):
    """A guest pointer is no multiple of what its type wants, at an ABI that insists."""

    def __init__(self, address: int, alignment: int) -> None:
        super().__init__(TrapKind.UNALIGNED_POINTER, f"0x{address:x} is no multiple of {alignment}")


class NoSuchValueError(Trap):
    """A number from the guest that its type has no value for: an enumeration, flags, a byte."""

    def __init__(self, detail: str) -> None:
        super().__init__(TrapKind.NO_SUCH_VALUE, detail)


def checked(memory: Memory, address: int, count: int, alignment: int = 1) -> memoryview:
    """A writable view of guest memory. Raises PointerError or AlignmentError."""
    if address + count > memory.size:
        raise PointerError(address, count, memory.size)
    if alignment > 1 and address % alignment:
        raise AlignmentError(address, alignment)
    return memory.view(address, count)


class Crossing:
    """How one parameter crosses: its core types, and how its value is made of them."""

    points = True
    """Whether memory is looked at."""

    @property
    def flat(self) -> tuple[ValType, ...]:
        return (I32,)

    def within(self, limits: Limits) -> Crossing:
        """The same for a guest with these limits."""
        return self

    def lift(self, memory: Memory, *flat: Any) -> Any:
        """The Python value for core values. PointerError if something is outside memory."""
        raise NotImplementedError

    def text(self, lift: str, flat: Sequence[str]) -> str:
        """The same as a Python expression, where the method goes by the name `lift`."""
        return f"{lift}({', '.join(['memory' if self.points else 'None', *flat])})"


def signed_text(type_: ValType, value: str) -> str:
    """Python for the signed integer that a canonical one stands for."""
    sign = 1 << (31 if type_ is I32 else 63)
    return f"({value} ^ {sign}) - {sign}"


@record
class Scalar(Crossing):
    """A number: itself as a parameter, packed as `format` (of `struct`) in memory."""

    type: NumType
    format: str
    signed: bool = False
    points = False

    @property
    def flat(self) -> tuple[NumType, ...]:
        return (self.type,)

    @cached_property
    def size(self) -> int:
        return calcsize("<" + self.format)

    @property
    def alignment(self) -> int:
        return self.size

    def lift(self, memory: Memory, *flat: Any) -> Any:
        value = flat[0]
        if self.signed and value >> self.type.bits - 1:
            return value - (1 << self.type.bits)
        if self.format in "BH" and value >> 8 * self.size:
            raise NoSuchValueError(f"{value} in {8 * self.size} bits")
        return value

    def text(self, lift: str, flat: Sequence[str]) -> str:
        if self.format in "BH":
            return Crossing.text(self, lift, flat)
        return signed_text(self.type, flat[0]) if self.signed else flat[0]

    def lower(self, value: Any) -> Any:
        """The canonical core value of a result."""
        return to_guest(self.type, value) if self.format in "fd" else int(value) & (1 << self.type.bits) - 1

    def lowered(self, lower: str, value: str) -> str:
        """`lower` of a value as a Python expression, where the method goes by the name `lower`."""
        return f"{lower}({value})" if self.format in "fd" else f"int({value}) & {(1 << self.type.bits) - 1}"

    def pack(self, target: memoryview, value: Any) -> None:
        pack_into("<" + self.format, target, 0, value)


@record
class Plain(Crossing):
    """A core value of any type, as people see it outside a guest: integers signed, references as they are."""

    type: ValType
    points = False

    @property
    def flat(self) -> tuple[ValType, ...]:
        return (self.type,)

    def lift(self, memory: Memory, *flat: Any) -> Any:
        return from_guest(self.type, flat[0])

    def text(self, lift: str, flat: Sequence[str]) -> str:
        return signed_text(self.type, flat[0]) if self.type in (I32, I64) else flat[0]

    def lower(self, value: Any) -> Any:
        """The canonical core value of a result. Raises TypeError, ValueError."""
        return canonical((self.type,), (value,))[0]

    def lowered(self, lower: str, value: str) -> str:
        """As that of `Scalar`."""
        return f"{lower}({value})"


@record
class Record(Crossing):
    """A struct in memory: `format` of `struct` without byte order; its value is a tuple, or one value for one
    field."""

    format: str

    @cached_property
    def struct(self) -> Struct:
        return Struct("<" + self.format)

    @property
    def size(self) -> int:
        return self.struct.size

    @property
    def alignment(self) -> int:
        """That of the largest field."""
        return max(Struct("<" + char).size for char in self.format if char.isalpha())

    def lift(self, memory: Memory, *flat: Any) -> Any:
        return self.struct.unpack(checked(memory, flat[0], self.struct.size))

    def pack(self, target: memoryview, value: Any) -> None:
        self.struct.pack_into(target, 0, *value)


U8 = Annotated[int, Scalar(I32, "B")]
U16 = Annotated[int, Scalar(I32, "H")]
U32 = Annotated[int, Scalar(I32, "I")]
U64 = Annotated[int, Scalar(I64, "Q")]
S64 = Annotated[int, Scalar(I64, "q", signed=True)]
Float32 = Annotated[float, Scalar(F32, "f")]
Pointer = U32
"""An address that the function looks at by itself, through `Caller.memory`."""


class Out(Generic[T]):
    """A pointer through which the function answers: `size.set(3)`. It was checked before the function ran."""

    __slots__ = ("_pack", "_target", "value")

    def __init__(self, target: memoryview, pack: Callable[[memoryview, Any], None]) -> None:
        self._target = target
        self._pack = pack
        self.value: T | None = None
        """What was set, for those who watch."""

    def set(self, value: T) -> None:
        self._pack(self._target, value)
        self.value = value


class _OutCrossing(Crossing):
    def __init__(self, content: Scalar | Record, aligned: bool) -> None:
        self.pack = content.pack
        self.size = content.size
        self.alignment = content.alignment if aligned else 1

    def lift(self, memory: Memory, *flat: Any) -> Any:
        return Out(checked(memory, flat[0], self.size, self.alignment), self.pack)


class _Span(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> memoryview:
        return checked(memory, flat[0], flat[1])


class _Text(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> str:
        return bytes(checked(memory, flat[0], flat[1])).decode("utf-8")


Span = Annotated[memoryview, _Span()]
"""Two parameters, pointer and length in bytes: a writable view of guest memory."""
Text = Annotated[str, _Text()]
"""Two parameters, pointer and length in bytes: UTF-8. UnicodeDecodeError goes to the face's mapping."""


@record
class Results:
    """What a function gives back: numbers, more than one as a tuple."""

    scalars: tuple[Scalar | Plain, ...]

    @classmethod
    def of(cls, annotation: Any, owner: str) -> Results:
        """What the annotation of a result names."""
        parts = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
        scalars = [crossing_of(part, owner) for part in parts]
        return cls(tuple(number_only(scalar, owner) for scalar in scalars))

    @property
    def flat(self) -> tuple[ValType, ...]:
        return tuple(scalar.type for scalar in self.scalars)

    def lower(self, values: Any) -> Any:
        """Canonical core values of what the function returned. Raises TypeError, ValueError."""
        if len(self.scalars) == 1:
            return self.scalars[0].lower(values)
        return tuple(scalar.lower(value) for scalar, value in zip(self.scalars, values, strict=True))

    def text(self, lower: str, values: str) -> str:
        """The same as a Python expression, where the method goes by the name `lower`."""
        if len(self.scalars) == 1:
            return self.scalars[0].lowered(lower, values)
        return f"{lower}({values})"


def number_only(crossing: Crossing, owner: str) -> Scalar:
    if not isinstance(crossing, Scalar):
        raise TypeError(f"{owner}: only numbers, and tuples of them, can be given back")
    return crossing


def crossing_of(annotation: Any, owner: str, aligned: bool = False) -> Crossing:
    """The crossing that a parameter's annotation names; `aligned`: pointers for answers must be."""
    if typing.get_origin(annotation) is Out:
        content = crossing_of(typing.get_args(annotation)[0], owner)
        if not isinstance(content, Scalar | Record):
            raise TypeError(f"{owner}: Out[...] takes a number or a record")
        return _OutCrossing(content, aligned)
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Crossing):
            return extra
    plain = {int: Scalar(I32, "i", signed=True), float: Scalar(F64, "d"), bool: Scalar(I32, "I")}
    if annotation in plain:
        return plain[annotation]
    raise TypeError(f"{owner}: no way to pass {annotation!r} between guest and host")
