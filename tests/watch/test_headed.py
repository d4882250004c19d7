"""Samples in a file of which a text beside it says what they are: mistakes, and twins without one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series

TIMES = numpy.arange(900)[:, None]
SAMPLES = numpy.rint(512 + 20 * numpy.sin(TIMES / [37, 53]) + [0, 15] + TIMES % 7 % [3, 4]).astype("<i2")
RECORD = b"r7 2 360 900\nr7.dat 16 80 12 512 I\nr7.dat 16 80 12 512 II\n"
PLAIN = b"[recording]\nn_channels = 2\nbaseline = 512\nper_unit = 80\n"


def said(values: Any, files: list[tuple[str, bytes]], shape: tuple[int, ...] = (1, 1, 240)) -> str:
    series = Series(lambda: files)
    return "; ".join(series.set("x", Tensor.from_numpy(values.astype("f4").reshape(shape))))


def read(kind: str, start: int = 301) -> Any:
    own = SAMPLES[start:, 1][:240].astype("f8")
    flat = SAMPLES.reshape(-1)[start:][:240].astype("f8")
    return {
        "rightly": (own - 512) / 80, "with zero": own / 80, "one lead": (flat - 512) / 80, "raw": own,
        "another zero": (own - own.mean()) / 80,
    }[kind]  # fmt: skip


@pytest.mark.parametrize("text", [("r7.hea", RECORD), ("r7.ini", PLAIN)])
@pytest.mark.parametrize(
    ("kind", "hint"),
    [("rightly", ""), ("with zero", "converter's zero, 512 in r7"), ("raw", ""),
     ("one lead", "as if it had one lead: take every second"), ("another zero", "")],
)  # fmt: skip
def test_a_record(kind: str, hint: str, text: tuple[str, bytes]) -> None:
    found = said(read(kind), [text, ("r7.dat", SAMPLES.tobytes())])
    assert (hint in found) if hint else (found == "")
    assert said(read(kind), [("other.hea", text[1]), ("r7.dat", SAMPLES.tobytes())]) == "", "of another file"


def test_what_may_be_meant() -> None:
    files = [("r7.hea", RECORD), ("r7.dat", SAMPLES.tobytes())]
    assert said(read("one lead", 300), files, (1, 240)) == "", "a row of both leads, from a sample on"
    assert said(read("one lead"), files, (1, 120, 2)) == ""
    unnamed = PLAIN.replace(b"baseline", b"rate")
    assert said(read("with zero"), [("r7.ini", unnamed), files[1]]) == "", "512 may be another number"
    first = RECORD.replace(b"12 512", b"12 0 512 77")
    assert said(read("with zero"), [("r7.hea", first), files[1]]) == "", "512 is the first sample"
    inside = RECORD.replace(b"80 12 512", b"80(512)/mV 12 0")
    assert "512 in r7.hea" in said(read("with zero"), [("r7.hea", inside), files[1]])
