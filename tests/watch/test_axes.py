"""Axes of points: flat, of other columns, at squared distances, exchanged. Each mistake has twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.probes.meant import as_named
from pywasm_nn.watch.series.clouds import Clouds
from pywasm_nn.watch.whatif import points
from pywasm_nn.watch.whatif.points import Kept, Meant, Points, Usual, asked_as_usual
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

ROWS = (
    numpy.random.default_rng(31).uniform(-1, 1, (200, 5)) * (30, 50, 80, 9, 7) + (200, -300, 400, 20, 5)
).round(2)
FILE = "cup.xyz", "\n".join(" ".join(f"{one:.2f}" for one in row) for row in ROWS.tolist()).encode()


def sent(columns: Any, by: float = 1.0, *, is_even: bool = True) -> Any:
    """Points about 0, the farthest at a distance of 1 to the power of `by`."""
    own = columns - columns.mean(axis=0)
    own = own if is_even else own / abs(own).max(axis=0)
    return own / numpy.sqrt((own**2).sum(axis=1)).max() ** by


FLAT = ROWS[:, :3] * (1, 0, 1)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (sent(FLAT), "all 200 y that were sent are 0"),
        (sent(ROWS[:, 1:4]), 'the columns "y", "z", "column 4", 1 behind'),
        (sent(ROWS[:, :3], 2), "is its square root missing?"),
        (sent(ROWS[:, :3]), ""),
        (sent(ROWS[:, :3] / 1000), ""),
        (sent(ROWS[:, [0, 1, 3]]), ""),
        (ROWS[:, 2:5], 'the columns "z", "column 4", "column 5", 2 behind'),
        (numpy.random.default_rng(5).normal(0, 1, (200, 3)), ""),
    ],
)
def test_axes_of_points(own: Any, words: str) -> None:
    for array in (own.T[None], own[None]):
        name, said = Clouds().set(array.astype("f4"), [FILE])
        assert words in said and bool(said) == bool(words)
        assert name == FILE[0] or not said


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (sent(ROWS[:, [2, 1, 0]]), "they were sent as z, y, x"),
        (sent(ROWS[:, :3] * (1, 1, -1)), "they were sent as x, y, -z"),
        (sent(ROWS[:, :3], is_even=False), "all axes scaled alike"),
        (sent(ROWS[:, :3]) / 4, "the farthest point at 1 (as sent at 0.25)"),
        (ROWS[:, :3], "the mean at 0 and the farthest point at 1"),
        (sent(ROWS[:, :3]), ""),
    ],
)
def test_points_as_usual(own: Any, words: str) -> None:
    clouds = Clouds()
    clouds.set(own.T[None].astype("f4"), [FILE])
    assert (clouds.usual is not None) == bool(words)
    if clouds.usual is not None:
        assert words in clouds.usual.said
        assert numpy.abs(clouds.usual.array[0].T - sent(ROWS[:, :3])).max() < 1e-5


class OfCups(StandIn):
    """Stands for the runs of a model that knows a cup, whose first number is 1."""

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        is_cup = float(array.reshape(-1)[0] == 1)
        return [Tensor.from_numpy(numpy.array([[0.02, 0.9 * is_cup, 0.9 - 0.9 * is_cup, 0.08]], "f4"))]


GRAPH: Any = SimpleNamespace(
    inputs=[SimpleNamespace(name="points")],
    outputs=[SimpleNamespace(name="p", quantization=None, shape=None)],
)


@pytest.mark.parametrize(
    ("first", "place", "answer", "words"),
    [
        (1, 1, 3, "which is what cup.xyz is named after; as sent it is 3"),
        (0, 1, 3, ""),
        (1, 2, 3, ""),
        (1, 1, 1, None),
    ],
)
def test_a_model_is_asked_about_points(
    first: int, place: int, answer: int, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points, "Runs", OfCups())
    array = numpy.zeros((1, 3, 40), "f4")
    usual = Usual("cup.xyz", "the axes exchanged", array + first)
    kept, was = Points(), Answer(answer, 0.9, 4)
    kept.take(0, Kept(0, usual, lambda file, _: Depicted(file, (place,))))
    due = kept.due(0, 0, was)
    assert (due is None) == (words is None)
    if due is not None and words is not None:
        said = asked_as_usual(GRAPH, [Tensor.from_numpy(array)], due, was, 0.01)
        assert words in (said or "") and bool(said) == bool(words)


@pytest.mark.parametrize(
    ("now", "then", "seen"),
    [
        ("cup.xyz: bowl", "cup.xyz: cup", True),
        ("cup.xyz: bowl", "cup.xyz: jug", False),
        ("a cup", "cup", False),
    ],
)
def test_what_a_guest_would_write(now: str, then: str, seen: bool) -> None:
    asked: Any = SimpleNamespace(control=SimpleNamespace(text=now), said=lambda _: then)
    assert bool(as_named(asked, Meant("said", {}, "data/cup.xyz"))) == seen
    assert as_named(asked, None) == ""
