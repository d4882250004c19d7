"""Answers that guests read wrongly, by what they write; and guests that read them rightly."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.written.answers import Answers

ORDER = numpy.random.default_rng(5)
LOGITS = ORDER.normal(0, 3, 10).astype("f4").reshape(1, 10)
LOGITS[0, 4] = 7.31
SHARES = numpy.exp(LOGITS) / numpy.exp(LOGITS).sum()
FEATURES = numpy.array([[5.13, 3.52, 1.41, 0.27]], "f4")


def event(operation: str, index: int = 0, array: Any = None, name: str = "y") -> Any:
    tensors = () if array is None else (Tensor.from_numpy(numpy.ascontiguousarray(array)),)
    specs = tuple(TensorSpec(name, one.dtype, one.shape) for one in tensors)
    return SimpleNamespace(
        error=None, operation=operation, tensors=tensors, specs=specs, graph=None, index=index, context_id=1,
        given=(), delivered=False,
    )  # fmt: skip


def wrong(
    text: str, *outputs: Any, given: Any = FEATURES, before: Any = (), read: bytes = b"a,b\n1,2\n"
) -> str:
    """The hint at a guest that fetches outputs and writes a text."""
    answers = Answers(lambda: [("t.csv", read)])
    for round_ in [*before, (outputs, text)]:
        answers.nn_event(event("set_input", 0, given, "x"))
        answers.nn_event(event("compute"))
        for index, one in enumerate(round_[0]):
            answers.nn_event(event("get_output", index, one))
        arguments = {"fd": 1, "ciovs": [round_[1].encode()]}.items()
        written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
        answers.host_call(written)
    return "".join(text for _, text in answers.finish())


def listed(numbers: Any, form: str = "{:.4f}", between: str = " ") -> str:
    return between.join(form.format(one) for one in numpy.ravel(numpy.asarray(numbers)).tolist())


def softmax(numbers: Any) -> Any:
    weights = numpy.exp(numbers - numbers.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


BEST = int(LOGITS.argmax())
RIGHT = [
    f"best {BEST} {SHARES.max():.4f}", f"best {BEST} {LOGITS.max():.4f}", listed(SHARES), listed(LOGITS),
    f"class {BEST}: {100 * SHARES.max():.2f} %", listed(FEATURES) + f" -> {BEST}",
    f"class {BEST + 1} of 10", "took 0.1234 s", "", "done", f"1. class {BEST} {SHARES.max():.3f}",
    "\n".join(f"{index}: {value:.3f}" for index, value in enumerate(LOGITS[0])),
    f"features {listed(FEATURES)}\nlabel {BEST}, confidence {SHARES.max():.3f}",
    f"confidence: {100 * SHARES.max():.2f}", f"score {LOGITS.max():.3f}", "100 % done",
]  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_right_words(text: str) -> None:
    assert wrong(text, LOGITS) == ""
    assert wrong(text, SHARES, LOGITS) == ""
    assert wrong(text, LOGITS, before=[((SHARES,), listed(SHARES))]) == ""


def test_softmax_of_two_classes_or_of_several_rows() -> None:
    two = numpy.array([[0.03, 0.97]], "f4")
    assert "softmax applied twice" in wrong(f"spam: {softmax(two).max():.4f}", two)
    assert wrong("spam: 0.9700", two) == ""
    rows = softmax(ORDER.normal(0, 3, (3, 5))).astype("f4")
    assert "softmax applied twice" in wrong(listed(softmax(rows).max(1)), rows)
    assert wrong(listed(rows.max(1)), rows) == ""
    logits = ORDER.normal(0, 3, (3, 5)).astype("f4")
    assert wrong(listed(softmax(logits).max(1)), logits) == ""


def test_numbers_that_only_happen_to_be_a_softmax() -> None:
    two, given = numpy.array([[0.03, 0.97]], "f4"), numpy.array([[0.719, 0.1]], "f4")
    assert "softmax applied twice" in wrong("malignant 0.719", two)
    assert wrong("smoothness 0.719: malignant", two, given=given) == "", "a column of the line that was sent"
    assert wrong("malignant 0.9700 (limit 0.719)", two) == "", "beside the share itself"


def test_of_many_rows_one_may_come_near_a_number() -> None:
    """A time in seconds."""
    rows = softmax(ORDER.normal(0, 3, (60, 4))).astype("f4")
    again = 1 / (1 + numpy.exp(-rows.max(1)))
    assert wrong(f"from 23.0 s to {100 * again[37]:.1f} s", rows) == ""
    assert "sigmoid applied twice" in wrong(listed(again), rows)


def test_a_sigmoid_of_probabilities() -> None:
    tags = numpy.linspace(0.01, 0.99, 12).astype("f4").reshape(1, 12)
    again = 1 / (1 + numpy.exp(-tags))
    assert "sigmoid applied twice" in wrong(f"tag 11 {again.max():.4f}", tags)
    assert wrong("tag 11 0.9900", tags) == ""
    assert wrong("0.500 s", tags / 1e5) == "", "that of nothing is 0.5, too"
    assert wrong(f"{1 / (1 + numpy.exp(-0.4)):.4f}", numpy.array([[0.4]], "f4")) == "", "it may be a logit"


@pytest.mark.parametrize(
    "text", ["4: 731.00 %", "best 4 with 7.31 %", "class 4, confidence 7.310", "probability: -{low:.3f}"]
)
def test_logits_are_no_probabilities(text: str) -> None:
    text = text.format(low=abs(float(LOGITS.min())))
    assert "logits, which softmax or a sigmoid makes probabilities" in wrong(text, LOGITS)
    assert wrong(text, SHARES) == "", "it stands for something else"


def test_percents_that_the_model_gives() -> None:
    percents = 100 * SHARES
    assert wrong(f"class {BEST}: {percents.max():.1f} %", percents) == ""
    prices = numpy.array([[12.75]], "f4")
    assert wrong("up by 12.75 %", prices) == ""


@pytest.mark.parametrize("name", ["log likelihood", "log-likelihood", "log-probability", "Log prob"])
def test_logarithms_of_shares(name: str) -> None:
    scores = numpy.array([[-12.53]], "f4")
    assert wrong(f"{name}: -12.53", scores) == ""
    assert "logits" in wrong("likelihood: -12.53", scores)


def test_percents_of_amounts() -> None:
    """What a model says may be a change, in percents or as a fraction, or an amount that goes over 100."""
    returns = numpy.array([[-1.52, 0.33, 2.13]], "f4")
    for text in ("ACME: -1.52 %", "best: GLOB with +2.13 %", "next week GLOB gains 2.13 %"):
        assert wrong(text, returns) == wrong(text, returns / 100) == ""
    assert wrong("GLOB -1.52 %", returns[:, :1]) == wrong("GLOB -1.52 %", returns[:, :1] / 100) == ""
    assert wrong("humidity 104.20 %", numpy.array([[104.2]], "f4")) == ""
    assert "logits" in wrong("spam -152.00 %", returns[:, :1])
    assert "logits" in wrong("GLOB 213.00 %", returns)


@pytest.mark.parametrize("kind", ["<f2", "<f8", "<i4", "|u1", "|i1", "<i2"])
def test_bytes_of_another_type(kind: str) -> None:
    read = numpy.frombuffer(LOGITS.tobytes(), kind)
    form = "{:.6g}" if kind[1] == "f" else "{}"
    assert "if its bytes are read as" in wrong(listed(read, form), LOGITS)
    rows = "\n".join(f"{index}: {form.format(one)}" for index, one in enumerate(read.tolist()))
    assert "if its bytes are read as" in wrong(rows, LOGITS)


def test_bytes_that_are_meant() -> None:
    mask = numpy.array([0, 0, 1, 1, 255, 12, 93, 128, 77], "u1").reshape(1, 9)
    assert wrong(listed(mask, "{}"), mask) == ""
    assert wrong("0 0 1 1 0", mask.astype("f4")) == "", "few digits are chance"


def test_an_input_in_place_of_the_answer() -> None:
    assert "input 0" in wrong("scores " + listed(FEATURES), SHARES)
    assert "input 0" in wrong(f"best 0 {FEATURES.max():.2f}", SHARES)
    assert wrong(listed(FEATURES), FEATURES) == "", "the model gives back what it got"
    assert wrong("peak at bin 0 (5.13)\nsounds like a knock", SHARES) == "", "which isn't said of the answer"
    assert wrong(f"{listed(FEATURES)}: {BEST} {SHARES.max():.3f}", SHARES) == ""


def test_the_last_round_is_what_counts() -> None:
    first = (SHARES,), "best 0 5.13"
    assert wrong(f"best {BEST} {SHARES.max():.4f}", SHARES, before=[first]) == ""


@pytest.mark.parametrize(
    "text", ["{} -> setosa", "features {}: price 12", "sample {} is class setosa", "x = {}"]
)
def test_inputs_that_are_said_to_be_inputs(text: str) -> None:
    assert wrong(text.format(listed(FEATURES)), SHARES) == ""
    assert "input 0" in wrong(listed(FEATURES), SHARES)
    assert "input 0" in wrong("output: " + listed(FEATURES), SHARES)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("class 4: nan %\n", True),
        ("4 (-nan)\n", True),
        ("confidence=NaN", True),
        ("NaN: 0 elements\n", False),
        ("no nan in 10 elements\n", False),
        ("3.5,nan,7\n", False),
        ("nan bread: 4\n", False),
        ("class 4\n", False),
    ],
)
def test_a_number_that_is_none(text: str, seen: bool) -> None:
    assert ("was 0 divided by 0" in wrong(text, SHARES)) is seen
    for gap in (b"a,b\n1,nan\n", b"a,b\n,2\n", b"a;b\n1;\n2;3\n", b"a b\nNA 2\n"):
        assert wrong(text, SHARES, read=gap) == "", "it may be written as it was found"
    broken = SHARES.copy()
    broken[0, 0] = numpy.nan
    assert "was 0 divided by 0" not in wrong(text, broken)
