"""Products of matrices: two loops around one that sums up are done at once, the rounds of both for each round
of that one, and nobody notices but for the time."""

from __future__ import annotations

import struct
import sys
from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import TrapKind
from pywasm_nn.interpreter.arrays.course import Course

from .test_arrays import Seen
from .test_arrays_nested import both

np = pytest.importorskip("numpy")
A, B, C = 1000, 20_000, 60_000
MATMUL = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $a i32) (param $b i32) (param $c i32)
   (param $n i32) (param $m i32) (param $k i32)
   (local $i i32) (local $j i32) (local $l i32) (local $p i32) (local $s f32) (local $x f32)
  (loop $rows
   (local.set $j (i32.const 0))
   (loop $columns
    (local.set $s FIRST)
    (local.set $l (i32.const 0))
    (local.set $p (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 2))))
    (block $odd
     (br_if $odd (i32.lt_u (local.get $k) (i32.const 2)))
     (loop $inside
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      (br_if $inside (i32.ne (local.get $l) (i32.and (local.get $k) (i32.const -2))))))
    (if (i32.and (local.get $k) (i32.const 1)) (then ADD))
    LAST
    (f32.store (local.get $c) (local.get $s))
    (local.set $c (i32.add (local.get $c) (i32.const 4)))
    (br_if $columns (i32.ne (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $m))))
   (local.set $a (i32.add (local.get $a) (i32.shl (local.get $k) (i32.const 2))))
   (br_if $rows (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))))"""
ADD = """(local.set $s (f32.add (local.get $s) (f32.mul (local.tee $x
   (f32.load (i32.add (local.get $a) (i32.shl (local.get $l) (i32.const 2))))) (f32.load (local.get $p)))))
   (local.set $p (i32.add (local.get $p) (i32.shl (local.get $m) (i32.const 2))))"""
ZERO = "(f32.const 0)"


FOUR = """(block $left
     (br_if $left (i32.lt_u (local.get $k) (i32.const 4)))
     (loop $inside
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      (br_if $inside (i32.ne (local.get $l) (i32.and (local.get $k) (i32.const -4))))))
    (block $done
     (br_if $done (i32.eqz (local.tee $r (i32.and (local.get $k) (i32.const 3)))))
     (loop $rest
      ADD (local.set $l (i32.add (local.get $l) (i32.const 1)))
      (br_if $rest (local.tee $r (i32.sub (local.get $r) (i32.const 1))))))
    """
"""Four rounds at a time, and a loop for those that are left."""


@pytest.fixture(params=[200, 1 << 15], autouse=True)
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums whose rounds are computed one after the other, as they are too many, or all at once."""
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", request.param)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def text(first: str = ZERO, last: str = "", add: str = ADD) -> str:
    return MATMUL.replace("FIRST", first).replace("LAST", last).replace("ADD", add)


def matrices(**changed: float) -> bytearray:
    """Floats everywhere; those at indices like `at_7` are changed."""
    random = Random(3)
    values = [random.uniform(-2, 2) for _ in range((3 << 16) // 4)]
    for name, value in changed.items():
        values[int(name.removeprefix("at_"))] = value
    return bytearray(struct.pack(f"<{len(values)}f", *values))


@pytest.mark.parametrize("k", [1, 2, 3, 8, 13])
@pytest.mark.parametrize(("n", "m"), [(12, 12), (6, 40), (60, 2), (70, 1)])
def test_a_product_is_done_at_once(seen: Seen, n: int, m: int, k: int) -> None:
    """Each element gets its summands in the order of the guest: sums in any other order differ."""
    assert both(text(), A, B, C, n, m, k, data=matrices()) is None
    assert seen.calls == [True]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 8, 13])
@pytest.mark.parametrize(("n", "m"), [(12, 12), (60, 2), (70, 1)])
def test_two_loops_that_sum_up(seen: Seen, n: int, m: int, k: int) -> None:
    """Any of them may have nothing to do."""
    begin, end = MATMUL.index("(block $odd"), MATMUL.index("LAST")
    made = (MATMUL[:begin] + FOUR + MATMUL[end:]).replace("(local $j i32)", "(local $j i32) (local $r i32)")
    made = made.replace("FIRST", ZERO).replace("LAST", "").replace("ADD", ADD)
    assert both(made, A, B, C, n, m, k, data=matrices()) is None
    assert seen.calls == [True]
    both(made, A, B, A + 300, n, m, k, data=matrices())
    both(made, A, 196_300, C, n, m, k, data=matrices())


def test_a_small_product_is_not(seen: Seen) -> None:
    assert both(text(), A, B, C, 5, 7, 9, data=matrices()) is None
    assert not any(seen.calls)


@pytest.mark.parametrize(("a", "b", "c", "n", "m", "k"), [
    # stored, and loaded later
    (A, B, A + 300, 12, 12, 7), (A, B, A - 400, 12, 12, 7), (A, B, B + 96, 12, 12, 7),
    (A, B, A, 12, 12, 7), (A, B, B, 12, 12, 7), (A, A, A, 12, 12, 7),
    (196_000, B, C, 30, 12, 7), (A, 196_300, C, 12, 12, 7), (A, B, 196_200, 30, 12, 7),  # outside memory
    (2**32 - 100, B, C, 12, 12, 7), (A, 2**32 - 4, C, 12, 12, 7), (A, B, 2**32 - 40, 12, 12, 7),
    (A, B, C, 12, 12, 0), (A, B, C, 12, 12, 1),  # the loop inside is left out
    (A, B, C, 1, 60, 7), (A, B, C, 2, 60, 7), (A + 1, B + 3, C + 2, 12, 12, 7),
])  # fmt: skip
def test_memory_and_traps_are_those_of_single_rounds(a: int, b: int, c: int, n: int, m: int, k: int) -> None:
    both(text(), a, b, c, n, m, k, data=matrices())


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -0.0, 1e-40, 3e38])
@pytest.mark.parametrize("place", [A // 4, A // 4 + 6, B // 4 + 80])
def test_numbers_of_all_kinds(seen: Seen, value: float, place: int) -> None:
    assert both(text(), A, B, C, 12, 12, 7, data=matrices(**{f"at_{place}": value})) is None
    assert len(seen.calls) == 1


def test_a_product_is_added_to_what_is_there(seen: Seen) -> None:
    last = "(local.set $s (f32.add (local.get $s) (f32.load (local.get $c))))"
    for first, more in ((ZERO, last), ("(f32.load (local.get $c))", "")):
        assert both(text(first, more), A, B, C, 12, 12, 7, data=matrices()) is None
    assert seen.calls == [True, True]


@pytest.mark.parametrize(("first", "last", "add"), [
    ("(local.get $s)", "", ADD),  # a sum that goes on
    (ZERO, "(local.set $s (f32.add (local.get $s) (local.get $x)))"
     "(local.set $x (f32.const 7))", ADD),
    (ZERO, "(i32.store8 offset=7000 (local.get $j) (local.get $l))", ADD),  # the same place in each row
    (ZERO, "", f"{ADD} (f32.store offset=90000 (local.get $p) (local.get $s))"),
    (ZERO, "", f"{ADD} (br_if $columns (f32.gt (local.get $s) (f32.const 1e30)))"),
])  # fmt: skip
def test_what_else_the_loops_may_do(first: str, last: str, add: str) -> None:
    assert both(text(first, last, add), A, B, C, 12, 12, 7, data=matrices()) is None


def test_a_check_in_the_middle(seen: Seen) -> None:
    """The stores before are done, and no others."""
    add = f"(if (f32.gt (f32.load (local.get $p)) (f32.const 1e9)) (then (unreachable))) {ADD}"
    for row, ends in ((0, TrapKind.UNREACHABLE), (100, None)):
        data = matrices(**{f"at_{B // 4 + row}": 2e9})
        assert both(text(add=add), A, B, C, 12, 12, 7, data=data) is ends


def test_without_numpy_no_rounds_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for those of the first loop, which finds that out."""
    counted: list[Course] = []
    count = Course.count

    def watched(course: Course) -> int:
        counted.append(course)
        return count(course)

    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr(Course, "count", watched)
    instance = Module.from_text(text()).instantiate()
    for _ in range(3):
        instance.exports["run"](A, B, C, 20, 20, 20)
    assert len(counted) == 1
