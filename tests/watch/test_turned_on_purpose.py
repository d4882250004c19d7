"""A picture that one model was asked about as it lies is turned on purpose for the next one."""

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin.following import Origins
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


@pytest.mark.parametrize("turn", [numpy.s_[::-1, ::-1], numpy.s_[::-1], numpy.s_[:, ::-1]])
def test_models_one_after_the_other(turn: Any) -> None:
    assert said((1, PICTURE), (2, PICTURE[turn])) == []
    assert len(said((2, PICTURE[turn]))) == 1
    assert len(said((1, PICTURE[turn]), (2, PICTURE[turn]))) >= 1


@pytest.mark.parametrize("is_searched", [True, False])
def test_a_mirror_image_before_the_picture(is_searched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second search may come too late: the first one took all the time."""
    mirrored, found = PICTURE[:, ::-1], Origins.of
    searches = iter([True, *[is_searched] * 9])
    monkeypatch.setattr(Origins, "of", lambda *given: found(*given) if next(searches) else None)
    assert said((1, mirrored), (1, PICTURE)) == []
    searches = iter([True] * 9)
    assert ["the picture is mirrored" in one for one in said((1, mirrored), (1, mirrored))] == [True]
