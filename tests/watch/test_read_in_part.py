"""Windows of samples of which only as many numbers were read as there are samples; and windows that end."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.moves import read_in_part

SAMPLES = numpy.random.default_rng(4).normal(1, 4, (100, 6)).round(3)


def begun(numbers: Any, count: int) -> Any:
    flat = numbers.reshape(-1).copy()
    flat[count:] = 0
    return flat.reshape(numbers.shape)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("scale", [(1.0, 0.0), (0.1, 0.0), (2.0, -0.5)])
@pytest.mark.parametrize("kind", ["<f4", "<f8", "<i2"])
def test_as_many_numbers_as_samples(kind: str, scale: tuple[float, float], *, planar: bool) -> None:
    """The file holds one window, or more than that."""
    numbers = SAMPLES * 1000 if kind == "<i2" else SAMPLES
    for end in (50, 100):
        file = numbers[:end].astype(kind)
        for cut in (True, False):
            window = file[:50].astype("f8")
            window = (begun(window, 50) if cut else window) * scale[0] + scale[1]
            array = (window.T if planar else window)[None].astype("f4")
            name, said = read_in_part(array, [("arm.bin", file.tobytes())])
            assert ("does the read count 50 numbers in place of samples" in said) is cut
            assert bool(name) is cut


def test_windows_that_end() -> None:
    file = SAMPLES.astype("f4")
    files = [("arm.bin", file.tobytes())]

    def said(array: Any, given: Any = files) -> str:
        return read_in_part(array.astype("f4")[None], given)[1]

    assert said(begun(file[:50], 48)) == "", "whole samples, and the others left out"
    assert said(begun(file[:50], 100)) == ""
    assert said(begun(file[:48], 48)) == "", "no sample is cut"
    assert said(begun(file[:50], 50), [("arm.bin", file.tobytes()[:200])]) == "", "there is no more"
    assert said(begun(file[:50, :1], 50)) == "", "a single channel"
    still = begun(file[:50], 50)
    assert said(still, [("arm.bin", still.tobytes())]) == "", "the file itself has zeros there"
