"""Pictures whose first rows are 0 in the memory into which their file was read."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from tests.watch.test_false_alarms import reads
from tests.watch.test_origin import scene

PICTURE = scene(3, 64, 64)
BAND = 16


def hints(*bands: int | None) -> list[str]:
    """The hints at a guest that reads a picture into its input, and sends it without some rows each time;
    with all if there is None."""
    room: Any = numpy.zeros(PICTURE.size, "u1")
    room[:] = PICTURE.reshape(-1)
    evidence, said = Evidence(), []
    for event in reads(room, "a.rgb"):
        evidence.host_call(event)
    for band in bands:
        room[:] = PICTURE.reshape(-1)
        if band is not None:
            room.reshape(PICTURE.shape)[band : band + BAND] = 0
        tensor = Tensor.from_numpy(room.reshape(1, *PICTURE.shape))
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        said += list(evidence.nn_event(event, ()))
    return [text for rule, text in [*said, *evidence.finish()] if rule is not None]


def test_memory_that_was_cleared_too_early() -> None:
    (said,) = hints(0)
    assert f"its first {BAND} rows of 64 are empty" in said


@pytest.mark.parametrize("bands", [(None, 0, 16, 32), (None, 16, 0)])
def test_bands_that_are_covered_one_after_the_other(bands: tuple[int | None, ...]) -> None:
    """To see which of them a model looks at."""
    assert hints(*bands) == []
