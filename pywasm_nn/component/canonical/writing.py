"""Code generation for passing values into a component: statements that store values in memory, and core
values.

What is here: `Writer`. Values fit their types: values from components always do, Python values were checked
(`misfits.py`). What is not: allocating the memory (`adapters.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#storing
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from struct import Struct
from typing import Any

from ...interpreter.types import F32, F64, I32, NumType
from ..types import Compound, Kind, Prim, ValType, by_shape, discriminant_size, payload_offset, values_of
from .context import INDENT, Context
from .faces import attribute
from .reading import (
    CHARS,
    FUNCTION_FROM,
    UNSIGNED,
    element_of,
    fields_of,
    is_option,
    number_format,
    offset,
    places,
)


def joined(text: str, given: NumType, wanted: NumType) -> str:
    """A core value converted to another core type."""
    if given is wanted or given is I32:
        return text
    return f"bits32({text})" if given is F32 else f"bits64({text})"


class Writer:
    """Generates code that writes values. `hosted`: values come from Python and not from another component, so
    handles are objects."""

    def __init__(self, context: Context, hosted: bool) -> None:
        self.context = context
        self.hosted = hosted

    def verb(self, verb: str) -> str:
        return f"{verb}_in" if self.hosted else verb

    # Into memory: lines of statements

    def store(self, type_: ValType, value: str, base: str, at: int = 0) -> Iterator[str]:
        """Lines that store a value at the address `base + at`."""
        if isinstance(type_, Prim):
            return self.store_prim(type_, value, base, at)
        return STORES[type_.kind](self, type_, value, base, at)

    def store_prim(self, type_: Prim, value: str, base: str, at: int) -> Iterator[str]:
        if type_.name == "string":
            yield from self.store_pair("put_text", value, base, at)
            return
        access = type_.name
        if access in ("bool", "char", "s64", "error-context"):
            access = {"bool": "u8", "s64": "u64"}.get(access, "u32")
        yield self.context.store(access, offset(base, at), self.prim(type_, value, narrow=True))

    def prim(self, type_: Prim, value: str, *, narrow: bool) -> str:
        """The number for a value of a primitive type. A core value must be unsigned; in memory (`narrow`)
        only numbers of 64 bits must be."""
        name = type_.name
        if name == "bool":
            return f"1 if {value} else 0"
        if name == "char":
            return f"ord({value})"
        if name == "f32":
            return f"round32({value})"
        if name.startswith("s") and (name == "s64" or not narrow):
            return f"{value} & {0xFFFF_FFFF_FFFF_FFFF if name == 's64' else 0xFFFF_FFFF}"
        return value

    def store_pair(self, function: str, value: str, base: str, at: int) -> Iterator[str]:
        """Lines that store a function's result for a value: an address and a length."""
        address, length = self.context.name("p"), self.context.name("n")
        yield f"{address}, {length} = {function}({value})"
        access, size = self.context.address, self.context.address_size
        yield self.context.store(access, offset(base, at), address)
        yield self.context.store(access, offset(base, at + size), length)

    def store_fields(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        if type_.leaves >= FUNCTION_FROM or type_.length:
            yield f"{self.field_storer(type_)}({offset(base, at)}, {value})"
            return
        yield from self.field_lines(type_, value, base, at)

    def field_lines(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        parts = places(list(values_of(type_)), self.context.pointer)
        for index, (part, place) in enumerate(parts):
            yield from self.each(self.part(type_, value, index), part, base, at + place)

    def each(self, text: str, part: ValType, base: str, at: int) -> Iterator[str]:
        """Lines that store one part; the expression of a compound part is evaluated once."""
        if isinstance(part, Compound):
            name = self.context.name("v")
            yield f"{name} = {text}"
            text = name
        yield from self.store(part, text, base, at)

    def part(self, type_: Compound, value: str, index: int) -> str:
        if type_.kind is Kind.RECORD:
            return f"{value}.{attribute(type_.labels[index])}"
        return f"{value}[{index}]"

    def field_storer(self, type_: Compound) -> str:
        def write(name: str) -> list[str]:
            head = f"def {name}(p, v):"
            if not type_.length:
                return [head, *indented(self.field_lines(type_, "v", "p", 0))]
            (element,) = values_of(type_)
            lines = [f"{INDENT}for x in paced(v):", *indented(self.store(element, "x", "p"), 2)]
            return [head, *lines, f"{INDENT * 2}p += {element.size(self.context.pointer)}"]

        return self.context.function(self.verb("store"), type_, write)

    def store_list(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        if type_.length:
            return self.store_fields(type_, value, base, at)
        return self.store_pair(self.list_writer(type_), value, base, at)

    def store_flags(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        yield self.context.store(
            UNSIGNED[type_.size(self.context.pointer)], offset(base, at), f"{value}.value"
        )

    def store_handle(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        yield self.context.store("u32", offset(base, at), self.handle(type_, value))

    def store_variant(self, type_: Compound, value: str, base: str, at: int) -> Iterator[str]:
        access = UNSIGNED[discriminant_size(len(type_.cases))]
        if type_.kind is Kind.ENUM:
            yield self.context.store(access, offset(base, at), self.enum(type_, value))
            return

        def write(name: str) -> list[str]:
            where = payload_offset(type_, self.context.pointer)
            lines = [f"def {name}(p, v):"]
            for test, index, case, payload in self.cases(type_):
                lines += [f"{INDENT}{test}", f"{INDENT * 2}{self.context.store(access, 'p', str(index))}"]
                if case is not None:
                    lines += [f"{INDENT * 2}v = {payload}", *indented(self.store(case, "v", "p", where), 2)]
                lines.append(f"{INDENT * 2}return")
            return lines

        yield f"{self.context.function(self.verb('store'), type_, write)}({offset(base, at)}, {value})"

    def enum(self, type_: Compound, value: str) -> str:
        """The number of a case by its label, because the member may belong to another class for an equal
        type."""
        numbers = {label: index for index, label in enumerate(type_.labels)}
        return f"{self.context.constant(numbers)}[{value}.value]"

    def handle(self, type_: Compound, value: str) -> str:
        if type_.kind in (Kind.STREAM, Kind.FUTURE):
            return f"lower_async({value})"
        resource = self.context.resolve(type_.parts[0])  # type: ignore[arg-type] # a handle's part is a resource
        into = (
            "_in" if self.hosted and resource.owner is not None else ""
        )  # a host resource is its own object
        return f"lower{into}_{type_.kind.value}({value}, {self.context.constant(resource)})"

    def cases(self, type_: Compound) -> Iterator[tuple[str, int, ValType | None, str]]:
        """For each case of a variant: the test, its number, its type, and the expression of its payload. The
        last case has no test."""
        if type_.kind is Kind.OPTION:
            (inner,) = values_of(type_)
            yield "if v is None:", 0, None, ""
            yield "if True:", 1, inner, "v.value" if is_option(inner) else "v"
            return
        labels = ("ok", "error") if type_.kind is Kind.RESULT else type_.labels
        last = len(labels) - 1
        for index, (label, case) in enumerate(zip(labels, type_.cases, strict=True)):
            test = "if True:" if index == last else f"if v.label == {label!r}:"
            yield test, index, case, "v.value"

    # As core values: expressions, after lines that work them out

    def lower(self, type_: ValType, value: str, lines: list[str]) -> list[str]:
        """Expressions for the core values of a value; statements that must run before them are added to
        `lines`."""
        if isinstance(type_, Prim):
            return self.lower_prim(type_, value, lines)
        return LOWERS[type_.kind](self, type_, value, lines)

    def lower_prim(self, type_: Prim, value: str, lines: list[str]) -> list[str]:
        if type_.name == "string":
            return self.lower_pair("put_text", value, lines)
        return [self.prim(type_, value, narrow=False)]

    def lower_pair(self, function: str, value: str, lines: list[str]) -> list[str]:
        address, length = self.context.name("p"), self.context.name("n")
        lines.append(f"{address}, {length} = {function}({value})")
        return [address, length]

    def lower_fields(self, type_: Compound, value: str, lines: list[str]) -> list[str]:
        texts: list[str] = []
        parts = [part for part in fields_of(type_) if isinstance(part, Prim | Compound)]
        for index, part in enumerate(parts):
            text = self.part(type_, value, index)
            if isinstance(part, Compound):
                name = self.context.name("v")
                lines.append(f"{name} = {text}")
                text = name
            texts += self.lower(part, text, lines)
        return texts

    def lower_list(self, type_: Compound, value: str, lines: list[str]) -> list[str]:
        if type_.length:
            return self.lower_fields(type_, value, lines)
        return self.lower_pair(self.list_writer(type_), value, lines)

    def lower_flags(self, type_: Compound, value: str, lines: list[str]) -> list[str]:
        return [f"{value}.value"]

    def lower_handle(self, type_: Compound, value: str, lines: list[str]) -> list[str]:
        name = self.context.name("h")
        lines.append(f"{name} = {self.handle(type_, value)}")
        return [name]

    def lower_variant(self, type_: Compound, value: str, lines: list[str]) -> list[str]:
        if type_.kind is Kind.ENUM:
            return [self.enum(type_, value)]
        pointer = self.context.pointer
        wanted = type_.flat(pointer)[1:]

        def write(name: str) -> list[str]:
            body = [f"def {name}(v):"]
            for test, index, case, payload in self.cases(type_):
                inner: list[str] = []
                texts: list[str] = []
                if case is not None:
                    inner.append(f"v = {payload}")
                    own = self.lower(case, "v", inner)
                    texts = [joined(*each) for each in zip(own, case.flat(pointer), wanted, strict=False)]
                texts += ["0.0" if each in (F32, F64) else "0" for each in wanted[len(texts) :]]
                body += [f"{INDENT}{test}", *indented(inner, 2)]
                body.append(f"{INDENT * 2}return {', '.join([str(index), *texts])}")
            return body

        function = self.context.function(self.verb("lower"), type_, write)
        names = [self.context.name("v") for _ in range(1 + len(wanted))]
        lines.append(f"{', '.join(names)} = {function}({value})")
        return names

    # Lists

    def list_writer(self, type_: Compound) -> str:
        """The name of the function that stores a list in memory and returns its address and length."""
        element = element_of(type_)
        if isinstance(element, Prim) and element.name == "u8":
            return "put_octets"

        def write(name: str) -> list[str]:
            return self.list_lines(name, type_, element)

        return self.context.function(self.verb("write"), type_, write)

    def list_lines(self, name: str, type_: Compound, element: ValType) -> list[str]:
        pointer = self.context.pointer
        size, alignment = element.size(pointer), element.alignment(pointer)
        head = f"def {name}(v):"
        if isinstance(element, Prim) and element.name in CHARS:
            return [head, f"{INDENT}return put_numbers({CHARS[element.name]!r}, {size}, v)"]
        lines = [head, f"{INDENT}p = start = room(len(v), {size}, {alignment})"]
        form = number_format(element, pointer)
        if form and isinstance(element, Compound) and "f" not in form and self.is_flat(element):
            pack = self.context.constant(Struct("<" + form).pack_into)
            parts = ", ".join(self.part(element, "x", index) for index in range(len(element.parts)))
            lines.append(f"{INDENT}area = span(p, len(v) * {size}, {alignment})")
            each = [f"{pack}(area, p - start, {parts})"]
        else:
            each = list(self.store(element, "x", "p"))
        return [
            *lines,
            f"{INDENT}for x in paced(v):",
            *indented(each, 2),
            f"{INDENT * 2}p += {size}",
            f"{INDENT}return start, len(v)",
        ]

    def is_flat(self, element: Compound) -> bool:
        """Whether all parts are primitive."""
        return all(isinstance(part, Prim) for part in element.parts)


def indented(lines: Any, depth: int = 1) -> list[str]:
    return [INDENT * depth + line for line in lines]


Store = Callable[[Writer, Compound, str, str, int], Iterator[str]]
Lower = Callable[[Writer, Compound, str, list[str]], list[str]]
STORES: Mapping[Kind, Store] = by_shape(
    fields=Writer.store_fields,
    lists=Writer.store_list,
    flags=Writer.store_flags,
    handles=Writer.store_handle,
    variants=Writer.store_variant,
)
LOWERS: Mapping[Kind, Lower] = by_shape(
    fields=Writer.lower_fields,
    lists=Writer.lower_list,
    flags=Writer.lower_flags,
    handles=Writer.lower_handle,
    variants=Writer.lower_variant,
)
