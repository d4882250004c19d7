"""How single values cross between a guest and Python: `Crossing` and its kinds, for annotations of
parameters.

Pointers are checked before memory is accessed. What is not here: whole functions (`signature.py`).
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from functools import cached_property
from struct import Struct, calcsize, pack_into
from typing import Annotated, Any, Generic, Protocol, TypeVar

from ..errors import Trap, TrapKind
from ..interpreter.runtime.externs import canonical
from ..interpreter.runtime.instance import Exports
from ..interpreter.runtime.values import from_guest, to_guest
from ..interpreter.types import F32, F64, I32, I64, FuncType, NumType, ValType
from ..limits import Limits
from ..records import Frozen

T = TypeVar("T")


class Memory(Protocol):
    """Guest memory for a host function. Every method traps out of bounds; none clamps."""

    @property
    def size(self) -> int: ...
    def view(self, address: int, count: int) -> memoryview: ...
    def read(self, address: int, count: int) -> bytes: ...
    def write(self, address: int, data: bytes | memoryview) -> None: ...


class Caller(Protocol):
    """The calling guest: a host function gets it for a parameter of this type, which takes no value of the
    guest.

        def shout(caller: Caller, at: int, length: int) -> int:
            text = caller.memory.read(at, length).upper()
            place = caller.exports.malloc(length)  # a function of the guest
            caller.memory.write(place, text)
            return place
    """

    @property
    def memory(self) -> Memory:
        """The memory that the guest exports as "memory". Traps if there is none."""

    @property
    def exports(self) -> Exports:
        """The guest's exports, as those of an instance: `caller.exports.malloc(16)`."""

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline of the call (`Limits.seconds`), None without one. Raises DeadlineError
        if it is over."""

    def patience(self) -> float | None:
        """The same as `remaining`."""

    def call(self, names: Sequence[str], type_: FuncType, *arguments: Any) -> Any:
        """Call the first of `names` that the guest exports as a function of this type, with canonical
        values. Traps if there is none."""


class PointerError(Trap):
    """A guest pointer or length reaches outside memory. A face may turn it into a number; otherwise it
    traps."""

    def __init__(self, address: int, count: int, size: int) -> None:
        super().__init__(
            TrapKind.OUT_OF_BOUNDS_MEMORY, f"{count} bytes at 0x{address:x}, memory is 0x{size:x} bytes"
        )


class AlignmentError(Trap):
    """A guest pointer is not aligned to its type, at an ABI that requires alignment."""

    def __init__(self, address: int, alignment: int) -> None:
        super().__init__(TrapKind.UNALIGNED_POINTER, f"0x{address:x} is no multiple of {alignment}")


class NoSuchValueError(Trap):
    """A number from the guest that is no value of its type: an enumeration, flags, a byte."""

    def __init__(self, detail: str) -> None:
        super().__init__(TrapKind.NO_SUCH_VALUE, detail)


def checked(memory: Memory, address: int, count: int, alignment: int = 1) -> memoryview:
    """A writable view of guest memory. Raises PointerError or AlignmentError."""
    try:  # without its size: some memories have to ask an engine for that
        view = memory.view(address, count)
    except Trap:
        raise PointerError(address, count, memory.size) from None
    if alignment > 1 and address % alignment:
        raise AlignmentError(address, alignment)
    return view


class Crossing:
    """How one parameter crosses: its core types, and the conversion of its value."""

    points = True
    """Whether lifting accesses memory."""
    gives = False
    """Whether the function sets the value, which is known after the call."""

    @property
    def flat(self) -> tuple[ValType, ...]:
        return (I32,)

    def within(self, limits: Limits) -> Crossing:
        """The same crossing for a guest with these limits."""
        return self

    def lift(self, memory: Memory, *flat: Any) -> Any:
        """The Python value for core values. Raises PointerError if a pointer is outside memory."""
        raise NotImplementedError

    def text(self, lift: str, flat: Sequence[str]) -> str:
        """`lift` as a Python expression, in which the method has the name `lift`."""
        return f"{lift}({', '.join(['memory' if self.points else 'None', *flat])})"


def signed_text(type_: ValType, value: str) -> str:
    """A Python expression for the signed integer of a canonical value."""
    sign = 1 << (31 if type_ is I32 else 63)
    return f"({value} ^ {sign}) - {sign}"


class Scalar(Crossing, Frozen):
    """A number: passed directly as a parameter, packed by `format` (of `struct`) in memory."""

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
        """The canonical core value of a result. Raises TypeError, and ValueError for what isn't exact."""
        return to_guest(self.type, value)

    def lowered(self, lower: str, value: str) -> str:
        """`lower` as a Python expression, in which the method has the name `lower`; `value` is a name."""
        if self.format in "fd":
            return f"{lower}({value})"
        most = (1 << self.type.bits) - 1  # an int that fits is checked at once: functions return little else
        fits = f"{value}.__class__ is int and {-(most + 1 >> 1)} <= {value} <= {most}"
        return f"{value} & {most} if {fits} else {lower}({value})"

    def pack(self, target: memoryview, value: Any) -> None:
        pack_into("<" + self.format, target, 0, value)


class Truth(Scalar):
    """A truth value. numpy's are taken too, which are no integers."""

    def lower(self, value: Any) -> Any:
        return int(value) if value in (True, False) else super().lower(value)


class Plain(Crossing, Frozen):
    """A core value of any type, in its Python form: integers signed, references unchanged."""

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
        """The same as `Scalar.lowered`."""
        return f"{lower}({value})"


class Record(Crossing, Frozen):
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
        """The alignment of the largest field."""
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
"""An address that the function accesses itself, through `Caller.memory`."""


class Out(Generic[T]):
    """A pointer to a result of the function: `size.set(3)`. It was checked before the function ran."""

    __slots__ = ("_pack", "_target", "value")

    def __init__(self, target: memoryview, pack: Callable[[memoryview, Any], None]) -> None:
        self._target = target
        self._pack = pack
        self.value: T | None = None
        """The result, for observers."""

    def set(self, value: T) -> None:
        self._pack(self._target, value)
        self.value = value


class _OutCrossing(Crossing):
    gives = True

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


class Results(Frozen):
    """The results of a function: numbers, several of them as a tuple."""

    scalars: tuple[Scalar | Plain, ...]

    @classmethod
    def of(cls, annotation: Any, owner: str) -> Results:
        """The results that an annotation describes."""
        parts = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
        scalars = [crossing_of(part, owner) for part in parts]
        return cls(tuple(number_only(scalar, owner) for scalar in scalars))

    @property
    def flat(self) -> tuple[ValType, ...]:
        return tuple(scalar.type for scalar in self.scalars)

    def lower(self, values: Any) -> Any:
        """Canonical core values of the function's return value. Raises TypeError, ValueError."""
        if len(self.scalars) == 1:
            return self.scalars[0].lower(values)
        return tuple(scalar.lower(value) for scalar, value in zip(self.scalars, values, strict=True))

    def text(self, lower: str, values: str) -> str:
        """`lower` as a Python expression, in which the method has the name `lower`."""
        if len(self.scalars) == 1:
            return self.scalars[0].lowered(lower, values)
        return f"{lower}({values})"


PIECES = (str, bytes, memoryview)
"""What people write for a pointer and a length."""


def number_only(crossing: Crossing, owner: str) -> Scalar:
    if not isinstance(crossing, Scalar):
        raise TypeError(f"{owner}: only numbers, and tuples of them, can be given back")
    return crossing


def crossing_of(annotation: Any, owner: str, aligned: bool = False) -> Crossing:
    """The crossing for a parameter's annotation; `aligned`: pointers to results must be aligned."""
    if typing.get_origin(annotation) is Out:
        content = crossing_of(typing.get_args(annotation)[0], owner)
        if not isinstance(content, Scalar | Record):
            raise TypeError(f"{owner}: Out[...] takes a number or a record")
        return _OutCrossing(content, aligned)
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Crossing):
            return extra
    plain = {int: Scalar(I32, "i", signed=True), float: Scalar(F64, "d"), bool: Truth(I32, "I")}
    if annotation in plain:
        return plain[annotation]
    instead = " (a pointer and a length are one parameter of the type Text or Span)" * (annotation in PIECES)
    name = getattr(annotation, "__name__", repr(annotation))
    raise TypeError(f"{owner}: no way to pass {name} between guest and host{instead}")
