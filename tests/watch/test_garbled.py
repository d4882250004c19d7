"""Numbers in the other byte order that were scaled before they were sent, and rows that were turned before a
picture was resized."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.changes.rereadings import reread
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.garbled import of_floats_in_other_order
from tests.watch.test_false_alarms import all_said, reads
from tests.watch.test_origin import ppm, scene

ORDER = numpy.random.default_rng(0)


@pytest.fixture
def digits() -> Any:
    """Ten pictures from 0 to 1, of which much is 0."""
    shown = numpy.stack([scene(seed, 16, 16)[..., 0] for seed in range(10)]) / 255
    return numpy.where(shown > 0.5, shown, 0)


@pytest.mark.parametrize(("mean", "deviation"), [(0.0, 1.0), (0.1307, 0.3081), (0.5, 0.5)])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("header", [b"", b"FLOATS10"])
def test_floats_in_the_other_byte_order(
    mean: float, deviation: float, kind: str, header: bytes, digits: Any
) -> None:
    data = header + digits.astype(f">{kind}").tobytes()
    with numpy.errstate(all="ignore"):
        read = numpy.frombuffer(data, f"<{kind}", digits.size, len(header)).astype("f4")
        sent = ((read - numpy.float32(mean)) / numpy.float32(deviation)).reshape(10, 1, 16, 16)
        found = of_floats_in_other_order(sent, [("a.f32", data)])
        assert found is not None and "big-endian" in found.wrong
        other = ORDER.permutation(sent.reshape(-1))
        assert of_floats_in_other_order(other, [("a.f32", data)]) is None
        assert all("read as i16" not in said for said, _ in reread(sent))
    rightly = ((digits - mean) / deviation).astype("f4")
    assert of_floats_in_other_order(rightly, [("a.f32", data)]) is None


SIZES = [(123, 141), (96, 128), (75, 50)]
TURNS = {
    "upside down": numpy.s_[::-1],
    "mirrored": numpy.s_[:, ::-1],
    "turned by 180 degrees": numpy.s_[::-1, ::-1],
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("turn", TURNS)
def test_rows_that_were_turned_before_a_picture_was_resized(turn: str, size: tuple[int, int]) -> None:
    height, width = size
    picture = scene(5, height, width)
    picture = (picture * ORDER.uniform(0.8, 1, picture.shape)).astype("u1")  # small copies are unlike it
    rows, columns = numpy.arange(32) * height // 32, numpy.arange(32) * width // 32
    right, wrong = (shown[rows][:, columns][None] / 255 for shown in (picture, picture[TURNS[turn]]))
    source = decoded("a.ppm", ppm(picture))
    assert source is not None
    found = traced(wrong.astype("f4"), source)
    assert found is not None and found.wrong == found.varied == f"the picture is {turn}"
    plain = traced(right.astype("f4"), source)
    assert plain is not None and plain.wrong == ""
    both = numpy.stack([right, wrong])
    assert all_said(both, {"a.ppm": ppm(picture)}, 2) == [], "turned on purpose, after the picture as it is"


def test_a_picture_that_is_turned_for_another_model() -> None:
    """One model says which side is up, and another one reads what was turned by that."""
    picture = scene(6, 48, 64)
    planes = (numpy.stack([picture, picture[::-1, ::-1]]).transpose(0, 3, 1, 2) / 255).astype("f4")
    for shown, seen in ((planes, 0), (planes[1:], 1)):
        evidence, said = Evidence(), []
        for read in reads(ppm(picture), "page.ppm"):
            evidence.host_call(read)
        for number, array in enumerate(shown, 1):
            tensor = Tensor.from_numpy(numpy.ascontiguousarray(array[None]))
            spec = TensorSpec("x", tensor.dtype, tensor.shape)
            event = NNEvent("set_input", "", 0.0, None, None, number, number, None, 0, (spec,), (tensor,))
            said += [text for rule, text in evidence.nn_event(event, ()) if rule is not None]
        said += [text for _, text in evidence.finish()]
        assert sum("turned by 180 degrees" in text for text in said) == seen
