"""What a model's own bytes say of the pixels that it wants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats import KNOWN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.hints.models import normalisation, order
from pywasm_nn.watch.origin import Origin, Source
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.sent.declared import WORDS, Declared
from tests.nn.backends.onnx_writer import block
from tests.watch.test_clean_guests import Session
from tests.watch.whatif_models import encoded, picture, planar, recogniser

RAW = {0: ((0.0,), (1.0,))}


def ir(*options: str, notes: str = "") -> bytes:
    """The XML of an OpenVINO model with options of its conversion, and notes of the Model API."""
    said = "".join(f'<{name} value="{value}"/>' for name, _, value in (one.partition("=") for one in options))
    meta = f"<meta_data><cli_parameters>{said}</cli_parameters></meta_data>" if options else ""
    return f'<?xml version="1.0"?><net name="n"><layers/>{meta}{notes}</net>'.encode()


def model_info(*options: str) -> str:
    said = "".join(
        f'<{name} value="{value}" />' for name, _, value in (one.partition("=") for one in options)
    )
    return f"<rt_info><model_info>{said}</model_info></rt_info>"


def onnx(**properties: str) -> bytes:
    model = recogniser([picture(seed) for seed in range(3)], "unit")
    for key, value in properties.items():
        model += block(14, block(1, key.replace("_", ".")) + block(2, value))
    return model


SAYS: dict[str, tuple[bytes, str, Any]] = {
    "caffe": (ir("framework=caffe", "reverse_input_channels=False", "mean_values=()"), "BGR", {}),
    "caffe reversed": (ir("framework=caffe", "reverse_input_channels=True"), "RGB", {}),
    "tf reversed": (ir("framework=tf", "reverse_input_channels=True"), "BGR", {}),
    "tf": (ir("framework=tf", "reverse_input_channels=False"), "", {}),
    "means inside": (ir("framework=onnx", "mean_values=data[123.7,116.3,103.5]"), "", RAW),
    "scale inside": (ir("framework=onnx", "scale_values=x[58.6]", "mean_values=()"), "", RAW),
    "notes": (
        ir(notes=model_info("reverse_input_channels=YES", "mean_values=1.5 2 3", "scale_values=4 5 6")),
        "RGB",
        {0: ((1.5, 2.0, 3.0), (4.0, 5.0, 6.0))},
    ),
    "notes, scale alone": (
        ir(notes=model_info("scale_values=255.0", "labels=a b 7")),
        "",
        {0: ((0.0,), (255.0,))},
    ),
    "nothing": (ir(), "", {}),
    "bgr": (onnx(Image_BitmapPixelFormat="Bgr8"), "BGR", {}),
    "range": (onnx(Image_NominalPixelRange="Normalized_1_1"), "", {0: ((127.5,), (127.5,))}),
    "ultralytics": (onnx(author="Ultralytics", task="detect"), "RGB", {0: ((0.0,), (255.0,))}),
    "no properties": (onnx(), "", {}),
}


@pytest.mark.parametrize("name", SAYS)
def test_what_models_say(name: str) -> None:
    data, channels, wanted = SAYS[name]
    assert order([data]) == channels
    assert normalisation([data]) == wanted


@pytest.mark.parametrize("name", ["caffe", "notes", "ultralytics"])
def test_broken_models_say_nothing_or_the_same(name: str) -> None:
    data = SAYS[name][0]
    for end in range(0, len(data), 1 + len(data) // 60):
        order([data[:end]])
        normalisation([data[:end]])


@pytest.mark.parametrize(("sent", "hints"), [("BGR", 1), ("RGB", 0), ("", 0)])
def test_a_guest_is_told_of_the_order(
    sent: str, hints: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source("x.ppm", numpy.zeros((8, 8, 3), "u1"), "32 x 32 pixels", is_picture=True)
    monkeypatch.setattr(Origins, "of", lambda self, tensor, way: Origin(source, ("resized",), order=sent))
    session = Session(tmp_path, onnx(Image_BitmapPixelFormat="Rgb8"))
    session.set(planar(encoded(picture(1), "unit")))
    session.compute()
    found = session.hints()
    assert len(found) == hints
    assert not hints or "wants red, green, blue (RGB); the picture was sent as BGR" in found[0]


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("bgr", "BGR"), ("image_rgb8", "RGB"), ("inputBGR", "BGR"), ("rgb:0", "RGB"), ("a_rgb_1", "RGB"),
        ("rgba", ""), ("rgbd", ""), ("subgroup", ""), ("rgb_from_bgr", ""), ("RGBA", ""), ("input", ""),
    ],
)  # fmt: skip
def test_the_name_of_an_input_may_say_an_order(name: str, order: str) -> None:
    declared = Declared()
    assert declared.order(None, name) == order
    source = Source("x.ppm", numpy.zeros((8, 8, 3), "u1"), "8 x 8 pixels", is_picture=True)
    for sent in ("RGB", "BGR", ""):
        found, tensor = Origin(source, (), order=sent), Tensor.from_numpy(numpy.zeros((1, 8, 8, 3), "u1"))
        said = declared.against(None, 0, name, tensor, found)
        assert bool(said) is (sent != "" and order not in ("", sent))
        assert not said or f"for {WORDS[order]}; the picture was sent as {sent}" in said


def test_formats_that_say_something() -> None:
    assert [one.name for one in KNOWN if one.order] == ["onnx", "openvino", "tflite"]
