"""Random functions and mutations on every engine (`differential.py`), and that a difference would be seen."""

from __future__ import annotations

import pytest
from differential import Differential

from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.interpret import code


@pytest.mark.parametrize(("count", "least"), [(1_400, 1), pytest.param(100_000, 100, marks=pytest.mark.slow)])
def test_all_engines_agree(count: int, least: int) -> None:
    differential = Differential(seed=1)
    for _ in differential.run(count):
        assert not differential.tally.differences, differential.tally.differences[0]
    tally = differential.tally
    print(tally)
    assert tally.executed >= count // 2
    assert [op for op in OPS.values() if tally.rows[op] < least] == []
    assert not tally.handed_over


def test_a_wrong_row_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = OPS["i32.add"], OPS["i32.sub"]
    handler = code.handler_for
    monkeypatch.setattr(code, "handler_for", lambda op: handler(wrong if op is right else op))
    differential = Differential(seed=1)
    assert any(differential.tally.differences for _ in differential.run(2_000))
