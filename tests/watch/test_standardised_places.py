"""Models that choose a class for each place of a picture, which were trained on pixels in one usual range and
get another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.changes.encodings import RAW, SIGNED, STANDARD, UNIT, Encoding, encoded
from pywasm_nn.watch.facts import Picture, picture_of
from pywasm_nn.watch.whatif.standardised import standardised
from tests.nn.backends.onnx_writer import Model, node

SIDE = 32
FLOWERS = numpy.array([[8, 10, 12], [30, 110, 40], [190, 60, 120]], "f8")
"""The colours of night, leaves and blossoms."""
ROOFS = numpy.array([[120, 150, 235], [170, 70, 50], [60, 60, 66], [240, 240, 236]], "f8")
"""Of sky, tiles, a road and walls."""
SHAPE = (1, 3, SIDE, SIDE)
PLANES = picture_of(SHAPE) or Picture(3, SIDE, SIDE, True)


def pictured(colours: Any) -> Any:
    """Pixels [1, 3, height, width] of fields with a little noise."""
    order = numpy.random.default_rng(3)
    fields = order.integers(0, len(colours), (4, 4)).repeat(8, axis=0).repeat(8, axis=1)
    fields[:8] = numpy.arange(SIDE) * len(colours) // SIDE
    pixels = colours[fields] + order.normal(0, 6, (SIDE, SIDE, 3))
    return pixels.clip(0, 255).round().transpose(2, 0, 1)[None]


def trained(colours: Any, way: Encoding, sharp: float, ending: str, *, is_straight: bool = False) -> bytes:
    """A model that knows colours in a range: a place near to one has a margin of about `sharp`, one that is
    far from all hardly any; or by straight lines between them (`is_straight`)."""
    near = encoded(colours.T[None, :, :, None], way, PLANES)[0, :, :, 0].T
    apart = min(((one - two) ** 2).sum() for at, one in enumerate(near) for two in near[:at])
    by = sharp / apart if is_straight else 6 / apart
    numbers = {
        "w": (2 * by * near)[:, :, None, None].astype("f4"),
        "b": (-by * (near**2).sum(axis=1)).astype("f4"),
        "v": numpy.full((len(colours), 3, 1, 1), -by, "f4"),
        "a": numpy.array(sharp, "f4"),
        "h": numpy.array(sharp / 2, "f4"),
    }
    nodes = [
        node("Conv", ["x", "w", "b"], ["l"]),
        node("Mul", ["x", "x"], ["xx"]),
        node("Conv", ["xx", "v"], ["s"]),
        node("Add", ["l", "s"], ["d"]),
        node("Exp", ["d"], ["e"]),
        node("Mul", ["e", "a"], ["f"]),
        node("Sub", ["f", "h"], ["m"]),
        node(ending, ["l" if is_straight else "m"], ["y"], **AXIS[ending]),
    ]
    shapes = {"x": ("float32", [*SHAPE])}, {"y": ("float32", [1, len(colours), SIDE, SIDE])}
    return Model(nodes, *shapes, numbers).data()


AXIS: dict[str, dict[str, Any]] = {"Softmax": {"axis": 1}, "Identity": {}}


def said(tmp_path: Path, model: bytes, sent: Any, *, is_known: bool = True) -> str:
    (tmp_path / "m.onnx").write_bytes(model)
    array = numpy.ascontiguousarray(sent, "f4")
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        answers = loaded.compute({"x": array})
        outputs = [Tensor.from_numpy(answers[one.name]) for one in loaded.outputs]
        known = {0} if is_known else set[int]()
        return standardised(loaded.graph, [Tensor.from_numpy(array)], outputs, known, 0.01) or ""


@pytest.mark.parametrize("ending", ["Softmax", "Identity"])
@pytest.mark.parametrize("colours", [FLOWERS, ROOFS], ids=["flowers", "roofs"])
def test_mean_and_deviation_left_out(colours: Any, ending: str, tmp_path: Path) -> None:
    pixels, model = pictured(colours), trained(colours, STANDARD, 10.0, ending)
    found = said(tmp_path, model, encoded(pixels, UNIT, PLANES))
    assert "with pixels by ImageNet's mean and deviation" in found
    assert "(they look as if sent from 0 to 1) the surest class of a place is usually e^" in found
    assert "% of the places get class " in found
    assert said(tmp_path, model, encoded(pixels, STANDARD, PLANES)) == ""
    assert said(tmp_path, model, encoded(pixels, UNIT, PLANES), is_known=False) == ""


@pytest.mark.parametrize("colours", [FLOWERS, ROOFS], ids=["flowers", "roofs"])
def test_a_model_of_the_other_range_around_0(colours: Any, tmp_path: Path) -> None:
    """Two ranges are named if both show the same."""
    model = trained(colours, SIGNED, 10.0, "Softmax")
    found = said(tmp_path, model, encoded(pictured(colours), UNIT, PLANES))
    assert "from -1 to 1 (they look as if sent from 0 to 1)" in found


@pytest.mark.parametrize("sharp", [0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 30.0])
@pytest.mark.parametrize("way", [UNIT, SIGNED, STANDARD, RAW], ids=lambda way: way.said)
@pytest.mark.parametrize("colours", [FLOWERS, ROOFS], ids=["flowers", "roofs"])
def test_a_model_that_gets_its_own_range(colours: Any, way: Encoding, sharp: float, tmp_path: Path) -> None:
    """However much it doubts what it sees."""
    sent = encoded(pictured(colours), way, PLANES)
    assert said(tmp_path, trained(colours, way, sharp, "Identity"), sent) == ""


def test_a_picture_of_two_of_its_classes(tmp_path: Path) -> None:
    """Nothing new shows in another range."""
    sent = encoded(pictured(FLOWERS[1:]), UNIT, PLANES)
    for sharp in (1.0, 3.0):
        assert said(tmp_path, trained(FLOWERS, UNIT, sharp, "Identity"), sent) == ""
