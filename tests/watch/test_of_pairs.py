"""Counts of pairs and triples whose tables lie the other way round: mistakes, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import of_pairs
from pywasm_nn.watch.whatif.of_pairs import Pairs, chained, turned_round
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="counts")])
EVENT: Any = SimpleNamespace(graph_id=5)


def table(seed: int, kinds: int, order: int, length: int = 80, *, as_shares: bool = False) -> Any:
    """What follows what in a sequence of some kinds, some of which like each other more."""
    random = numpy.random.default_rng(seed)
    likes = random.dirichlet(numpy.full(kinds, 0.3), kinds)
    sequence = [int(random.integers(kinds))]
    while len(sequence) < length:
        sequence.append(int(random.choice(kinds, p=likes[sequence[-1]])))
    made = numpy.zeros((kinds,) * order)
    for at in range(length - order + 1):
        made[tuple(sequence[at : at + order])] += 1
    return made / made.sum() if as_shares else made


@pytest.mark.parametrize("as_shares", [True, False])
@pytest.mark.parametrize("length", [80, 500])
@pytest.mark.parametrize(("kinds", "order"), [(27, 2), (5, 2), (4, 2), (20, 2), (4, 3), (11, 3)])
def test_tables_of_what_follows_what(kinds: int, order: int, length: int, *, as_shares: bool) -> None:
    """Of long sequences of few kinds each pair may be there many times."""
    for seed in range(6):
        own = table(seed, kinds, order, length, as_shares=as_shares)
        if numpy.count_nonzero(own) >= of_pairs.FEWEST_PAIRS:
            for one in (own, own.T):
                found = chained(one.reshape(-1).astype("f4").astype("f8"))
                assert found is not None and abs(found - one).max() < 1e-6


def test_other_squares_are_no_tables() -> None:
    random = numpy.random.default_rng(0)
    for array in (random.random(64), random.integers(0, 9, 64), random.integers(0, 2, 49), numpy.eye(14)):
        assert chained(array.reshape(-1).astype("f8")) is None
    both = table(1, 9, 2)
    assert chained((both + both.T).reshape(-1)) is None, "it is the same both ways round"
    assert chained(table(1, 9, 2).reshape(-1)[:-1]) is None


class Trained(StandIn):
    """Stands for the runs of a model that knows tables one way round, and guesses at others."""

    def __init__(self, known: Any, guess: float) -> None:
        self._known, self._guess = known, guess

    def changed(self, _: int, array: Any) -> Answer:
        for kind, one in enumerate(self._known):
            if (one.reshape(-1) == array.reshape(-1)).all():
                return Answer(kind % 4, 0.95, 9, 3.5)
        return Answer(4 + int(array.reshape(-1).argmax()) % 2, self._guess, 9, 0.5)

    def rows(self, _: int, array: Any) -> list[Answer]:
        return [self.changed(0, row) for row in array]


def said(sent: Any, known: Any, monkeypatch: pytest.MonkeyPatch, guess: float, *, is_batch: bool) -> str:
    model, pairs = Trained(known, guess), Pairs()
    monkeypatch.setattr(of_pairs, "Runs", model)
    rows = numpy.stack([one.reshape(-1) for one in sent]).astype("f4")
    for batch in [rows] if is_batch else [row[None] for row in rows]:
        kept = pairs.take(EVENT, [Tensor.from_numpy(batch)], model.rows(0, batch))
        if kept is not None:
            return turned_round(GRAPH, kept, 0.01)
    return "".join(turned_round(GRAPH, one, 0.01) for one in pairs.rest())


@pytest.mark.parametrize("is_batch", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize(("kinds", "order"), [(27, 2), (6, 2), (6, 3)])
def test_a_model_that_knows_the_other_way_round(
    kinds: int, order: int, count: int, monkeypatch: pytest.MonkeyPatch, *, is_batch: bool
) -> None:
    """A right twin that is in doubt, one that is sure both ways, and the mistake."""
    right = [table(seed, kinds, order) for seed in range(count)]
    wrong = [one.T for one in right]
    found = said(wrong, right, monkeypatch, 0.5, is_batch=is_batch)
    assert f"and not second * {kinds} + first?" in found
    assert said(right, right, monkeypatch, 0.5, is_batch=is_batch) == ""
    assert said(wrong, [], monkeypatch, 0.5, is_batch=is_batch) == "", "it knows neither"
    assert said(wrong, right, monkeypatch, 0.9, is_batch=is_batch) == "", "it may be so"


class Sure(Trained):
    """Stands for the runs of a model that is sure of any table but of one short text's."""

    def changed(self, _: int, array: Any) -> Answer:
        flat = array.reshape(-1)
        is_known = any((one.reshape(-1) == flat).all() for one in self._known)
        return Answer(1, 0.5, 9, 0.3) if is_known else Answer(int(flat.argmax()) % 4, 0.95, 9, 3.5)


@pytest.mark.parametrize("is_batch", [True, False])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(("kinds", "order"), [(27, 2), (6, 3)])
def test_a_model_that_is_sure_of_anything(
    kinds: int, order: int, count: int, monkeypatch: pytest.MonkeyPatch, *, is_batch: bool
) -> None:
    """Of one or two rows the other way round says nothing then."""
    right = [table(seed, kinds, order) for seed in range(count)]
    monkeypatch.setattr("tests.watch.test_of_pairs.Trained", Sure)
    assert said(right, right, monkeypatch, 0.5, is_batch=is_batch) == ""
