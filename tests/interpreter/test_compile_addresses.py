"""Addresses that are computed, near every number where a sum wraps or a test of generated code changes its
answer: against arithmetic modulo 2^32 and 2^64, on both engines and in both flavours of memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from ..conftest import ALL_EXAMPLES

SIZE = 65536
CONTENTS = bytes(n * 7 + (n >> 8) & 0xFF for n in range(SIZE))
FUNCTIONS = 60
STORED = 0x1122334455667788
LOADS = {
    "i32.load8_u": 1, "i32.load16_u": 2, "i32.load": 4, "f32.load": 4, "i64.load8_u": 1, "i64.load16_u": 2,
    "i64.load32_u": 4, "i64.load": 8, "f64.load": 8, "v128.load": 16, "v128.load64_zero": 8,
    "v128.load64_lane": 8,
}  # fmt: skip
STORES = {
    "i32.store8": 1, "i32.store16": 2, "i32.store": 4, "f32.store": 4, "i64.store8": 1, "i64.store16": 2,
    "i64.store32": 4, "i64.store": 8, "f64.store": 8, "v128.store64_lane": 8,
    "memory.fill": 3, "memory.copy": 3,
}  # fmt: skip
Value = Callable[[int, int], int]


@dataclass(frozen=True)
class Address:
    """An expression over two locals, and what it is before it wraps."""

    text: str
    value: Value


class Addresses:
    """Writes addresses of `bits` bits."""

    def __init__(self, random: Random, bits: int) -> None:
        self.random, self.bits = random, bits
        powers = {0, 2, 8, 16, 20, 30, 31, 32, bits - 2, bits - 1, bits}
        self.edges = sorted(
            {(1 << power) + more & (1 << bits) - 1 for power in powers for more in (-2, -1, 0, 1, 17)}
        )

    def number(self) -> int:
        edge = self.random.choice(self.edges)
        return self.random.choice((edge, edge, self.random.getrandbits(self.bits)))

    def make(self, depth: int) -> Address:
        r, t = self.random, f"i{self.bits}"
        if depth == 0:
            local = r.randrange(2)
            return Address(f"(local.get {local})", lambda *locals_: locals_[local])
        inner = self.make(depth - 1)
        text, value = inner.text, inner.value
        kind = r.choice(
            ("chain", "chain", "add", "add", "sub", "sub", "from", "both", "and", "shl", "mul", "tee")
        )
        if kind == "chain":
            return self.chain(inner)
        constant = self.number()
        if kind == "tee":
            return Address(f"(local.tee 2 {text})", value)
        if kind == "both":
            other = self.make(r.randrange(depth))
            return Address(f"({t}.add {text} {other.text})", lambda a, b: value(a, b) + other.value(a, b))
        if kind == "from":
            return Address(f"({t}.sub ({t}.const {constant}) {text})", lambda a, b: constant - value(a, b))
        if kind in ("shl", "mul"):
            constant = (
                r.choice((1, 2, 3, 4, 16, 31)) if kind == "shl" else r.choice((2, 3, 4, 12, 4096, constant))
            )
        does: Callable[[int], int] = {
            "add": lambda x: x + constant,
            "sub": lambda x: x - constant,
            "and": lambda x: x & constant,
            "shl": lambda x: x << constant,
            "mul": lambda x: x * constant,
        }[kind]
        return Address(f"({t}.{kind} {text} ({t}.const {constant}))", lambda a, b: does(value(a, b)))

    def chain(self, inner: Address) -> Address:
        """What is added to in several steps that come to little more or less than an edge together."""
        r, t, text, value = self.random, f"i{self.bits}", inner.text, inner.value
        total, added = r.choice(self.edges) + r.randrange(-20, 20), 0
        count = r.choice((2, 2, 3))
        for left in range(count, 0, -1):
            part = (total - added) // left + (r.randrange(-9, 9) if left > 1 else 0)
            added += part
            verb, constant = ("add", part) if r.random() < 0.8 else ("sub", -part)
            text = f"({t}.{verb} {text} ({t}.const {constant % (1 << self.bits)}))"
        return Address(text, lambda a, b: value(a, b) + added)


@dataclass(frozen=True)
class Case:
    """A function that accesses memory once."""

    name: str
    address: Address
    offset: int
    text: str

    def expected(self, base: int) -> tuple[int | TrapKind, bytes]:
        """What comes of it at an address: a result, or why there is none, and memory."""
        start, width = base + self.offset, (LOADS | STORES)[self.name]
        if start + width > SIZE:
            return TrapKind.OUT_OF_BOUNDS_MEMORY, CONTENTS
        if self.name in LOADS:
            return int.from_bytes(CONTENTS[start : start + width], "little"), CONTENTS
        written = STORED.to_bytes(8, "little")[:width]
        if self.name == "memory.fill":
            written = bytes([STORED & 0xFF]) * width
        elif self.name == "memory.copy":
            written = CONTENTS[:width]
        return 0, CONTENTS[:start] + written + CONTENTS[start + width :]


def case(addresses: Addresses, number: int) -> Case:
    r, bits = addresses.random, addresses.bits
    name = r.choice([*LOADS, *STORES])
    address = addresses.make(r.choice((1, 2, 2, 3, 4)))
    offset = 0 if name.startswith("memory.") else r.choice((0, 0, 0, 1, 16, 700, addresses.number()))
    place = f"(local.tee 2 {address.text})" if r.random() < 0.2 else address.text
    memarg = f"offset={offset}" if offset else ""
    stored = {"i32": f"(i32.const {STORED & 0xFFFFFFFF})", "i64": f"(i64.const {STORED})"}
    stored["f32"] = f"(f32.reinterpret_i32 {stored['i32']})"
    stored["f64"] = f"(f64.reinterpret_i64 {stored['i64']})"
    if name == "memory.fill":
        body = f"(memory.fill {place} {stored['i32']} (i{bits}.const 3)) (i64.const 0) (i64.const 0)"
    elif name == "memory.copy":
        body = f"(memory.copy {place} (i{bits}.const 0) (i{bits}.const 3)) (i64.const 0) (i64.const 0)"
    elif name in STORES:
        lane = "1 " if name.endswith("lane") else ""
        value = f"(i64x2.splat {stored['i64']})" if lane else stored[name[:3]]
        body = f"({name} {memarg} {lane}{place} {value}) (i64.const 0) (i64.const 0)"
    elif name.startswith("v128"):
        lane, vector = ("0 ", "(v128.const i64x2 0 0)") if name.endswith("lane") else ("", "")
        halves = "(i64x2.extract_lane 0 (local.get 3)) (i64x2.extract_lane 1 (local.get 3))"
        body = f"(local.set 3 ({name} {memarg} {lane}{place} {vector})) {halves}"
    else:
        loaded = f"({name} {memarg} {place})"
        widened = {
            "i32": "(i64.extend_i32_u {})",
            "i64": "{}",
            "f32": "(i64.extend_i32_u (i32.reinterpret_f32 {}))",
            "f64": "(i64.reinterpret_f64 {})",
        }
        body = f"{widened[name[:3]].format(loaded)} (i64.const 0)"
    head = f'(func (export "f{number}") (param i{bits} i{bits}) (result i64 i64) (local i{bits} v128)'
    return Case(name, address, offset, f"{head} {body})")


def outcome(instance: Instance, name: str, arguments: tuple[int, int]) -> tuple[int | TrapKind, bytes]:
    instance.memory.write(0, CONTENTS)
    result: int | TrapKind
    try:
        low, high = instance.exports[name](*arguments)
        result = (low & (1 << 64) - 1) | (high & (1 << 64) - 1) << 64
    except Trap as trap:
        result = trap.kind
    return result, bytes(instance.memory.buffer)


@pytest.mark.parametrize("engine", ["interpret", "compile"])
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("seed", range(3 if ALL_EXAMPLES else 1))
def test_addresses_wrap_where_integers_do(seed: int, bits: int, engine: str, flavour: Flavour) -> None:
    addresses = Addresses(Random(f"{seed} {bits}"), bits)
    cases = [case(addresses, number) for number in range(FUNCTIONS)]
    whole = 1 << bits
    module = Module.from_text(
        f"(module (memory {'i64' if bits == 64 else ''} 1) {''.join(each.text for each in cases)})"
    )
    inside = 0
    with module.instantiate(engine=engine, flavour=flavour) as instance:
        for number, each in enumerate(cases):
            value = each.address.value
            for _ in range(8):
                wanted = addresses.random.choice((0, 3, 700, SIZE - 20, SIZE - 3))
                a = addresses.random.choice(
                    (wanted - value(0, 0) - each.offset, wanted - value(0, 0), addresses.number())
                )
                b = addresses.random.choice((0, addresses.number()))
                arguments = a % whole, b % whole
                expected = each.expected(value(*arguments) % whole)
                inside += not isinstance(expected[0], TrapKind)
                assert outcome(instance, f"f{number}", arguments) == expected, (each.text, arguments)
    assert inside > FUNCTIONS


def test_constants_that_are_added_wrap_beyond_what_is_small(flavour: Flavour) -> None:
    """Below 2^30 a variable plus 0xfffffffe wraps, too."""
    add = "(i32.add (i32.add (local.get 0) (i32.const 0x7fffffff)) (i32.const {}))"
    loads = [f"(i32.load8_u {add.format(constant)})" for constant in (0x40000000, 0x40000001, 0x7FFFFFFF)]
    functions = "".join(
        f'(func (export "f{n}") (param i32) (result i32) {load})' for n, load in enumerate(loads)
    )
    module = Module.from_text(f'(module (memory 1) (data (i32.const 0) "\\00\\01\\02\\03") {functions})')
    with module.instantiate(engine="compile", flavour=flavour) as instance:
        assert instance.exports.f2(5) == 3
        assert instance.exports.f1(0x40000002) == 2
        assert instance.exports.f0(0x40000002) == 1


def test_an_address_is_computed_once(flavour: Flavour) -> None:
    """Although an f32 is read twice if it is no number, to keep all of its bits."""
    module = Module.from_text("""(module (memory 1)
      (func (param f32) (result f32) (f32.load (i32.reinterpret_f32 (local.get 0)))))""")
    source = translate(module, 0, validate_func(module, 0), Variant(flavour)).source
    assert source.count("bits32(") == 1
    assert "nan32(" in source


def test_far_offsets_that_a_long_function_uses_often_have_views() -> None:
    rare = " ".join(f"(drop (i32.load offset={1000 + 4 * n} (local.get 0)))" for n in range(100))
    often = " ".join("(drop (i32.load offset=5000 (local.get 0)))" for _ in range(100))
    text = f"(module (memory 1) (func (param i32) {rare} {often}))"
    module = Module.from_text(text)
    notes = translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW)).notes
    starts = {start for _, _, start in notes.shifts}
    assert 5000 in starts and len(starts) == 8 + len(module.funcs[0].body.ops) // 64
