"""What a model's first filters make of a picture, in ranges that they were and weren't trained for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.nn.formats.format import Filters
from pywasm_nn.watch.changes.encodings import MEANS, RAW, SIGNED, STANDARD, UNIT, Encoding, encoded
from pywasm_nn.watch.facts import picture_of
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.sent.filtered import beyond
from tests.nn.backends.onnx_writer import Model, node
from tests.nn.backends.tflite_writer import filtering
from tests.watch.test_origin import scene

ORDER = numpy.random.default_rng(4)
SHAPE = (1, 3, 32, 32)
WEIGHTS = ORDER.normal(0, 0.5, (16, 3, 3, 3)).astype("f4")
HEIGHTS = ORDER.normal(0, 1, 16).astype("f4")
THEN: dict[str, list[bytes]] = {
    "cut": [node("Clip", ["v", "low", "high"], ["y"])],
    "cut as attributes": [node("Clip", ["v"], ["y"], min=0.0, max=6.0)],
    "SiLU": [node("Sigmoid", ["v"], ["g"]), node("Mul", ["v", "g"], ["y"])],
    "any": [node("Relu", ["v"], ["y"])],
}


def model(then: str, trained: Encoding = UNIT) -> bytes:
    """A model whose first filters were trained for a range of pixels."""
    by = 1.0 if trained is UNIT else 1 / 255
    constants = {"w": WEIGHTS * numpy.float32(by), "b": HEIGHTS}
    constants |= {"low": numpy.array(0, "f4"), "high": numpy.array(6, "f4")}
    nodes = [node("Conv", ["x", "w", "b"], ["v"]), *THEN[then]]
    return Model(nodes, {"x": ("float32", SHAPE)}, {"y": ("float32", [1, 16, 30, 30])}, constants).data()


def said(data: bytes, sent: Encoding) -> str:
    pixels = numpy.ascontiguousarray(scene(3, 32, 32).transpose(2, 0, 1)[None]).astype("f8")
    array = encoded(pixels, sent, picture_of(SHAPE)).astype("f4")
    return beyond(facts([data]).filters[0], Tensor.from_numpy(array), None)


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("sent", [UNIT, SIGNED, STANDARD])
def test_pixels_in_a_range_of_small_numbers_are_left_alone(then: str, sent: Encoding) -> None:
    assert said(model(then), sent) == ""


@pytest.mark.parametrize(("then", "words"), [("cut", "cuts them at 6"), ("SiLU", "is for small ones")])
@pytest.mark.parametrize("sent", [RAW, MEANS])
def test_pixels_that_are_far_too_large(then: str, words: str, sent: Encoding) -> None:
    text = said(model(then), sent)
    assert text.startswith(f"pixels {sent.said}, as sent, are too large for this model: ")
    assert words in text and "of pixels from 0 to 1, or from -1 to 1, or by ImageNet's" in text
    assert said(model("cut as attributes"), sent) == said(model("cut"), sent) != ""
    assert said(model("any"), sent) == "", "nothing says that large numbers aren't meant"
    assert said(model(then, RAW), sent) == "", "a model that was trained so"


@pytest.mark.parametrize("then", THEN)
def test_pixels_that_are_far_too_small(then: str) -> None:
    text = said(model(then, RAW), UNIT)
    assert text.startswith("pixels from 0 to 1, as sent, are too small for this model: ")
    assert "of pixels from 0 to 255, or minus Caffe's means they are" in text


def test_biases_and_scales_behind_the_filters() -> None:
    """As exporters write them that take a model over from another framework, operation by operation."""
    constants = {
        "w": WEIGHTS / numpy.float32(255 * 4),
        "b": HEIGHTS.reshape(1, 1, 1, -1),
        "mean": numpy.full((1, 1, 1, 16), 2, "f4"),
        "four": numpy.array(4, "f4"),
        "half": numpy.array([0.5], "f4"),
    }
    casts = [node("Cast", [f"x{i or ''}"], [f"x{i + 1}"], to=1) for i in range(7)]
    behind = [
        node("Transpose", ["v"], ["t"], perm=[0, 2, 3, 1]),
        node("Add", ["t", "b"], ["a"]),
        node("Cast", ["a"], ["c"], to=1),
        node("Sub", ["c", "mean"], ["s"]),
        node("Mul", ["s", "four"], ["m"]),
        node("Div", ["m", "half"], ["d"]),
        node("Relu", ["d"], ["y"]),
    ]
    nodes = [*casts, node("Conv", ["x7", "w"], ["v"]), *behind]
    data = Model(nodes, {"x": ("float32", SHAPE)}, {"y": ("float32", [1, 30, 30, 16])}, constants).data()
    found = facts([data]).filters[0]
    assert numpy.allclose(found.weights, WEIGHTS * 2 / 255) and numpy.allclose(
        found.heights, (HEIGHTS - 2) * 8
    )
    assert said(data, UNIT).startswith("pixels from 0 to 1, as sent, are too small for this model: ")
    assert said(data, RAW) == ""


@pytest.mark.parametrize(("known", "seen"), [(None, False), (RAW, True)])
def test_one_channel_may_be_no_picture(known: Encoding | None, seen: bool) -> None:
    """Features of a sound have that shape, too, unless they came from a picture."""
    filters = Filters(WEIGHTS[:, :1].astype("f8"), HEIGHTS.astype("f8"), "ReLU6", 6.0)
    grey = numpy.ascontiguousarray(scene(3, 32, 32)[None, None, ..., 0], "f4")
    assert bool(beyond(filters, Tensor.from_numpy(grey), known)) is seen


def xml(shape: str, size: int) -> str:
    """The beginning of an OpenVINO model, with filters and their heights in its weights."""
    layers: list[tuple[str, str]] = [
        ("Parameter", '<data shape="1,3,32,32" element_type="f32" />'),
        ("Const", f'<data element_type="f32" shape="{shape}" offset="0" size="{size}" />'),
        ("Convolution", '<data strides="1, 1" />'),
        ("Const", f'<data element_type="f32" shape="1, 16, 1, 1" offset="{size}" size="64" />'),
        ("Add", '<data auto_broadcast="numpy" />'),
        ("Clamp", '<data min="0" max="6" />'),
    ]
    made = "".join(
        f'<layer id="{n}" name="{n}" type="{kind}" version="opset1">{body}</layer>'
        for n, (kind, body) in enumerate(layers)
    )
    return f'<?xml version="1.0"?>\n<net name="m" version="11"><layers>{made}</layers></net>'


def test_an_openvino_model(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text(xml("16, 3, 3, 3", WEIGHTS.nbytes))
    (tmp_path / "m.bin").write_bytes(WEIGHTS.tobytes() + HEIGHTS.tobytes())
    found: Any = facts([tmp_path / "m.xml", tmp_path / "m.bin"]).filters[0]
    assert (found.then, found.top) == ("ReLU6", 6.0)
    numpy.testing.assert_array_equal(found.weights, WEIGHTS)
    numpy.testing.assert_array_equal(found.heights, HEIGHTS)
    text = xml("16, 3, 3, 3", WEIGHTS.nbytes)
    older = re.sub(r'(shape="[^"]*") (offset="\d+")', r"\2 \1", text)
    assert older != text
    (tmp_path / "m.xml").write_text(older)
    assert facts([tmp_path / "m.xml", tmp_path / "m.bin"]).filters[0].top == 6.0
    (tmp_path / "m.xml").write_text(xml("16, 3, 3, 99", WEIGHTS.nbytes))
    assert facts([tmp_path / "m.xml", tmp_path / "m.bin"]).filters == {}


@pytest.mark.parametrize(("fused", "then", "top"), [(3, "ReLU6", 6.0), (1, "", 0.0)])
def test_a_tflite_model(fused: int, then: str, top: float) -> None:
    pytest.importorskip("ai_edge_litert")
    data = filtering(WEIGHTS.transpose(0, 2, 3, 1), HEIGHTS, [1, 32, 32, 3], fused)
    found = facts([data]).filters[0]
    assert (found.then, found.top) == (then, top)
    numpy.testing.assert_array_equal(found.weights, WEIGHTS)
    numpy.testing.assert_array_equal(found.heights, HEIGHTS)
    raw = Tensor.from_numpy(scene(3, 32, 32)[None].astype("f4"))
    assert bool(beyond(found, raw, None)) is bool(then)
    assert facts([data[:-700]]).filters == {} == facts([data[:40] + b"\xff" * 400]).filters
