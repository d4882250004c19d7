"""Values of the source's variables as text, and their parts: numbers, enumerations, pointers, structures,
arrays, strings, vectors and slices of C, C++, Rust and Zig.

What is not here: where a variable is (`dwarf.py`).
"""

from __future__ import annotations

import re
import struct
from typing import Any

from ...interpreter.runtime.memory import Memory
from ...printable import printable
from ...records import Frozen
from ..regex import regex
from .dwarf import ELSEWHERE, NowhereError, Place, Variables, careful, name_of
from .given import BadInputError
from .steps import Position

MOST_ELEMENTS = 100
MOST_TEXT = 300
MOST_DEPTH = 5
MOST_VALUES = 1000
MOST_TYPES = 32
THROUGH = frozenset({
    "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
    "DW_TAG_atomic_type",
})  # fmt: skip
POINTERS = frozenset({"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})
STRUCTURES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
BOOLEAN, FLOAT, SIGNED, SIGNED_CHAR, UNSIGNED, UNSIGNED_CHAR, UTF = 2, 4, 5, 6, 7, 8, 16
"""Encodings of numbers: DW_ATE_*."""
GONE = "optimised out"


class Value(Frozen):
    """A value: its name, the entry of its type (None for void), and where it is."""

    name: str
    type: Any
    place: Place
    memory: Memory | None

    def data(self, count: int) -> bytes:
        """The bytes of the value. Raises BadInputError outside of memory."""
        if self.place.address < 0:
            return self.place.data[:count].ljust(count, b"\0")
        return read(self.memory, self.place.address, count)


def read(memory: Memory | None, address: int, count: int) -> bytes:
    if memory is None or address + count > memory.size:
        raise BadInputError(f"0x{address:x} is outside of memory")
    return memory.read(address, count)


def type_in(entry: Any) -> Any:
    """The entry of the type that an entry has, None for void."""
    for _ in range(4):
        if "DW_AT_type" in entry.attributes:
            return entry.get_DIE_from_attribute("DW_AT_type")
        other = next((name for name in ELSEWHERE if name in entry.attributes), None)
        if other is None:
            return None
        entry = entry.get_DIE_from_attribute(other)
    return None


def plain(type_: Any) -> Any:
    """A type without names and qualifiers around it."""
    for _ in range(MOST_TYPES):
        if type_ is None or type_.tag not in THROUGH:
            return type_
        type_ = type_in(type_)
    return None


def type_name(type_: Any, depth: int = 0) -> str:
    """ "struct point *"."""
    if type_ is None or depth > MOST_TYPES:
        return "void"
    name = name_of(type_)
    if type_.tag in POINTERS:
        return name or type_name(type_in(type_), depth + 1) + (
            " *" if type_.tag == "DW_TAG_pointer_type" else " &"
        )
    if type_.tag == "DW_TAG_array_type":
        return f"{type_name(type_in(type_), depth + 1)}[{count_of(type_)}]"
    if name:
        return name
    word = type_.tag.removeprefix("DW_TAG_").removesuffix("_type")
    return f"{word} {type_name(type_in(type_), depth + 1)}" if type_.tag in THROUGH else word


def size_of(type_: Any) -> int:
    type_ = plain(type_)
    if type_ is None:
        return 0
    if type_.tag == "DW_TAG_array_type":
        return count_of(type_) * size_of(type_in(type_))
    if type_.tag in POINTERS:
        return 4
    found = type_.attributes.get("DW_AT_byte_size")
    return int(found.value) if found is not None else 0


def count_of(array: Any) -> int:
    for child in array.iter_children():
        if "DW_AT_count" in child.attributes:
            return int(child.attributes["DW_AT_count"].value)
        if "DW_AT_upper_bound" in child.attributes:
            return int(child.attributes["DW_AT_upper_bound"].value) + 1
    return 0


def members(value: Value) -> list[Value]:
    """The members of a structure, with those of classes that it extends."""
    made = []
    for child in plain(value.type).iter_children():
        if (
            child.tag not in ("DW_TAG_member", "DW_TAG_inheritance")
            or "DW_AT_declaration" in child.attributes
        ):
            continue
        at = child.attributes.get("DW_AT_data_member_location")
        offset = at.value if at is not None and isinstance(at.value, int) else 0
        made.append(at_offset(value, name_of(child) or type_name(type_in(child)), type_in(child), offset))
    return made


def inherited(inside: list[Value]) -> list[Value]:
    """The members of the classes that are among these members, because a class extends them."""
    return [
        each
        for base_ in inside
        if plain(base_.type) is not None and plain(base_.type).tag in STRUCTURES
        if base_.name == name_of(plain(base_.type))
        for each in members(base_)
    ]


def at_offset(value: Value, name: str, type_: Any, offset: int) -> Value:
    if value.place.address >= 0:
        return Value(name, type_, Place(value.place.address + offset), value.memory)
    return Value(name, type_, Place(-1, value.place.data[offset:]), value.memory)


@careful
def parts(value: Value) -> list[Value]:
    """The parts that a value opens into: members, elements, or what a pointer leads to."""
    type_ = plain(value.type)
    if type_ is None:
        return []
    run = elements_of(value)
    if run is not None:
        start, count, element = run
        size = size_of(element)
        shown = range(min(count, MOST_ELEMENTS))
        return [Value(f"[{n}]", element, Place(start + n * size), value.memory) for n in shown]
    if type_.tag == "DW_TAG_array_type":
        element = type_in(type_)
        size = size_of(element)
        shown = range(min(count_of(type_), MOST_ELEMENTS))
        return [at_offset(value, f"[{n}]", element, n * size) for n in shown]
    if type_.tag in STRUCTURES:
        return members(value)
    if type_.tag in POINTERS:
        target, address = type_in(type_), number(value, 4)
        if target is not None and address and size_of(target):
            return [Value(f"*{value.name}", target, Place(address), value.memory)]
    return []


def number(value: Value, size: int) -> int:
    return int.from_bytes(value.data(size), "little")


def elements_of(value: Value) -> tuple[int, int, Any] | None:
    """Returns address, number and type of the elements of a vector, a slice or a string of Rust, C++ or Zig,
    or None for any other value."""
    type_ = plain(value.type)
    if type_ is None or type_.tag not in STRUCTURES:
        return None
    found = {each.name: each for each in members(value)}
    names = found.keys()
    for pointer, length in (("data_ptr", "length"), ("ptr", "len")):
        if names == {pointer, length} and plain(found[pointer].type).tag in POINTERS:
            return number(found[pointer], 4), number(found[length], 4), type_in(plain(found[pointer].type))
    if {"__begin_", "__end_"} <= names:
        element, start = type_in(plain(found["__begin_"].type)), number(found["__begin_"], 4)
        size = size_of(element) or 1
        return start, max(number(found["__end_"], 4) - start, 0) // size, element
    if {"buf", "len"} <= names and name_of(type_).startswith("Vec<"):
        pointer_ = first_pointer(found["buf"], 0)
        element = template(type_)
        if pointer_ is not None and element is not None:
            return number(pointer_, 4), number(found["len"], 4), element
    if names == {"vec"} and name_of(type_) == "String":
        return elements_of(found["vec"])
    return None


def template(type_: Any) -> Any:
    """The first type that a generic type was made for."""
    for child in type_.iter_children():
        if child.tag == "DW_TAG_template_type_param":
            return type_in(child)
    return None


def first_pointer(value: Value, depth: int) -> Value | None:
    type_ = plain(value.type)
    if type_ is None or depth > 6:
        return None
    if type_.tag in POINTERS:
        return value
    if type_.tag not in STRUCTURES:
        return None
    return next((found for each in members(value) if (found := first_pointer(each, depth + 1))), None)


class Room:
    """The number of values that one text may still hold."""

    def __init__(self) -> None:
        self.left = MOST_VALUES


@careful
def text(value: Value) -> str:
    """A value as text. Raises BadInputError for an address outside of memory."""
    return within(value, 0, Room())


def within(value: Value, depth: int, room: Room) -> str:
    """The text of a value inside of others."""
    room.left -= 1
    if room.left < 0:
        return "..."
    type_ = plain(value.type)
    if type_ is None:
        return "void"
    if type_.tag == "DW_TAG_base_type":
        return base(value, type_)
    if type_.tag == "DW_TAG_enumeration_type":
        return enumeration(value, type_)
    if type_.tag in POINTERS:
        to = parts(value) if type_.tag != "DW_TAG_pointer_type" and depth < MOST_DEPTH else []
        return within(to[0], depth + 1, room) if to else pointer(value, type_)
    if name_of(type_).startswith("basic_string<char") and size_of(type_) == 12:
        return cpp_string(value)
    run = elements_of(value)
    is_text = name_of(type_) in ("&str", "String", "[]const u8", "[]u8")
    if run is not None and is_text:
        return quoted(read(value.memory, run[0], min(run[1], MOST_TEXT)), run[1])
    if depth >= MOST_DEPTH:
        return "{...}"
    if type_.tag == "DW_TAG_array_type" and is_char(type_in(type_)):
        data = value.data(min(size_of(type_), MOST_TEXT))
        return quoted(data.partition(b"\0")[0], 0)
    inside = [within(each, depth + 1, room) for each in parts(value)]
    if run is not None or type_.tag == "DW_TAG_array_type":
        count = run[1] if run is not None else count_of(type_)
        more = [f"... {count - len(inside)} more"] if count > len(inside) else []
        return f"[{', '.join([*inside, *more])}]"
    if type_.tag in STRUCTURES:
        pairs = [f"{each.name} = {told}" for each, told in zip(parts(value), inside, strict=True)]
        return f"{{{', '.join(pairs)}}}"
    return f"({type_name(type_)})"


def quoted(data: bytes, count: int) -> str:
    more = f"... {count - len(data)} more" if count > len(data) else ""
    return '"' + printable(data.decode("utf-8", "replace")) + '"' + more


def numeric(value: Value, type_: Any) -> int | float:
    """The number that a value of a base type is."""
    size, encoding = size_of(type_), type_.attributes["DW_AT_encoding"].value
    data = value.data(size)
    if encoding == FLOAT and size in (4, 8):
        found: float = struct.unpack("<f" if size == 4 else "<d", data)[0]
        return found
    return int.from_bytes(data, "little", signed=encoding in (SIGNED, SIGNED_CHAR))


def base(value: Value, type_: Any) -> str:
    size, encoding = size_of(type_), type_.attributes["DW_AT_encoding"].value
    whole = numeric(value, type_)
    if isinstance(whole, float):
        return f"{whole:.9g}" if size == 4 else repr(whole)
    if encoding == BOOLEAN:
        return {0: "false", 1: "true"}.get(whole, str(whole))
    is_letter = encoding == UTF or (encoding in (SIGNED_CHAR, UNSIGNED_CHAR) and name_of(type_) == "char")
    if is_letter and 0x20 <= whole < 0x110000:
        return f"{whole} '{printable(chr(whole))}'"
    return str(whole)


def enumeration(value: Value, type_: Any) -> str:
    whole = number(value, size_of(type_))
    size = 8 * size_of(type_)
    for child in type_.iter_children():
        if child.tag != "DW_TAG_enumerator":
            continue
        if int(child.attributes["DW_AT_const_value"].value) & (1 << size) - 1 == whole:
            return f"{name_of(child)} ({whole})"
    return str(whole)


def is_char(type_: Any) -> bool:
    type_ = plain(type_)
    return (
        type_ is not None
        and type_.tag == "DW_TAG_base_type"
        and name_of(type_) == "char"
        and size_of(type_) == 1
    )


def pointer(value: Value, type_: Any) -> str:
    address = number(value, 4)
    told = f"0x{address:x}" if address else "null"
    if address and is_char(type_in(type_)) and value.memory is not None and address < value.memory.size:
        data = value.memory.read(address, min(MOST_TEXT, value.memory.size - address))
        return f"{told} {quoted(data.partition(bytes(1))[0], 0)}"
    return told


def cpp_string(value: Value) -> str:
    """std::string of libc++: short ones are in the object itself."""
    data = value.data(12)
    if not data[0] & 1:
        return quoted(data[1 : 1 + min(data[0] >> 1, 11)], 0)
    count, address = struct.unpack("<II", data[4:12])
    return quoted(read(value.memory, address, min(count, MOST_TEXT)), count)


STEP = regex(r"\s*(?:(?:\.|->)\s*([\w$]+)|\[\s*(\d+)\s*\])")


class Rendered:
    """The variables at a position, as values."""

    def __init__(self, variables: Variables, position: Position) -> None:
        self._variables, self._position = variables, position
        mems = position.instance.mems
        self._memory = mems[0] if mems else None

    @careful
    def lines(self) -> list[str]:
        """ "size = 21": all variables of the function."""
        return [f"{each.name} = {self.told(each)}" for each in self._variables.at(self._position)]

    @careful
    def values(self) -> list[tuple[str, str, str, Value | None]]:
        """Returns name, text, type and value of all variables of the function, or None for one without a
        value."""
        made = []
        for each in self._variables.at(self._position):
            try:
                value: Value | None = self._value(each)
            except NowhereError:
                value = None
            made.append((each.name, self.told(each), type_name(type_in(each.entry)), value))
        return made

    def told(self, variable: Any) -> str:
        try:
            return text(self._value(variable))
        except NowhereError:
            return GONE
        except BadInputError as error:
            return str(error)

    def _value(self, variable: Any) -> Value:
        place = self._variables.place(variable, self._position)
        return Value(variable.name, type_in(variable.entry), place, self._memory)

    @careful
    def number(self, name: str) -> int | float:
        """The value of a variable that is a number, an enumeration or a pointer. Raises BadInputError."""
        value = self.find(name)
        type_ = plain(value.type)
        if type_ is not None and type_.tag == "DW_TAG_base_type":
            return numeric(value, type_)
        if type_ is None or type_.tag not in (*POINTERS, "DW_TAG_enumeration_type"):
            raise BadInputError(f"{name} is no number")
        return number(value, size_of(type_))

    @careful
    def find(self, path: str) -> Value:
        """The value of "shape.at.x", "table[2]", "*other". Raises BadInputError."""
        match = re.match(r"\s*(\**)\s*([\w$]+)", path)
        if match is None:
            raise BadInputError(f"{path!r} is no variable: write shape.at.x, table[2] or *other")
        found = [each for each in self._variables.all_at(self._position) if each.name == match[2]]
        if not found:
            known = ", ".join(dict.fromkeys(each.name for each in self._variables.at(self._position)))
            raise BadInputError(f"no variable {match[2]} here" + (f"; there are {known}" if known else ""))
        try:
            value = self._value(found[-1])
        except NowhereError:
            raise BadInputError(f"{match[2]} is {GONE} here") from None
        at = match.end()
        while step := STEP.match(path, at):
            value, at = self._part(value, step[1], step[2]), step.end()
        if path[at:].strip():
            raise BadInputError(f"{path!r} is no variable: write shape.at.x, table[2] or *other")
        for _ in match[1]:
            value = self._part(value, None, "0")
        return value

    def _part(self, value: Value, name: str | None, index: str | None) -> Value:
        type_ = plain(value.type)
        is_pointer = type_ is not None and type_.tag in POINTERS
        if index is not None and is_pointer:
            target = type_in(type_)
            return Value(
                f"[{index}]", target, Place(number(value, 4) + int(index) * size_of(target)), self._memory
            )
        if name is not None and is_pointer:
            value = self._part(value, None, "0")
            type_ = plain(value.type)
        wanted = name if name is not None else f"[{index}]"
        inside = (
            members(value)
            if name is not None and type_ is not None and type_.tag in STRUCTURES
            else parts(value)
        )
        for each in (*inside, *inherited(inside)):
            if each.name == wanted:
                return each
        known = ", ".join(each.name for each in inside[:20]) or "no parts"
        raise BadInputError(f"{value.name} has no {wanted}; it has {known}")
