"""Components that are large or deep where they say little: refused, or taken in the time of their bytes."""

from __future__ import annotations

from tests.component.mutations import COMPONENT, unsigned

from .harness import Hostile, text

PAIRS = "(type $t0 (tuple u8 u8))"


def pairs(count: int) -> str:
    """Types, each of which has the one before it twice."""
    return PAIRS + "".join(f"(type $t{i} (tuple $t{i - 1} $t{i - 1}))" for i in range(1, count))


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def nested(depth: int) -> bytes:
    """Components in components."""
    data = COMPONENT
    for _ in range(depth):
        data = COMPONENT + section(4, data)
    return data


def types(*each: bytes) -> bytes:
    return COMPONENT + section(7, unsigned(len(each)) + b"".join(each))


def index(number: int) -> bytes:
    """A type's index where a value type may stand: a signed number, which no primitive type's code is."""
    return bytes([number & 0x7F | 0x80, number >> 7 & 0x7F | 0x80, number >> 14])


def instance_types(count: int) -> str:
    """Instance types, each of which exports two instances of the one before it."""
    each = "".join(
        f"(type $i{i} (instance (alias outer 1 $i{i - 1} (type $p))"
        ' (export "a" (instance (type $p))) (export "b" (instance (type $p)))))'
        for i in range(1, count)
    )
    return f'(type $i0 (instance (export "f" (func)))) {each} (import "x" (instance (type $i{count - 1})))'


def components(count: int, inner: str) -> str:
    """Components, each of which has two instances of the one before it."""
    each = "".join(
        f"(component $c{i} (alias outer 1 $c{i - 1} (component $p))"
        " (instance (instantiate $p)) (instance (instantiate $p)))"
        for i in range(1, count)
    )
    return f"(component $c0 {inner}) {each} (instance (instantiate $c{count - 1}))"


INVALID = "refused(InvalidError, {text!r}, Component, DATA)"
BINARIES = [
    Hostile("2^28 leaves in 28 lines", text(pairs(28)), INVALID.format(text="effective type size exceeds")),
    Hostile(
        "lists 10,000 deep",
        lambda: types(b"\x70\x7d", *(b"\x70" + index(i) for i in range(9_999))),
        INVALID.format(text="nesting is too deep"),
    ),
    Hostile(
        "components 10,000 deep",
        lambda: nested(10_000),
        "assert refused(MalformedError, 'nested more than 100 deep', Component, DATA).offset > 0",
    ),
    Hostile(
        "100,000 types that name each other",
        lambda: types(b"\x70\x7d", *[b"\x6f\x02\x00\x00"] * 100_000),
        "Component(DATA)",
        cpu=20.0,
        peak=600 << 20,
    ),
    Hostile(
        "instance types that double",
        text(instance_types(28)),
        INVALID.format(text="types are too large"),
        cpu=15.0,
    ),
    Hostile(
        "a claim of 2^32 types",
        lambda: COMPONENT + section(7, b"\xff\xff\xff\xff\x0f\x70\x7d"),
        "refused(MalformedError, '', Component, DATA)",
    ),
    Hostile(
        "a list of 2^32 strings in place",
        lambda: types(b"\x67\x73\xff\xff\xff\xff\x0f"),
        "refused(InvalidError, '', Component, DATA)",
    ),
    Hostile(
        "a name of 1 MB with control characters",
        lambda: (
            COMPONENT
            + section(10, b"\x01\x00" + unsigned(1 << 20) + b"\x1b[2J\n\x00\x7f" * 131072 + b"\x01\x00")
        ),
        "refused(WasmError, '', Component, DATA)",
    ),
    Hostile(
        "a core module imports a name with control characters",
        text(
            r'(core module $M (import "\1b[2J\n" "\00\r" (func)))'
            r"(core module $N) (core instance $n (instantiate $N))"
            r'(core instance (instantiate $M (with "\1b[2J\n" (instance $n))))'
        ),
        "refused(InvalidError, '', Component, DATA)",
    ),
    Hostile(
        "an import whose name has 1 MB",
        text(f'(import "{"a" * 1_000_000}" (func)) (import "b" (func))'),
        "said = str(refused(LinkError, 'b (func())', begin)); assert len(said) < 5000",
        peak=250 << 20,
    ),
    Hostile(
        "instances of instances",
        text(components(28, "")),
        "assert refused(LimitError, 'instances', begin).limit == 'instances'",
    ),
    Hostile(
        "instances of instances of core modules",
        text(components(28, "(core module $m) (core instance (instantiate $m))")),
        "assert refused(LimitError, 'instances', lambda: begin(instances=1000)).limit == 'instances'",
    ),
    Hostile(
        "20,000 core instances",
        text("(core module $m)" + "(core instance (instantiate $m))" * 20_000),
        "assert refused(LimitError, 'instances', lambda: begin(instances=1000)).limit == 'instances'",
    ),
    Hostile(
        "memories of 64 MiB in 64 instances",
        text("(core module $m (memory 1024) (func))" + "(core instance (instantiate $m))" * 64),
        "told = refused(LimitError, '', lambda: begin(memory=1 << 26, memory_total=1 << 30))\n"
        "assert told.limit == 'memory_total'",
    ),
    Hostile(
        "tables of 900,000 elements in 64 instances",
        text("(core module $m (table 900000 funcref))" + "(core instance (instantiate $m))" * 64),
        "assert refused(LimitError, '', begin).limit == 'table_total'",
        cpu=10.0,
        peak=600 << 20,
    ),
    Hostile(
        "a start that doesn't end",
        text("(core module $m (func $f (loop (br 0))) (start $f)) (core instance (instantiate $m))"),
        "refused(DeadlineError, '', lambda: begin(seconds=0.5))",
        engines=("compile", "interpret"),
    ),
    Hostile(
        "a function of 2^19 leaves",
        text(
            f'{pairs(18)} (core module $M (memory (export "m") 1) (func (export "f") (param i32))'
            ' (func (export "r") (param i32 i32 i32 i32) (result i32) (i32.const 0)))'
            "(core instance $m (instantiate $M))"
            '(func (export "f") (param "x" $t17)'
            ' (canon lift (core func $m "f") (memory (core memory $m "m")) (realloc (core func $m "r"))))'
        ),
        "refused(TypeError, 'x: None is no tuple', begin().exports.f, None)",
    ),
]
