"""Random programs with exceptions as they were before 3.0: each is also written in the newer encoding, in
which wasmtime runs it, and does the same on both engines.

What is here: programs in both encodings. What is not: single instructions (`test_legacy_exceptions.py`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap, WasmException
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.limits import Limits

from ..conftest import examples

FUNCTION = "function"
"""The name of the outermost label, which the older text has only as a number."""
TAGS = {"$a": "i32", "$b": "i32 i64", "$c": "", "": ""}
"""The types of the values of each tag; "" is any tag."""
KEEP = {"$a": "(local.set $x)", "$b": "(local.set $y (i32.xor (i32.wrap_i64)))", "$c": "", "": ""}
"""What a clause does first with the values."""
THROWN = {"$a": "", "$b": "(i64.const -3)"}


class Code(NamedTuple):
    """A part of a program in both encodings."""

    old: str
    new: str

    @classmethod
    def same(cls, text: str) -> Code:
        return cls(text, text)

    def __add__(self, other: object) -> Code:
        assert isinstance(other, Code)
        return Code(f"{self.old} {other.old}", f"{self.new} {other.new}")


class Around(NamedTuple):
    """What is around a statement: all labels from the outermost on, and those with an open clause."""

    labels: tuple[str, ...]
    catching: tuple[str, ...]

    def inside(self, label: str) -> Around:
        return self._replace(labels=(*self.labels, label))

    def caught(self, label: str) -> Around:
        return Around((*self.labels, label), (*self.catching, label))


def part(code: Code, label: str, type_: str) -> Code:
    """A part of the block `label`: where something in it delegates to the label, it is thrown again here."""
    if f"$d_{label} " not in code.new:
        return code
    out = f"$o_{label}"
    return Code(
        code.old,
        f"(block {out} {type_} (throw_ref (block $d_{label}  (result exnref) {code.new} (br {out}))))",
    )


def within(keyword: str, label: str, type_: str, code: Code) -> Code:
    """A block or loop."""
    inner = part(code, label, type_)
    return Code(*(f"({keyword} ${label} {type_} {each})" for each in inner))


def attempt(label: str, type_: str, body: Code, clauses: list[tuple[str, Code]]) -> Code:
    """A `try` with clauses: a tag, and the code after the values are kept."""
    body = part(body, label, type_)
    parts = [(tag, Code.same(KEEP[tag]) + part(code, label, type_)) for tag, code in clauses]
    old = "".join(f"({f'catch {tag}' if tag else 'catch_all'} {code.old})" for tag, code in parts)
    catches = "".join(
        f"(catch_ref {tag} $h{n}_{label})" if tag else f"(catch_all_ref $h{n}_{label})"
        for n, (tag, _) in enumerate(parts)
    )
    new = f"(try_table {type_} {catches} {body.new}) (br ${label})"
    for n, (tag, code) in enumerate(parts):
        carried = f"(result {TAGS[tag]} exnref)"
        new = f"(block $h{n}_{label} {carried} {new}) (local.set $e_{label}) {code.new} (br ${label})"
    return Code(
        f"(try ${label} {type_} (do {body.old}) {old})", f"(block ${label} {type_} {new} (unreachable))"
    )


def delegating(label: str, type_: str, body: Code, target: str, depth: int) -> Code:
    """A `try` that delegates to the label `target`; the function's is `depth` levels away."""
    body = part(body, label, type_)
    to = depth if target == FUNCTION else f"${target}"
    return Code(
        f"(try ${label} {type_} (do {body.old}) (delegate {to}))",
        f"(block ${label} {type_} (try_table {type_} (catch_all_ref $d_{target} ) {body.new}))",
    )


KINDS = (
    "set", "tee", "global", "call", "throw", "throw", "rethrow", "rethrow", "try", "try", "try", "value",
    "delegate", "delegate", "table", "if", "br", "loop", "trap", "tail",
)  # fmt: skip
RESULT = "(result i32)"


class Names:
    """Labels that are unique in a program."""

    def __init__(self) -> None:
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"l{self.count}"


@st.composite
def statements(draw: st.DrawFn, depth: int, around: Around, names: Names) -> Code:
    made = Code("", "")
    for _ in range(draw(st.integers(1, 3))):
        made += draw(statement(depth, around, names))
    return made


@st.composite
def statement(draw: st.DrawFn, depth: int, around: Around, names: Names) -> Code:
    kind = draw(st.sampled_from(KINDS))
    x, f = draw(st.sampled_from(["$x", "$y"])), f"$f{draw(st.integers(0, 2))}"
    first, second = draw(expressions()), draw(expressions())
    condition = f"(i32.and {first} (i32.const {draw(st.sampled_from([1, 2, 4, 8]))}))"
    label = names.new()
    if kind in ("try", "value", "delegate", "table", "if", "loop"):
        if not depth:
            kind = "throw"
        else:
            return draw(nesting(kind, depth - 1, around, label, names, condition, x))
    tag = draw(st.sampled_from(["$a", "$b", "$c"]))
    thrown = f"(throw {tag} {first} {THROWN[tag]})" if tag in THROWN else f"(throw {tag})"
    if kind == "rethrow" and around.catching:
        source = draw(st.sampled_from(around.catching))
        return Code(
            f"(if {condition} (then (rethrow ${source})))",
            f"(if {condition} (then (throw_ref (local.get $e_{source}))))",
        )
    target = draw(st.sampled_from(around.labels[1:] or ("",)))
    branch = f"(br_if ${target} {condition})" if target and target not in names_of_values(around) else "nop"
    return Code.same(
        {
            "set": f"(local.set {x} {first})",
            "tee": f"(local.set {x} (i32.sub (call {f} {first}) (local.tee $y {second})))",
            "global": f"(global.set $g (i32.add (i32.mul (global.get $g) (i32.const 31)) {first}))",
            "call": f"(local.set {x} (call {f} {first}))",
            "br": branch,
            "trap": f"(local.set {x} (i32.div_u {second} {condition}))",
            "tail": f"(if {condition} (then (return_call {f} {second})))",
        }.get(kind, f"(if {condition} (then {thrown}))")
    )


def names_of_values(around: Around) -> set[str]:
    """Labels of blocks with a result, to which no statement branches."""
    return {label for label in around.labels if label.startswith("v")}


@st.composite
def nesting(
    draw: st.DrawFn, kind: str, depth: int, around: Around, label: str, names: Names, condition: str, x: str
) -> Code:
    if kind == "value":
        label = f"v{label}"
    type_ = RESULT if kind == "value" else ""
    inner = draw(statements(depth, around.inside(label), names))
    result = Code.same(draw(expressions()) if type_ else "")
    if kind == "if":
        inner = part(inner, label, "")
        return Code(*(f"(if ${label} {condition} (then {each}))" for each in inner))
    if kind == "loop":
        again = f"(br_if ${label} (i32.gt_s (call $spend) (i32.const 0)))"
        return within("loop", label, "", inner + Code.same(again))
    if kind == "delegate":
        target = draw(st.sampled_from(around.labels))
        return delegating(label, "", inner, target, len(around.labels) - 1)
    if kind == "table":
        caught = names.new()
        body = part(inner, label, "")
        return Code(
            *(
                f"(block ${caught} (result i32) (try_table ${label} (catch $a ${caught}) {each})"
                f" (i32.const 3)) (local.set {x})"
                for each in body
            )
        )
    tags = draw(st.lists(st.sampled_from(["$a", "$b", "$c"]), max_size=3))
    if not tags or draw(st.booleans()):
        tags.append("")
    clauses = []
    for tag in tags:
        code = draw(statements(depth, around.caught(label), names))
        clauses.append((tag, code + Code.same(draw(expressions()) if type_ else "")))
    made = attempt(label, type_, inner + result, clauses)
    if type_:
        return Code(*(f"(local.set {x} (i32.add (local.get $y) {each}))" for each in made))
    return made


@st.composite
def expressions(draw: st.DrawFn) -> str:
    leaf = st.sampled_from(
        ["(local.get $x)", "(local.get $y)", "(global.get $g)", "(i32.const 7)", "(i32.const 2)"]
    )
    if draw(st.booleans()):
        return draw(leaf)
    op = draw(st.sampled_from(["add", "mul", "xor", "shr_u"]))
    return f"(i32.{op} {draw(leaf)} {draw(leaf)})"


@st.composite
def programs(draw: st.DrawFn) -> Code:
    made = Code("", "")
    for n in range(3):
        names = Names()
        body = draw(statements(3, Around((FUNCTION,), ()), names))
        body += Code.same("(i32.add (i32.mul (local.get $x) (i32.const 3)) (local.get $y))")
        body = part(body, FUNCTION, RESULT)
        kept = sorted(set(re.findall(r"\$e_\w+", body.new)))
        made += Code(*(
            f"""(func $f{n} (export "f{n}") (param $x i32) {RESULT} (local $y i32)
              {"".join(f"(local {each} exnref)" for each in kept if each in text)}
              (if (i32.le_s (call $spend) (i32.const 0)) (then (return (i32.const {n}))))
              {text})"""
            for text in body
        ))  # fmt: skip
    return Code(
        *(
            f"""(module (tag $a (param i32)) (tag $b (param i32 i64)) (tag $c)
              (global $g (export "g") (mut i32) (i32.const 1)) (global $fuel (mut i32) (i32.const 60))
              (func $spend (result i32)
                (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1))) (global.get $fuel))
              {text})"""
            for text in made
        )
    )


def outcome_of_wasmtime(text: str, argument: int) -> tuple[object, object]:
    config = wasmtime.Config()
    config.wasm_exceptions = config.wasm_gc = config.wasm_function_references = True
    store = wasmtime.Store(wasmtime.Engine(config))
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, text), []).exports(store)
    result: object
    try:
        result = exports["f0"](store, argument)  # type: ignore[operator] # it is a function
    except wasmtime.Trap as trap:
        result = "trap" if "divide by zero" in str(trap) else "exception"
    return result, exports["g"].value(store)  # type: ignore[union-attr] # it is a global


def outcome_of(module: Module, engine: str, argument: int, limits: Limits | None) -> tuple[object, ...]:
    """Result, global, and which instructions the error rose from."""
    with module.instantiate(engine=engine, limits=limits) as instance:
        result: object
        at: object = None
        try:
            result = instance.exports.f0(argument)
        except (WasmException, Trap) as error:
            result = "exception" if isinstance(error, WasmException) else "trap"
            at = [(frame.funcidx, frame.offset) for frame in error.frames]
        return result, instance.exports.g.value, at, instance.fuel if limits else None


@examples(80)
@given(programs(), st.integers(0, 15))
def test_what_wasmtime_does_with_the_newer_encoding(code: Code, argument: int) -> None:
    module = Module.from_text(code.old)
    for limits in (None, Limits(fuel=10**6)):
        compiled, interpreted = (
            outcome_of(module, engine, argument, limits) for engine in ("compile", "interpret")
        )
        assert compiled == interpreted
        assert compiled[:2] == outcome_of_wasmtime(code.new, argument)
    parsed = parse(code.old)
    assert parse(print_module(parsed)) == parsed
    assert Module.from_bytes(encode(parsed)).funcs == module.funcs


@pytest.mark.parametrize("argument", [0, 7])
def test_nothing_falls_back(argument: int) -> None:
    """A function of each kind of `try` is compiled."""
    text = """(module (tag $a)
      (func (export "f") (param i32) (result i32)
        (try $t (result i32)
          (do (try (result i32)
            (do (try (do (if (local.get 0) (then (throw $a)))) (delegate $t)) (i32.const 1))
            (catch_all (i32.const 2))))
          (catch $a (try (result i32) (do (rethrow $t)) (catch_all (i32.const 3)))))))"""
    engine = CompileEngine()
    instance = instantiate(parse(text), lambda *_: None, engine)
    assert instance.exports.f(argument) == (3 if argument else 1)
    assert not engine.interpreted
