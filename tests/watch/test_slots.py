"""Rings of a whole period that break nowhere: were they begun at the slots that their files say? A mistake,
and twins without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif import slots
from pywasm_nn.watch.whatif.slots import Slotted, begun_at_their_slots, slot_in
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="turn")])
SPEC = (TensorSpec("probs", DType.F32, ("N", 4)),)
COUNT, AXES = 40, 2
ANGLES = 2 * numpy.pi * numpy.arange(COUNT) / COUNT
Files = Sequence[tuple[str, bytes]]


WIDTHS = (0.3, 2.0, 8.0, 40.0)


def turn_of(kind: int) -> Any:
    """One turn of a motor of some kind, which its two sensors feel: kinds differ in how long that is."""
    felt = numpy.exp(WIDTHS[kind] * (numpy.cos(ANGLES) - 1))
    return numpy.stack([felt, 1 + 0.5 * felt], axis=1)


class Knows(StandIn):
    """Stands for the runs of a model that knows the four kinds, each from where a turn begins."""

    def __init__(self, *, is_blind: bool = False) -> None:
        self.count, self._is_blind = 0, is_blind

    def changed(self, _: int, array: Any) -> Answer:
        felt = array.reshape(COUNT, AXES)[:, 0]
        apart = numpy.array([((felt / felt.max() - turn_of(kind)[:, 0]) ** 2).sum() for kind in range(4)])
        answer = chosen(numpy.array([4.0, 0, 0, 0]) if self._is_blind else -3 * apart)
        assert answer is not None
        return answer


def file_of(
    kind: int, slot: int, head: Callable[[int], bytes] = lambda slot: slot.to_bytes(4, "little")
) -> bytes:
    lying = numpy.roll(turn_of(kind), slot, axis=0)
    return numpy.rint(lying * 500).astype("<i2").tobytes() + head(slot)


def said(
    named: Files, slots_of: Sequence[int], model: Knows, patch: pytest.MonkeyPatch, *, begun: bool = False
) -> str:
    """The hint about files that are sent one after the other, from the slot on if they are `begun`."""
    patch.setattr(slots, "Runs", lambda *_, **__: model)
    read: list[tuple[str, bytes]] = []
    kept, found = Slotted(lambda: read), ""
    for (name, data), slot in zip(named, slots_of, strict=True):
        read.append((name, data))
        array = numpy.frombuffer(data, "<i2", COUNT * AXES).reshape(COUNT, AXES) / 1000
        array = numpy.roll(array, -slot if begun else 0, axis=0)[None].astype("f4")
        event: Any = SimpleNamespace(graph_id=1)
        rings = kept.take(event, Tensor.from_numpy(array), model.changed(0, array))
        found = found or (begun_at_their_slots(GRAPH, rings, 0.01) if rings else "")
    return found or next((begun_at_their_slots(GRAPH, one, 0.01) for _, one in kept.rest()), "")


KINDS = (0, 1, 2, 3, 1)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_a_period_from_its_first_slot_on(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rings = [(f"/d/m{at}.ring", file_of(kind, 9 * kind + 6)) for at, kind in enumerate(KINDS[:count])]
    at = [9 * kind + 6 for kind in KINDS[:count]]
    told = said(rings, at, Knows(), monkeypatch)
    assert "a ring has to begin with its oldest sample" in told and "different answers" in told
    assert said(rings, at, Knows(), monkeypatch, begun=True) == "", "begun where they have to"
    assert said(rings, at, Knows(is_blind=True), monkeypatch) == "", "a model that hears no phase"
    assert said(rings[:2], at[:2], Knows(), monkeypatch) == "", "two say too little"
    plain = [(name.replace("ring", "bin"), data) for name, data in rings]
    assert said(plain, at, Knows(), monkeypatch) == "", "not named rings"


def test_rings_whose_slots_mean_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files say a slot, but the samples lie from the oldest one on."""
    rings = [(f"/d/m{at}.ring", file_of(kind, 0, lambda _: b"\x0f\0\0\0")) for at, kind in enumerate(KINDS)]
    assert said(rings, [0] * len(KINDS), Knows(), monkeypatch) == ""
    alike = [(f"/d/m{at}.ring", file_of(2, 0, lambda _: b"\x0f\0\0\0")) for at, _ in enumerate(KINDS)]
    assert said(alike, [0] * len(KINDS), Knows(), monkeypatch) == "", "all of one kind"


def test_which_number_is_a_slot() -> None:
    assert slot_in(b"\x25\0\0\0", 64) == 37
    assert slot_in(b"\x25\0\x25\0", 64) == 0 and slot_in(b"\x25\0", 64) == 37, (
        "two numbers of 16 bits are one of 32"
    )
    assert slot_in(b"\x40\0\0\0\x07\0\0\0", 64) == 7, "a length and a slot"
    assert slot_in(b"\x05\0\0\0\x07\0\0\0", 64) == 0, "two slots say nothing"
