"""Forecasts in deviations from a mean, written beside the newest number of their window with its unit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.amounts import beside_newest
from pywasm_nn.watch.amounts.beside_newest import BesideNewest, follows
from tests.watch.oracles import StandIn

STEPS, MEANS, WIDE = 30, numpy.array([412.0, 7.9]), numpy.array([55.0, 0.8])
RAW = MEANS + WIDE * numpy.stack([numpy.sin(numpy.arange(STEPS) / at) for at in (5, 3)], axis=1)
RAW = numpy.round(RAW + numpy.random.default_rng(2).normal(0, 0.1, RAW.shape), 2)
SENT = (RAW - MEANS) / WIDE
NEWEST, ANSWER = float(RAW[-1, 0]), 0.347
BACK = ANSWER * 55 + 412
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="tank")])
TABLE = "\n".join(["ppm;pH", *(f"{one};{other}" for one, other in RAW)]).encode()
FILES = {"csv": [("tank.csv", TABLE)], "raw": [("tank.f64", RAW.astype("<f8").tobytes())]}


class Model(StandIn):
    """Stands for a model whose answer is a function of a window's first column."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        return [Tensor.from_numpy(numpy.array([[self._answer(array.reshape(-1, 2)[:, 0])]], "f4"))]


PERSISTENT = Model(lambda own: 0.9 * own[-5:].mean() + 0.05)


def said(
    text: str, patch: pytest.MonkeyPatch, *, sent: Any = SENT, files: Any = FILES["csv"],
    model: Model = PERSISTENT, rounds: int = 1,
) -> str:  # fmt: skip
    patch.setattr(beside_newest, "Runs", model)
    rule = BesideNewest(lambda: files, lambda _, ask: ask(GRAPH, 0.01, 1.0))
    specs = TensorSpec("tank", DType.F32, (1, STEPS, 2)), TensorSpec("later", DType.F32, (1, 1))
    for operation, spec, array in (
        ("set_input", specs[0], [sent]),
        ("compute", specs[1], [[ANSWER]]),
    ) * rounds:
        event: Any = SimpleNamespace(
            error=None, context_id=1, graph=GRAPH, graph_id=1, operation=operation, given=(), specs=(spec,),
            model=None, index=0, tensors=(Tensor.from_numpy(numpy.array(array, "f4")),),
        )  # fmt: skip
        rule.nn_event(event)
    call = (("fd", 1), ("ciovs", [text.encode()]))
    wrote: Any = SimpleNamespace(name="fd_write", error=None, result=0, arguments=call)
    rule.host_call(wrote)
    return "; ".join(one for _, one in rule.finish())


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "form", ["last {:.2f} ppm, then {:.2f} ppm\n", "{1:.3f}ppm expected after {0:.1f}ppm"]
)
def test_an_answer_that_is_not_brought_back(kind: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(form.format(NEWEST, ANSWER), monkeypatch, files=FILES[kind])
    assert "as the model gives it, beside" in text and "the newest number of tank." in text
    assert "(answer * 55 + 412 = 431.1)" in text
    assert said(form.format(NEWEST, BACK), monkeypatch, files=FILES[kind]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "last {:.2f} ppm, then {:.2f}\n",  # no unit says that they are alike
        "last {:.2f} ppm, a change of {:.2f} ppm\n",
        "last {:.2f} ppm, scaled {:.2f} ppm\n",
        "last {:.2f} ppm, then {:.2f} ppm, which is {:.2f}\n",  # it is brought back, too
        "last {:.2f} ppm, then pH {:.2f} soon\n",
    ],
)
def test_texts_that_say_something_else(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(text.format(NEWEST, ANSWER, BACK), monkeypatch) == ""


WRITTEN = f"last {NEWEST:.2f} ppm, then {ANSWER:.2f} ppm\n"


def test_what_is_right_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(WRITTEN, monkeypatch)
    assert said(WRITTEN, monkeypatch, rounds=2) == "", "the other one may be what is meant"
    assert said(WRITTEN, monkeypatch, sent=RAW) == "", "it is as it stands"
    shuffled = numpy.random.default_rng(1).permutation(SENT)
    assert said(WRITTEN, monkeypatch, sent=shuffled) == "", "it is no window of the file"
    assert said(WRITTEN, monkeypatch, files=[]) == ""


@pytest.mark.parametrize(
    "answer",
    [
        lambda own: 412 + 55 * own[-1],  # it brings answers back itself
        lambda own: own[-1] - own[-2],  # a change
        lambda own: abs(own[-1]) - 0.7,
        lambda _: 0.3,
    ],
)
def test_models_that_answer_with_something_else(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(WRITTEN, monkeypatch, model=Model(answer)) == ""
    assert not follows(GRAPH, SENT[None].astype("f4"), 0, 0.01)
