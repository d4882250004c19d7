"""Windows of samples that are too near to each other, or all the same. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.origin import Source, heard
from pywasm_nn.watch.sent.steps import Steps

SAMPLES = numpy.random.default_rng(5).normal(0, 0.2, (1006, 2)).astype("f4")


def hint(starts: Sequence[int], *, size: int = 100, rate: int = 16000, channels: int = 1) -> str:
    """What is said of windows that begin at these samples."""
    array = SAMPLES[:, 0] if channels == 1 else SAMPLES
    source, steps = Source("a", array, "samples", rate=rate, width=3), Steps()
    for number, start in enumerate(starts):
        tensor = Tensor.from_numpy(SAMPLES[None, start : start + size, channels - 1] * 2 - 1)
        steps.set("x", tensor)
        if number < 2:  # later ones are not looked for
            found = heard(tensor.numpy(), source)
            assert found is not None and found.span is not None
            steps.found("x", tensor, found)
    return "; ".join(steps.finish())


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        (range(10), "10 windows of 100 began 1 apart"),
        (range(0, 250, 25), "as many windows take up all if they begin 100 apart"),
        (range(0, 1000, 100), ""),
        (range(0, 901, 50), ""),
        (range(0, 200, 50), ""),
        ((0, 1, 2, 3, 4, 500, 501, 502, 503, 504), ""),
    ],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_windows_too_near_to_each_other(starts: Sequence[int], words: str, channels: int) -> None:
    said = hint(starts, channels=channels)
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize(
    ("starts", "rate", "seen"),
    [
        ((6,) * 5, 0, True),
        ((6,) * 4, 0, False),
        ((6,) * 5, 16000, False),
        ((6, 206, 406, 606, 806), 0, False),
    ],
)
def test_one_window_in_all_rounds(starts: Sequence[int], rate: int, seen: bool) -> None:
    assert ("sent in all 5 rounds" in hint(starts, size=200, rate=rate)) is seen
