"""Lines of which reading stopped where no number follows, and lines that have no more numbers."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.sheets.scanned import stopped


@pytest.mark.parametrize(
    ("line", "sent", "said"),
    [
        ("4.5,3.1,2.2,7.0", [4.5, 0, 0, 0], 'does reading stop at ","'),
        ("4.5 3.1 red 7.0", [4.5, 3.1, 0, 0], 'on stops at " red 7.0"'),
        ("4.5 3.1", [4.5, 3.1, 0, 0], ""),
        ("4.5,3.1\r", [4.5, 3.1, 0, 0], ""),
        ("", [0, 0, 0, 0], ""),
    ],
)
def test_where_reading_stops(line: str, sent: list[float], said: str) -> None:
    whole = numpy.array([[4.5, 3.1, 2.2, 7.0]])
    found = stopped([line], whole, numpy.array(sent), 1e-6)
    assert (said in found) and bool(found) == bool(said), found
