"""Which of a file's scales is that of an answer."""

from __future__ import annotations

import pytest

from pywasm_nn.watch.amounts.scales import Scale, of_output


def scales(*names: str) -> list[Scale]:
    return [Scale("scaler.csv", name, 10.0 * at, 1.0 + at) for at, name in enumerate(names)]


@pytest.mark.parametrize(("output", "model", "names", "own"), [
    ("price", "m", ["size", "price"], "price"),
    ("next_load", "m", ["temperature", "load"], "load"),
    ("variable", "mpg", ["weight", "y", "mpg"], "mpg"),
    ("variable", "m", ["weight", "y", "mpg"], ""),  # a year, or a coordinate
    ("variable", "m", ["x", "y"], "y"),
    ("variable", "m", ["target", "x"], "target"),
    ("variable", "temperature", ["temperature min", "temperature max"], ""),
    ("variable", "m", ["size", "rooms"], ""),
])  # fmt: skip
def test_the_scale_of_an_answer(output: str, model: str, names: list[str], own: str) -> None:
    found = of_output(output, model, scales(*names))
    assert (found.name if found is not None else "") == own
