"""Random functions and mutations on every engine (`differential.py`), and that a difference would be seen."""

from __future__ import annotations

from random import Random

import pytest
from differential import Differential
from random_bodies import CASES, Code, function_of

from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.interpret import code
from pywasm_nn.interpreter.module import MemArg


@pytest.mark.parametrize(
    ("count", "seed", "least"),
    [(1_000, 2, 1), pytest.param(100_000, 1, 100, marks=pytest.mark.slow)],
)
def test_all_engines_agree(count: int, seed: int, least: int) -> None:
    """Every instruction is executed. With another seed a rare one may need a few hundred functions more."""
    differential = Differential(seed=seed)
    for _ in differential.run(count):
        assert not differential.tally.differences, differential.tally.differences[0]
    tally = differential.tally
    print(tally)
    assert tally.executed >= count // 2
    assert [op for op in OPS.values() if tally.rows[op] < least] == []
    assert not tally.handed_over


def test_what_relaxed_instructions_may_choose_is_no_difference() -> None:
    """Two products of the least byte: their sum may wrap, saturate or be kept."""
    least, one = int.from_bytes(b"\x80" * 16, "little"), int.from_bytes(b"\x01\0\0\0" * 4, "little")
    name = "i32x4.relaxed_dot_i8x16_i7x16_add_s"
    body: Code = [(OPS["i32.const"], 0), *((OPS["v128.const"], value) for value in (least, least, one))]
    body += [(OPS[name], None), (OPS["v128.store"], MemArg(0, 0, 0))]
    differential = Differential(seed=1)
    differential.examine([function_of(CASES[0], (), [*body, (OPS["end"], None)])], [Random(1)], "here")
    assert not differential.tally.differences, differential.tally.differences[0]
    assert differential.tally.rows[OPS[name]] == 1


def test_a_wrong_row_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = OPS["i32.rotl"], OPS["i32.rotr"]  # no loop counts with these
    handler = code.handler_for
    monkeypatch.setattr(code, "handler_for", lambda op: handler(wrong if op is right else op))
    differential = Differential(seed=1)
    differential.tally.rows[right] = -1_000  # functions are made for the rows that were executed least
    assert any(differential.tally.differences for _ in differential.run(2_000))
