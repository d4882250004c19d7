"""Guests send letters of sequences as zeros and a one, in the alphabet's order and in others."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.whatif import letter_orders
from pywasm_nn.watch.whatif.letter_orders import LetterOrders, order_of, sequences_in
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

CHAIN = numpy.random.default_rng(2)
SEQUENCES = ["".join(CHAIN.choice([*"HKLPW"], 30).tolist()) for _ in range(5)]
FASTA = "".join(f">chain {at}\n{one[:16]}\n{one[16:]}\n" for at, one in enumerate(SEQUENCES))


def ones(text: str, order: str, places: int = 30) -> Any:
    made = numpy.zeros((1, places, len(order)), "f4")
    for at, letter in enumerate(text[:places]):
        if letter in order:
            made[0, at, order.index(letter)] = 1
    return made


class Trained(StandIn):
    """Stands for the runs of a model that knows chains by one order and doubts others, or is sure of all."""

    def __init__(self, order: str, *, is_sure: bool = False) -> None:
        self._known = [ones(one, order) for one in SEQUENCES]
        self._is_sure = is_sure

    def changed(self, _: int, array: Any) -> Answer:
        at = next((at for at, one in enumerate(self._known) if (one == array).all()), -1)
        if self._is_sure:
            return Answer(int(array.reshape(-1)[:10].sum()) % 2, 0.99, 2, 4.0)
        return Answer(at % 2, 0.98, 2, 4.0) if at >= 0 else Answer(0, 0.7, 2, 0.8)


class OfTwo(Trained):
    """Stands for a model that is sure of all else that it is nothing."""

    def changed(self, _: int, array: Any) -> Answer:
        rows = array if array.shape[1] == 30 else array.swapaxes(1, 2)
        at = next((at for at, one in enumerate(self._known) if (one == rows).all()), -1)
        return Answer(at % 2, 0.999, 2, 7.0) if at >= 0 else Answer(0, 0.99, 2, 4.6)


def turned(text: str, order: str) -> Any:
    return ones(text, order).swapaxes(1, 2).copy()


def masked(text: str, order: str) -> Any:
    return turned(text[:8] + text[8:24].lower() + text[24:], order)


def said(
    model: Trained,
    order: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    texts: str = FASTA,
    made: Callable[[str, str], Any] = ones,
) -> str:
    monkeypatch.setattr(letter_orders, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="chain")])

    def ask(_: Any, question: Callable[[Any, float, float], Any]) -> Any:
        return question(graph, 1e-3, 1.0)

    rule = LetterOrders(lambda: [("chains.fa", texts.encode())], ask)
    for one in SEQUENCES:
        tensor, answer = Tensor.from_numpy(made(one, order)), model.changed(0, made(one, order))
        share = answer.sure if answer.place else 1 - answer.sure
        for operation, given in (
            ("set_input", tensor),
            ("compute", Tensor.from_numpy(numpy.array([[share]], "f4"))),
        ):
            spec = TensorSpec("chain", given.dtype, given.shape)
            index = 0 if operation == "set_input" else None
            event: Any = SimpleNamespace(
                error=None,
                given=(),
                operation=operation,
                index=index,
                specs=(spec,),
                tensors=(given,),
                graph=graph,
                graph_id=1,
            )
            rule.nn_event(event)
    return " ".join(text for _, text in rule.finish())


def test_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(Trained("HKLPW"), "WHKPL", monkeypatch)
    assert "in the order W H K P L" in text and "in the order H K L P W 2 different answers" in text
    assert said(Trained("HKLPW"), "HKLPW", monkeypatch) == ""
    assert said(Trained("WHKPL"), "WHKPL", monkeypatch) == "", "the model was trained so"
    assert said(Trained("LWHKP"), "WHKPL", monkeypatch) == "", "in no order that is usual"
    assert said(Trained("HKLPW", is_sure=True), "WHKPL", monkeypatch) == "", "sure of anything"
    assert said(Trained("HKLPW"), "WHKPL", monkeypatch, texts="no chains here") == ""


def test_which_letters_ones_are() -> None:
    texts = [*sequences_in([("chains.fa", FASTA.encode())])]
    given = [Tensor.from_numpy(ones(one, "KWLHP")) for one in SEQUENCES[:3]]
    assert order_of(given, texts) == ("KWLHP", SEQUENCES[:3])
    assert order_of([*given, Tensor.from_numpy(ones(SEQUENCES[3], "KWLPH"))], texts) == ("", [])
    assert order_of(given, ["some other text of letters that goes on"]) == ("", [])


def test_a_model_that_is_sure_of_nonsense_that_it_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(OfTwo("HKLPW"), "WHKPL", monkeypatch, made=turned)
    assert "get one answer (0.99 sure on average), and in the order H K L P W 2 different" in text
    assert said(OfTwo("HKLPW"), "HKLPW", monkeypatch, made=turned) == ""
    assert said(OfTwo("WHKPL"), "WHKPL", monkeypatch, made=turned) == "", "the model was trained so"
    assert said(OfTwo("LWHKP"), "WHKPL", monkeypatch, made=turned) == "", "in no order that is usual"


SOFT = "".join(f">{at}\n{one[:8]}{one[8:24].lower()}{one[24:]}\n" for at, one in enumerate(SEQUENCES))


def test_small_letters_without_a_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(OfTwo("HKLPW"), "HKLPW", monkeypatch, made=masked, texts=SOFT)
    assert "80 of its letters have no one: those that are small ones in the text; 5 inputs" in text
    assert said(OfTwo("HKLPW"), "HKLPW", monkeypatch, made=turned, texts=SOFT) == "", "in one case"
    assert said(OfTwo("LWHKP"), "HKLPW", monkeypatch, made=masked, texts=SOFT) == "", "no better with them"
    unknown = "".join(f">{at}\n{one[:8]}{'x' * 16}{one[24:]}\n" for at, one in enumerate(SEQUENCES))
    gaps = lambda one, order: turned(one[:8] + "x" * 16 + one[24:], order)  # noqa: E731
    assert said(OfTwo("HKLPW"), "HKLPW", monkeypatch, made=gaps, texts=unknown) == "", (
        "no letters of the order"
    )


def test_parts_of_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = "genome\n" + "PWH" + "".join(SEQUENCES) + "\n"
    assert "in the order H K L P W 2" in said(OfTwo("HKLPW"), "WHKPL", monkeypatch, made=turned, texts=whole)
    assert said(OfTwo("HKLPW"), "HKLPW", monkeypatch, made=turned, texts=whole) == ""
    other = "".join(CHAIN.choice([*"HKLPW"], 4000).tolist())
    assert said(OfTwo("HKLPW"), "WHKPL", monkeypatch, made=turned, texts=other) == "", "of another text"
