"""Bytes of pictures for a model that says what a step of its input stands for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.origin.headerless import as_pixels
from pywasm_nn.watch.origin.matching import Origin
from pywasm_nn.watch.sent.files_beside import files_beside
from pywasm_nn.watch.whatif import beside
from pywasm_nn.watch.whatif.beside import asked_beside
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="pixels")])
SCALE = 1 / 64


class Knows(StandIn):
    """Is sure of pictures [...] in their steps, and right about the first `usually` in any others."""

    def __init__(self, known: list[Any], usually: int = 0) -> None:
        self._known, self._usually = known, usually

    def changed(self, _: int, array: Any) -> Answer:
        like = [numpy.corrcoef(one.reshape(-1), array.reshape(-1))[0, 1] for one in self._known]
        place = int(numpy.argmax(like))
        if abs(self._known[place].astype(int) - array).max() <= 1:
            return Answer(place, 0.99, 8, 6.0)
        return Answer(place if place < self._usually else 7, 0.6, 8, 1.5)


def said(
    folder: Path, factor: float, shift: float, top: int, kind: str, usually: int, monkeypatch: Any
) -> str:
    """What is said if h.raw, of 8 files of numbers from 0 to `top`, was sent as its numbers times a factor
    plus a shift, to a model that knows -1 to 1."""
    order = numpy.random.default_rng(2)
    pictures = [order.integers(0, top + 1, (1, 12, 12, 1)) for _ in range(8)]
    zero = 64 if kind == "u1" else 0
    for one, name in zip(pictures, "abcdefgh", strict=True):
        one.flat[:2] = 0, top
        (folder / f"{name}.raw").write_bytes(one.astype("u1").tobytes())
    meant = [numpy.rint((2 * one / top - 1) / SCALE + zero).astype(kind) for one in pictures]
    monkeypatch.setattr(beside, "Runs", Knows(meant, usually))
    sent = numpy.rint(pictures[6] * factor + shift).astype(kind)
    source = as_pixels("g.raw", (folder / "g.raw").read_bytes(), sent)[0]
    found, tensor = Origin(source, ("",)), Tensor.from_numpy(sent)
    known = files_beside(
        0,
        found,
        tensor,
        folder / "g.raw",
        Budget(),
        lambda name, _: Depicted(name, ("abcdefgh".index(name[0]),)),
        (SCALE, zero),
    )
    return "" if known is None else asked_beside(GRAPH, [tensor], known, (), 0.001, 10.0, [])


@pytest.mark.parametrize("top", [16, 63, 255])
@pytest.mark.parametrize("kind", ["u1", "i1"])
@pytest.mark.parametrize(("part", "usually"), [(0.5, 0), (0.25, 2), (0.5, 5)])
def test_steps_that_the_model_says(
    top: int, kind: str, part: float, usually: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zero, factor = 64 if kind == "u1" else 0, 128 / top
    text = said(tmp_path, factor * part, 0, top, kind, usually, monkeypatch)
    assert "with pixels from -1 to 1 by the model's scale and zero point" in text and "8 of 8" in text
    assert said(tmp_path, factor, zero - 64, top, kind, usually, monkeypatch) == ""


def test_an_own_answer_that_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(tmp_path, 4, 0, 16, "u1", 7, monkeypatch) == ""
