"""Windows of a series that begin elsewhere than where the one before ends, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif import at_starts
from pywasm_nn.watch.whatif.at_starts import Starts, asked_at_others
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
SPEC = (TensorSpec("probs", DType.F32, ("N", 3)),)
SIZE, COUNT = 32, 8
RNG = numpy.random.default_rng(7)
KINDS = [numpy.sin(numpy.arange(SIZE) * (1 + kind) / 5) * 200 for kind in range(3)]
ORDER = [0, 0, 2, 0, 1, 2, 1, 0]
WHOLE = numpy.rint(numpy.concatenate([KINDS[kind] for kind in ORDER]) + RNG.normal(50, 3, SIZE * COUNT))


def own(part: Any) -> Any:
    return (part - part.mean()) / part.std()


def fixed(part: Any) -> Any:
    return (part - 40) / 150


WAYS = {"own": own, "fixed": fixed}


class Knowing(StandIn):
    """Stands for the runs of a model that knows the kinds, and else takes the first one for likely; or one
    that is as sure of anything, or of nothing."""

    def __init__(self, sure: float | None = None) -> None:
        self._sure, self.count = sure, 0

    def changed(self, _: int, array: Any) -> Answer:
        self.count += 1
        near = [float(own(array.reshape(-1).astype("f8")) @ own(kind)) / SIZE for kind in KINDS]
        place = int(numpy.argmax(near))
        sure = (0.995 if near[place] > 0.98 else 0.6) if self._sure is None else self._sure
        return Answer(place, sure, 3, 5.0)


def hint(
    starts: Any, monkeypatch: pytest.MonkeyPatch, way: str = "own", sure: float | None = None, more: int = 0
) -> str:
    """What is said of windows that begin there, in a series with some more numbers at its end."""
    numbers = numpy.concatenate([WHOLE, WHOLE[:more]])
    files = {
        "table": ("a.txt", ("# mV\n" + "\n".join(f"{one:g}" for one in numbers)).encode()),
        "words": ("a.i16", numbers.astype("<i2").tobytes()),
    }
    said = set()
    for file in files.values():
        model, kept, found, asked = Knowing(sure), Starts(lambda file=file: [file]), "", 0
        monkeypatch.setattr(at_starts, "Runs", model)
        for start in starts:
            row = WAYS[way](numbers[start : start + SIZE]).astype("f4")[None]
            answer = model.changed(0, row)
            shares = numpy.full((1, 3), (1 - answer.sure) / 2, "f4")
            shares[0, answer.place] = answer.sure
            taken = kept.take(0, Tensor.from_numpy(row), SPEC, [Tensor.from_numpy(shares)])
            if taken is not None and taken.is_due:
                found, asked = found or asked_at_others(GRAPH, taken, 0.001), asked + 1
        assert asked <= 1, "each question costs time"
        said.add(found.replace(file[0], "the file"))
    assert len(said) == 1, "of a table and of samples of 16 bits the same"
    return said.pop()


@pytest.mark.parametrize("step", [20, 24, 27, 30])
@pytest.mark.parametrize("way", ["own", "fixed"])
def test_windows_at_another_step(way: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = range(0, SIZE * COUNT - SIZE + 1, step)
    found = hint(starts, monkeypatch, way)
    assert f"begin at 0, {step}, {2 * step} ... of the 256 in the file" in found
    assert "does each begin where the one before ends?" in found
    for sure in (0.995, 0.5):
        assert hint(starts, monkeypatch, way, sure) == "", "a model that makes no difference"


@pytest.mark.parametrize("step", [SIZE, SIZE // 2, SIZE // 4])
def test_windows_that_take_up_all(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint(range(0, SIZE * COUNT - SIZE + 1, step), monkeypatch) == ""


def test_series_of_other_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no whole number of windows is looked at with any step."""
    assert hint(range(0, SIZE * COUNT - SIZE + 1, 24), monkeypatch, more=13) == ""
    assert hint([0, 24, 56, 72, 100, 124, 140, 170], monkeypatch) == "", "at any places"
