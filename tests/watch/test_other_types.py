"""Lines of tables whose numbers are sent in another type than the tensor's."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.origin.other_types import in_another_type
from pywasm_nn.watch.origin.tables import table_in

TEXT = b"a,b,c,d,e,f\n" + b"".join(
    b",".join(b"%.2f" % (3.7 * row + 1.31 * column + 0.25) for column in range(6)) + b"\n" for row in range(9)
)
TABLE = table_in(TEXT)
assert TABLE is not None


@pytest.mark.parametrize("kind", ["<f4", "<f8", "<f2"])
@pytest.mark.parametrize("own", ["<f4", "<f8", "<i4", "<i8"])
def test_a_line_in_another_type(kind: str, own: str) -> None:
    assert TABLE is not None
    line = TABLE.numbers[4].astype(kind)
    size = 6 * numpy.dtype(own).itemsize
    sent = numpy.frombuffer((line.tobytes() + bytes(size))[:size], own).reshape(1, 6)
    found = in_another_type([("table.csv", TABLE)], sent)
    told = own != kind and line.itemsize <= 4 and len(line.tobytes()) <= size
    if told and kind != "<f2":  # which rounds the numbers
        assert found is not None
        assert "line 6, columns 1 to 6" in found[1].wrong
    elif own == kind:
        assert found is None


def test_half_a_line_of_doubles() -> None:
    assert TABLE is not None
    line = numpy.concatenate([TABLE.numbers[2], TABLE.numbers[3]])
    wide = table_in(b"".join(b",".join(b"%.3f" % (one + row) for one in line) + b"\n" for row in range(4)))
    assert wide is not None
    sent = numpy.frombuffer(wide.numbers[1].tobytes()[:48], "<f4").reshape(1, 12)
    found = in_another_type([("wide.csv", wide)], sent)
    assert found is not None
    assert "room for 6 of the 12 elements" in found[1].wrong


@pytest.mark.parametrize("own", ["<f4", "<f8"])
def test_numbers_of_no_line(own: str) -> None:
    assert TABLE is not None
    random = numpy.random.default_rng(3)
    for _ in range(50):
        assert in_another_type([("table.csv", TABLE)], random.normal(9, 5, (1, 6)).astype(own)) is None
        assert in_another_type([("table.csv", TABLE)], random.integers(0, 9, (1, 6)).astype(own)) is None
