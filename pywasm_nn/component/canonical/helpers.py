"""Helpers that generated functions of one memory call: allocation, strings, lists, characters, numbers.

What is here: `helpers_of`, the names for a namespace. Every pointer is checked once, before the memory there
is read or written. What is not: handles (`handles.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#loading
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from struct import Struct, pack_into
from typing import Any, NoReturn, TypeVar

from ...errors import LimitError, Trap, TrapKind, WasmException
from ...interpreter.numerics import bits32, bits64, float32, float64, round32
from ...interpreter.pace import PIECE, STRIDE, paced, pieces
from ...interpreter.runtime.memory import Memory

T = TypeVar("T")

MOST_BYTES = (1 << 28) - 1
"""The most bytes of one string or list."""
ASYNC = "components run without asynchronous calls and threads so far"
"""The reason for traps that aren't the guest's fault."""
Realloc = Callable[[int, int, int, int], int]


def trap(message: str) -> NoReturn:
    """Trap for a guest that breaks a rule of the canonical ABI."""
    raise Trap(TrapKind.CANONICAL_ABI, message)


NUMBER, OBJECT, VIEW = 40, 64, 192
"""Bytes of Python's memory for a number in a list, and at least for a text or list and for a view."""
LOOK = 4096
"""Bytes of one call that are paid at a time; a call with fewer pays nothing."""


class Lifted:
    """The bytes of Python's memory that values of one call may still take; they are limited because a list
    may contain the same string 2^25 times, and a tuple of two bytes takes 70.

    `pay` charges for them as for a bulk instruction, and checks the time.
    """

    __slots__ = ("_paid", "_pay", "left", "most")

    def __init__(self, most: int, pay: Callable[[int], None]) -> None:
        self.most = most
        self._pay = pay
        self.begin()

    @property
    def used(self) -> int:
        """The bytes that the call has taken so far."""
        return self.most - self.left

    def begin(self) -> None:
        """Start another call."""
        self.left = self._paid = self.most

    def spend(self, count: int) -> None:
        """Use up `count`. Raises LimitError, and the exceptions of paying."""
        self.left -= count
        if self.left < self._paid - LOOK:
            self._settle()

    def look(self) -> None:
        """Check the time."""
        self._pay(0)

    def paced(self, items: Sequence[T]) -> Iterable[T]:
        """The items; if there are many, the time is checked from time to time."""
        return items if len(items) <= STRIDE else paced(items, self.look)

    def unpacked(self, form: Struct, data: memoryview) -> Iterable[tuple[Any, ...]]:
        """The values in the data, unpacked with this format; the time is checked likewise."""
        stride = STRIDE * form.size
        if len(data) <= stride:
            return form.iter_unpack(data)
        whole = (form.iter_unpack(data[piece]) for piece in pieces(len(data), self.look, stride))
        return chain.from_iterable(whole)

    def _settle(self) -> None:
        if self.left < 0:
            raise LimitError("lifted", f"the values of one call take more than {self.most} bytes")
        count, self._paid = self._paid - self.left, self.left
        self._pay(count)


class Area:
    """A component's memory, and its allocator. Lengths are in bytes."""

    def __init__(self, memory: Memory, realloc: Realloc | None, lifted: Lifted) -> None:
        self.memory = memory
        self.realloc = realloc
        self.lifted = lifted

    def span(self, address: int, size: int, alignment: int, what: str = "pointer") -> memoryview:
        """The bytes at an address; traps if they are unaligned or out of bounds."""
        if address % alignment:
            trap(f"unaligned pointer: 0x{address:x} isn't a multiple of {alignment}")
        if address + size > self.memory.size:
            trap(f"{what} out of bounds of memory: {self.memory.outside(address, size)}")
        return self.memory.view(address, size)

    def allocate(self, size: int, alignment: int) -> int:
        """The address of `size` bytes from the guest's allocator."""
        assert self.realloc is not None  # as validated
        address = self.realloc(0, 0, alignment, size)
        if address % alignment:
            trap(f"realloc return: result not aligned: 0x{address:x} isn't a multiple of {alignment}")
        if address + size > self.memory.size:
            trap(f"realloc return: beyond end of memory: {self.memory.outside(address, size)}")
        return address

    def place(self, data: Any, alignment: int) -> int:
        """Copy bytes into newly allocated memory; returns the address."""
        if len(data) > MOST_BYTES:
            trap(f"{len(data)} bytes are too long for a string or list: at most {MOST_BYTES}")
        address = self.allocate(len(data), alignment)
        self.memory.view(address, len(data))[:] = data
        return address

    def decode(self, address: int, size: int, alignment: int, codec: str) -> str:
        """The text in these bytes."""
        if size > MOST_BYTES:
            trap("string content out-of-bounds")
        data = self.span(address, size, alignment, "string pointer/length")
        self.lifted.spend(size * widening(data) + OBJECT)
        try:
            return str(data, codec)
        except UnicodeDecodeError as error:
            trap(f"invalid {codec} encoding: {error.reason} at byte {error.start}")

    # Strings, in the three encodings; lengths are in code units

    def text8(self, address: int, length: int) -> str:
        return self.decode(address, length, 1, "utf-8")

    def text16(self, address: int, length: int) -> str:
        return self.decode(address, 2 * length, 2, "utf-16-le")

    def put_text8(self, text: str) -> tuple[int, int]:
        data = text.encode()
        return self.place(data, 1), len(data)

    def put_text16(self, text: str) -> tuple[int, int]:
        data = text.encode("utf-16-le")
        return self.place(data, 2), len(data) // 2

    def text_either(self, tag: int, address: int, length: int) -> str:
        if length & tag:
            return self.text16(address, length ^ tag)
        return self.decode(address, length, 2, "latin-1")

    def put_text_either(self, tag: int, text: str) -> tuple[int, int]:
        try:
            data = text.encode("latin-1")
        except UnicodeEncodeError:
            address, length = self.put_text16(text)
            return address, length | tag
        return self.place(data, 2), len(data)

    # Lists of numbers; lengths are in elements

    def elements(self, address: int, length: int, size: int, alignment: int, weight: int) -> memoryview:
        """The bytes of a list's elements. In Python an element takes `weight` bytes."""
        if length * size > MOST_BYTES:
            trap("list content out-of-bounds")
        data = self.span(address, length * size, alignment, "list pointer/length")
        self.lifted.spend(length * weight + OBJECT)
        return data

    def octets_there(self, address: int, length: int) -> memoryview:
        """Bytes without a copy: a view that is valid during the call."""
        if length > MOST_BYTES:
            trap("list content out-of-bounds")
        data = self.span(address, length, 1, "list pointer/length")
        self.lifted.spend(length + VIEW)
        return data

    def octets(self, address: int, length: int) -> bytes:
        return bytes(self.octets_there(address, length))

    def put_octets(self, value: Any) -> tuple[int, int]:
        return self.place(memoryview(value).cast("B"), 1), len(value)

    def numbers(self, char: str, size: int, address: int, length: int) -> list[Any]:
        elements: Any = self.elements(address, length, size, size, NUMBER)
        data = elements.cast(char)
        if length <= PIECE:
            values: list[Any] = data.tolist()
            return values
        return [*chain.from_iterable(data[piece].tolist() for piece in pieces(length, self.lifted.look))]

    def put_numbers(self, char: str, size: int, value: Any) -> tuple[int, int]:
        """Copy a list, or a buffer of exactly this type, into memory."""
        if isinstance(value, list):
            data: Any = bytearray(len(value) * size)
            pack_into(f"<{len(value)}{char}", data, 0, *value)
        else:
            data = memoryview(value).cast("B")
        return self.place(data, size), len(data) // size

    def room(self, length: int, size: int, alignment: int) -> int:
        """Allocate memory for a list of so many elements; returns the address."""
        if length * size > MOST_BYTES:
            trap(f"a list of {length * size} bytes is too long: at most {MOST_BYTES}")
        return self.allocate(length * size, alignment)


def widening(data: memoryview) -> int:
    """How many bytes Python may take for a byte of a long text: 4 if not all are ASCII, because the widest
    character decides."""
    if len(data) < PIECE or all(bytes(data[at : at + PIECE]).isascii() for at in range(0, len(data), PIECE)):
        return 1
    return 4


def char_of(code: int) -> str:
    if code >= 0x110000 or 0xD800 <= code <= 0xDFFF:
        trap(f"converted integer out of range for `char`: 0x{code:x}")
    return chr(code)


def bad_case(count: int, discriminant: int) -> NoReturn:
    trap(f"invalid variant discriminant: {discriminant}, there are {count} cases")


COMMON: dict[str, Any] = {
    "array": array,
    "trap": trap,
    "char_of": char_of,
    "bad_case": bad_case,
    "round32": round32,
    "bits32": bits32,
    "bits64": bits64,
    "float32": float32,
    "float64": float64,
    "WasmException": WasmException,
}
"""Names for generated functions that need no memory."""


def helpers_of(area: Area, encoding: str, pointer_bits: int) -> dict[str, Any]:
    """Names by which generated functions use a memory, besides the memory's own."""
    tag = 1 << pointer_bits - 1
    text, put_text = {
        "utf8": (area.text8, area.put_text8),
        "utf16": (area.text16, area.put_text16),
        "latin1+utf16": (partial(area.text_either, tag), partial(area.put_text_either, tag)),
    }[encoding]
    return {
        "text": text,
        "put_text": put_text,
        "span": area.span,
        "allocate": area.allocate,
        "elements": area.elements,
        "octets": area.octets,
        "octets_there": area.octets_there,
        "put_octets": area.put_octets,
        "numbers": area.numbers,
        "put_numbers": area.put_numbers,
        "room": area.room,
        "lifted": area.lifted,
        "paced": area.lifted.paced,
        "unpacked": area.lifted.unpacked,
    }
