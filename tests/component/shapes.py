"""Value types by chance, values of them by chance, and how those look in our API and in wasmtime's package.

What is here: `Shape`, and `plain` values: numbers, texts, tuples and (label, value) pairs, which compare by
`==`. What is not: components that pass them on (`echo.py`).
"""

from __future__ import annotations

import enum
import random
import string
import struct
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from pywasm_nn.component.canonical.faces import Err, Ok, Some, attribute

LABELS = [
    "a", "self", "class", "value", "label", "name", "cases", "none", "is-XML", "a1", "mro", "b-2", "index",
    "none-of-these", "x", "count", "type", "from", "ok", "error", "lambda", "v", "p", "print", "len", "y-z",
]  # fmt: skip
"""Labels of types, and some that Python may mistake for its own."""
INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "su" for bits in (8, 16, 32, 64)}
PRIMS = ("bool", *INTEGERS, "f32", "f64", "char", "string")
CORE = {"s64": "i64", "u64": "i64", "f32": "f32", "f64": "f64"}
"""Core types of primitive types that aren't i32."""
NOMINAL = ("record", "variant", "flags", "enum")
"""Types that need a name to cross a component's edge."""
EXTRA = ("fixed", "map")
"""Types that wasmtime's package has no values for."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A type: `kind` is a primitive type's name or that of a constructor."""

    kind: str
    labels: tuple[str, ...] = ()
    parts: tuple[Shape | None, ...] = ()
    length: int = 0

    def everything(self) -> list[Shape]:
        """The types that it is made of, itself last."""
        inner = [each for part in self.parts if part is not None for each in part.everything()]
        return [*inner, self]

    def area(self) -> int:
        """No fewer bytes than a value takes in memory, without what it points to."""
        inner = sum(part.area() for part in self.parts if part is not None)
        return 16 + inner * max(self.length, 1)

    def flat(self) -> list[str]:
        """The core types that it is passed as, up to the first 17."""
        if self.kind in PRIMS:
            return ["i32", "i32"] if self.kind == "string" else [CORE.get(self.kind, "i32")]
        parts = [part.flat() if part else [] for part in self.parts]
        if self.kind in ("list", "map"):
            return ["i32", "i32"]
        if self.kind in ("record", "tuple"):
            return [each for part in parts for each in part][:17]
        if self.kind == "fixed":
            return (parts[0] * self.length)[:17]
        if self.kind in ("flags", "enum"):
            return ["i32"]
        longest = max((len(part) for part in parts), default=0)
        return ["i32", *(joined({part[at] for part in parts if at < len(part)}) for at in range(longest))][
            :17
        ]


def joined(types: set[str]) -> str:
    """The core type that carries any of these."""
    if len(types) == 1:
        return next(iter(types))
    return "i32" if types == {"i32", "f32"} else "i64"


# By chance


def shape(chance: random.Random, depth: int, *, extra: bool = False) -> Shape:
    """A type at most so deep; `extra` allows those that wasmtime's package can't show."""
    if depth <= 1 or chance.random() < 0.15:
        return Shape(chance.choice(PRIMS))
    kinds = ["record", "variant", "list", "list", "tuple", "flags", "enum", "option", "option", "result"]
    kind = chance.choice(kinds + list(EXTRA) * 2 * extra)

    def part() -> Shape:
        return shape(chance, depth - 1, extra=extra)

    if kind in ("flags", "enum"):
        return Shape(kind, labels(chance, few(chance, 32) if kind == "flags" else few(chance, 300)))
    if kind in ("record", "variant"):
        names = labels(chance, chance.randint(1, 6))
        empty = kind == "variant"
        return Shape(kind, names, tuple(None if empty and chance.random() < 0.3 else part() for _ in names))
    if kind == "tuple":
        return Shape(kind, (), tuple(part() for _ in range(chance.randint(1, 5))))
    if kind == "result":
        return Shape(kind, (), tuple(None if chance.random() < 0.3 else part() for _ in range(2)))
    if kind == "fixed":
        return Shape(kind, (), (part(),), chance.randint(1, 5))
    if kind == "map":
        return Shape(kind, (), (Shape(chance.choice([p for p in PRIMS if p not in ("f32", "f64")])), part()))
    return Shape(kind, (), (part(),))


def few(chance: random.Random, most: int) -> int:
    """Mostly a small number, sometimes any up to `most`."""
    return chance.randint(1, 5 if chance.random() < 0.8 else most)


def labels(chance: random.Random, count: int) -> tuple[str, ...]:
    pool = LABELS + [f"l{index}" for index in range(count)]
    return tuple(chance.sample(pool, count))


def value(chance: random.Random, of: Shape) -> Any:
    """A plain value of a type."""
    parts = of.parts
    if of.kind in PRIMS:
        return prim(chance, of.kind)
    if of.kind in ("record", "tuple"):
        return tuple(value(chance, part) for part in parts if part)
    if of.kind == "list":
        (part,) = parts
        assert part is not None
        items = tuple(value(chance, part) for _ in range(chance.choice([0, 1, 2, 3, 5, 9])))
        return bytes(items) if part.kind == "u8" else items
    if of.kind == "fixed":
        return tuple(value(chance, parts[0]) for _ in range(of.length) if parts[0])
    if of.kind == "map":
        return {value(chance, parts[0]): value(chance, parts[1]) for _ in range(3) if parts[0] and parts[1]}
    if of.kind == "flags":
        return frozenset(chance.sample(of.labels, chance.randint(0, len(of.labels))))
    if of.kind == "enum":
        return chance.choice(of.labels)
    cases = cases_of(of)
    label = chance.choice(list(cases))
    inner = cases[label]
    return label, None if inner is None else value(chance, inner)


def cases_of(of: Shape) -> dict[str, Shape | None]:
    """The cases of what is passed as a variant, with wasmtime's names for those of results."""
    if of.kind == "variant":
        return dict(zip(of.labels, of.parts, strict=True))
    return (
        {"none": None, "some": of.parts[0]}
        if of.kind == "option"
        else {"ok": of.parts[0], "err": of.parts[1]}
    )


def prim(chance: random.Random, kind: str) -> Any:
    if kind == "bool":
        return chance.random() < 0.5
    if kind in INTEGERS:
        sign, bits = INTEGERS[kind]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "s" else (0, (1 << bits) - 1)
        return chance.choice([low, high, 0, 1, chance.randint(low, high)])
    if kind in ("f32", "f64"):
        number = chance.choice([0.0, -0.0, 1.5, float("inf"), -float("inf"), chance.uniform(-1e9, 1e9)])
        return struct.unpack("<f", struct.pack("<f", number))[0] if kind == "f32" else number
    if kind == "char":
        return character(chance)
    return "".join(character(chance) for _ in range(chance.choice([0, 1, 2, 5, 20])))


def character(chance: random.Random) -> str:
    wide = chance.choice(
        [0x00, 0x7F, 0x80, 0xE9, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    )
    return chance.choice([chance.choice(string.printable), chance.choice(string.printable), chr(wide)])


# In our API


class Case:
    """A case as a caller may write it: an object with a label and a value."""

    def __init__(self, label: str, value: Any) -> None:
        self.label = label
        self.value = value


def ours(of: Shape, plain: Any) -> Any:
    """A plain value, as a caller of ours who has no generated classes gives it."""
    parts = of.parts
    if of.kind in PRIMS:
        return plain
    if of.kind == "record":
        fields = zip(of.labels, parts, plain, strict=True)
        return SimpleNamespace(**{attribute(name): ours(part, x) for name, part, x in fields if part})
    if of.kind == "tuple":
        return tuple(ours(part, x) for part, x in zip(parts, plain, strict=True) if part)
    if of.kind in ("list", "fixed"):
        return plain if isinstance(plain, bytes) else [ours(parts[0], x) for x in plain if parts[0]]
    if of.kind == "map":
        return {key: ours(parts[1], x) for key, x in plain.items() if parts[1]}
    if of.kind == "flags":
        made = enum.Flag("Made", [(f"F{bit}", 1 << bit) for bit in range(len(of.labels))])
        return made(sum(1 << bit for bit, label in enumerate(of.labels) if label in plain))
    if of.kind == "enum":
        return enum.Enum("Made", {f"E{at}": label for at, label in enumerate(of.labels)})(plain)  # type: ignore[call-overload] # made of what isn't literal
    label, inner = plain
    part = cases_of(of)[label]
    given = None if part is None else ours(part, inner)
    if of.kind == "variant":
        return Case(label, given)
    if of.kind == "result":
        return Ok(given) if label == "ok" else Err(given)
    return given if label == "none" or part is None or part.kind != "option" else Some(given)


def plain(of: Shape, given: Any) -> Any:
    """What our API gave, as a plain value."""
    parts = of.parts
    if of.kind in PRIMS:
        return given
    if of.kind == "record":
        fields = zip(of.labels, parts, strict=True)
        return tuple(plain(part, getattr(given, attribute(name))) for name, part in fields if part)
    if of.kind == "tuple":
        assert isinstance(given, tuple)
        return tuple(plain(part, x) for part, x in zip(parts, given, strict=True) if part)
    if of.kind in ("list", "fixed"):
        return given if isinstance(given, bytes) else tuple(plain(parts[0], x) for x in given if parts[0])
    if of.kind == "map":
        return {key: plain(parts[1], x) for key, x in given.items() if parts[1]}
    if of.kind == "flags":
        return frozenset(label for bit, label in enumerate(of.labels) if given.value >> bit & 1)
    if of.kind == "enum":
        return given.value
    if of.kind == "option":
        part = parts[0]
        assert part is not None
        if given is None:
            return "none", None
        return "some", plain(part, given.value if part.kind == "option" else given)
    label = {"error": "err"}.get(given.label, given.label) if of.kind == "result" else given.label
    part = cases_of(of)[label]
    return label, None if part is None else plain(part, given.value)


# In wasmtime's package


def classes(of: Shape | None) -> set[type]:
    """The Python classes of a type's values in wasmtime's package, by which it tells cases apart."""
    from wasmtime import component

    if of is None:
        return {object}
    if of.kind in ("variant", "option", "result"):
        cases = list(cases_of(of).values())
        return {component.Variant} if tagged(of) else {each for case in cases for each in classes(case)}
    if of.kind == "list" and of.parts[0] and of.parts[0].kind == "u8":
        return {bytes}
    named = {"list": list, "tuple": tuple, "record": component.Record, "flags": set, "bool": bool}
    floats = dict.fromkeys(("f32", "f64"), float)
    return {({**named, **floats, **dict.fromkeys(INTEGERS, int)}).get(of.kind, str)}


def tagged(of: Shape) -> bool:
    """Whether a case is an object of its own there: where two cases have a class in common."""
    seen: set[type] = set()
    for case in cases_of(of).values():
        if classes(case) & seen:
            return True
        seen |= classes(case)
    return False


def foreign(of: Shape) -> str:
    """Why wasmtime's package can't show such values; empty if it can."""
    for each in of.everything():
        if each.kind in EXTRA:
            return "it has no values for fixed lists and maps"
        if each.kind in ("variant", "option", "result") and not tagged(each):
            if {bool, int} <= classes(each):
                return "it takes True for an int where cases are told apart by class"
            if any(object in classes(case) for case in cases_of(each).values() if case):
                return "it takes any object for a case that may be None within"
    return ""


def theirs(of: Shape, plain: Any) -> Any:
    """A plain value for wasmtime's package."""
    from wasmtime import component

    parts = of.parts
    if of.kind in PRIMS or of.kind == "enum" or isinstance(plain, bytes):
        return plain
    if of.kind == "record":
        made = component.Record()
        for name, part, x in zip(of.labels, parts, plain, strict=True):
            setattr(made, name, theirs(part, x) if part else None)
        return made
    if of.kind == "flags":
        return set(plain)
    if of.kind == "tuple":
        return tuple(theirs(part, x) for part, x in zip(parts, plain, strict=True) if part)
    if of.kind == "list":
        return [theirs(parts[0], x) for x in plain if parts[0]]
    label, inner = plain
    part = cases_of(of)[label]
    given = None if part is None else theirs(part, inner)
    return component.Variant(label, given) if tagged(of) else given


def from_theirs(of: Shape, given: Any, told: Any) -> Any:
    """What wasmtime's package gave, as a plain value; `told` is the value that it should be, which says what
    case it is where the package doesn't."""
    parts = of.parts
    if of.kind in PRIMS or of.kind == "enum" or (of.kind == "list" and isinstance(given, bytes)):
        return given
    if of.kind == "record":
        fields = zip(of.labels, parts, told, strict=True)
        return tuple(from_theirs(part, getattr(given, name), x) for name, part, x in fields if part)
    if of.kind == "flags":
        return frozenset(given)
    if of.kind == "tuple":
        return tuple(from_theirs(part, x, y) for part, x, y in zip(parts, given, told, strict=True) if part)
    if of.kind == "list":
        return tuple(from_theirs(parts[0], x, y) for x, y in zip(given, told, strict=True) if parts[0])
    label, inner = (given.tag, given.payload) if tagged(of) else (told[0], given)
    part = cases_of(of)[label]
    return label, None if part is None else from_theirs(part, inner, told[1] if label == told[0] else None)
