"""Parts of a picture that begin where an answer says that something is: at its corner, or at its middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Given, Placed
from pywasm_nn.watch.probes.cut_out import begins_at_a_middle

WHOLE = Placed((240, 320), (0, 0, 240, 320), (0, 0, 120, 160), (120, 160))
HIGH, WIDE = 40, 60


def hint(
    middle: tuple[float, float],
    cut_at: Callable[[float, float], tuple[float, float]],
    *,
    gives_corner: bool = False,
    in_shares: bool = False,
    rows_first: bool = False,
    moves: bool = True,
    size: tuple[int, int] = (240, 320),
) -> str:
    """What is said of a part that is cut out of the picture at a place that is made of the answer's."""

    def answer(x: float, y: float) -> Any:
        place = (x - WIDE / 2, y - HIGH / 2) if gives_corner else (x, y)
        sides = numpy.array([320, 240] if in_shares else [2, 2])
        box = numpy.array([place, (WIDE, HIGH)]) / sides
        return (box[:, ::-1] if rows_first else box).reshape(1, 4).astype("f4")

    x, y = middle
    place = (x - WIDE / 2, y - HIGH / 2) if gives_corner else middle
    left, top = map(round, cut_at(*place))
    cut = Placed(size, (top, left, top + HIGH, left + WIDE), (0, 0, 32, 48), (32, 48))
    mirrored = answer(320 - x if moves else x - 3, y + 1)
    given = {0: Given('output 0 "box"', answer(x, y))}
    return begins_at_a_middle(cut, WHOLE, given, lambda: {0: mirrored})


@pytest.mark.parametrize("in_shares", [True, False])
@pytest.mark.parametrize("rows_first", [True, False])
@pytest.mark.parametrize("middle", [(90.0, 100.0), (161.3, 77.8), (240.4, 150.9)])
def test_a_part_that_begins_at_a_middle(
    middle: tuple[float, float], in_shares: bool, rows_first: bool
) -> None:
    kinds: dict[str, Any] = {"in_shares": in_shares, "rows_first": rows_first}
    assert "as a middle is and no corner" in hint(middle, lambda x, y: (x, y), **kinds)
    right = hint(middle, lambda x, y: (x - WIDE / 2, y - HIGH / 2), **kinds)
    chosen = hint(middle, lambda x, y: (x + 7, y), **kinds)
    corner = hint(middle, lambda x, y: (x, y), gives_corner=True, **kinds)
    other = hint(middle, lambda x, y: (x, y), size=(240, 321), **kinds)
    assert right == chosen == corner == other == ""


def test_nothing_says_that_it_is_a_middle() -> None:
    assert hint((90, 100), lambda x, y: (x, y), moves=False) == ""
    given = {0: Given('output 0 "box"', numpy.array([[45, 50, 30, 20]], "f4"))}
    cut = Placed((240, 320), (100, 90, 140, 150), (0, 0, 32, 48), (32, 48))
    assert begins_at_a_middle(cut, WHOLE, given, dict) == "", "the model isn't asked"
    assert begins_at_a_middle(WHOLE, WHOLE, given, dict) == ""
