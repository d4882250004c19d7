"""Numbers of many digits that are elements of an answer read as another type."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.misread import Fetched, Round
from pywasm_nn.watch.written.retold import as_another_type


def said(answer: Any, text: str) -> str:
    array = numpy.asarray(answer)
    flat = array.reshape(-1)
    return as_another_type(
        Round([Fetched("output 0", array.astype("f8"), flat.tobytes(), flat.dtype.str)], [], Spoken(text))
    )


@pytest.mark.parametrize(
    ("own", "kind"),
    [("<f8", "<f4"), ("<f4", "<i4"), ("<f4", "<f8"), ("<f8", "<i8"), ("|u1", "<f4")],
)
def test_a_number_in_another_type(own: str, kind: str) -> None:
    answer = (numpy.array([[0.7312345678, 117.125, 3.25, 9.5]]) * (1 if own[1] == "f" else 23)).astype(own)
    read = answer.reshape(-1).copy().view(kind)
    assert "its bytes are read as" in said(answer, f"risk: {read[0]:.9g}\n")
    if own[1] == "f":
        assert said(answer, f"risk: {answer[0, 0]:.9g}, {answer[0, 1]:.7f}\n") == ""


def test_a_number_beyond_twenty_digits() -> None:
    answer = numpy.frombuffer(numpy.array([1.0394735e32, 1.1], "<f4").tobytes(), "<f8").reshape(1, 1)
    assert "element 0 of output 0 if its bytes are read as f32" in said(
        answer, "103947349218714810922729662840832.0000\n"
    )


@pytest.mark.parametrize(
    "text", ["1000000 rows\n", "took 1764280000123 ms\n", "score 0.1234567\n", "12:30\n"]
)
def test_other_numbers_say_nothing(text: str) -> None:
    assert said(numpy.linspace(0, 1, 10), text) == ""
