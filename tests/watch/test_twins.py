"""Questions about one compute share a twin of the guest's graph, which is opened for the first run, and whose
time counts once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from pywasm_nn.nn.backend import Context, Graph
from pywasm_nn.nn.errors import Code, NNError
from pywasm_nn.nn.tensor import DType, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.whatif import twins
from pywasm_nn.watch.whatif.twins import Twins


class Loaded(Graph):
    """A graph whose twins are loaded by another process, in a quarter of a second."""

    def __init__(self) -> None:
        spec = TensorSpec("x", DType.F32, (1, 64))
        super().__init__("b", [spec], [spec])
        self.worked = 0.25
        self.tried = self.opened_twins = self.closed = 0
        self.refuses = False

    def twin(self, _parts: Sequence[bytes | Path]) -> Graph:
        self.tried += 1
        if self.refuses:
            raise NNError(Code.TOO_LARGE, "no room")
        self.opened_twins += 1
        return Own(self)


class Own(Graph):
    """A twin."""

    def __init__(self, loaded: Loaded) -> None:
        super().__init__("b", loaded.inputs, loaded.outputs)
        self.worked, self._loaded = loaded.worked, loaded

    def context(self) -> Context:
        return Context(self)

    def close_twin(self) -> None:
        self._loaded.closed += 1


def test_questions_about_a_compute_share_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []
    clock = iter([1.0, 1.75])  # processor time before the child, and after it
    monkeypatch.setattr(twins, "worked", lambda: next(clock))
    monkeypatch.setattr(twins, "perf_counter", lambda: 0.0)
    budget, graph = Budget(), Loaded()
    monkeypatch.setattr(budget, "spend", spent.append)
    shared = Twins(budget)
    with shared.shared():
        with shared.twin(graph, (), 0.01, 1.0) as first:
            assert shared.cost(graph) == 0.25 and graph.opened_twins == 0, "nothing was run"
            first.opened()
            first.opened()
            assert shared.cost(graph) == 0.0
        assert spent == [0.25]
        with shared.twin(graph, (), 0.01, 0.0) as second:
            second.opened()  # which takes no time now
        assert (graph.opened_twins, graph.closed) == (1, 0)
    assert (graph.opened_twins, graph.closed) == (1, 1)
    assert sum(spent) == 0.75 and shared.cost(graph) == 0.25


def test_a_question_that_runs_nothing_opens_no_twin() -> None:
    graph, shared = Loaded(), Twins(Budget())
    with shared.shared(), shared.twin(graph, (b"m",), 0.01, 1.0):
        assert shared.cost(graph) == 0.25
    assert (graph.tried, graph.closed) == (0, 0)


@pytest.mark.parametrize(("most", "opened"), [(0.25 + 3.5 * 0.1, 1), (0.25 + 2.5 * 0.1, 0)])
def test_a_twin_is_opened_if_there_is_time_for_runs(most: float, opened: int) -> None:
    graph, shared = Loaded(), Twins(Budget())
    with shared.shared(), suppress(NNError), shared.twin(graph, (), 0.1, most) as twin:
        twin.opened()
    assert graph.opened_twins == graph.closed == opened


def test_a_model_in_this_process_takes_no_time_to_open() -> None:
    graph, shared = Loaded(), Twins(Budget())
    graph.worked = 0.0
    with shared.shared(), shared.twin(graph, (), 1.0, 0.0) as twin:
        twin.opened()
    assert graph.opened_twins == 1


def test_a_twin_that_is_refused_is_asked_for_once() -> None:
    graph, shared = Loaded(), Twins(Budget())
    graph.refuses = True
    with shared.shared():
        for _ in range(2):
            with shared.twin(graph, (), 0.01, 1.0) as twin, pytest.raises(NNError, match="no room"):
                twin.opened()
    assert (graph.tried, graph.closed) == (1, 0)


def test_a_question_that_fails_leaves_no_twin() -> None:
    graph, shared = Loaded(), Twins(Budget())
    with pytest.raises(ValueError, match="no"), shared.shared(), shared.twin(graph, (), 0.01, 1.0) as twin:
        twin.opened()
        raise ValueError("no")
    assert (graph.opened_twins, graph.closed) == (1, 1)
