"""Batches that were filled column by column, and right ones: tables, windows, and what has no levels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import by_columns
from pywasm_nn.watch.whatif.by_columns import Filled, columns_of, filled_by_columns
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="features")])


def table(rows: int, columns: int, seed: int) -> Any:
    """Rows of things of three kinds, each column around a level of its own."""
    random = numpy.random.default_rng(seed)
    level = random.permutation(numpy.linspace(-12, 25, columns))
    kinds = random.normal(0, 1.2, (3, columns))
    return (level + kinds[random.integers(0, 3, rows)] + random.normal(0, 0.6, (rows, columns))).astype("f4")


def by_column(right: Any) -> Any:
    return numpy.ascontiguousarray(right.T).reshape(right.shape)


SIZES = [(8, 4), (5, 4), (16, 6), (12, 13), (6, 9), (30, 4)]


@pytest.mark.parametrize("size", SIZES)
def test_columns_one_behind_the_other(size: tuple[int, int]) -> None:
    """Hardly any batch is missed, and none that is right is taken for such a one."""
    found = [columns_of(by_column(table(*size, seed))) for seed in range(40)]
    known = [seed for seed, one in enumerate(found) if one is not None]
    assert len(known) >= 34
    assert all((found[seed] == table(*size, seed)).all() for seed in known)
    for seed in range(40):
        right = table(*size, seed)
        assert columns_of(right) is None
        assert columns_of(((right - right.mean(axis=0)) / right.std(axis=0)).astype("f4")) is None


@pytest.mark.parametrize("seed", range(20))
def test_other_batches(seed: int) -> None:
    random = numpy.random.default_rng(seed)
    rows, columns = int(random.integers(5, 24)), int(random.integers(2, 24))
    shapes = numpy.sin(numpy.outer(random.uniform(3, 9, rows), numpy.linspace(0, 2, columns)))
    others: tuple[Any, ...] = (
        random.normal(size=(rows, columns)),
        random.uniform(size=(rows, columns)).round(),
        numpy.ones((rows, columns)),
        numpy.zeros((rows, columns)),
        shapes + random.normal(0, 4, (rows, 1)),
        numpy.full((rows, columns), numpy.nan),
        numpy.arange(rows * columns).reshape(rows, columns) % 7,
    )
    for one in others:
        assert columns_of(one.astype("f4")) is None
    assert columns_of(by_column(table(8, 4, seed)).astype("i4")) is None
    assert columns_of(by_column(table(8, 4, seed)).reshape(-1)) is None
    assert columns_of(table(6, 6, seed).T.copy()) is None, "of a square nobody knows"


class Model(StandIn):
    """Stands for the runs of a model that is so sure of the rows, and gives them so many answers."""

    def __init__(self, sure: float, many: int) -> None:
        self.sure, self.many = sure, many

    def __call__(self, *_: Any, **__: Any) -> Model:
        return self

    def rows(self, _: int, array: Any) -> list[Answer]:
        return [Answer(at % self.many, self.sure, 3, 2.0) for at in range(len(array))]


@pytest.mark.parametrize(
    ("sure", "many", "was", "few", "seen"),
    [
        (0.97, 3, 0.88, 1, True), (0.97, 3, 0.99, 1, True), (0.97, 2, 0.88, 3, True),
        (0.97, 1, 0.6, 1, False), (0.7, 3, 0.5, 1, False), (0.93, 3, 0.99, 1, False),
        (0.95, 3, 0.93, 3, False), (0.9, 2, 0.99, 3, False),
    ],
)  # fmt: skip
def test_what_the_model_says(
    sure: float, many: int, was: float, few: int, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_columns, "Runs", Model(sure, many))
    right = table(8, 4, 1)
    given = [Tensor.from_numpy(by_column(right))]
    sent = [Answer(at % few, was, 3, 2.0) for at in range(8)]
    rows = Filled().rows(1, given)
    assert (rows == right).all()
    said = filled_by_columns(GRAPH, given, rows, sent, 0.01)
    assert ("element (row, column) put at column * 8 + row" in said) is seen
    assert bool(said) is seen


def test_a_model_is_asked_once() -> None:
    filled, given = Filled(), [Tensor.from_numpy(by_column(table(8, 4, 1)))]
    assert filled.rows(1, [Tensor.from_numpy(table(8, 4, 1))]) is None
    assert filled.rows(1, given) is not None
    assert filled.rows(1, given) is None
    assert filled.rows(2, given) is not None
    assert filled.rows(3, [*given, *given]) is None, "two inputs"
