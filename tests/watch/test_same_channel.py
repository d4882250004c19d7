"""Equal inputs from files that differ, as one channel of all of them was sent: mistakes, and files of which
nothing more is known."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.order.same_channel import same_channel

RNG = numpy.random.default_rng(5)
COUNT, FILES = 48, 4
TIMES = numpy.round(numpy.arange(COUNT) * 3.5)
LOADS = [numpy.rint(RNG.normal(2000, 500, COUNT)) for _ in range(FILES)]


def text(*columns: Any, heading: str = "") -> bytes:
    lines = [",".join(f"{one:g}" for one in row) for row in zip(*columns, strict=True)]
    return "\n".join([heading, *lines] if heading else lines).encode()


def raw(*columns: Any, kind: str = "<i2") -> bytes:
    return numpy.stack(columns, axis=1).astype(kind).tobytes()


@pytest.mark.parametrize("kind", ["<i2", "<f4", ">i2", "<i4"])
def test_a_channel_that_all_files_have(kind: str) -> None:
    files = [raw(load, TIMES, 2 * load, kind=kind) for load in LOADS]
    assert "channel 2 of each file" in same_channel(TIMES / 1000, files)
    assert "channel 1 is another in each" in same_channel(TIMES[None, :, None] / 1000 - 1, files)
    assert same_channel(LOADS[0], files) == "", "the first file's own in all rounds"
    assert same_channel(TIMES**2, files) == "" and same_channel(TIMES[:40], files) == ""
    assert same_channel(TIMES, [raw(TIMES, TIMES, kind=kind)] * FILES) == "", "nothing differs"


@pytest.mark.parametrize("heading", ["", "time,load"])
def test_a_column_that_all_tables_have(heading: str) -> None:
    files = [text(TIMES, load, heading=heading) for load in LOADS]
    said = same_channel(TIMES.astype("f4"), files)
    assert "column 1 of each file" in said and "column 2 is another in each" in said
    assert same_channel(TIMES, [*files[:2], b"", files[3]]) == "", "one file isn't known"
    assert same_channel(numpy.zeros(COUNT), files) == ""
