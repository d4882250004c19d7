"""The quick look at a loop before it is executed with symbols refuses what would be refused later, too."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter.compile.analysis import whole
from pywasm_nn.interpreter.compile.analysis.prospects import meets_data
from pywasm_nn.interpreter.validate import validate_func

from .loops import function

ROUNDS = 300
GUESTS = Path(__file__).parents[1] / "guests"
LOOP = """(module (memory 1) (func (param $p i32) (param $n i32) (local $x i32) (local $y i32)
  (block $out (loop $on {body}
    (i32.store8 offset=4 (local.get $p) (i32.const 7))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))))"""


def loops(module: Module) -> list[tuple[bool, bool]]:
    """For each loop: whether it is refused at once, and whether it would qualify nevertheless."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "meets_data", lambda *_: False)
        for index, func in enumerate(module.funcs):
            facts = validate_func(module, index)
            for loop, op in enumerate(func.body.ops):
                if op.name == "loop" and whole.QUICK.issuperset(func.body.ops[loop + 1 : facts.ends[loop]]):
                    made = whole.whole_loop(module, func.body, facts, loop, frozenset())
                    found.append((meets_data(func.body, facts, loop), made is not None))
    return found


def refused(body: str) -> bool:
    ((early, qualifies),) = loops(Module.from_text(LOOP.format(body=body)))
    assert early is not qualifies
    return early


@pytest.mark.parametrize("guest", ["hello_rust", "walk_rust", "files", "raw_tensor", "exceptions_new"])
def test_nothing_that_qualifies_in_guests_is_refused(guest: str) -> None:
    found = loops(Module.from_file(GUESTS / f"{guest}.wasm"))
    assert (True, True) not in found
    assert found.count((True, False)) > 5


def test_nothing_that_qualifies_in_random_loops_is_refused() -> None:
    qualified = 0
    for seed in range(ROUNDS):
        text, _ = function(Random(seed))
        found = loops(Module.from_text(text))
        assert (True, True) not in found, seed
        qualified += found.count((False, True))
    assert qualified > ROUNDS // 3


@pytest.mark.parametrize(
    "body",
    [
        "(br_if $out (i32.load8_u (local.get $p)))",
        "(br_if $on (i32.eqz (i32.load (local.get $p))))",
        "(local.set $x (i32.load8_u (local.get $p))) (br_if $out (i32.lt_u (i32.const 9) (local.get $x)))",
        "(br_if $out (i32.ne (i32.and (i32.load (local.get $p)) (i32.const 3)) (local.get $y)))",
        "(block (br_if 0 (i32.load (local.get $p))) (br_if $out (i32.load (local.get $p))))",
        "(br_if $out (i32.add (i32.const 1) (i32.load (local.get $p))))",
        "(i32.store (local.get $p) (local.get $x)) (local.set $x (i32.load offset=9 (local.get $p)))",
        "(block (br_if 0 (local.get $n)) (br $out)) (br_if $out (i32.load (local.get $p)))",
        "(block (local.set $x (i32.load (local.get $p))) (br_if 0 (local.get $n)) (local.set $x"
        " (i32.load offset=4 (local.get $p)))) (br_if $out (local.get $x))",
        "(local.set $x (i32.shr_u (local.get $x) (i32.const 4))) (br_if $out (i32.eqz (local.get $x)))",
        "(br_if $out (i32.gt_u (local.get $x) (i32.const 9)))"
        "(local.set $x (i32.div_u (local.get $x) (i32.const 10)))",
        "(drop (select (i32.const 1) (i32.const 2) (local.get $y)))"
        "(local.set $y (local.tee $x (i32.shl (local.get $y) (i32.const 1))))"
        "(local.set $x (i32.shl (local.get $x) (i32.const 1))) (br_if $out (i32.load (local.get $y)))",
        "(br_if $out (i32.wrap_i64 (i64.sub (i64.extend_i32_u (i32.load (local.get $p))) (i64.const 1))))",
    ],
)
def test_loops_that_end_when_they_meet_data_are_refused_at_once(body: str) -> None:
    assert refused(body)


@pytest.mark.parametrize(
    "body",
    [
        "(block (br_if 0 (i32.load (local.get $p))) (i32.store (local.get $p) (i32.const 1)))",
        "(local.set $x (i32.load (local.get $p))) (local.set $x (local.get $n))"
        "(br_if $out (i32.gt_u (local.get $x) (i32.const 99999)))",
        "(local.set $x (i32.load (local.get $p)))(br_if $out (i32.sub (local.get $x) (local.get $x)))",
        "(br_if $out (i32.eq (local.get $p) (i32.const 65000)))",
        "(block (local.set $x (i32.load (local.get $p))) (br_if 0 (local.get $n)) (local.set $x"
        " (local.get $n))) (local.set $x (i32.const 3)) (br_if $out (i32.gt_u (local.get $x) (i32.const 9)))",
    ],
)
def test_loops_that_only_choose_by_data_are_looked_at(body: str) -> None:
    assert not refused(body)


CHASE = """(module (memory 1) (func (param $p i32) (param $n i32) (result i32) (local $x i32) (local $y i32)
  (loop $on {body} (br_if $on (local.get $p)))
  (i32.add (local.get $x) (local.get $n))))"""


@pytest.mark.parametrize(
    "body",
    [
        "(local.set $p (i32.load offset=8 (local.get $p)))",
        "(local.set $x (local.get $p)) (local.set $p (i32.load (i32.add (local.get $p) (i32.const 4))))",
        "(local.set $x (i32.const 3)) (local.set $p (i32.eq (local.get $n) (i32.load (local.get $p))))",
        "(local.set $p (i32.load (i32.load (local.get $p)))) (local.set $y (local.tee $x (local.get $p)))",
    ],
)
def test_loops_in_which_no_local_counts_are_refused_at_once(body: str) -> None:
    assert loops(Module.from_text(CHASE.format(body=body))) == [(True, False)]


@pytest.mark.parametrize(
    "count",
    [
        "(local.set $p (i32.sub (local.get $p) (i32.const 1)))",
        "(local.set $x (i32.sub (local.get $p) (i32.const 1))) (local.set $p (local.get $x))",
        "(local.set $p (block (result i32) (i32.sub (local.get $p) (i32.const 1))))",
    ],
)
def test_loops_that_count_by_way_of_others_are_looked_at(count: str) -> None:
    text = CHASE.format(body=f"(i32.store8 offset=9 (local.get $p) (i32.const 7)) {count}")
    assert loops(Module.from_text(text)) == [(False, True)]
