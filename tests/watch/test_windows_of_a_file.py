"""Places in windows of one file that follow each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

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


@pytest.mark.parametrize(
    ("say", "is_wrong"),
    [
        (guest(" {0} ({2:.2f})"), True), (guest(" {0} ({2:.2f})", step=7), False),
        (guest("\n{0:.2f} s", scale=0.04), True), (guest("\n{0:.2f} s", scale=0.04, step=8), False),
        (guest("\nwindow {1}: {0}"), False),
        (guest("\n{0} in window {1}"), False), (guest("\nclear cut"), False),
    ],
)  # fmt: skip
def test_surest_steps(say: Any, is_wrong: bool) -> None:
    frames, classes = Sent("frames", (1, 8, 20, 30, 3), None, None), Sent("x", (1, 128, 3), None, None)
    found = unmoved(asked_of(say, SHARES, computes=3, files=[FILM], sent=[frames]))
    assert ("windows of film.y4m whose surest step" in found) is is_wrong is bool(found)
    for sent, files, computes in (
        ([frames], [FILM, ("b.y4m", bytes(3000))], 3), ([classes], [FILM], 3), ([frames], [FILM], 1),
    ):  # fmt: skip
        assert unmoved(asked_of(say, SHARES, computes=computes, files=files, sent=sent)) == ""
