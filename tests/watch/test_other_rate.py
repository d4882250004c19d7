"""Sounds that would fit into an input at another rate, about which a model is asked; and others."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.records import changed
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.origin import Origin, Source
from pywasm_nn.watch.sent.other_rate import at_another_rate, fitting_rate
from pywasm_nn.watch.whatif import points
from pywasm_nn.watch.whatif.points import Kept, Points, asked_as_usual
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_axes import GRAPH

TIME = numpy.arange(14000) / 16000
SOUND = (numpy.sin(6.2832 * (200 * TIME + 300 * TIME**2)) * (0.2 + TIME % 0.3)).astype("f4")
STEREO = numpy.stack([SOUND, 0.4 * SOUND[::-1]], axis=1)


@pytest.mark.parametrize(
    ("rate", "count", "size", "wanted"),
    [
        (16000, 14758, 8000, 8000),
        (44100, 44100, 16000, 16000),
        (48000, 48000, 16000, 16000),
        (8000, 7000, 16000, 16000),
        (16000, 16000, 16000, 0),
        (16000, 11000, 16000, 0),
        (16000, 160000, 16000, 0),
        (16000, 7000, 16000, 0),
        (44100, 7000, 16000, 0),
    ],
)
def test_the_rate_at_which_a_sound_fits(rate: int, count: int, size: int, wanted: int) -> None:
    assert fitting_rate(rate, count, size) == wanted


def origin(sound: Any, size: int) -> Origin:
    return Origin(Source("seven.wav", sound, "", rate=16000), (), span=(0, min(size, len(sound)), 0))


@pytest.mark.parametrize("sound", [SOUND, STEREO])
@pytest.mark.parametrize(("by", "kind"), [(1, "f4"), (0.5, "f4"), (32768, "i2")])
def test_a_sound_at_another_rate(sound: Any, by: float, kind: str) -> None:
    mono = sound if sound.ndim == 1 else sound.mean(axis=1)
    tensor = Tensor.from_numpy((by * mono[:7200]).astype(kind)[None])
    usual = at_another_rate(origin(sound, 7200), tensor)
    assert usual is not None
    assert ("2 channels, which lie in turns, taken for one" in usual.said) is (sound.ndim == 2)
    assert usual.array.shape == (1, 7200)
    meant = by * numpy.pad(mono.reshape(-1, 2).mean(axis=1), (0, 200))
    assert numpy.abs(usual.array[0] - meant).max() < 1e-2 * abs(meant).max()
    other = Tensor.from_numpy(numpy.random.default_rng(3).normal(0, 1, (1, 7200)).astype("f4"))
    assert at_another_rate(origin(sound, 7200), other) is None
    assert at_another_rate(changed(origin(sound, 7200), wrong="misread"), tensor) is None


class OfDigits(StandIn):
    """Stands for the runs of a model that hears a seven in the whole sound."""

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        row = numpy.full((1, 10), 0.01, "f4")
        row[0, 7 if not array[0, -150:].any() else 4] = 0.9
        return [Tensor.from_numpy(row)]


@pytest.mark.parametrize(
    ("answer", "shown", "seen"),
    [
        (9, Depicted("seven.wav", (7,)), True),
        (9, Depicted("7_ann.wav", (7,), is_number=True), True),
        (9, Depicted("take7.wav", (7,), is_number=True, is_counted=True), False),
        (7, Depicted("seven.wav", (7,)), False),
        (9, Depicted("five.wav", (5,)), False),
    ],
)
def test_a_model_is_asked_about_it(
    answer: int, shown: Depicted, monkeypatch: pytest.MonkeyPatch, *, seen: bool
) -> None:
    monkeypatch.setattr(points, "Runs", OfDigits())
    tensor = Tensor.from_numpy(SOUND[None, :7200])
    usual, kept, was = at_another_rate(origin(SOUND, 7200), tensor), Points(), Answer(answer, 0.86, 10)
    assert usual is not None
    kept.take(0, Kept(0, usual, lambda *_: shown, by_number=True))
    due = kept.due(0, 0, was)
    said = due and asked_as_usual(GRAPH, [tensor], due, was, 0.01)
    assert bool(said) is seen
    assert not seen or "resampled from 16,000 to 8,000 Hz, so that it fits" in str(said)
    kept.take(0, Kept(0, usual, lambda *_: shown, by_number=True))
    kept.leave(0)
    assert kept.due(0, 0, was) is None, "it is said once"
