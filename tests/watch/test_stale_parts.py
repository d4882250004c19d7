"""Inputs of which as many bytes came from each line as there are elements, and the rest stayed."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.series.stale_parts import StaleParts

RANDOM = numpy.random.default_rng(3)


def table(width: int, lines: int = 9) -> tuple[Any, bytes]:
    """Numbers, and a file of them."""
    numbers = RANDOM.uniform(1, 90, (lines, width)).round(2)
    text = "\n".join("\t".join(f"{one:g}" for one in row) for row in numbers)
    return numbers, text.encode()


def copied(rows: Any, kind: str, bytes_of: int | None = None, *, empty: bool = False) -> list[Any]:
    """The inputs that come of copying as many bytes as there are elements, or so many."""
    rows = rows.astype(kind)
    own = bytearray(b"" if empty else rows[0].tobytes()) or bytearray(rows[0].nbytes)
    sent = []
    for row in rows:
        count = len(row) if bytes_of is None else bytes_of
        own[:count] = row.tobytes()[:count]
        sent.append(numpy.frombuffer(bytes(own), kind).copy())
    return sent


def said(sent: list[Any], data: bytes) -> str:
    rule = StaleParts(lambda: [("lines.tsv", data)])
    for row in sent:
        tensor = Tensor.from_numpy(row[None])
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        rule.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,)))
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
@pytest.mark.parametrize("width", [13, 24, 30])
def test_as_many_bytes_as_elements(width: int, kind: str) -> None:
    numbers, data = table(width)
    wrong = said(copied(numbers, kind), data)
    size = numpy.dtype(kind).itemsize
    assert f"only the first {width} bytes" in wrong and f"{size} for each of the {width} elements" in wrong
    assert ("only" in said(copied(numbers, kind, empty=True), data)) == (width % size > 0)
    assert said(copied(numbers, kind, width * size), data) == ""
    assert said(copied(numbers, kind, 2 * size), data) == ""
    raw = numbers.astype(kind).tobytes() + b"\x07"
    assert "only the first" in said(copied(numbers, kind), raw)


@pytest.mark.parametrize("width", [13, 30])
def test_lines_that_were_scaled(width: int) -> None:
    numbers, data = table(width)
    scaled = (numbers - RANDOM.uniform(10, 50, width)) / RANDOM.uniform(2, 9, width)
    assert "only the first" in said(copied(scaled, "<f4"), data)
    assert said(copied(scaled, "<f4", 4 * width), data) == ""
    assert said(copied(scaled, "<f4")[:4], data) == ""


def test_what_says_nothing() -> None:
    numbers, data = table(24)
    same = numpy.concatenate([numbers[:, :6], numbers[:1, 6:].repeat(9, axis=0)], axis=1)
    text = "\n".join("\t".join(f"{one:g}" for one in row) for row in same).encode()
    assert said([*same.astype("f4")], text) == "", "the file has them so"
    assert said(copied(numbers, "<f4")[:2], data) == said(copied(numbers + 0.5, "<f4")[:4], data) == ""
    assert said([*copied(numbers, "<f4"), numbers[4].astype("f4")], data) == ""
