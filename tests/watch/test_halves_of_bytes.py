"""Guests take numbers of 4 bits out of bytes, the lower half first or the higher one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.whatif import halves_of_bytes
from pywasm_nn.watch.whatif.halves_of_bytes import HIGH_FIRST, LOW_FIRST, HalvesOfBytes, order_in
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

SEEN = numpy.random.default_rng(6).integers(0, 16, (5, 96)).astype("u1")


def packed(*, is_low_first: bool) -> bytes:
    pairs = SEEN.reshape(-1, 2)
    first, second = (pairs[:, 1], pairs[:, 0]) if is_low_first else (pairs[:, 0], pairs[:, 1])
    return bytes((first << 4 | second).astype("u1").tobytes())


def unpacked(data: bytes, *, is_low_first: bool) -> Any:
    octets = numpy.frombuffer(data, "u1")
    pair = (octets & 15, octets >> 4) if is_low_first else (octets >> 4, octets & 15)
    return numpy.stack(pair, axis=1).reshape(SEEN.shape)


Scale = Callable[[Any], Any]


class Trained(StandIn):
    """Stands for the runs of a model that knows these pictures, or is as sure of others."""

    def __init__(self, scale: Scale, doubt: float) -> None:
        self._known, self._doubt = [scale(one).astype("f4") for one in SEEN], doubt

    def changed(self, _: int, array: Any) -> Answer:
        flat = array.reshape(-1)
        at = next((at for at, one in enumerate(self._known) if (one == flat).all()), -1)
        return Answer(at % 3, 0.98, 3, 4.0) if at >= 0 else Answer(2, 1 - self._doubt, 3, 0.8)


def said(
    data: bytes,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_low_first: bool,
    scale: Scale = lambda one: one / 16,
    doubt: float = 0.4,
    count: int = 5,
    file: bytes | None = None,
) -> str:
    model = Trained(scale, doubt)
    monkeypatch.setattr(halves_of_bytes, "Runs", lambda *_, **__: model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])

    def ask(_: Any, question: Callable[[Any, float, float], Any]) -> Any:
        return question(graph, 1e-3, 1.0)

    rule = HalvesOfBytes(lambda: [("strip.raw", data if file is None else file)], ask, lambda: None)
    for one in unpacked(data, is_low_first=is_low_first)[:count]:
        given = scale(one).astype("f4").reshape(1, 1, 8, 12)
        answer = model.changed(0, given)
        shares = numpy.full((1, 3), (1 - answer.sure) / 2, "f4")
        shares[0, answer.place] = answer.sure
        for operation, array in (("set_input", given), ("compute", shares)):
            tensor = Tensor.from_numpy(array)
            event: Any = SimpleNamespace(
                error=None, given=(), operation=operation, index=0 if operation == "set_input" else None,
                specs=(TensorSpec("x", tensor.dtype, tensor.shape),), tensors=(tensor,), graph=graph,
                graph_id=1,
            )  # fmt: skip
            rule.nn_event(event)
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("is_low_first", [True, False])
@pytest.mark.parametrize(
    "scale", [lambda one: one / 15, lambda one: (one / 16 - 0.3) / 0.35, lambda one: one]
)
def test_halves_in_the_other_order(is_low_first: bool, scale: Scale, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(is_low_first=not is_low_first)
    text = said(data, monkeypatch, is_low_first=is_low_first, scale=scale)
    assert (LOW_FIRST if is_low_first else HIGH_FIRST) in text
    assert "in strip.raw" in text and "with the two of each byte exchanged 3 different answers" in text
    assert said(packed(is_low_first=is_low_first), monkeypatch, is_low_first=is_low_first, scale=scale) == ""


def test_what_the_model_must_say(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(is_low_first=False)
    assert said(data, monkeypatch, is_low_first=True) != ""
    given: Any
    for given in ({"doubt": 0.05}, {"count": 2}, {"file": b"\x01\x23" * 400}):
        assert said(data, monkeypatch, is_low_first=True, **given) == ""


def test_parts_of_a_file() -> None:
    """Behind a header of some bytes, and in any order."""
    data = b"P4BIT" + packed(is_low_first=False)
    rows = [one / 15.0 for one in SEEN[::-1]]
    assert order_in(rows, [("a.txt", b"text"), ("strip.raw", data)]) == ("strip.raw", HIGH_FIRST)
    assert order_in([*rows, rows[0][::-1]], [("strip.raw", data)]) == ("", "")
