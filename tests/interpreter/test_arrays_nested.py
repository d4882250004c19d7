"""A loop around a short one that sums up, as pictures are resized: its rounds are done at once, the loop
inside round by round, and nobody notices but for the time."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import FuelError, Trap, TrapKind
from pywasm_nn.interpreter.arrays import whole
from pywasm_nn.interpreter.compile.analysis.leaving import gives_up, leaf_of
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.limits import Limits

from .test_arrays import Seen

np = pytest.importorskip("numpy")
ROUND = """(func $roundf (param $x f32) (result f32) (local $e i32) (local $y f32)
  (block $end
    (local.set $e (i32.and (i32.shr_u (i32.reinterpret_f32 (local.get $x)) (i32.const 23)) (i32.const 255)))
    (br_if $end (i32.gt_u (local.get $e) (i32.const 149)))
    (if (i32.le_u (local.get $e) (i32.const 125))
      (then (return (f32.mul (local.get $x) (f32.const 0)))))
    (local.set $y (f32.sub (f32.add (local.get $x) (f32.const 8388608)) (f32.const 8388608)))
    (local.set $y (f32.sub (local.get $y) (local.get $x)))
    (if (f32.gt (local.get $y) (f32.const 0.5))
      (then (local.set $x (f32.sub (f32.add (local.get $x) (local.get $y)) (f32.const 1))) (br $end)))
    (local.set $x (f32.add (local.get $x) (local.get $y)))
    (if (f32.le (local.get $y) (f32.const -0.5))
      (then (local.set $x (f32.add (local.get $x) (f32.const 1))))))
  (local.get $x))"""
RESIZE = """(module (memory (export "memory") 3 3) (func $panic (param i32) unreachable) ROUND
 (func (export "run") (param $s i32) (param $d i32) (param $w i32) (param $taps i32) (param $n i32)
   (param $limit i32) (local $k i32) (local $p i32) (local $v i32) (local $t f32) (local $x f32)
  (block $bad
   (loop $around
    (block $summed
     (local.set $t (f32.const 0))
     (br_if $summed (i32.eqz (local.get $taps)))
     (local.set $p (local.get $s)) (local.set $v (local.get $w)) (local.set $k (local.get $taps))
     (block $outside
      (loop $inside
       (br_if $outside (i32.gt_u (local.get $p) (local.get $limit)))
       (local.set $x (f32.load (local.get $v)))
       (local.set $t (f32.add (local.get $t)
         (f32.mul (local.get $x) (f32.convert_i32_u (i32.load8_u (local.get $p))))))
       (local.set $p (i32.add (local.get $p) (i32.const 3)))
       (local.set $v (i32.add (local.get $v) (i32.const 4)))
       (br_if $summed (i32.eqz (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
       (br $inside)))
     (call $panic (i32.const 1)) (unreachable))
    (block $fits
     (block $not
      (br_if $not (i32.eqz (f32.gt (local.tee $x (call $roundf (select (f32.const 0)
        (f32.min (local.get $t) (f32.const 999)) (f32.lt (local.get $t) (f32.const 0)))))
        (f32.const -1))))
      (br_if $fits (i64.le_u (i64.trunc_f32_u (local.get $x)) (i64.const 255))))
     (call $panic (i32.const 2)) (unreachable))
    (i32.store8 (local.get $d) (i32.wrap_i64 (i64.trunc_f32_u (local.get $x))))
    (local.set $s (i32.add (local.get $s) (i32.const 2)))
    (local.set $d (i32.add (local.get $d) (i32.const 1)))
    (br_if $bad (i32.eqz (local.get $d)))
    (br_if $around (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
   (return))
  (call $panic (i32.const 3)) (unreachable)))""".replace("ROUND", ROUND)
SOURCE, TARGET, WEIGHTS, LIMIT = 1000, 90_000, 600, 80_000
SUMS = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $s i32) (param $d i32) (param $w i32) (param $taps i32) (param $n i32)
   (param $limit i32) (local $k i32) (local $a i32) (local $b i32) (local $c i64) (local $x i32)
  (loop $around
   {first}
   {loop}
   (i32.store (local.get $d) {value})
   (local.set $s (i32.add (local.get $s) (i32.const 4)))
   (local.set $d (i32.add (local.get $d) (i32.const 4)))
   (br_if $around (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
TESTS_LAST = """(local.set $k (i32.const 0)) (loop {body}
   (br_if 0 (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (local.get $taps))))"""
TESTS_FIRST = """(local.set $k (i32.const 0))
   (block (loop (br_if 1 (i32.ge_u (local.get $k) (local.get $taps))) {body}
   (local.set $k (i32.add (local.get $k) (i32.const 1))) (br 0)))"""
AT = "(i32.add (local.get $s) (i32.shl (local.get $k) (i32.const 2)))"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def memory(seed: int = 1) -> bytearray:
    """A picture, behind weights whose sum is about 1."""
    random = Random(seed)
    data = bytearray(random.randbytes(3 << 16))
    struct.pack_into("<16f", data, WEIGHTS, *[random.uniform(-0.03, 0.06) for _ in range(16)])
    return data


def outcome(text: str, arguments: Sequence[int], data: bytes, **how: Any) -> tuple[Any, bytes]:
    instance = Module.from_text(text).instantiate(**how)
    instance.exports["memory"].write(0, data)
    try:
        instance.exports["run"](*arguments)
        kind = None
    except Trap as trap:
        kind = trap.kind
    return kind, bytes(instance.exports["memory"].read(0, len(data)))


def both(text: str, *arguments: int, data: bytes | None = None) -> Any:
    """How it ended, the same as in `interpret`, memory included."""
    data = memory() if data is None else data
    found = outcome(text, arguments, data)
    assert found == outcome(text, arguments, data, engine="interpret")
    return found[0]


@pytest.mark.parametrize("piece", [400, 1 << 15])
@pytest.mark.parametrize("taps", [1, 2, 3, 9, 16])
def test_a_row_of_sums_is_done_at_once(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, taps: int, piece: int
) -> None:
    """Its rounds one after the other, or all of them, with the pixels as the other axis."""
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", piece)
    assert both(RESIZE, SOURCE, TARGET, WEIGHTS, taps, 300, LIMIT) is None
    assert seen.calls == [True]


def test_floats_are_added_in_the_order_of_the_guest(seen: Seen) -> None:
    """Sums in any other order differ in the last bit."""
    text = SUMS.replace("{value}", "(i32.reinterpret_f32 (local.get $t))").replace("$x i32", "$t f32")
    text = text.replace("{first}", "(local.set $t (f32.const 0))")
    term = f"(f32.mul (f32.const 1.1) (f32.convert_i32_s (i32.load {AT})))"
    body = f"(local.set $t (f32.add (local.get $t) {term}))"
    assert both(text.replace("{loop}", TESTS_LAST.replace("{body}", body)), 0, TARGET, 0, 7, 300, 0) is None
    assert seen.calls == [True]


@pytest.mark.parametrize(
    ("limit", "calls"), [(1000, [False]), (1250, [True]), (1600, [True]), (1640, [True])]
)
def test_a_check_that_fails_in_the_middle(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, limit: int, calls: list[bool]
) -> None:
    """The stores before are done, and no others; what is done at once is done in pieces."""
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", 50)
    ends = both(RESIZE, SOURCE, TARGET, WEIGHTS, 9, 300, limit)
    assert ends is (None if limit == 1640 else TrapKind.UNREACHABLE)
    assert seen.calls == calls


@pytest.mark.parametrize("weight", [300.0, float("inf"), float("nan"), -0.0, 1e-40, 3e38])
@pytest.mark.parametrize("place", [0, 8])
def test_weights_of_all_kinds(seen: Seen, weight: float, place: int) -> None:
    """Some end in a sum that is no byte."""
    data = memory()
    struct.pack_into("<f", data, WEIGHTS + 4 * place, weight)
    both(RESIZE, SOURCE, TARGET, WEIGHTS, 9, 300, LIMIT, data=data)
    assert len(seen.calls) == 1


@pytest.mark.parametrize(("source", "target", "weights", "taps", "n", "limit"), [
    (SOURCE, SOURCE + 100, WEIGHTS, 9, 300, LIMIT),  # it stores what it loads later
    (SOURCE, SOURCE - 100, WEIGHTS, 9, 300, LIMIT),
    (SOURCE, WEIGHTS + 8, WEIGHTS, 9, 300, LIMIT),
    (196_000, TARGET, WEIGHTS, 9, 400, 2**32 - 1),  # outside memory, in the middle
    (SOURCE, 196_500, WEIGHTS, 9, 300, LIMIT),
    (SOURCE, TARGET, 196_600, 9, 300, LIMIT),
    (2**32 - 200, TARGET, WEIGHTS, 9, 300, 2**32 - 1),
    (SOURCE, TARGET, WEIGHTS, 0, 300, LIMIT),  # no taps: the loop inside is left out
    (SOURCE, TARGET, WEIGHTS, 9, 1, LIMIT), (SOURCE, TARGET, WEIGHTS, 9, 30, LIMIT),
    (SOURCE, 2**32 - 100, WEIGHTS, 9, 300, LIMIT),
])  # fmt: skip
def test_memory_and_traps_are_those_of_single_rounds(
    source: int, target: int, weights: int, taps: int, n: int, limit: int
) -> None:
    both(RESIZE, source, target, weights, taps, n, limit)


@pytest.mark.parametrize("loop", [TESTS_LAST, TESTS_FIRST])
@pytest.mark.parametrize("taps", [0, 1, 2, 5, 40])
@pytest.mark.parametrize(("first", "body", "value"), [
    ("(local.set $a (i32.const 3))",
     "(local.set $a (i32.mul (i32.add (local.get $a) LOAD) (i32.const 7)))", "(local.get $a)"),
    # two that depend on each other, and one that only the last round sets
    ("(local.set $a (local.get $s)) (local.set $b (i32.const 1))",
     "(local.set $x (local.get $a)) (local.set $a (i32.xor (local.get $b) LOAD))"
     "(local.set $b (i32.add (local.get $b) (local.get $x)))",
     "(i32.add (local.get $b) (i32.rotl (local.get $a) (local.get $x)))"),
    ("(local.set $c (i64.const 1))",
     "(local.set $c (i64.mul (local.get $c) (i64.extend_i32_u (i32.or (i32.const 1) LOAD))))",
     "(i32.wrap_i64 (i64.shr_u (local.get $c) (i64.const 13)))"),
    # truth values, and a choice
    ("(local.set $a (i32.const 0))",
     "(local.set $a (i32.gt_s LOAD (i32.shl (local.get $a) (i32.const 30))))",
     "(i32.add (local.get $a) (i32.const 5))"),
    ("(local.set $a (i32.const -99999))",
     "(if (i32.gt_s LOAD (local.get $a)) (then (local.set $a LOAD) (local.set $b (local.get $k))))",
     "(i32.add (local.get $a) (local.get $b))"),
    # nothing is set before the loop inside: it goes on with what the round before has left
    ("", "(local.set $a (i32.add (local.get $a) LOAD))", "(local.get $a)"),
])  # fmt: skip
def test_integers_of_all_kinds(loop: str, taps: int, first: str, body: str, value: str) -> None:
    loop = loop.format(body=body.replace("LOAD", f"(i32.load {AT})"))
    both(SUMS.format(first=first, loop=loop, value=value), SOURCE, TARGET, 0, taps, 200, 0)


def test_those_are_done_at_once_if_nothing_is_left_by_the_round_before(seen: Seen) -> None:
    body = f"(local.set $a (i32.add (local.get $a) (i32.load {AT})))"
    for first, calls in (("(local.set $a (i32.const 0))", [True]), ("", [])):
        text = SUMS.format(first=first, loop=TESTS_LAST.format(body=body), value="(local.get $a)")
        seen.calls.clear()
        both(text, SOURCE, TARGET, 0, 5, 200, 0)
        assert seen.calls == calls


CHECKED = """(module (memory (export "memory") 3 3) (func $panic (param i32) unreachable)
 (func (export "run") (param $s i32) (param $d i32) (param $w i32) (param $taps i32) (param $n i32)
   (param $limit i32) (local $k i32) (local $p i32) (local $t f32)
  (block $bad
   (loop $around
    (local.set $p (local.get $s)) (local.set $k (i32.const 0)) (local.set $t (f32.const 255))
    (loop $inside
     (br_if $bad (i32.lt_u (local.get $p) (local.get $limit)))
     (local.set $t {sum})
     (local.set $p (i32.sub (local.get $p) (i32.const 1)))
     (br_if $inside (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (local.get $taps))))
    (i32.store (local.get $d) (local.get $w))
    (local.set $s (i32.add (local.get $s) (i32.const 3)))
    (local.set $d (i32.add (local.get $d) (i32.const 4)))
    (br_if $around (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
   (return))
  (call $panic (i32.const 3)) (unreachable)))"""
ADDS = "(f32.add (local.get $t) (f32.const 3))"
MULTIPLIES = "(f32.mul (f32.add (local.get $t) (f32.const 3)) (local.get $t))"


@pytest.mark.parametrize("sum_", [ADDS, MULTIPLIES])
@pytest.mark.parametrize("taps", [1, 5, 27, 28, 29, 30])
@pytest.mark.parametrize(("below", "bad"), [(0, True), (26, True), (1000, False)])
def test_a_check_beside_a_sum_that_nobody_uses(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, sum_: str, taps: int, below: int, bad: bool
) -> None:
    """It is made in each round of the loop inside. There may be as many as around it, and only the first one
    around may fail."""
    from pywasm_nn.interpreter.arrays import course
    from pywasm_nn.interpreter.compile.lowering import arrays

    monkeypatch.setattr(course, "LEAST", 2)
    monkeypatch.setattr(arrays, "LEAST", 0)
    monkeypatch.setattr(arrays, "FEW_AROUND", 0)
    monkeypatch.setattr(arrays, "TOGETHER_ADDED", 0)
    monkeypatch.setattr(course, "LEAST_AROUND", 2)
    ends = both(CHECKED.format(sum=sum_), SOURCE, TARGET, 7, taps, 30, SOURCE - below)
    assert ends is (TrapKind.UNREACHABLE if bad and taps > below + 1 else None)
    assert seen.calls[:1] == [ends is None]


@pytest.mark.parametrize("given", [0, 1])
def test_a_local_that_all_rounds_set_or_none(given: int) -> None:
    """The last round is left to the loop, so that it has the right value after it."""
    text = """(module (memory (export "memory") 3 3)
      (func (export "run") (param $p i32) (param $n i32) (param $f i32) (local $x i32)
       (local.set $x (i32.const 77))
       (loop (if (local.get $f) (then (local.set $x (i32.load8_u (local.get $p)))))
        (i32.store8 offset=9000 (local.get $p) (i32.add (i32.load8_u (local.get $p)) (i32.const 1)))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
       (i32.store (i32.const 0) (local.get $x))))"""
    assert both(text, 100, 1000, given) is None


TABLE = """(module (memory (export "memory") 3 3) (func $panic (param i32 i32) unreachable)
 (func (export "run") (param $s i32) (param $d i32) (param $size i32) (param $n i32) (local $x i32)
  (block $bad
   (loop
    (br_if $bad (i32.ge_u (local.tee $x (i32.load8_u (local.get $s))) (local.get $size)))
    (i32.store8 (local.get $d) (i32.load8_u offset=500 (local.get $x)))
    (local.set $s (i32.add (local.get $s) (i32.const 1)))
    (local.set $d (i32.add (local.get $d) (i32.const 1)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
   (return))
  (call $panic (local.get $x) (local.get $size)) (unreachable)))"""


@pytest.mark.parametrize(("size", "at"), [(256, -1), (250, 30), (250, 900), (0, -1)])
def test_tables_whose_bounds_are_checked(seen: Seen, size: int, at: int) -> None:
    """As Rust checks them: a byte that is too large ends the guest where it is."""
    data = memory()
    data[SOURCE : SOURCE + 1000] = bytes(value % 200 for value in range(1000))
    if at >= 0:
        data[SOURCE + at] = 255
    ends = both(TABLE, SOURCE, TARGET, size, 1000, data=data)
    assert ends is (None if size == 256 else TrapKind.UNREACHABLE)
    assert seen.calls == [size == 256]


class Calls(Observer):
    wants = frozenset({"calls"})

    def __init__(self) -> None:
        self.told: list[tuple[int, Any]] = []

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        self.told.append((funcidx, tuple(arguments)))


def test_an_observer_of_calls_sees_each(seen: Seen) -> None:
    told = []
    for engine in ("compile", "interpret"):
        calls = Calls()
        arguments = SOURCE, TARGET, WEIGHTS, 9, 300, LIMIT
        outcome(RESIZE, arguments, memory(), engine=engine, observer=calls)
        told.append(calls.told)
    assert told[0] == told[1]
    assert len(told[0]) == 301
    assert seen.calls == []


def test_fuel_counts_single_rounds(seen: Seen) -> None:
    spent = []
    for engine in ("compile", "interpret"):
        instance = Module.from_text(RESIZE).instantiate(engine=engine, limits=Limits(fuel=20_000))
        instance.exports["memory"].write(0, memory())
        with pytest.raises(FuelError):
            instance.exports["run"](SOURCE, TARGET, WEIGHTS, 9, 300, LIMIT)
        spent.append(bytes(instance.exports["memory"].read(TARGET, 300)))
    assert spent[0] == spent[1]
    assert seen.calls == []


def test_without_numpy_each_round_is_done(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    monkeypatch.setattr(whole.Purse, "opens", lambda self, instructions: False)
    assert both(RESIZE, SOURCE, TARGET, WEIGHTS, 9, 300, LIMIT) is None
    assert seen.calls == [False]


LEAVES = """(module (import "m" "f" (func $f (result i32))) (memory 1)
  (func $leaf (param f32 f32) (result f32)
    (if (result f32) (f32.lt (local.get 0) (local.get 1)) (then (local.get 0)) (else (local.get 1))))
  (func $loads (param i32) (result i32) (i32.load (local.get 0)))
  (func $calls (param i32) (result i32) (call $f))
  (func $loops (param i32) (result i32) (loop (br_if 0 (local.get 0))) (local.get 0))
  (func $long (param i32) (result i32) LONG (local.get 0))
  (func $fails (param i32) (result i32) (block (br_if 0 (local.get 0)) (return (i32.const 1)))
    (call $loads (i32.const 0)) (unreachable))
  (func $returns (param i32) (result i32) (block (br_if 0 (local.get 0))) (drop (call $f)) (i32.const 1)))"""


def test_what_is_executed_where_it_is_called() -> None:
    long = "(local.set 0 (i32.add (local.get 0) (i32.const 1)))" * 30
    module = Module.from_text(LEAVES.replace("LONG", long))
    assert [leaf_of(module, funcidx) is not None for funcidx in range(6)] == [
        False, True, False, False, False, False,
    ]  # fmt: skip


def test_an_invalid_function_is_no_leaf() -> None:
    module = Module.from_text("(module (func (result i32) (i32.const 1) (drop)))")
    assert leaf_of(module, 0) is None


def test_code_that_gives_up() -> None:
    module = Module.from_text(LEAVES.replace("LONG", ""))
    fails, returns = (module.funcs[index].body for index in (5, 6))
    ends = [body.ops.index(next(op for op in body.ops if op.name == "br_if")) for body in (fails, returns)]
    assert gives_up(fails, fails.ops.index(next(op for op in fails.ops if op.name == "call")) - 1)
    assert not gives_up(fails, ends[0] + 1)
    assert not gives_up(returns, ends[1] + 1)


PLANE = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $s i32) (param $d i32) (param $w i32) (param $m i32) (param $n i32)
   (param $limit i32) (local $k i32) (local $x i32) (local $y i32) (local $c i64)
  (loop $around
   {first}
   (local.set $k (i32.const 0))
   (block $out
    (br_if $out {skips})
    (loop $inside {body}
     (i32.store8 (i32.add (local.get $d) (local.get $k))
      (i32.load8_u (i32.add (local.get $s) (local.get $k))))
     (br_if $inside (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (local.get $m)))))
   {last}
   (local.set $s (i32.add (local.get $s) (i32.const 64)))
   (local.set $d (i32.add (local.get $d) (i32.const 64)))
   (br_if $around (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (i32.store (i32.const 8) (local.get $x)) (i32.store (i32.const 12) (local.get $y))
  (i64.store (i32.const 0) (local.get $c))))"""
NEVER, BY_DATA = "(i32.const 0)", "(i32.gt_u (i32.load8_u (local.get $s)) (i32.const 9))"
SET_X = "(local.set $x (i32.load8_u (i32.add (local.get $s) (local.get $k))))"


@pytest.mark.parametrize(("first", "skips", "body", "last"), [
    ("", NEVER, "(local.set $c (i64.add (local.get $c) (i64.const 3)))", ""),
    ("(local.set $c (i64.const 5))", NEVER, "(local.set $c (i64.add (local.get $c) (i64.const 3)))", ""),
    ("(local.set $c (i64.extend_i32_u (local.get $y)))", NEVER,
     "(local.set $c (i64.add (local.get $c) (i64.const 3)))", "(local.set $y (i32.load8_u (local.get $s)))"),
    ("", BY_DATA, SET_X, ""),
    ("", "(i32.eqz (local.get $m))", SET_X, ""),
    ("", NEVER, SET_X, "(local.set $y (i32.load8_u (local.get $s)))"),
    ("", NEVER, SET_X, f"(if {BY_DATA} (then (local.set $x (local.get $y))))"
     "(local.set $y (i32.load8_u offset=1 (local.get $s)))"),
    ("", NEVER, SET_X, f"(if {BY_DATA} (then (local.set $y (local.get $x))))"),
    ("", NEVER, SET_X, "(i32.store8 offset=60 (local.get $d) (local.get $x))"),
])  # fmt: skip
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_loop_inside_leaves_in_locals(first: str, skips: str, body: str, last: str, seed: int) -> None:
    """Whether it is set again in each round of the loop around, or stays from an earlier one."""
    text = PLANE.format(first=first, skips=skips, body=body, last=last)
    assert both(text, SOURCE, TARGET, 0, 50, 300, 0, data=memory(seed)) is None


@pytest.mark.parametrize("rows", [33, 49, 50, 51, 52, 53])
def test_a_plane_with_as_many_rows_as_columns(seen: Seen, rows: int) -> None:
    """What is the same in all rows isn't taken for what is the same in all columns."""
    body = """(i32.store16 offset=20000 (i32.add (local.get $d) (i32.shl (local.get $k) (i32.const 1)))
      (i32.div_u (i32.mul (local.get $k) (local.get $k)) (i32.add (local.get $w) (i32.const 3))))"""
    text = PLANE.format(first="", skips=NEVER, body=body, last="")
    text = text.replace("(local.get $d) (i32.const 64)", "(local.get $d) (i32.const 256)")
    assert both(text, SOURCE, TARGET, 0, 50, rows, 0) is None
    assert seen.calls == [True]
