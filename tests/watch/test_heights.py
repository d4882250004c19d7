"""Lines of text of another height than that with which the model was trained."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif import heights
from pywasm_nn.watch.whatif.heights import Squeezed, at_trained_height, in_proportion, trained_height
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x", shape=(1, 3, None, "width"))])
FIXED: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x", shape=(1, 3, 48, 135))])
SPECS = [TensorSpec("y", DType.F32, None)]


def steps(letters: tuple[int, ...], sure: float) -> Tensor:
    """The answer of a model that reads these letters, with blanks between them."""
    rows = numpy.full((1, 4 * len(letters), 20), (1 - sure) / 19, "f4")
    for at in range(rows.shape[1]):
        rows[0, at, letters[at // 4] if at % 4 == 1 else 0] = sure
    return Tensor.from_numpy(rows)


class Reader(StandIn):
    """Stands for the runs of a model whose answer depends on the height of the lines alone."""

    def __init__(self, said: Callable[[Tensor], Tensor]) -> None:
        self._said = said
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, _: Any, inputs: Any, *__: Any, judge: Any, **___: Any) -> Self:
        self._inputs, self._judge = inputs, judge
        return self

    def answer(self, changed: dict[int, Tensor]) -> Answer | None:
        tensor = changed.get(0, self._inputs[0])
        self.shapes.append(tensor.shape)
        found: Answer | None = self._judge(SPECS, [self._said(tensor)])
        return found


RIGHT, WRONG = (5, 7, 9, 11, 4), (5, 8, 9, 11, 4)


@pytest.mark.parametrize("shape", [(1, 3, 32, 264), (1, 3, 64, 200), (1, 3, 48, 396)])
@pytest.mark.parametrize(
    ("letters", "sure", "seen"), [(WRONG, 0.9, True), (RIGHT, 0.9, False), (WRONG, 0.99, False)]
)
def test_lines_of_another_height(
    letters: tuple[int, ...], sure: float, seen: bool, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(tensor: Tensor) -> Tensor:
        return steps(RIGHT, 0.95) if 48 in tensor.shape else steps(letters, sure)

    reader = Reader(said)
    monkeypatch.setattr(heights, "Runs", reader)
    line = Tensor.from_numpy(numpy.random.default_rng(2).random(shape).astype("f4"))
    sent = Answer(5, 0.95 if 48 in shape else sure, 20)
    found = at_trained_height(GRAPH, [line], 48, sent, 0.01, 1.0)
    assert bool(found) is (seen and 48 not in shape)
    assert not found or f"its lines are {shape[2]} rows high, and models of this name" in found
    assert 48 in shape or reader.shapes[0] == (1, 3, 48, round(shape[3] * 48 / shape[2]))


@pytest.mark.parametrize("twice", [True, False])
@pytest.mark.parametrize(
    "sides", [(270, 24, 135, 48), (300, 48, 600, 48), (270, 24, 540, 48), (200, 50, 200, 48)]
)
@pytest.mark.parametrize(
    ("letters", "own", "other", "seen"),
    [
        (WRONG, 0.7, 0.97, True),
        (RIGHT, 0.7, 0.97, False),
        (WRONG, 0.95, 0.97, False),
        (WRONG, 0.7, 0.85, False),
        (WRONG, 0.8, 0.91, False),
    ],
)  # fmt: skip
def test_lines_in_other_proportions(
    letters: tuple[int, ...],
    own: float,
    other: float,
    seen: bool,
    sides: tuple[int, int, int, int],
    monkeypatch: pytest.MonkeyPatch,
    *,
    twice: bool,
) -> None:
    """A squeezed line is named if the model reads something else, nearly without doubt, in its own width."""
    wide, high, new_wide, new_high = sides
    right = wide * new_high // high

    def said(tensor: Tensor) -> Tensor:
        is_right = tensor.shape[3] in ((right, 2 * new_wide) if twice else (right,))
        return steps(RIGHT, other) if is_right else steps(letters, own)

    monkeypatch.setattr(heights, "Runs", Reader(said))
    squeezed = Squeezed.of(sides)
    assert (squeezed is None) is (abs(right - new_wide) < 10)
    if squeezed is not None:
        line = Tensor.from_numpy(numpy.random.default_rng(2).random((1, 3, new_high, new_wide)).astype("f4"))
        found = in_proportion(GRAPH, [line], squeezed, Answer(5, own, 20), 0.01, 1.0)
        assert bool(found) is seen
        assert in_proportion(FIXED, [line], squeezed, Answer(5, own, 20), 0.01, 1.0) is None
        across = min(right, 2 * new_wide) if twice else right
        assert not found or f"in {across} columns the model reads 5 letters" in found


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("ch_PP-OCRv4_rec_infer", 48), ("en_PP-OCRv3_rec_mobile", 48), ("PP-OCRv5_server_rec", 48),
        ("ch_PP-OCRv2_rec_infer", 32), ("ch_ppocr_mobile_v2.0_rec_infer", 32), ("ch_PP-OCRv4_det_infer", 0),
        ("crnn", 0), ("recogniser", 0), ("ch_ppocr_mobile_v2.0_cls_infer", 0), ("", 0),
    ],
)  # fmt: skip
def test_names_of_models(name: str, rows: int) -> None:
    assert trained_height(["other", name]) == rows


def resized(rows: int, columns: int, high: int, wide: int, middle: float = 0.0) -> Tensor:
    """A line of so many rows and columns in other ones, of which each is the nearest."""
    pixels = numpy.random.default_rng(8).random((1, 3, rows, columns)).astype("f4")
    down, across = (
        ((numpy.arange(new) + middle) * old / new).astype("i8")
        for new, old in ((high, rows), (wide, columns))
    )
    return Tensor.from_numpy(numpy.ascontiguousarray(pixels[:, :, down][..., across]))


@pytest.mark.parametrize("middle", [0.0, 0.5])
@pytest.mark.parametrize(
    ("sides", "narrower"),
    [
        ((24, 271, 48, 150), 2.0),  # rows twice, columns left out
        ((20, 100, 48, 100), 2.4),
        ((16, 90, 48, 120), 2.25),
        ((48, 60, 48, 200), 0.3),
        ((24, 100, 48, 200), 0.0),  # in proportion
        ((24, 100, 32, 100), 0.0),  # a third higher
        ((48, 300, 48, 100), 0.0),  # which nothing shows
    ],
)
def test_lines_that_show_how_they_were_resized(
    sides: tuple[int, int, int, int], narrower: float, middle: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = resized(*sides, middle)
    squeezed = Squeezed.seen_in([line])
    assert (squeezed.narrower if squeezed else 0.0) == pytest.approx(narrower, rel=0.02)
    if squeezed is None:
        return

    def said(tensor: Tensor, *, is_right: bool = True) -> Tensor:
        return steps((*RIGHT, 6), 0.98) if is_right and tensor.shape != line.shape else steps(WRONG, 0.7)

    sent = Answer(5, 0.7, 20)
    monkeypatch.setattr(heights, "Runs", Reader(said))
    found = in_proportion(GRAPH, [line], squeezed, sent, 0.01, 1.0)
    assert found and "and each column" in found and "the model reads 6 letters" in found
    assert in_proportion(GRAPH, [line], squeezed, Answer(5, 0.97, 20), 0.01, 1.0) is None  # reads it well
    monkeypatch.setattr(heights, "Runs", Reader(lambda tensor: said(tensor, is_right=False)))
    assert in_proportion(GRAPH, [line], squeezed, sent, 0.01, 1.0) is None  # and no better in others


def test_plain_lines_show_nothing() -> None:
    """Smooth ones, blank ones, and bars that are as wide as they are."""
    smooth = numpy.linspace(0, 1, 48 * 100 * 3).reshape(1, 3, 48, 100).astype("f4")
    bars = numpy.zeros((1, 3, 48, 96), "f4")
    bars[:, :, 10:30, ::3] = 1
    for array in (smooth, numpy.zeros((1, 3, 48, 100), "f4"), bars):
        assert Squeezed.seen_in([Tensor.from_numpy(array)]) is None
