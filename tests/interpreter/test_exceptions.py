"""Exceptions: thrown, caught and passed on alike by both engines, by hosts, and by wasmtime."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import HostError, LinkError, Trap, TrapKind, WasmException
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.interpret import Machine
from pywasm_nn.interpreter.runtime.externs import Tag
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import F32, I32, I64
from pywasm_nn.interpreter.validate import validate_func

from ..conftest import examples

Start = Callable[..., Instance]

THROWS = """
(module
  (import "host" "tag" (tag $host (param i32 i64)))
  (import "host" "call" (func $call (param i32)))
  (tag $own (export "own") (param i32 f32))
  (func (export "throw") (param i32 f32) (throw $own (local.get 0) (local.get 1)))
  (func $deep (param i32) (call $call (local.get 0)))
  (func (export "catch") (param i32) (result i32 i64)
    (block $caught (result i32 i64)
      (try_table (catch $host $caught) (call $deep (local.get 0)))
      (i32.const 0) (i64.const 0)))
  (func (export "catch_all") (param i32) (result i32)
    (block $caught (try_table (catch_all $caught) (call $deep (local.get 0))) (return (i32.const 0)))
    (i32.const 1))
  (func (export "pass") (param i32) (call $deep (local.get 0))))
"""


def raises(error: BaseException) -> Callable[[int], None]:
    def call(value: int) -> None:
        raise error

    return call


@pytest.fixture
def flavour() -> Flavour:
    """One is enough: memory isn't the subject here."""
    return Flavour.default()


def test_an_uncaught_exception_carries_its_values_and_names_its_frames(start: Start) -> None:
    tag = Tag.carrying(I32, I64)
    instance = start(THROWS, imports={"host": {"tag": tag, "call": raises(ValueError())}})
    for _ in range(2):  # nothing is broken by it
        with pytest.raises(WasmException) as caught:
            instance.exports.throw(-1, 0.5)
        assert caught.value.tag is instance.exports.own
        assert caught.value.values == (-1, 0.5)
        assert str(caught.value) == "exception of tag [i32 f32] with -1 0.5"
        assert [frame.name for frame in caught.value.frames] == ["throw"]


def test_guests_catch_what_hosts_throw(start: Start) -> None:
    tag = Tag.carrying(I32, I64)
    imports = {"host": {"tag": tag, "call": raises(WasmException(tag, (-1, 1 << 62)))}}
    exports = start(THROWS, imports=imports).exports
    assert exports["catch"](0) == (-1, 1 << 62)
    assert exports.catch_all(0) == 1
    with pytest.raises(WasmException) as caught:
        exports["pass"](0)
    assert [frame.name for frame in caught.value.frames] == ["deep", "pass"]


def test_a_tag_of_the_same_type_is_another_tag(start: Start) -> None:
    tag, other = Tag.carrying(I32, I64), Tag.carrying(I32, I64)
    imports = {"host": {"tag": tag, "call": raises(WasmException(other, (1, 2)))}}
    exports = start(THROWS, imports=imports).exports
    with pytest.raises(WasmException):
        exports["catch"](0)
    assert exports.catch_all(0) == 1


def test_only_exceptions_are_caught(start: Start) -> None:
    tag = Tag.carrying(I32, I64)
    exports = start(THROWS, imports={"host": {"tag": tag, "call": raises(ValueError("broken"))}}).exports
    with pytest.raises(HostError, match="broken"):
        exports.catch_all(0)
    text = """(module
      (func $endless (call $endless))
      (func (export "main") (block $h (try_table (catch_all $h) (call $endless)))))"""
    with pytest.raises(Trap, match="call stack exhausted"):
        start(text).exports.main()


def test_values_must_fit_their_tag() -> None:
    tag = Tag.carrying(I32, F32)
    with pytest.raises(TypeError):
        WasmException(tag, (1,))
    with pytest.raises(TypeError):
        WasmException(tag, (1.5, 1.5))
    with pytest.raises(ValueError, match="doesn't fit"):
        WasmException(tag, (1 << 32, 1.5))
    assert WasmException(tag, (1, 0.1)).values == (1, 0.10000000149011612)


def test_references_to_exceptions_come_and_go(start: Start) -> None:
    error = WasmException(Tag.carrying())
    text = """(module
      (func (export "same") (param exnref) (result exnref) (local.get 0))
      (func (export "throw") (param exnref) (throw_ref (local.get 0))))"""
    exports = start(text).exports
    assert exports.same(error) is error
    assert exports.same(None) is None
    with pytest.raises(WasmException) as caught:
        exports.throw(error)
    assert caught.value is error
    with pytest.raises(TypeError, match="no exnref"):
        exports.same(ValueError())


def test_tags_are_imported_by_type(start: Start) -> None:
    with pytest.raises(LinkError, match="wants a tag"):
        start(THROWS, imports={"host": {"tag": Tag.carrying(I32), "call": raises(ValueError())}})
    with pytest.raises(LinkError, match="wants a tag"):
        start(THROWS, imports={"host": {"tag": raises(ValueError()), "call": raises(ValueError())}})


def test_exceptions_cross_instances_and_engines() -> None:
    thrower = '(module (tag (export "tag") (param i32)) (func (export "throw") (throw 0 (i32.const 7))))'
    catcher = """(module (import "a" "tag" (tag (param i32))) (import "a" "throw" (func))
      (func (export "main") (result i32)
        (block (result i32) (try_table (catch 0 0) (call 0)) (i32.const 1))))"""
    for first in ("interpret", "compile"):
        for second in ("interpret", "compile"):
            a = Module.from_text(thrower).instantiate(engine=first)
            b = Module.from_text(catcher).instantiate(imports={"a": a}, engine=second)
            assert b.exports.main() == 7


def test_null_is_no_exception(start: Start) -> None:
    with pytest.raises(Trap) as caught:
        start('(module (func (export "main") (throw_ref (ref.null exn))))').exports.main()
    assert caught.value.kind is TrapKind.NULL_EXCEPTION
    assert [frame.name for frame in caught.value.frames] == ["main"]


def test_a_tail_call_leaves_the_try(start: Start) -> None:
    text = """(module (tag $e) (func $throw (throw $e))
      (func $inner (block $h (try_table (catch_all $h) (return_call $throw))))
      (func $itself (param i32)
        (block $h (try_table (catch_all $h) (if (local.get 0) (then (return_call $itself (i32.const 0))))
          (throw $e))))
      (func (export "outer") (result i32)
        (block $h (try_table (catch_all $h) (call $inner)) (return (i32.const 0))) (i32.const 1))
      (func (export "own") (result i32) (call $itself (i32.const 1)) (i32.const 2)))"""
    exports = start(text).exports
    assert exports.outer() == 1
    assert exports.own() == 2


def test_a_kept_exception_keeps_no_frames(start: Start) -> None:
    """Even one that went through many; otherwise guests could keep as much memory as they like."""
    text = """(module (import "host" "call" (func $call)) (tag $e) (global $kept (mut exnref) (ref.null exn))
      (func (export "main")
        (global.set $kept
          (block $h (result exnref) (try_table (catch_all_ref $h) (call $call)) (ref.null exn))))
      (func (export "caught") (block $h (try_table (catch_all $h) (throw_ref (global.get $kept)))))
      (func (export "again") (throw_ref (global.get $kept))))"""

    class Witness:
        pass

    watched: list[weakref.ref[Witness]] = []
    thrown: list[WasmException] = []
    tag = Tag.carrying()

    def call() -> None:
        witness = Witness()
        watched.append(weakref.ref(witness))
        thrown.append(WasmException(tag))
        raise thrown[0]

    instance = start(text, imports={"host": {"call": call}})
    gc.disable()
    try:
        instance.exports.main()
        assert watched[0]() is None
        instance.exports.caught()
        assert thrown[0].__traceback__ is None
        for _ in range(2):
            with pytest.raises(WasmException) as caught:
                instance.exports.again()
            assert caught.value.tag is tag
            assert [frame.name for frame in caught.value.frames] == ["again"]
    finally:
        gc.enable()


def test_a_call_that_throws_does_not_find_what_comes_later(start: Start) -> None:
    """The results of calls wait in the compiler: whatever a handler can see must not overtake them."""
    text = """(module (tag $e) (global $g (export "g") (mut i32) (i32.const 0)) (memory (export "memory") 1)
      (func $throw (result i32) (throw $e))
      (func (export "local") (result i32) (local i32)
        (block $h (try_table (catch_all $h)
          (call $throw) (local.set 0 (i32.const 1)) (drop)))
        (local.get 0))
      (func (export "tee") (result i32) (local i32)
        (block $h (try_table (catch_all $h)
          (drop (i32.add (call $throw) (local.tee 0 (i32.const 1))))))
        (local.get 0))
      (func (export "global") (result i32)
        (block $h (try_table (catch_all $h)
          (call $throw) (global.set $g (i32.const 1)) (drop)))
        (global.get $g))
      (func (export "store") (result i32)
        (block $h (try_table (catch_all $h)
          (call $throw) (i32.store (i32.const 0) (i32.const 1)) (drop)))
        (i32.load (i32.const 0)))
      (func (export "before") (result i32) (local i32)
        (local.get 0) (local.set 0 (i32.const 5))
        (block $h (try_table (catch_all $h) (local.set 0 (i32.const 6)) (drop (call $throw))))
        (i32.add (local.get 0))))"""
    exports = start(text).exports
    assert [exports[name]() for name in ("local", "tee", "global", "store", "before")] == [0, 0, 0, 0, 6]


@pytest.mark.parametrize("depth", [1, 15, 30, 200])
def test_any_depth_of_tries(start: Start, depth: int) -> None:
    """Python allows 20 blocks in each other; what nests deeper becomes a state machine."""
    tags = "".join(f"(tag $t{n} (param i32))" for n in range(depth))
    throws = [
        f"(if (i32.eq (local.get 0) (i32.const {n})) (then (throw $t{n} (i32.const {n}))))"
        for n in range(depth)
    ]
    body = "".join(throws)
    for n in range(depth):
        body = (
            f"(block $h{n} (result i32) (try_table (catch $t{n} $h{n}) {body}) (br $out))"
            f"(return (i32.add (i32.const {1000 * n})))"
        )
    text = (
        f'(module {tags} (func (export "main") (param i32) (result i32) (block $out {body}) (i32.const -1)))'
    )
    instance = start(text)
    main = instance.exports.main
    assert [main(n) for n in range(depth)] == [1001 * n for n in range(depth)]
    assert main(depth) == -1
    assert "0 interpreted" in instance.engine.summary(instance) or instance.engine.name == "interpret"


def test_loops_and_tries_in_each_other(start: Start) -> None:
    """Every iteration of every loop throws, and is caught two levels further out, ten levels deep."""
    body = "(local.set $sum (i32.add (local.get $sum) (i32.const 1))) (throw $e (local.get $sum))"
    for n in range(10):
        body = f"""
          (local.set $n{n} (i32.const 0))
          (loop $l{n}
            (block $h{n} (result i32) (try_table (result i32) (catch $e $h{n}) {body} (i32.const 0)))
            (local.set $last)
            (local.set $n{n} (i32.add (local.get $n{n}) (i32.const 1)))
            (br_if $l{n} (i32.lt_u (local.get $n{n}) (i32.const 2))))
          (throw $e (i32.add (local.get $last) (local.get $sum)))"""
    locals_ = " ".join(f"(local $n{n} i32)" for n in range(10))
    text = f"""(module (tag $e (param i32)) (func (export "main") (result i32)
      (local $sum i32) (local $last i32) {locals_}
      (block $h (result i32) (try_table (catch $e $h) {body}) (unreachable))))"""
    instance = start(text)
    assert instance.exports.main() == wasmtime_main(text)
    assert "0 interpreted" in instance.engine.summary(instance) or instance.engine.name == "interpret"


def wasmtime_main(text: str) -> object:
    engine = wasmtime.Engine(configured())
    store = wasmtime.Store(engine)
    instance = wasmtime.Instance(store, wasmtime.Module(engine, text), [])
    return instance.exports(store)["main"](store)  # type: ignore[operator] # it is a function


def configured() -> wasmtime.Config:
    config = wasmtime.Config()
    config.wasm_exceptions = True
    config.wasm_gc = True
    config.wasm_function_references = True
    return config


def test_machines_step_over_throws() -> None:
    text = """(module (tag $e (param i32)) (func $throw (throw $e (i32.const 5)))
      (func (export "main") (result i32)
        (block $h (result i32) (try_table (catch $e $h) (call $throw)) (i32.const 0))))"""
    instance = Module.from_text(text).instantiate(engine="interpret")
    machine = Machine(instance.exports.main, [])
    while not machine.done:
        machine.step()
    assert machine.results == (5,)


class Calls(Observer):
    """Notes what is entered and left."""

    wants = frozenset({"calls"})

    def __init__(self) -> None:
        self.open: list[int] = []

    def enter(self, funcidx: int, arguments: object, depth: int) -> None:
        self.open.append(funcidx)
        assert len(self.open) == depth

    def leave(self, funcidx: int, results: object, depth: int) -> None:
        assert (self.open.pop(), len(self.open)) == (funcidx, depth - 1)


def test_observers_see_every_frame_left() -> None:
    text = """(module (tag $e) (func $throw (throw $e)) (func $between (call $throw))
      (func (export "main") (block $h (try_table (catch $e $h) (call $between))) (call 3)) (func))"""
    calls = Calls()
    Module.from_text(text).instantiate(engine="interpret", observer=calls).exports.main()
    assert calls.open == []


@pytest.mark.parametrize(
    "attempt",
    [
        "(block $h (try_table (catch_all $h) (call $f)))",
        "(try (do (call $f)) (catch_all))",
        "(block (try (do (call $f)) (delegate 0)))",
        "(try (do (try (do (call $f)) (catch_all (rethrow 0)))) (catch_all))",
    ],
)
def test_loops_that_catch_now_and_then_are_no_whole_arrays(start: Start, attempt: str) -> None:
    text = f"""(module (memory 1) (global $calls (export "calls") (mut i32) (i32.const 0)) (tag $e)
      (func $f (global.set $calls (i32.add (global.get $calls) (i32.const 1))))
      (func (export "main") (param i32) (result i32) (local $i i32)
        (loop $l
          (if (i32.eq (local.get $i) (i32.const 5)) (then {attempt}))
          (i32.store (i32.shl (local.get $i) (i32.const 2)) (i32.add (local.get $i) (i32.const 7)))
          (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get 0))))
        (i32.load (i32.const 400))))"""
    instance = start(text)
    assert (instance.exports.main(2000), instance.exports.calls.value) == (107, 1)


def test_a_try_costs_nothing_where_nothing_is_thrown() -> None:
    """No statement of the body is touched."""
    text = "(module (func $f) (func (block $h (try_table (catch_all $h) (call $f) (call $f)))))"
    module = Module.from_text(text)
    source = translate(module, 1, validate_func(module, 1), Variant(Flavour.default())).source
    assert source.splitlines()[:5] == ["def func1():", " try:", "  func0()", "  func0()", "  caught = None"]


KINDS = (
    "set", "tee", "global", "call", "throw", "throw", "rethrow", "try", "try_ref", "try_value", "if", "br",
    "loop", "trap", "tail",
)  # fmt: skip


@st.composite
def statements(draw: st.DrawFn, depth: int, labels: tuple[str, ...]) -> str:
    """Statements of a function with locals x, y, exn, a global g, and functions f0 .. f2. Every statement
    stands in a block; `labels` are those around."""
    return " ".join(draw(statement(depth, labels)) for _ in range(draw(st.integers(1, 3))))


@st.composite
def statement(draw: st.DrawFn, depth: int, labels: tuple[str, ...]) -> str:
    label = f"$l{len(labels)}"
    kind = draw(st.sampled_from(KINDS))
    inner = draw(statements(depth - 1, (*labels, label))) if depth else "nop"
    x, f = draw(st.sampled_from(["$x", "$y"])), f"$f{draw(st.integers(0, 2))}"
    first, second = draw(expressions()), draw(expressions())
    condition = f"(i32.and {first} (i32.const {draw(st.sampled_from([1, 2, 4, 8]))}))"
    tag, types, rest = draw(st.sampled_from([("$a", "i32", ""), ("$b", "i32 i64", "(i64.const -3)")]))
    thrown = draw(st.sampled_from([f"(throw {tag} {first} {rest})", "(throw $c)"]))
    ref = "_ref" if kind == "try_ref" else ""
    clauses = [f"(catch{ref} {tag} $h)"]
    if draw(st.booleans()):
        clauses.insert(draw(st.integers(0, 1)), f"(catch $c {draw(st.sampled_from([*labels, label]))})")
    if draw(st.booleans()):
        clauses.insert(draw(st.integers(0, len(clauses))), f"(catch_all {label})")
    attempt = f"(try_table {' '.join(clauses)} {inner}) (br {label})"
    keep = f"(local.set {x})" if tag == "$a" else f"(local.set {x} (i32.xor (i32.wrap_i64)))"
    value = f"(block $h (result i32) (try_table (result i32) (catch $a $h) {inner} {first}))"
    exn = "(local.get $exn)"
    body = {
        "set": f"(local.set {x} {first})",
        "tee": f"(local.set {x} (i32.sub (call {f} {first}) (local.tee $y {second})))",
        "global": f"(global.set $g (i32.add (i32.mul (global.get $g) (i32.const 31)) {first}))",
        "call": f"(local.set {x} (call {f} {first}))",
        "throw": f"(if {condition} (then {thrown}))",
        "rethrow": f"(if {condition} (then (br_if {label} (ref.is_null {exn})) (throw_ref {exn})))",
        "try": f"(block $h (result {types}) {attempt}) {keep}",
        "try_ref": f"(block $h (result {types} exnref) {attempt}) (local.set $exn) {keep}",
        "try_value": f"(local.set {x} (i32.add {second} {value}))",
        "if": f"(if {condition} (then {inner}))",
        "br": f"(br_if {draw(st.sampled_from([*labels, label]))} {condition})",
        "loop": f"(loop $again {inner} (br_if $again (i32.gt_s (call $spend) (i32.const 0))))",
        "trap": f"(local.set {x} (i32.div_u {second} {condition}))",
        "tail": f"(if {condition} (then (return_call {f} {second})))",
    }
    return f"(block {label} {body[kind]})"


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
def programs(draw: st.DrawFn) -> str:
    bodies = [draw(statements(3, ())) for _ in range(3)]
    funcs = "".join(
        f"""(func $f{n} (export "f{n}") (param $x i32) (result i32) (local $y i32) (local $exn exnref)
          (if (i32.le_s (call $spend) (i32.const 0)) (then (return (i32.const {n}))))
          {body}
          (i32.add (i32.mul (local.get $x) (i32.const 3)) (local.get $y)))"""
        for n, body in enumerate(bodies)
    )
    return f"""(module (tag $a (param i32)) (tag $b (param i32 i64)) (tag $c)
      (global $g (export "g") (mut i32) (i32.const 1)) (global $fuel (mut i32) (i32.const 60))
      (func $spend (result i32)
        (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1))) (global.get $fuel))
      {funcs})"""


def outcome_of_wasmtime(text: str, argument: int) -> tuple[object, object]:
    engine = wasmtime.Engine(configured())
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, text), []).exports(store)
    result: object
    try:
        result = exports["f0"](store, argument)  # type: ignore[operator] # it is a function
    except wasmtime.Trap as trap:
        result = "trap" if "divide by zero" in str(trap) else "exception"
    return result, exports["g"].value(store)  # type: ignore[union-attr] # it is a global


def outcome_of(module: Module, engine: str, argument: int) -> tuple[object, object]:
    instance = module.instantiate(engine=engine)
    result: object
    try:
        result = instance.exports.f0(argument)
    except WasmException:
        result = "exception"
    except Trap:
        result = "trap"
    return result, instance.exports.g.value


@examples(60)
@given(programs(), st.integers(0, 15))
def test_what_wasmtime_does(text: str, argument: int) -> None:
    expected = outcome_of_wasmtime(text, argument)
    module = Module.from_text(text)
    assert {engine: outcome_of(module, engine, argument) for engine in ("interpret", "compile")} == {
        "interpret": expected,
        "compile": expected,
    }
    parsed = parse(text)
    assert parse(print_module(parsed)) == parsed
    assert Module.from_bytes(encode(parsed)).funcs == module.funcs
