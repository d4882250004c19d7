"""The channel of a sound in which there is only noise."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import heard
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.sent.channels import Channels

ORDER = numpy.random.default_rng(6)
COUNT, RATE = 16000, 16000
NOISE = ORDER.normal(0, 0.004, COUNT)
SPOKEN = ORDER.normal(0, 0.1, COUNT) * (numpy.sin(numpy.arange(COUNT) / 1200) > 0.3) + ORDER.normal(
    0, 1e-4, COUNT
)


def hints(channels: list[Any], taken: list[int | None], size: int = 512) -> list[str]:
    """What is said of a guest that sends windows of each channel, or of their mean, one pass after the
    other."""
    array = numpy.stack(channels, 1).astype("f4")
    source = Source("a.wav", array, "a sound", rate=RATE)
    rule = Channels()
    for channel in taken:
        samples = array.mean(axis=1) if channel is None else array[:, channel]
        for number, at in enumerate(range(0, COUNT - size + 1, size)):
            rule.sent(0, size)
            found = heard(samples[None, at : at + size], source) if number < 4 else None
            if found is not None:
                rule.found(0, "input 0", found)
    return [*rule.finish()]


@pytest.mark.parametrize("size", [512, COUNT])
def test_noise_is_taken_for_the_sound(size: int) -> None:
    found = hints([NOISE, SPOKEN], [0], size)
    assert len(found) == 1 and "channel 0 was taken, in which there is only even noise" in found[0]
    assert "never channel 1" in found[0]
    assert len(hints([NOISE, NOISE[::-1], SPOKEN], [1], size)) == 1


def test_other_channels() -> None:
    assert hints([NOISE, SPOKEN], [1]) == [], "the sound"
    assert hints([NOISE, SPOKEN], [0, 1]) == [], "one after the other"
    assert hints([NOISE, SPOKEN], [None]) == [], "their mean"
    assert hints([SPOKEN / 20, SPOKEN[::-1]], [0]) == [], "a quieter sound"
    assert hints([NOISE, 20 * ORDER.normal(0, 0.004, COUNT)], [0]) == [], "both are noise"
    assert hints([NOISE * 5, SPOKEN], [0]) == [], "nearly as loud"
