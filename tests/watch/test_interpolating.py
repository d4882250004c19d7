"""Parts of a picture beside one, whose edges are moved to come nearer to what was sent."""

from __future__ import annotations

import pytest

from pywasm_nn.watch.origin.interpolating import beside
from pywasm_nn.watch.origin.resizing import Geometry


@pytest.mark.parametrize("part", [(3, 0, 4, 40), (0, 7, 40, 8), (2, 3, 30, 31)])
def test_no_part_is_empty(part: tuple[int, int, int, int]) -> None:
    found = [one.part for one in beside(Geometry("", part, (32, 32)), (40, 40))]
    assert found
    assert all(0 <= top < bottom <= 40 and 0 <= left < right <= 40 for top, left, bottom, right in found)
