"""Questions about one compute share a twin of the guest's graph, whose time counts once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.whatif import twins
from pywasm_nn.watch.whatif.twins import Twins


class Loaded:
    """A graph whose twins are loaded by another process, in a quarter of a second."""

    worked = 0.25

    def __init__(self) -> None:
        self.opened = self.closed = 0

    def twin(self, _parts: Any) -> Any:
        self.opened += 1
        return SimpleNamespace(worked=self.worked, close_twin=self._closed)

    def _closed(self) -> None:
        self.closed += 1


def test_questions_about_a_compute_share_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []
    clock = iter([1.0, 1.75])  # processor time before the child, and after it
    monkeypatch.setattr(twins, "worked", lambda: next(clock))
    monkeypatch.setattr(twins, "perf_counter", lambda: 0.0)
    budget, graph = Budget(), Loaded()
    monkeypatch.setattr(budget, "spend", spent.append)
    asked: Any = graph
    shared = Twins(budget)
    with shared.shared():
        assert shared.cost(asked) == 0.25
        with shared.twin(asked, ()) as first:
            assert spent == [0.25] and shared.cost(asked) == 0.0
        with shared.twin(asked, ()) as second:
            assert second is first
        assert (graph.opened, graph.closed) == (1, 0)
    assert (graph.opened, graph.closed) == (1, 1)
    assert sum(spent) == 0.75 and shared.cost(asked) == 0.25


def test_a_question_that_fails_leaves_no_twin() -> None:
    graph: Any = Loaded()
    shared = Twins(Budget())
    with pytest.raises(ValueError, match="no"), shared.shared(), shared.twin(graph, ()):
        raise ValueError("no")
    assert (graph.opened, graph.closed) == (1, 1)
