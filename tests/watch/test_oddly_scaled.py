"""Rows that were scaled oddly, which a model that is asked about them shows: mistakes, and twins without
one."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif import oddly_scaled
from pywasm_nn.watch.whatif.oddly_scaled import OddlyScaled, scaled_otherwise
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
SPEC = (TensorSpec("probs", DType.F32, ("N", 4)),)
SIZE, KINDS = 32, 4
RNG = numpy.random.default_rng(11)
POWERS = RNG.normal(-4, 3, (KINDS, SIZE)) + RNG.normal(0, 2, SIZE)
"""Natural logarithms of what four kinds of sounds have in bands."""
MEANS, DEVIATIONS = POWERS.mean(axis=0), POWERS.std(axis=0) + 0.5
SCALER = numpy.concatenate([MEANS, DEVIATIONS]).astype("<f4").tobytes()
WAVES = RNG.normal(0, 1, (KINDS, SIZE))
WAVES = (WAVES - WAVES.mean(axis=1, keepdims=True)) / WAVES.std(axis=1, keepdims=True)
Make = Callable[[Any], Any]


class Nearest(StandIn):
    """Stands for the runs of a model that knows four rows: the farther one is from them, the less sure."""

    def __init__(self, known: Any) -> None:
        self._known, self.count = known, 0

    def changed(self, _: int, array: Any) -> Answer:
        self.count += 1
        away = ((self._known - array.reshape(1, -1)) ** 2).mean(axis=1)
        answer = chosen(-8 * away / (1 + 2 * away.min()))
        assert answer is not None
        return answer


def hint(known: Any, rows: Any, files: Any, monkeypatch: pytest.MonkeyPatch, *, batched: bool = False) -> str:
    """What is said of rows that are sent to a model that knows others."""
    model = Nearest(known)
    monkeypatch.setattr(oddly_scaled, "Runs", model)
    kept, said = OddlyScaled(lambda: files), ""
    sent = rows.astype("f4")
    for part in [sent] if batched else [sent[at : at + 1] for at in range(len(sent))]:
        answers = numpy.array([shares(model.changed(0, one)) for one in part], "f4")
        taken = kept.take(0, Tensor.from_numpy(part), SPEC, [Tensor.from_numpy(answers)])
        due = [one for one in kept.changes(taken.rows) if taken.is_due(one)] if taken.rows else []
        said = said or (scaled_otherwise(GRAPH, taken.rows, due, 0.001) if due else "")
    return said


def shares(answer: Answer) -> Any:
    """Probabilities by which a class is that sure."""
    made = numpy.full(KINDS, (1 - answer.sure) / (KINDS - 1))
    made[answer.place] = answer.sure
    return made


def scaled(logarithms: Any) -> Any:
    return (logarithms - MEANS) / DEVIATIONS


FILES = (("band_norm.f32", SCALER), ("a.wav", b"RIFF\0\0\0\0WAVE"))


@pytest.mark.parametrize("times", [1 / math.log(10), 10 / math.log(10)])
@pytest.mark.parametrize("batched", [False, True])
def test_other_logarithms_than_a_files(times: float, batched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hint(scaled(POWERS), scaled(times * POWERS), FILES, monkeypatch, batched=batched)
    assert "band_norm.f32" in found and "does the file have the means of ln?" in found
    assert hint(scaled(POWERS), scaled(POWERS), FILES, monkeypatch, batched=batched) == ""
    own = scaled(times * POWERS)
    assert hint(own, own, FILES, monkeypatch, batched=batched) == "", "a model that knows them so"
    wrong, known = scaled(times * POWERS), scaled(POWERS)
    assert hint(known, wrong, FILES[:1], monkeypatch) == "", "no sound was read"
    assert hint(known, wrong, (("weights.f32", SCALER), FILES[1]), monkeypatch) == "", "nobody says means"


@pytest.mark.parametrize("degrees", [0, 1])
@pytest.mark.parametrize("batched", [False, True])
def test_windows_with_their_means(degrees: int, batched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Divided by their deviations, of which some programs divide by one less."""
    levels = numpy.array([[-1.7], [0.6], [1.3], [2.2]])
    whole = WAVES / WAVES.std(axis=1, ddof=degrees, keepdims=True)
    found = hint(whole, whole + levels, (), monkeypatch, batched=batched)
    assert "each of 4 has a deviation of 1, and a mean of its own (-1.7 to 2.2)" in found
    assert "without its mean taken away?" in found
    assert hint(whole, whole, (), monkeypatch, batched=batched) == ""
    known = whole + levels
    assert hint(known, known, (), monkeypatch, batched=batched) == "", "a model that knows them so"
    assert hint(whole, whole + 1.3, (), monkeypatch) == "", "all have the same mean"
    assert hint(whole, 1.2 * whole + levels, (), monkeypatch) == "", "not divided by the deviation"


@pytest.mark.parametrize("count", [1, 2, 64])
def test_batches_of_short_rows_are_no_windows(count: int) -> None:
    """A grid of numbers, one in each row, as a guest sends it that asks for a curve."""
    grid = numpy.linspace(1, 4, 64, dtype="f4").reshape(-1, count)
    answers = Tensor.from_numpy(numpy.full((len(grid), 4), 0.25, "f4"))
    kept = OddlyScaled(lambda: [("sound.wav", b"RIFF")])
    taken = kept.take(0, Tensor.from_numpy(grid), SPEC, [answers])
    assert not taken.rows or not kept.changes(taken.rows)


class ByLevel(Nearest):
    """Stands for the runs of a model that tells windows that lie low, in the middle and high, as of a
    tank."""

    def __init__(self) -> None:
        self.count = 0

    def changed(self, _: int, array: Any) -> Answer:
        level = float(array.mean())
        if abs(level) < 0.5:
            return Answer(1, 0.998, 4, 7.0)
        return Answer(2 if level > 0 else 0, 0.9, 4, 2.5)


@pytest.mark.parametrize("levels", [[-1.7, 0.6, 1.3, 2.2], [0.6, 1.3, 1.9, 2.2]])
def test_a_model_that_goes_by_the_mean(levels: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """It says the same, and surely, of all windows without theirs."""
    monkeypatch.setattr("tests.watch.test_oddly_scaled.Nearest", lambda _: ByLevel())
    assert hint(WAVES, WAVES + numpy.array(levels)[:, None], (), monkeypatch) == ""
