"""Softmax of probabilities that are bytes, or so many that nothing is left of them; and right twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.records import changed
from pywasm_nn.watch.probes.formulas import softmax
from pywasm_nn.watch.probes.shares import misused
from tests.watch.test_formulas import asked

Number = Callable[[Any], float]


def found(number: Number, array: Any, form: str, affine: tuple[float, float] | None = None) -> str:
    """What is said of a guest that writes this number of the answer."""
    said = asked(lambda row: form.format(int(row.argmax()), number(row)), array)
    said.outputs = {0: changed(said.outputs[0], affine=affine)}
    return misused(said)


def shares(count: int) -> Any:
    row = numpy.full(count, 0.2 / (count - 1))
    row[count // 3] = 0.8
    return row[None]


@pytest.mark.parametrize("count", [5, 965])
@pytest.mark.parametrize(
    ("kind", "affine", "zero"),
    [("|u1", (1 / 256, 0.0), 0), ("|i1", (1 / 256, -128.0), -128), ("|u1", None, 0)],
)
def test_softmax_of_bytes(count: int, kind: str, affine: tuple[float, float] | None, zero: int) -> None:
    array = (numpy.round(255 * shares(count)) + zero).astype(kind)
    form = "species {}  {:.1f} %"
    by = 100 / (256 if affine else 255)
    plain, again, raw = (
        lambda row: by * (row - zero).max(),
        lambda row: 100 * softmax((row - zero) / 255).max(),
        lambda row: 100 * softmax(row).max(),
    )
    assert found(plain, array, form, affine) == ""
    assert found(lambda row: (row - zero).max(), array, form, affine) == ""
    assert "softmax applied twice" in found(again, array, form, affine)
    assert "softmax of the bytes as they are" in found(raw, array, form, affine)
    assert affine is None or found(again, array, form, (0.1, affine[1])) == "", "these are logits"


@pytest.mark.parametrize("form", ["{} ({:.2f})", "best {}: {:.0f} %"])
def test_shares_of_many(form: str) -> None:
    by = 100 if "%" in form else 1
    array = shares(3000).astype("f4")
    assert "softmax applied twice" in found(lambda row: by * softmax(row).max(), array, form)
    assert found(lambda row: by * row.max(), array, form) == ""
    assert found(lambda row: by * (softmax(row) if row.sum() > 1.01 else row).max(), array, form) == ""


@pytest.mark.parametrize("form", ["{}", "{}.", "class {} of 3"])
def test_the_number_of_a_class_is_no_share(form: str) -> None:
    """Of few classes it is 0 or 1, as a share that was rounded is."""
    array = numpy.array([[5.2e-05, 0.0507, 0.949]], "f4")
    assert found(lambda row: 0.0, array, form) == ""
    assert found(lambda row: 0.0, (255 * array).astype("u1"), form) == ""
