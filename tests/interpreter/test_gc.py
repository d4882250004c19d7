"""Structures, arrays, i31 and casts on both engines: what the suite doesn't ask, and random programs against
wasmtime."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import LimitError, Trap, TrapKind
from pywasm_nn.interpreter.engine import ENGINES, CompileEngine
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.validate import validate_all
from pywasm_nn.limits import Limits

from ..conftest import examples

Start = Callable[..., Instance]

LIST = """(module
  (type $node (struct (field $next (mut (ref null $node))) (field $value i32)))
  (func (export "push") (param (ref null $node) i32) (result (ref $node))
    (struct.new $node (local.get 0) (local.get 1)))
  (func (export "set_next") (param (ref null $node) (ref null $node))
    (struct.set $node $next (local.get 0) (local.get 1)))
  (func (export "value") (param (ref null $node)) (result i32) (struct.get $node $value (local.get 0)))
  (func (export "sum") (param $at (ref null $node)) (result i32) (local $sum i32)
    (block $end
      (loop $more
        (local.set $sum (i32.add (local.get $sum)
          (struct.get $node $value (br_on_null $end (local.get $at)))))
        (local.set $at (struct.get $node $next (local.get $at)))
        (br $more)))
    (local.get $sum))
  (func (export "same") (param eqref eqref) (result i32) (ref.eq (local.get 0) (local.get 1)))
  (func (export "small") (param i32) (result i31ref) (ref.i31 (local.get 0)))
  (func (export "call") (param funcref) (result i32) (ref.is_null (local.get 0)))
  (func (export "out") (param anyref) (result externref) (extern.convert_any (local.get 0)))
  (func (export "in") (param externref) (result anyref) (any.convert_extern (local.get 0)))
)"""


@pytest.fixture
def flavour() -> Flavour:
    """One is enough: memory isn't the subject here."""
    return Flavour.default()


def test_a_list_from_outside(start: Start) -> None:
    with start(LIST) as guest:
        node = None
        for value in range(100):
            node = guest.exports.push(node, value)
        assert guest.exports.sum(node) == sum(range(100))
        last = guest.exports.push(None, 7)
        guest.exports.set_next(node, last)
        assert guest.exports.sum(node) == 99 + 7


def test_identity(start: Start) -> None:
    with start(LIST) as guest:
        exports = guest.exports
        one, other = exports.push(None, 1), exports.push(None, 1)
        assert exports.same(one, one) == exports.same(None, None) == 1
        assert exports.same(one, other) == exports.same(one, None) == 0
        assert exports.same(exports.small(-1), exports.small(0x7FFFFFFF)) == 1
        assert exports.same(exports.small(1), exports.small(2)) == exports.same(one, exports.small(0)) == 0


def test_references_of_the_host_come_back_and_so_do_the_guests(start: Start) -> None:
    mine = object()
    with start(LIST) as guest:
        inside = getattr(guest.exports, "in")
        assert guest.exports.out(inside(mine)) is mine
        node = guest.exports.push(None, 1)
        assert inside(guest.exports.out(node)) is node
        assert inside(None) is guest.exports.out(None) is None


def test_arguments_must_have_their_types(start: Start) -> None:
    with start(LIST) as guest:
        node, small = guest.exports.push(None, 1), guest.exports.small(1)
        for wrong in (3, "text", small, guest.exports.sum):
            with pytest.raises(TypeError):
                guest.exports.sum(wrong)
        for wrong in (3, node):
            with pytest.raises(TypeError):
                guest.exports.call(wrong)
        with pytest.raises(TypeError):
            guest.exports.same(object(), None)


TRAPS = {
    "(struct.get $s 0 (ref.null $s))": TrapKind.NULL_STRUCTURE,
    "(struct.set $s 0 (ref.null $s) (i32.const 1)) (i32.const 0)": TrapKind.NULL_STRUCTURE,
    "(array.get $a (ref.null $a) (i32.const 0))": TrapKind.NULL_ARRAY,
    "(array.len (ref.null array))": TrapKind.NULL_ARRAY,
    "(array.get $a (array.new_default $a (i32.const 3)) (i32.const 3))": TrapKind.OUT_OF_BOUNDS_ARRAY,
    "(array.get $a (array.new_default $a (i32.const 3)) (i32.const -1))": TrapKind.OUT_OF_BOUNDS_ARRAY,
    "(array.set $a (array.new_default $a (i32.const 3)) (i32.const -1) (i32.const 0)) (i32.const 0)":
        TrapKind.OUT_OF_BOUNDS_ARRAY,
    "(array.fill $a (array.new_default $a (i32.const 3)) (i32.const 1) (i32.const 0) (i32.const -1))"
    " (i32.const 0)": TrapKind.OUT_OF_BOUNDS_ARRAY,
    "(array.len (array.new_data $b 0 (i32.const 1) (i32.const 2)))": TrapKind.OUT_OF_BOUNDS_MEMORY,
    "(i31.get_s (ref.null i31))": TrapKind.NULL_I31,
    "(i31.get_u (ref.null i31))": TrapKind.NULL_I31,
    "(ref.is_null (ref.as_non_null (ref.null any)))": TrapKind.NULL_REFERENCE,
    "(ref.is_null (ref.cast (ref $s) (ref.i31 (i32.const 0))))": TrapKind.CAST_FAILURE,
    "(call_ref $f (ref.null $f))": TrapKind.NULL_FUNCTION,
}  # fmt: skip


@pytest.mark.parametrize("code", TRAPS)
def test_traps(code: str, start: Start) -> None:
    text = f"""(module (type $s (struct (field (mut i32)))) (type $a (array (mut i32))) (type $b (array i16))
        (type $f (func (result i32))) (data "abc") (func (export "run") (result i32) {code}))"""
    with start(text) as guest, pytest.raises(Trap) as caught:
        guest.exports.run()
    assert caught.value.kind is TRAPS[code]
    assert [frame.funcidx for frame in caught.value.frames] == [0]


@pytest.mark.parametrize("new", ["array.new $a (i64.const 1)", "array.new_default $a"])
def test_the_heap_has_a_limit(new: str, engine: str) -> None:
    module = parse(f"""(module (type $a (array i64))
        (func (export "run") (param i32) (result i32) (array.len ({new} (local.get 0)))))""")
    guest = instantiate(module, lambda *name: None, ENGINES[engine](), limits=Limits(heap=70_000))
    assert guest.exports.run(1000) == 1000
    for count in (1100, -1):
        with pytest.raises(LimitError) as caught:
            guest.exports.run(count)
        assert caught.value.limit == "heap"


def test_what_is_alive_is_counted_and_nothing_else(start: Start) -> None:
    instance = start("""(module (type $pair (struct (field i64 i8))) (type $bytes (array i8))
      (global $kept (mut anyref) (ref.null any))
      (func (export "pair") (global.set $kept (struct.new $pair (i64.const 1) (i32.const 2))))
      (func (export "bytes") (global.set $kept (array.new_default $bytes (i32.const 16))))
      (func (export "drop") (global.set $kept (ref.null any))))""")
    assert instance.group.alive.size() == 0
    for name, expected in (("pair", 128 + 64 + 8), ("bytes", 128 + 16 * 8), ("drop", 0), ("pair", 200)):
        for _ in range(3):
            instance.exports[name]()
        assert instance.group.alive.size() == expected


def test_types_of_imports_are_compared_across_modules(engine: str) -> None:
    group = "(rec (type $s (sub (struct))) (type $t (sub $s (struct (field i32)))))"
    maker = instantiate(
        parse(f'(module {group} (func (export "make") (result (ref $t)) (struct.new $t (i32.const 5))))'),
        lambda *name: None,
        ENGINES[engine](),
    )
    taker = instantiate(
        parse(f"""(module (type (func)) {group} (type $make (sub (func (result (ref $t)))))
            (import "m" "make" (func $make (result (ref $t))))
            (func (export "run") (result i32)
              (struct.get $t 0 (ref.cast (ref $t) (block (result (ref $s)) (call $make))))))"""),
        lambda module, name: maker.exports[name],
        ENGINES[engine](),
    )
    assert taker.exports.run() == 5


# Random programs

TYPES = """
  (type $s (sub (struct (field (mut i8)) (field (mut i16)) (field (mut i32)))))
  (type $t (sub $s (struct (field (mut i8)) (field (mut i16)) (field (mut i32)) (field (mut eqref)))))
  (type $a (array (mut i8)))
  (type $b (array (mut i32)))
  (data $d "some bytes, \\ff\\80\\7f")"""
LOCALS = "(local $p (ref null $s)) (local $q (ref null $t)) (local $a (ref null $a)) (local $b (ref null $b))"
TARGETS = ("$s", "$t", "$a", "$b", "i31", "struct", "array", "eq", "none")


class Program:
    """Statements over locals of every type, chosen at random; most of them trap now and then."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> str:
        edges = ("0", "1", "2", "3", "7", "127", "128", "255", "32768", "65535", "-1", "0x40000000")
        return self.pick(
            "(local.get $x)", "(local.get $y)", *(f"(i32.const {edge})" for edge in edges),
            "(i32.add (local.get $x) (local.get $y))", "(i32.sub (local.get $y) (i32.const 1))",
        )  # fmt: skip

    def few(self) -> str:
        return f"(i32.and {self.number()} (i32.const 7))"

    def any(self) -> str:
        return self.pick(
            "(local.get $p)", "(local.get $q)", "(local.get $a)", "(local.get $b)", "(local.get $e)",
            "(local.get $e)", "(ref.null none)", f"(ref.i31 {self.number()})",
        )  # fmt: skip

    def target(self) -> str:
        return f"(ref {self.pick('', 'null ')}{self.pick(*TARGETS)})"

    def value(self) -> str:
        """An i32 that is read from somewhere."""
        target = self.target()
        return self.pick(
            self.number(),
            f"(struct.get_{self.pick('s', 'u')} $s {self.pick('0', '1')} (local.get $p))",
            f"(struct.get_{self.pick('s', 'u')} $t {self.pick('0', '1')} (local.get $q))",
            "(struct.get $t 2 (local.get $q))",
            f"(array.get_{self.pick('s', 'u')} $a (local.get $a) {self.few()})",
            f"(array.get $b (local.get $b) {self.few()})",
            f"(array.len (local.get {self.pick('$a', '$b')}))",
            f"(ref.test {self.target()} {self.any()})",
            f"(ref.eq {self.any()} {self.any()})",
            f"(i31.get_{self.pick('s', 'u')} (ref.cast i31ref {self.any()}))",
            f"(block $l (result i32) (drop (block $o (result anyref) (br $l (ref.is_null"
            f" (br_on_cast{self.pick('', '_fail')} $o anyref {target} {self.any()}))))) (i32.const 9))",
            f"(block $l (result i32) (i32.const 4) {self.any()} br_on_null $l ref.test (ref struct) i32.add)"
            if self.random.random() < 0.3
            else f"(ref.is_null {self.any()})",
        )

    def statement(self) -> str:
        return self.pick(
            f"(local.set {self.pick('$x', '$y')} {self.value()})",
            f"(local.set $p (struct.new $s {self.value()} {self.value()} {self.value()}))",
            "(local.set $p (local.get $q))",
            f"(local.set $p (ref.cast (ref null $s) {self.any()}))",
            f"(local.set $q (struct.new $t {self.value()} {self.value()} {self.value()} {self.any()}))",
            "(local.set $q (struct.new_default $t))",
            f"(struct.set $s {self.pick('0', '1', '2')} (local.get $p) {self.value()})",
            f"(struct.set $t 3 (local.get $q) {self.any()})",
            "(local.set $e (struct.get $t 3 (local.get $q)))",
            f"(local.set $a (array.new $a {self.value()} {self.few()}))",
            f"(local.set $a (array.new_fixed $a 3 {self.value()} {self.value()} {self.value()}))",
            f"(local.set $a (array.new_data $a $d {self.few()} {self.few()}))",
            f"(local.set $b (array.new_data $b $d {self.few()} (i32.const 2)))",
            f"(local.set $b (array.new_default $b {self.few()}))",
            f"(array.set $a (local.get $a) {self.few()} {self.value()})",
            f"(array.set $b (local.get $b) {self.few()} {self.value()})",
            f"(array.fill $a (local.get $a) {self.few()} {self.value()} (i32.const 2))",
            f"(array.copy $a $a (local.get $a) {self.few()} (local.get $a) {self.few()} (i32.const 2))",
            f"(array.init_data $a $d (local.get $a) {self.few()} {self.few()} (i32.const 2))",
            f"(local.set $e {self.any()})",
            f"(if {self.value()} (then {self.pick('(local.set $e (local.get $b))', 'nop')}))",
        )

    def text(self) -> str:
        start = """(local.set $p (struct.new $s (i32.const 200) (i32.const 40000) (i32.const -5)))
            (local.set $q (struct.new_default $t)) (local.set $a (array.new $a (i32.const 129) (i32.const 9)))
            (local.set $b (array.new $b (i32.const -7) (i32.const 9)))"""
        body = "\n".join(self.statement() for _ in range(self.random.randint(1, 12)))
        return f"""(module {TYPES} (func (export "run") (param $x i32) (param $y i32) (result i32 i32)
            {LOCALS} (local $e eqref) {start}
            {body}
            (local.get $x) (local.get $y)))"""


WORDS = {
    TrapKind.NULL_STRUCTURE: "null reference",
    TrapKind.NULL_ARRAY: "null reference",
    TrapKind.NULL_I31: "null reference",
    TrapKind.OUT_OF_BOUNDS_ARRAY: "out of bounds array access",
    TrapKind.OUT_OF_BOUNDS_MEMORY: "out of bounds memory access",
    TrapKind.CAST_FAILURE: "cast failure",
}
"""What wasmtime says."""


def reference(text: str, arguments: tuple[int, int]) -> list[int] | str:
    config = wasmtime.Config()
    config.wasm_gc = True
    config.wasm_function_references = True
    store = wasmtime.Store(wasmtime.Engine(config))
    run = wasmtime.Instance(store, wasmtime.Module(store.engine, text), []).exports(store)["run"]
    assert isinstance(run, wasmtime.Func)
    try:
        return list(run(store, *arguments))
    except wasmtime.Trap as trap:
        return str(trap)


NUMBER = st.sampled_from([0, 1, 5, 127, 128, -1, 1 << 30, -(1 << 31)])


@examples(150)
@given(st.integers(0, 1 << 32), NUMBER, NUMBER)
def test_random_programs_do_what_they_do_in_wasmtime(seed: int, x: int, y: int) -> None:
    text = Program(seed).text()
    module = parse(text)
    validate_all(module)
    expected = reference(text, (x, y))
    for make_engine in ENGINES.values():
        engine = make_engine()
        guest = instantiate(module, lambda *name: None, engine)
        try:
            assert list(guest.exports.run(x, y)) == expected, text
        except Trap as trap:
            assert isinstance(expected, str), f"{trap} {text}"
            assert WORDS[trap.kind] in expected, text
        if isinstance(engine, CompileEngine):
            assert not engine.interpreted
