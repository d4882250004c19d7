"""A picture that one model was asked about as it lies is turned on purpose for the next one."""

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from tests.watch.test_false_alarms import reads
from tests.watch.test_origin import ppm, scene

PICTURE = scene(3, 48, 128)


def said(*sent: tuple[int, Any]) -> list[str]:
    """The hints of a guest that reads the picture and sends elements to models, by number."""
    evidence = Evidence()
    for event in reads(ppm(PICTURE), "a.ppm", 5):
        evidence.host_call(event)
    lines = []
    for graph, pixels in sent:
        array = numpy.ascontiguousarray(pixels.transpose(2, 0, 1)[None] / 127.5 - 1, "f4")
        tensor = Tensor.from_numpy(array)
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, graph, graph, None, 0, (spec,), (tensor,))
        lines += evidence.nn_event(event, ())
    return [text for rule, text in [*lines, *evidence.finish()] if rule is not None]


@pytest.mark.parametrize("turn", [numpy.s_[::-1, ::-1], numpy.s_[::-1]])
def test_models_one_after_the_other(turn: Any) -> None:
    assert said((1, PICTURE), (2, PICTURE[turn])) == []
    assert len(said((2, PICTURE[turn]))) == 1
    assert len(said((1, PICTURE[turn]), (2, PICTURE[turn]))) >= 1


def test_a_mirror_image_or_a_grey_picture_alone() -> None:
    """People ask about such a picture to see what a model makes of it, or have it from a camera."""
    grey = (PICTURE @ [0.299, 0.587, 0.114])[..., None].repeat(3, axis=2)
    for meant in (PICTURE[:, ::-1], grey):
        assert said((1, meant), (1, meant)) == []
        assert said((1, meant), (1, PICTURE)) == []


@pytest.mark.parametrize(("middle", "words"), [(0.0, "1 was not taken away"), (0.5, "0.5 taken away only")])
def test_a_picture_that_gets_brighter(middle: float, words: str) -> None:
    """To see what a model makes of that, or of more contrast: twice as much is what a forgotten step leaves,
    too."""
    levels = [(PICTURE / 255 - middle) * by + middle for by in (0.5, 1, 1.5, 2)]
    assert said(*((1, (one + 1) * 127.5) for one in levels)) == []
    (only,) = said((1, (levels[-1] + 1) * 127.5))
    assert words in only


@pytest.mark.parametrize("channel", range(3))
def test_a_picture_without_a_channel(channel: int) -> None:
    """To see how much a model makes of a colour."""
    without = PICTURE.astype("f8")
    without[..., channel] = 0
    assert said((1, PICTURE), (1, without)) == []
