"""Pictures in which a model finds nothing because they are in another range of pixels, and those that show
nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, Tensor
from pywasm_nn.watch.whatif.asking import Runs
from pywasm_nn.watch.whatif.detections import detection_of, surest
from pywasm_nn.watch.whatif.finding import NOTHING, found_otherwise
from tests.watch.whatif_models import encoded, picture

REAL = Path(__file__).parents[3] / "shared" / "models" / "real"
MODEL, FACE = REAL / "face_detection_short_range.tflite", REAL / "face-128x128.rgb"
RANDOM = numpy.random.default_rng(61)
SHARES = RANDOM.uniform(0, 0.2, (300, 3))
SHARES[170] = 0.05, 0.8, 0.1
BOXES = RANDOM.uniform(0, 320, (300, 4))
NOTHING_ELSE = 1 - SHARES.sum(axis=1, keepdims=True)
MAP = RANDOM.uniform(0, 0.3, (1, 20, 30))
MAP[0, 7, 7] = 0.9


def logits(shares: Any) -> Any:
    return numpy.log(shares / (1 - shares))


@pytest.mark.parametrize(
    ("outputs", "place", "sure"),
    [
        ([numpy.hstack([BOXES, SHARES]).T], 1, 0.8),
        ([numpy.hstack([BOXES, numpy.full((300, 1), 0.5), SHARES])], 1, 0.4),
        ([numpy.hstack([BOXES, SHARES[:, 1:2]])], 0, 0.8),
        ([numpy.hstack([BOXES, numpy.sort(SHARES[:, 1:2], 0)[::-1], BOXES[:, :1] // 4])], 0, 0.8),
        ([BOXES, SHARES], 1, 0.8),
        ([SHARES, BOXES], 1, 0.8),
        ([BOXES, numpy.hstack([NOTHING_ELSE, SHARES])], 2, 0.8),
        ([RANDOM.normal(0, 40, (300, 16)), logits(SHARES[:, 1:2])], 0, 0.8),
        ([RANDOM.uniform(0, 1, (300, 4)), SHARES[:, 1:2], RANDOM.uniform(0, 1, (300, 10))], 0, 0.8),
        ([BOXES[:10] / 320, numpy.arange(10.0) * 3, numpy.linspace(0.7, 0.1, 10)], 0, 0.7),
        ([MAP.clip(0.01, 0.5)], 0, 0.298),
        ([MAP, RANDOM.normal(0, 1, (2, 20, 30)), RANDOM.normal(0, 1, (2, 20, 30))], 0, 0.9),
    ],
)  # fmt: skip
def test_scores_in_usual_layouts(outputs: list[Any], place: int, sure: float) -> None:
    found = surest(outputs)
    assert found is not None
    assert (found.place, round(found.sure, 3)) == (place, sure)


@pytest.mark.parametrize(
    "outputs",
    [
        [RANDOM.uniform(0, 1, (1000,))],
        [RANDOM.normal(0, 3, (300, 85))],
        [RANDOM.uniform(0, 1, (10, 10))],
        [RANDOM.normal(0, 1, (1, 40, 40))],
        [RANDOM.normal(0, 1, (128,)), RANDOM.normal(0, 1, (128,))],
        [BOXES, RANDOM.normal(0, 1, (300, 5))],
        [RANDOM.uniform(0, 1, (21, 3)), numpy.array([0.9])],
        [numpy.full((300, 9), numpy.nan)],
    ],
)
def test_answers_without_boxes(outputs: list[Any]) -> None:
    assert surest(outputs) is None


def said(array: Any) -> tuple[float, str]:
    """How sure the model is that there is a face in a picture as sent, and what is said of changes."""
    with NN(backends={"tensorflowlite": "litert"}).load(MODEL) as loaded:
        given = Tensor.from_numpy(numpy.ascontiguousarray(array.astype("f4")))
        with Runs(loaded.graph, [given], judge=detection_of) as runs:
            sent = runs.answer({})
        assert sent is not None
        return sent.sure, found_otherwise(loaded.graph, [given], sent, 0.05, 20.0) or ""


PIXELS = numpy.fromfile(FACE, "u1").reshape(1, 128, 128, 3).astype("f8") if FACE.exists() else numpy.zeros(0)


@pytest.mark.skipif(not FACE.exists(), reason="needs shared/models")
@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (PIXELS, "with pixels from 0 to 1"),
        (PIXELS / 255 / 255, "with pixels from 0 to 1"),
        (PIXELS - 128, "with pixels from 0 to 1"),
    ],
)
def test_a_face_in_another_range_is_named(array: Any, expected: str) -> None:
    pytest.importorskip("ai_edge_litert")
    sure, text = said(array)
    assert sure < NOTHING
    assert expected in text
    assert "the surest detection is at 0.9" in text


@pytest.mark.skipif(not FACE.exists(), reason="needs shared/models")
def test_a_face_as_the_model_wants_it_and_pictures_of_none() -> None:
    pytest.importorskip("ai_edge_litert")
    sure, text = said(PIXELS / 127.5 - 1)
    assert sure > 0.9
    assert text == ""
    others = [said(encoded(picture(seed, 128, 128), "signed")[None]) for seed in range(8)]
    assert {text for _, text in others} == {""}
    assert any(sure < NOTHING for sure, _ in others)
