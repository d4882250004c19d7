"""Readings of counters sent as they stand, or as parts of their sum; and what only looks like a counter."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.series.counters import Counters

RANDOM = numpy.random.default_rng(2)


def readings(count: int, base: float = 4000.0) -> Any:
    """Four counters, each of so many readings and one more."""
    used = RANDOM.exponential(1.5, (4, count)).round(3)
    return base + numpy.cumsum(numpy.column_stack([RANDOM.uniform(0, 900, 4).round(3), used]), axis=1)


def table(numbers: Any, stem: str = "h", first: str = "meter", *, extra: str = "") -> bytes:
    heads = [first, *(f"{stem}{at:02}" for at in range(numbers.shape[1])), *([extra] if extra else [])]
    lines = [
        [f"m{at}", *(f"{one:.3f}" for one in row), *(["7"] * bool(extra))] for at, row in enumerate(numbers)
    ]
    return "\n".join(map(",".join, [heads, *lines])).encode()


def said(rows: Any, data: bytes) -> str:
    rule = Counters(lambda: [("meters.csv", data)])
    for row in rows:
        tensor = Tensor.from_numpy(row.astype("f4")[None])
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        rule.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,)))
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("count", [7, 12, 24])
@pytest.mark.parametrize("extra", ["", "tariff"])
def test_readings_and_not_what_was_used(count: int, extra: str) -> None:
    numbers = readings(count)
    data = table(numbers, extra=extra)
    for own in (numbers[:, :-1], numbers[:, 1:]):
        for sent in (own, own / own.sum(axis=1, keepdims=True), own / 1000):
            assert "never fall, as those of a counter" in said(sent, data)
    used = numpy.diff(numbers, axis=1)
    assert said(used, data) == said(used / used.sum(axis=1, keepdims=True), data) == ""


def test_readings_in_columns() -> None:
    numbers = readings(24)
    heads = "hour," + ",".join(f"meter{at}" for at in range(4))
    lines = [f"{at}:00,{','.join(f'{one:.3f}' for one in row)}" for at, row in enumerate(numbers.T)]
    data = "\n".join([heads, *lines]).encode()
    assert 'column 2 ("meter0")' in said(numbers[:, :-1], data)
    assert said(numpy.diff(numbers, axis=1), data) == ""


def test_what_is_no_counter() -> None:
    numbers = readings(12)
    assert said(numbers, table(numbers)) == "", "all readings"
    assert said(numbers[:, :10], table(numbers)) == "", "fewer"
    assert said(numbers[:1, :-1], table(numbers)) == "", "one input"
    assert said(numbers[:, 1:], table(numbers).replace(b"h00", b"id")) == ""
    falls = RANDOM.uniform(4000, 4100, (4, 13))
    assert said(falls[:, :-1], table(falls)) == ""
    times = 4000 + numpy.arange(13.0) + numpy.arange(4)[:, None]
    assert said(times[:, :-1], table(times)) == ""
    early = readings(12, base=0.5)
    early[:, 1:] += 3000
    assert said(early[:, :-1], table(early)) == ""
