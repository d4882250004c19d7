"""Batches of windows that were cut from a sound, each at a place of its own."""

from __future__ import annotations

"""Places in windows of one file that follow each other."""
from collections.abc import Callable, Sequence
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


def test_windows_of_another_sound() -> None:
    assert heard_in(RANDOM.normal(0, 0.2, (3, 1, SIZE)).astype("f4"), SOUND) is None
    mixed = windows(LEVELS[:, 0] / 32768)
    mixed[:2] = RANDOM.normal(0, 0.9, (2, 1, SIZE))
    assert heard_in(mixed, SOUND) is None
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.windowed import unmoved
from tests.watch.test_uses_of_answers import asked_of
FILM = ("film.y4m", bytes(3000))
SHARES = numpy.array([[0.1, 0.2, 0.05, 0.9, 0.1, 0.3, 0.2, 0.1]], "f4")
def guest(form: str, *, step: int = 0, scale: float = 1) -> Callable[[Sequence[Any]], str]:
    """A guest that writes the surest step of each window, and where the window begins."""
    def say(answers: Sequence[Any]) -> str:
        places = [scale * (int(answer[0].argmax()) + step * turn) for turn, answer in enumerate(answers)]
        lines = (form.format(place, turn + 1, answers[turn][0].max()) for turn, place in enumerate(places))
        return "20 frames, cuts at" + "".join(lines) + "\n"
    return say
    ("say", "is_wrong"),
        (guest(" {0} ({2:.2f})"), True), (guest(" {0} ({2:.2f})", step=7), False),
        (guest("\n{0:.2f} s", scale=0.04), True), (guest("\n{0:.2f} s", scale=0.04, step=8), False),
        (guest("\nwindow {1}: {0}"), False),
        (guest("\n{0} in window {1}"), False), (guest("\nclear cut"), False),
)  # fmt: skip
def test_surest_steps(say: Any, is_wrong: bool) -> None:
    frames, classes = Sent("frames", (1, 8, 20, 30, 3), None, None), Sent("x", (1, 128, 3), None, None)
    found = unmoved(asked_of(say, SHARES, computes=3, files=[FILM], sent=[frames]))
    assert ("windows of film.y4m whose surest step" in found) is is_wrong is bool(found)
    for sent, files, computes in (
        ([frames], [FILM, ("b.y4m", bytes(3000))], 3), ([classes], [FILM], 3), ([frames], [FILM], 1),
    ):  # fmt: skip
        assert unmoved(asked_of(say, SHARES, computes=computes, files=files, sent=sent)) == ""
