"""Code generation for values that leave a component: expressions for values in its memory, and for core
values.

What is here: `Reader`. An area is checked once, before it is read. What is not: these checks, which are
generated where the address is known (`adapters.py`, and here for lists).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#loading
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import Struct

from ...interpreter.types import F32, F64, I32, I64, NumType
from ..types import (
    Compound,
    Kind,
    Part,
    Prim,
    ValType,
    aligned,
    by_shape,
    discriminant_size,
    payload_offset,
    values_of,
)
from .context import INDENT, Context
from .faces import Err, Ok, Some, face
from .helpers import OBJECT

UNSIGNED = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
"""Unsigned accesses by their number of bytes."""
CHARS = {
    "s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q", "f32": "f",
    "f64": "d",
}  # fmt: skip
"""Number types, and their characters in formats of `struct`."""
FUNCTION_FROM = 24
"""Types with at least so many leaves have separate functions for reading and writing, because types
repeat."""


def offset(base: str, more: int) -> str:
    """The text of an address plus an offset."""
    return f"{base} + {more}" if more else base


def signed(text: str, bits: int) -> str:
    """An expression for the signed meaning of unsigned bits."""
    return f"(({text}) ^ {1 << bits - 1}) - {1 << bits - 1}"


def fields_of(type_: Compound) -> tuple[Part, ...]:
    """The parts of a record or tuple; for a list of fixed length, one for each element."""
    return type_.parts * (type_.length or 1)


def places(types: Sequence[ValType], pointer: NumType) -> Iterator[tuple[ValType, int]]:
    """Types with the offsets in bytes of their values, laid out one after another."""
    at = 0
    for type_ in types:
        at = aligned(at, type_.alignment(pointer))
        yield type_, at
        at += type_.size(pointer)


def number_format(type_: Part, pointer: NumType) -> str | None:
    """The format of `struct` for a value that consists only of numbers, including padding; None for
    others."""
    if isinstance(type_, Prim):
        return CHARS.get(type_.name)
    if not isinstance(type_, Compound) or type_.kind not in (Kind.RECORD, Kind.TUPLE):
        return None
    text, at = "", 0
    for part, place in places(list(values_of(type_)), pointer):
        inner = number_format(part, pointer)
        if inner is None:
            return None
        text += "x" * (place - at) + inner
        at = place + part.size(pointer)
    return text + "x" * (type_.size(pointer) - at)


def unjoined(text: str, wanted: NumType, given: NumType) -> str:
    """A core value converted back from the type in which it was passed."""
    if wanted is given:
        return text
    bits = f"{text} & 0xFFFFFFFF" if given is I64 and wanted is not F64 else text
    return {I32: f"({bits})", I64: text, F32: f"float32({bits})", F64: f"float64({text})"}[wanted]


class Reader:
    """Generates code that reads values. `hosted`: the values are for Python and not for another component, so
    handles become objects. `views`: a list of u8 is a view of memory instead of a copy, valid during the
    call."""

    def __init__(self, context: Context, hosted: bool, views: bool = False) -> None:
        self.context = context
        self.hosted = hosted
        self.face = context.face if hosted else face
        self.views = views

    # From memory

    def load(self, type_: ValType, base: str, at: int = 0) -> str:
        """An expression for the value at the address `base + at`."""
        if isinstance(type_, Prim):
            return self.load_prim(type_, base, at)
        return LOADS[type_.kind](self, type_, base, at)

    def load_prim(self, type_: Prim, base: str, at: int) -> str:
        context, name, where = self.context, type_.name, offset(base, at)
        if name == "string":
            return self.load_pair("text", base, at)
        if name == "bool":
            return f"{context.load('u8', where)} != 0"
        if name == "char":
            return f"char_of({context.load('u32', where)})"
        if name == "s64":
            return signed(context.load("u64", where), 64)
        return context.load("u32" if name == "error-context" else name, where)

    def load_pair(self, function: str, base: str, at: int) -> str:
        """The result of a function for the address and length in memory."""
        context = self.context
        first = context.load(context.address, offset(base, at))
        return (
            f"{function}({first}, {context.load(context.address, offset(base, at + context.address_size))})"
        )

    def load_fields(self, type_: Compound, base: str, at: int) -> str:
        if type_.leaves >= FUNCTION_FROM or type_.length:
            return f"{self.field_loader(type_)}({offset(base, at)})"
        return self.built(type_, [self.load(part, base, at + place) for part, place in self.layout(type_)])

    def layout(self, type_: Compound) -> list[tuple[ValType, int]]:
        return list(places(list(values_of(type_)), self.context.pointer))

    def field_loader(self, type_: Compound) -> str:
        def write(name: str) -> list[str]:
            if type_.length:
                (element,) = values_of(type_)
                size = element.size(self.context.pointer)
                each = f"paced(range(p, p + {type_.length * size}, {size}))"
                return [f"def {name}(p):", f"{INDENT}return [{self.load(element, 'q')} for q in {each}]"]
            parts = [self.load(part, "p", place) for part, place in self.layout(type_)]
            return [f"def {name}(p):", f"{INDENT}return {self.built(type_, parts)}"]

        return self.context.function(self.verb("load"), type_, write)

    def verb(self, verb: str) -> str:
        return f"{verb}_out{'_there' * self.views}" if self.hosted else verb

    def load_list(self, type_: Compound, base: str, at: int) -> str:
        if type_.length:
            return self.load_fields(type_, base, at)
        return self.load_pair(self.list_reader(type_), base, at)

    def load_flags(self, type_: Compound, base: str, at: int) -> str:
        size = type_.size(self.context.pointer)
        return self.flags(type_, self.context.load(UNSIGNED[size], offset(base, at)))

    def load_handle(self, type_: Compound, base: str, at: int) -> str:
        return self.handle(type_, self.context.load("u32", offset(base, at)))

    def load_variant(self, type_: Compound, base: str, at: int) -> str:
        access = UNSIGNED[discriminant_size(len(type_.cases))]

        def write(name: str) -> list[str]:
            lines = [f"def {name}(p):", f"{INDENT}d = {self.context.load(access, 'p')}"]
            where = payload_offset(type_, self.context.pointer)
            return lines + self.case_lines(type_, lambda case: self.load(case, "p", where))

        return f"{self.context.function(self.verb('load'), type_, write)}({offset(base, at)})"

    # From core values

    def lift(self, type_: ValType, given: Iterator[str]) -> str:
        """An expression for the value in the next core values."""
        if isinstance(type_, Prim):
            return self.lift_prim(type_, given)
        return LIFTS[type_.kind](self, type_, given)

    def lift_prim(self, type_: Prim, given: Iterator[str]) -> str:
        name, value = type_.name, next(given)
        if name == "string":
            return f"text({value}, {next(given)})"
        if name == "bool":
            return f"{value} != 0"
        if name == "char":
            return f"char_of({value})"
        if name in ("f32", "f64", "u32", "u64", "error-context"):
            return value
        bits = 8 * type_.size(I32)
        masked = value if bits >= 32 else f"{value} & {(1 << bits) - 1}"
        return masked if name.startswith("u") else signed(masked, bits)

    def lift_fields(self, type_: Compound, given: Iterator[str]) -> str:
        parts = [part for part in fields_of(type_) if isinstance(part, Prim | Compound)]
        return self.built(type_, [self.lift(part, given) for part in parts])

    def lift_list(self, type_: Compound, given: Iterator[str]) -> str:
        if type_.length:
            return self.lift_fields(type_, given)
        return f"{self.list_reader(type_)}({next(given)}, {next(given)})"

    def lift_flags(self, type_: Compound, given: Iterator[str]) -> str:
        return self.flags(type_, next(given))

    def lift_handle(self, type_: Compound, given: Iterator[str]) -> str:
        return self.handle(type_, next(given))

    def lift_variant(self, type_: Compound, given: Iterator[str]) -> str:
        joined = type_.flat(self.context.pointer)[1:]
        names = [f"x{index}" for index in range(len(joined))]

        def lifted(case: ValType) -> str:
            own = case.flat(self.context.pointer)
            texts = [unjoined(*each) for each in zip(names, own, joined, strict=False)]
            return self.lift(case, iter(texts))

        def write(name: str) -> list[str]:
            return [f"def {name}({', '.join(['d', *names])}):", *self.case_lines(type_, lifted)]

        function = self.context.function(self.verb("lift"), type_, write)
        return f"{function}({', '.join([next(given) for _ in range(1 + len(joined))])})"

    # For values from memory and from core values

    def built(self, type_: Compound, parts: list[str]) -> str:
        """The expression of a record, tuple or list with these parts."""
        inner = ", ".join(parts)
        if type_.kind is Kind.RECORD:
            return f"{self.context.constant(self.face(type_))}({inner})"
        return f"[{inner}]" if type_.kind is Kind.LIST else f"({inner},)"

    def flags(self, type_: Compound, bits: str) -> str:
        return f"{self.context.constant(self.face(type_))}({bits} & {(1 << len(type_.labels)) - 1})"

    def handle(self, type_: Compound, index: str) -> str:
        if type_.kind in (Kind.STREAM, Kind.FUTURE):
            return f"lift_async({index})"
        resource = self.context.resolve(type_.parts[0])  # type: ignore[arg-type] # a handle's part is a resource
        out = (
            "_out" if self.hosted and resource.owner is not None else ""
        )  # a host resource is its own object
        return f"lift{out}_{type_.kind.value}({index}, {self.context.constant(resource)})"

    def case_lines(self, type_: Compound, payload: Callable[[ValType], str]) -> list[str]:
        """The lines that return the case `d`."""
        cases = type_.cases
        if type_.kind is Kind.ENUM:
            members = self.context.constant(tuple(self.face(type_)))
            bad = f"{INDENT}if d >= {len(cases)}: bad_case({len(cases)}, d)"
            return [bad, f"{INDENT}return {members}[d]"]
        lines = []
        for index, case in enumerate(cases):
            value = self.case(type_, index, payload(case) if case else "")
            lines.append(f"{INDENT}if d == {index}: return {value}")
        return [*lines, f"{INDENT}bad_case({len(cases)}, d)"]

    def case(self, type_: Compound, index: int, payload: str) -> str:
        """The expression of a case with a payload, which is empty if there is none."""
        if type_.kind is Kind.OPTION:
            if not index:
                return "None"
            return f"{self.context.constant(Some)}({payload})" if is_option(type_.parts[0]) else payload
        if type_.kind is Kind.RESULT:
            return f"{self.context.constant(Err if index else Ok)}({payload})"
        return f"{self.context.constant(self.face(type_).cases[index])}({payload})"

    # Lists

    def list_reader(self, type_: Compound) -> str:
        """The name of the function that makes a list from an address and a length."""
        element = element_of(type_)
        if isinstance(element, Prim) and element.name == "u8":
            return "octets_there" if self.views else "octets"

        def write(name: str) -> list[str]:
            return self.list_lines(name, type_, element)

        return self.context.function(self.verb("read"), type_, write)

    def list_lines(self, name: str, type_: Compound, element: ValType) -> list[str]:
        pointer = self.context.pointer
        size, alignment = element.size(pointer), element.alignment(pointer)
        head = f"def {name}(p, n):"
        if isinstance(element, Prim) and element.name in CHARS:
            return [head, f"{INDENT}return numbers({CHARS[element.name]!r}, {size}, p, n)"]
        checked = f"elements(p, n, {size}, {alignment}, {weight(element, size)})"
        form = number_format(element, pointer)
        if form and isinstance(element, Compound):
            names = (f"v{index}" for index in range(len(form)))
            value = self.shaped(element, names)
            targets = ", ".join(f"v{index}" for index in range(len(form) - form.count("x")))
            form_ = self.context.constant(Struct("<" + form))
            lines, each = [head], f"{value} for ({targets},) in unpacked({form_}, {checked})"
        else:
            lines = [head, f"{INDENT}{checked}"]
            each = f"{self.load(element, 'q')} for q in paced(range(p, p + n * {size}, {size}))"
        made = f"dict([{each}])" if type_.kind is Kind.MAP and self.hosted else f"[{each}]"
        return [*lines, f"{INDENT}return {made}"]

    def shaped(self, type_: ValType, names: Iterator[str]) -> str:
        """The expression of a value that consists of numbers with these names."""
        if isinstance(type_, Prim):
            return next(names)
        return self.built(type_, [self.shaped(part, names) for part in values_of(type_)])


def weight(element: ValType, size: int) -> int:
    """At least the bytes of Python's memory for an element of `size` bytes in a list, without the contents of
    strings and lists in it: a reference if it is true or false, else an object, and one for each part."""
    return 8 if isinstance(element, Prim) and element.name == "bool" else OBJECT + 16 * size


def is_option(part: Part) -> bool:
    return isinstance(part, Compound) and part.kind is Kind.OPTION


def element_of(type_: Compound) -> ValType:
    """The type of a list's elements; for a map, of its pairs."""
    if type_.kind is Kind.MAP:
        return type_.pair
    (element,) = values_of(type_)
    return element


Load = Callable[[Reader, Compound, str, int], str]
Lift = Callable[[Reader, Compound, Iterator[str]], str]
LOADS: Mapping[Kind, Load] = by_shape(
    fields=Reader.load_fields,
    lists=Reader.load_list,
    flags=Reader.load_flags,
    handles=Reader.load_handle,
    variants=Reader.load_variant,
)
LIFTS: Mapping[Kind, Lift] = by_shape(
    fields=Reader.lift_fields,
    lists=Reader.lift_list,
    flags=Reader.lift_flags,
    handles=Reader.lift_handle,
    variants=Reader.lift_variant,
)
