"""Means and deviations in a program's instructions, in any order: mistakes by them, and right twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.unapplied import Unapplied
from pywasm_nn.watch.sheets import Sheets

RNG = numpy.random.default_rng(7)
MEAN = (RNG.uniform(1, 9, 4) * [1, 10, 0.1, 100]).astype("f4").astype("f8")
WIDE = (MEAN * RNG.uniform(0.1, 0.4, 4)).astype("f4").astype("f8")
LINES = (MEAN + WIDE * RNG.uniform(-2, 2, (6, 4))).round(3)
Rows = Callable[[Any], Any]
WRONG: dict[str, Rows] = {
    "scaled twice": lambda x: ((x - MEAN) / WIDE - MEAN) / WIDE,
    "by the square of the deviation": lambda x: (x - MEAN) / WIDE**2,
    "multiplied by the deviation": lambda x: (x - MEAN) * WIDE,
    "then lessened by the mean": lambda x: x / WIDE - MEAN,
}
RIGHT: tuple[Rows, ...] = (
    lambda x: (x - MEAN) / WIDE,
    lambda x: x,
    lambda x: x / 7,
    lambda x: (x - x.mean()) / x.std(),
)
ORDERS = {
    "one pair after another": [*zip(-MEAN, WIDE, strict=True)],
    "from the last column, each twice": [one for one in zip(-MEAN, WIDE, strict=True) for _ in "12"][::-1],
    "deviations first": [*zip(WIDE, MEAN, strict=True)],
}


def said(order: str, inputs: Any) -> str:
    """What is said of a program that has the numbers in its instructions in some order."""
    numbers = [number for pair in ORDERS[order] for number in pair]
    stores = (f"(f32.store (i32.const 0) (f32.const {numpy.float32(one)!s}))" for one in numbers)
    unapplied = Unapplied()
    unapplied.attach(Module.from_text(f"(module (memory 1) (func {''.join(stores)}))"))
    table = "\n".join(",".join(f"{one:g}" for one in line) for line in LINES).encode()
    sheets = Sheets(lambda: [("day.csv", table)], own=unapplied.numbers, constants=unapplied.constants)
    rows = (Tensor.from_numpy(row[None].astype("f4")) for row in inputs)
    return "; ".join(one for row in rows for one in sheets.set("x", row))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("wrong", WRONG)
def test_one_line_is_enough(wrong: str, order: str) -> None:
    assert wrong in said(order, WRONG[wrong](LINES)[:1])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("right", RIGHT)
def test_right_lines(right: Rows, order: str) -> None:
    assert said(order, right(LINES)) == ""
