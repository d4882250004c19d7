"""Batches of windows that were cut from a sound, each at a place of its own."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.windowed import heard_in

RANDOM = numpy.random.default_rng(7)
RATE, COUNT, SIZE = 44100, 6000, 256
STARTS = 1100, 300, 2100
LEVELS = numpy.cumsum(RANDOM.normal(0, 1500, (COUNT, 2)), axis=0)
LEVELS = (30000 * numpy.sin(LEVELS / 9000)).astype("i4")
SOUND = Source(
    "loop.wav", (LEVELS / 32768).astype("f4"), "6000 samples", rate=RATE, width=2, start=44, data=bytes(64)
)


def windows(samples: Any) -> Any:
    """Windows of samples, as a model of one channel takes them."""
    return numpy.stack([samples[at : at + SIZE] for at in STARTS])[:, None].astype("f4")


def wrapped(sums: Any) -> Any:
    """What is left of sums in 16 bits."""
    return (sums + 32768) % 65536 - 32768


@pytest.mark.parametrize(
    ("samples", "step", "wrong"),
    [
        (LEVELS.sum(1) / 65536, 1, "samples at 44,100 Hz were not resampled"),
        (LEVELS[1::2].sum(1) / 65536, 2, ""),
        (wrapped(LEVELS[::2].sum(1)) / 65536, 2, "channels were added in 16 bits, and ran over"),
        (LEVELS[:, 1] / 32768, 1, "samples at 44,100 Hz were not resampled"),
    ],
)
def test_windows_of_a_sound(samples: Any, step: int, wrong: str) -> None:
    found = heard_in(windows(samples), SOUND)
    assert found is not None
    assert ("every second frame" in str(found)) == (step == 2)
    assert wrong in found.wrong and bool(wrong) == bool(found.wrong)
    assert found.source.rate == RATE // step, "of what was sent"


def test_windows_of_another_sound() -> None:
    assert heard_in(RANDOM.normal(0, 0.2, (3, 1, SIZE)).astype("f4"), SOUND) is None
    mixed = windows(LEVELS[:, 0] / 32768)
    mixed[:2] = RANDOM.normal(0, 0.9, (2, 1, SIZE))
    assert heard_in(mixed, SOUND) is None
