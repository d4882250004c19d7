"""Points in the middle that was cut out of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.cropped import uncropped
from tests.watch.test_uses_of_answers import asked_of

WIDE = Placed((200, 300), (0, 50, 200, 250), (0, 0, 64, 64), (64, 64))
TALL = Placed((300, 200), (50, 0, 250, 200), (0, 0, 64, 64), (64, 64))
A_FACE = Placed((300, 400), (20, 90, 220, 290), (0, 0, 64, 64), (64, 64))
SAME = Placed((64, 96), (0, 16, 64, 80), (0, 0, 64, 64), (64, 64))
POINTS = numpy.array([[0.3, 0.4, 0.62, 0.41, 0.5, 0.7]], "f4")


def guest(by: float, x: float, y: float, form: str, *, turned: bool) -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        points = answers[0][0].reshape(-1, 2)[:, :: -1 if turned else 1] * by + (x, y)
        return "score 0.9\n" + "".join(form.format(*point) for point in points)

    return say


@pytest.mark.parametrize("unit", [1, 64])
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(
    ("placed", "x", "y", "form", "seen"),
    [
        (WIDE, 0, 0, "eye {:.1f}, {:.1f}\n", True), (WIDE, 50, 0, "eye {:.1f}, {:.1f}\n", False),
        (TALL, 0, 0, "eye {:.0f} {:.0f}\n", True), (TALL, 0, 50, "eye {:.0f} {:.0f}\n", False),
        (A_FACE, 0, 0, "eye {:.1f}, {:.1f}\n", False), (WIDE, 0, 0, "in the crop {:.1f}, {:.1f}\n", False),
        (None, 0, 0, "eye {:.1f}, {:.1f}\n", False),
    ],
)  # fmt: skip
def test_points(
    placed: Placed | None, x: float, y: float, form: str, seen: bool, turned: bool, unit: int
) -> None:
    say = guest(200 / unit, x, y, form, turned=turned)
    sent = [Sent("image", (1, 64, 64, 3), None, None, placed)]
    found = uncropped(asked_of(say, POINTS * unit, sent=sent))
    assert ("is that not added to x and y?" in found) == seen == bool(found)


def test_points_of_the_input() -> None:
    for by, placed in ((64, WIDE), (1, WIDE), (64, SAME)):
        sent = [Sent("image", (1, 64, 64, 3), None, None, placed)]
        say = guest(by, 0, 0, "eye {:.2f}, {:.2f}\n", turned=False)
        assert uncropped(asked_of(say, POINTS, sent=sent)) == ""
