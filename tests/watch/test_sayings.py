"""What guests say of answers, and states that they don't send back."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, TensorSpec
from pywasm_nn.watch.feedback import states
from pywasm_nn.watch.sayings import DECIMAL, WHOLE, Output, Said, other_place, other_type, twice

SURE = numpy.full(200, 0.0005)
SURE[41] = 0.9
SURE /= SURE.sum()


def output(numbers: Any = SURE, dtype: str = "<f4") -> Output:
    raw = numpy.asarray(numbers).astype(dtype)
    return Output(0, "y", raw.astype("f8"), raw.tobytes(), dtype)


def words(text: str) -> Said:
    return Said(frozenset(int(one) for one in WHOLE.findall(text)), tuple(DECIMAL.findall(text)))


def wrong(text: str, given: Output) -> str:
    said = words(text)
    return twice(given, said) or other_place(given, said) or other_type(given, said)


@pytest.mark.parametrize(
    "text",
    [
        "best 41 0.9004\n", "class 41: 90.04 %", "label: tabby (0.9004)", "42 classes, the best is 41",
        "0.9004", "took 0.0042 s", "42 of 200", "1.5.41", "", "5", "top 3: 41, 42, 40",
    ],
)  # fmt: skip
def test_right_words(text: str) -> None:
    assert wrong(text, output()) == ""


def test_off_by_one() -> None:
    assert "off by one" in wrong(f"best 42 {SURE[41]:.4f}", output())
    assert "off by one" in wrong(f"best 40 {SURE[40]:.5f}", output())
    background = numpy.append(SURE, numpy.zeros(801))
    assert wrong(f"best 40 {SURE[41]:.4f}", output(background)) == ""


def test_softmax_twice() -> None:
    again = numpy.exp(SURE) / numpy.exp(SURE).sum()
    assert "applied twice" in wrong(f"best 41 {again[41]:.4f}", output())
    logits = 10 * SURE
    once = numpy.exp(logits) / numpy.exp(logits).sum()
    assert wrong(f"best 41 {once[41]:.4f}", output(logits)) == ""


def test_another_type() -> None:
    numbers = numpy.zeros(200, "u1")
    numbers[77] = 200
    numbers[40:44] = 3, 2, 1, 0x41
    given = output(numbers, "|u1")
    assert "read as f32" in wrong("best 10 of 50", given)
    assert wrong("best 77 of 200", given) == ""


def test_states_by_name() -> None:
    def spec(name: str, dtype: DType = DType.F32) -> TensorSpec:
        return TensorSpec(name, dtype, (2, 1, 128))

    sound, rate = spec("input"), spec("sr", DType.I64)
    assert states((sound, spec("state"), rate), (spec("output"), spec("stateN"))) == [(1, 1)]
    assert states((sound, spec("h"), spec("c")), (spec("out"), spec("hn"), spec("cn"))) == [(1, 1), (2, 2)]
    assert states((sound,), (spec("output"),)) == []
    assert states((spec("input"), spec("mask")), (spec("inputs_seen"),)) == []
