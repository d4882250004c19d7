"""Answers that guests bring to another scale or order, by what they write; and computes without answers."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.written.answers import Answers
from pywasm_nn.watch.written.unfetched import StatesAlone, Unfetched
from tests.watch.test_misread import softmax, wrong

ORDER = numpy.random.default_rng(8)
SCALE, ZERO = 0.0390625, 3
RAW = ORDER.integers(-128, 100, (1, 12)).astype("i1")
RAW[0, 7] = 117
VALUE = (117 - ZERO) * SCALE


def said_of(raw: Any, text: str) -> str:
    """The hint at a guest that fetches a quantised output and writes a text."""
    tensor, answers = Tensor.from_numpy(raw), Answers()
    spec = TensorSpec("y", tensor.dtype, tensor.shape, quantization=(SCALE, ZERO))
    about = {"error": None, "index": 0, "context_id": 1, "given": (), "delivered": False}
    for operation, tensors in (("compute", ()), ("get_output", (tensor,))):
        event: Any = SimpleNamespace(operation=operation, tensors=tensors, specs=(spec,), **about)
        answers.nn_event(event)
    arguments = {"fd": 1, "ciovs": [text.encode()]}.items()
    written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
    answers.host_call(written)
    return "".join(text for _, text in answers.finish())


def test_another_zero_point() -> None:
    assert said_of(RAW, f"best 7: {VALUE:.4f}") == ""
    assert "the zero point 0 " in said_of(RAW, f"best 7: {117 * SCALE:.4f}")
    assert "the zero point -128" in said_of(RAW, f"best 7: {(117 + 128) * SCALE:.4f}")
    assert said_of(RAW, "best 7: 117") == "", "the byte itself"
    many = "".join(f"{8.125 + 0.01 * at:.3f} kHz\n" for at in range(20))
    assert said_of(RAW, f"{many}{117 * SCALE:.3f} kHz\n7") == "", "one of many other numbers"
    negative = numpy.where(RAW > 100, -5, RAW.clip(-128, -60)).astype("i1")
    assert "the bytes as u8" in said_of(negative, f"best 7: {(251 - ZERO) * SCALE:.4f}")


LOGITS = ORDER.normal(0.5, 1, (1, 20)).astype("f4")
LOGITS[0, 4] = 4.25


def test_a_sigmoid_of_classes_that_exclude_each_other() -> None:
    sigmoid = 1 / (1 + numpy.exp(-LOGITS[0]))
    assert "classes would hold at once" in wrong(f"class 4 at {sigmoid[4]:.4f}", LOGITS)
    assert wrong(f"class 4 at {softmax(LOGITS).max():.4f}", LOGITS) == ""
    assert wrong("\n".join(f"{one:.4f}" for one in sigmoid), LOGITS) == "", "labels that may hold at once"
    sure = LOGITS + 5
    assert wrong("1.00", sure) == "", "which may be anything, as how alike two vectors are"
    few = LOGITS - 4
    assert wrong(f"class 4 at {1 / (1 + numpy.exp(-few[0, 4])):.4f}", few) == ""


def test_labels_that_hold_together() -> None:
    """Of 40 attributes twelve hold, and only the surest one is written."""
    logits = ORDER.normal(-4, 1, (1, 40)).astype("f4")
    logits[0, :12] = ORDER.uniform(1, 4, 12)
    logits[0, 5] = 4.3
    assert wrong(f"above all: smiling {1 / (1 + numpy.exp(-4.3)):.3f}", logits) == ""


def test_a_share_of_another_row() -> None:
    sigmoid = 1 / (1 + numpy.exp(-LOGITS[0, 4]))
    other = numpy.full_like(LOGITS[0], -numpy.log((1 / sigmoid - 1) ** -1 * (LOGITS.shape[1] - 1)))
    other[7] = 0
    said = f"class 7 at {sigmoid:.3f}"
    assert f"{softmax(other).max():.3f}" == f"{sigmoid:.3f}"
    assert wrong(said, numpy.stack([LOGITS[0], other])) == "" != wrong(said, LOGITS)


SHARES = softmax(ORDER.normal(0, 2, (1, 30))).astype("f4")


def top(places: Any) -> str:
    return "\n".join(f"class {place}: {SHARES[0, place]:.5f}" for place in places)


def test_the_smallest_in_place_of_the_largest() -> None:
    up = SHARES[0].argsort()
    assert "sorted the wrong way" in wrong(top(up[:5]), SHARES)
    assert wrong(top(up[::-1][:5]), SHARES) == ""
    assert wrong(top(range(5)), SHARES) == ""
    assert wrong(top(up), SHARES) == "", "all of them"
    far = 7 * SHARES
    listed = "\n".join(f"class {place}: {far[0, place]:.5f}" for place in up[:5])
    assert wrong(listed, far) == "", "the nearest ones have the smallest distances"


@pytest.mark.parametrize("first", ["cheapest hours", "coldest", "hours to charge in", "three lowest classes"])
def test_the_smallest_are_looked_for(first: str) -> None:
    prices = ORDER.normal(0, 1, (1, 24)).astype("f4")
    hours = prices[0].argsort()[:4]
    text = f"{first}:\n" + "\n".join(f"  {hour}: {prices[0, hour]:.3f}" for hour in hours)
    assert wrong(text, prices) == ""
    assert "sorted the wrong way" in wrong(text.replace(first, "classes"), prices)


@pytest.mark.parametrize(
    ("operations", "text", "seen"),
    [
        (["compute"], "class 3", True),
        (["compute", "compute"], "class 3", True),
        (["compute", "get_output"], "class 3", False),
        (["compute"], "20 runs took 3.2 ms each", False),
        (["compute"], "done", False),
        (["compute"], "smoke 1.2: compute succeeded", False),
        (["compute"], "model of 4.2 MB works", False),
        (["compute"], "net v1.3 finished", False),
        (["compute"], "compute returned 0", False),
        (["compute"], "3 inputs, 2 outputs", False),
        ([], "class 3", False),
    ],
)
def test_an_answer_that_nobody_asks_for(operations: list[str], text: str, seen: bool) -> None:
    unfetched = Unfetched()
    for operation in operations:
        event: Any = SimpleNamespace(operation=operation, error=None, delivered=False)
        unfetched.nn_event(event)
    arguments = {"fd": 1, "ciovs": [text.encode()]}.items()
    written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
    unfetched.host_call(written)
    assert bool([*unfetched.finish()]) is seen


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_few_elements_of_a_state_are_what_is_followed(size: int) -> None:
    """A simulation writes where something is, and asks for no measurement of it."""
    state = numpy.linspace(0.25, 3.5, 6 * size).reshape(6, size).astype("f4")
    assert said_of_states(("x", "x_next", "y"), state) == ""
    assert "never fetches output 1" in said_of_states(("x", "x_next", "y"), numpy.repeat(state, 8, axis=1))


def said_of_states(names: Sequence[str], states: Any) -> str:
    """Returns the hint at a guest that writes the first element of each state, and fetches nothing else."""
    alone, shape = StatesAlone(), (1, states.shape[1])
    specs = [TensorSpec(name, DType.F32, shape) for name in (*names, "u")]
    graph = SimpleNamespace(inputs=(specs[3], specs[0]), outputs=(specs[1], specs[2]))
    for state in states:
        more = {"error": None, "context_id": 1, "graph": graph, "delivered": False}
        tensors = (Tensor.from_numpy(state[None]), Tensor.from_numpy(state[None, :1] * 3))
        for operation, index, kept in (("compute", None, tensors), ("get_output", 0, ())):
            event: Any = SimpleNamespace(operation=operation, index=index, tensors=kept, **more)
            alone.nn_event(event)
    text = "".join(f"{state[0]:.3f}\n" for state in states)
    written: Any = SimpleNamespace(
        name="fd_write", error=None, arguments={"fd": 1, "ciovs": [text.encode()]}.items()
    )
    alone.host_call(written)
    return "; ".join(text for _, text in alone.finish())


@pytest.mark.parametrize("names", [("h", "h_next", "level"), ("state", "stateN", "prob")])
@pytest.mark.parametrize("at_each", [False, True])
@pytest.mark.parametrize(
    ("fetched", "place", "computes", "seen"),
    [
        ((0,), 0, 5, True),
        ((0,), 0, 2, False),  # an answer to few pieces may be of a state
        ((0,), 3, 5, False),
        ((0, 1), 0, 5, False),
        ((1,), 0, 5, False),
    ],
)
def test_a_state_in_the_place_of_an_answer_that_nobody_asks_for(
    names: Sequence[str], at_each: bool, fetched: Sequence[int], place: int, computes: int, seen: bool
) -> None:
    alone, specs = StatesAlone(), [TensorSpec(name, DType.F32, (1, 8)) for name in (*names, "x")]
    graph = SimpleNamespace(inputs=(specs[3], specs[0]), outputs=(specs[1], specs[2]))
    texts = []
    for turn in range(computes):
        state = numpy.random.default_rng(turn).uniform(-1, 1, (1, 8)).astype("f4")
        more = {"error": None, "context_id": 1, "graph": graph, "delivered": False}
        tensors = (Tensor.from_numpy(state), Tensor.from_numpy(state[:, :1] * 3))
        events = [("compute", None, tensors), *(("get_output", index, ()) for index in fetched)]
        for operation, index, kept in events:
            event: Any = SimpleNamespace(operation=operation, index=index, tensors=kept, **more)
            alone.nn_event(event)
        texts.append(f"{turn / 8:.3f} s: {state[0, place]:.3f}\n")
    text = "".join(texts[:-1]) if at_each else f"96 lines, {state[0, place]:.2f} m in 6 hours"
    arguments = {"fd": 1, "ciovs": [text.encode()]}.items()
    written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
    alone.host_call(written)
    said = "; ".join(text for _, text in alone.finish())
    assert (f'and never fetches output 1 "{names[2]}": is that one the answer?' in said) is seen is bool(said)
