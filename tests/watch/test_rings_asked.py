"""Models that forecast from a ring: was it begun at the slot that an argument names? A mistake, and twins
without one."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import rings
from pywasm_nn.watch.whatif.rings import Rings, begun_at_a_slot
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="history")])
COUNT, DAY = 96, 24


def day(first: int, count: int) -> Any:
    """Numbers that go round with the hours of a day."""
    hours = first + numpy.arange(count)
    return 300 + 90 * numpy.sin(2 * numpy.pi * hours / DAY) + 40 * numpy.cos(4 * numpy.pi * hours / DAY)


class Forecasts(StandIn):
    """Stands for the runs of a model that knows the hour, and how high the last day was."""

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        flat = array.reshape(-1)
        hour = round(float(flat[COUNT]) * DAY)
        level = float(flat[COUNT - DAY : COUNT].mean()) - 300 / 500
        return [Tensor.from_numpy((day(hour, DAY) / 500 + level)[None].astype("f4"))]


def said(
    sent: Any, hour: int, arguments: Sequence[str], file: tuple[str, bytes], patch: pytest.MonkeyPatch
) -> str:
    model = Forecasts()
    patch.setattr(rings, "Runs", model)
    array = numpy.concatenate([sent / 500, [hour / DAY, 1.0]])[None].astype("f4")
    (forecast,) = model.outputs_of(0, array)
    kept = Rings(lambda: [("model.onnx", b"\0" * 400), file], arguments)
    ring = kept.take(0, Tensor.from_numpy(array), forecast)
    return "" if ring is None else begun_at_a_slot(GRAPH, ring, forecast, 0.01)


@pytest.mark.parametrize("kind", ["<f4", "<i2", "text"])
@pytest.mark.parametrize("slot", [5, 31, 42, 90])
def test_a_ring_as_it_lies(slot: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = numpy.random.default_rng(slot).normal(0, 6, COUNT)
    hour = 20
    right = numpy.rint(day(hour - COUNT, COUNT) + noise)
    ring = numpy.roll(right, slot)
    text = "\n".join(f"{one:g}" for one in ring).encode()
    data = text if kind == "text" else ring.astype(kind).tobytes()
    name = "ring.txt" if kind == "text" else "meter_ring.bin"
    arguments = ["--slot", str(slot), f"{hour}", "0"]
    told = said(ring, hour, arguments, (name, data), monkeypatch)
    assert f"from slot {slot} on, which the arguments name" in told and "its oldest sample" in told
    assert said(right, hour, arguments, (name, data), monkeypatch) == "", "begun where it has to"
    assert said(ring, hour, arguments, ("meter.bin", data), monkeypatch) == "", "not named a ring"
    assert said(ring, hour, ["0"], (name, data), monkeypatch) == "", "no argument names a slot"


@pytest.mark.parametrize("seed", range(8))
def test_a_ring_that_begins_with_its_oldest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = numpy.random.default_rng(seed)
    hour, slots = int(numbers.integers(0, DAY)), numbers.integers(1, COUNT, 3)
    right = day(hour - COUNT, COUNT) + numbers.normal(0, 6, COUNT)
    file = "ring.f32", right.astype("<f4").tobytes()
    assert said(right, hour, [*map(str, slots)], file, monkeypatch) == ""
