"""Windows with the first elements of the window before in front of them, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.past_heads import PastHeads

SPECS = (SimpleNamespace(name="x"),)
ORDER = numpy.random.default_rng(3)
SOUND = ORDER.normal(0, 0.2, 4000).astype("f4")


def hint(inputs: list[Any]) -> str:
    rule = PastHeads()
    for array in inputs:
        tensors = (Tensor.from_numpy(numpy.ascontiguousarray(array)),)
        more = {
            "error": None,
            "context_id": 0,
            "index": 0,
            "given": (),
        }
        event: Any = SimpleNamespace(operation="set_input", tensors=tensors, specs=SPECS, **more)
        rule.nn_event(event)
    return "; ".join(text for _, text in rule.finish())


def stream(kept: int, width: int, begin: int, sound: Any = SOUND, rounds: int = 8) -> list[Any]:
    """Windows behind so many elements, which are those of the window before from a place on."""
    past, found = numpy.zeros(kept, sound.dtype), []
    for at in range(0, rounds * width, width):
        window = sound[at : at + width]
        found.append(numpy.concatenate([past, window])[None])
        past = window[begin : begin + kept]
    return found


@pytest.mark.parametrize(("kept", "width"), [(64, 400), (32, 256), (48, 128), (5, 90), (20, 22)])
@pytest.mark.parametrize("kind", ["f4", "i2"])
def test_the_first_elements_of_the_window_before(kept: int, width: int, kind: str) -> None:
    sound = (SOUND * 9000).astype("i2") if kind == "i2" else SOUND
    found = hint(stream(kept, width, 0, sound))
    assert f"of {width} elements are the first {kept} of the window before, and not its last {kept}" in found
    assert f"from element {width} of the input on" in found
    assert hint(stream(kept, width, width - kept, sound)) == ""
    assert hint(stream(kept, width, 7, sound)) == ""


def test_silence_tells_nothing() -> None:
    quiet = SOUND.copy()
    quiet[700:1100] = 0
    assert "the first 40 of the window before" in hint(stream(40, 200, 0, quiet))
    assert hint(stream(40, 200, 0, 0 * SOUND)) == ""
    assert hint(stream(40, 200, 0, rounds=3)) == "", "few windows"


def test_several_channels() -> None:
    sound = SOUND[:2000].reshape(2, 1000)
    rows = [numpy.stack(pair) for pair in zip(*(stream(16, 100, 0, one) for one in sound), strict=True)]
    assert "the first 16 of the window before" in hint([one.reshape(1, 2, -1) for one in rows])


def test_other_windows() -> None:
    """Windows that overlap, pairs and stacks of frames, and one frame with its difference from the last."""
    assert hint([SOUND[at : at + 300][None] for at in range(0, 900, 60)]) == ""
    frames = SOUND[:2000].reshape(50, 40)
    for count in (2, 3, 6):
        assert hint([frames[at : at + count].reshape(1, -1) for at in range(9)]) == ""
    changes = [[frames[at], frames[at + 1], frames[at + 1] - frames[at]] for at in range(9)]
    assert hint([numpy.concatenate(one)[None] for one in changes]) == ""
