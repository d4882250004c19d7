"""Windows of an accelerometer that files are named after, sent in another unit, order or range than a model
wants."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.whatif import several
from pywasm_nn.watch.whatif.motions import of_axes, window_among
from pywasm_nn.watch.whatif.several import Several
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.test_depicted import names
from tests.watch.test_several import GRAPH, Oracle

UNKNOWN, LABEL = Answer(0, 0.9, 10, 9.0), Depicted("a.csv", (1,))


class Knowing(Oracle):
    """Stands for a model that knows windows, and says 1 to them, at a margin."""

    def changed(self, _: int, array: Any) -> Answer:
        alike = (array.shape == one.shape and numpy.allclose(array, one, atol=1e-2) for one in self.windows)
        return Answer(1, 0.97, 10, self._margin) if any(alike) else self._other

    def __init__(self, windows: list[Any], margin: float, other: Answer) -> None:
        super().__init__([], other, margin)
        self.windows = windows
        self._other = other


def windows(gravity: float, axes: int, *, is_planar: bool) -> list[Any]:
    """Three windows, with gravity along z and a gyroscope behind three axes."""
    order, made = numpy.random.default_rng(4), []
    for _ in range(3):
        rows = numpy.cumsum(order.normal(0, 0.05, (50, axes)), axis=0)
        rows[:, :3] += numpy.array([0.1, 0.2, 1.0]) - rows[:, :3].mean(axis=0)
        rows[:, :3] *= gravity
        made.append((rows.T if is_planar else rows)[None].astype("f4"))
    return made


def said(
    monkeypatch: pytest.MonkeyPatch,
    sent: list[Any],
    wanted: list[Any],
    label: Depicted | None = LABEL,
    margin: float = 9.0,
    other: Answer = UNKNOWN,
) -> str:
    monkeypatch.setattr(several, "Runs", oracle := Knowing(wanted, margin, other))
    asked = Several()
    for array in sent:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(array, "f4"))
        if asked.take([tensor], oracle.changed(0, tensor.numpy()), lambda: label) and (
            text := asked.ask(GRAPH, 0.1, 1.0, ())
        ):
            return text
    return ""


@pytest.mark.parametrize(("axes", "is_planar"), [(3, False), (6, False), (6, True)])
def test_units_and_orders(axes: int, is_planar: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = windows(1.0, axes, is_planar=is_planar)
    each = numpy.where(numpy.arange(axes) < 3, 1.0, 0.0)
    sensor = each[:, None] if is_planar else each[None]
    ways = {
        "in g, divided by 9.80665": [one * (1 + 8.80665 * sensor) for one in wanted],
        "divided by 8192, as for another range": [one * (1 + 8191 * sensor) for one in wanted],
        "times 4, as for another range": [one * (1 - 0.75 * sensor) for one in wanted],
        "in the other order": [one.swapaxes(1, 2).reshape(one.shape) for one in wanted],
    }
    for way, sent in ways.items():
        assert way in said(monkeypatch, sent[:1], wanted), way
        assert said(monkeypatch, sent[:1], wanted, None) == "", "nothing says the class"
        assert said(monkeypatch, sent[:1], wanted, Depicted("b.csv", (2,))) == ""
    assert said(monkeypatch, wanted, wanted) == ""


@pytest.mark.parametrize("along", range(3))
def test_gravity_taken_away(along: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = [one - one.mean(axis=1, keepdims=True) for one in windows(1.0, 3, is_planar=False)]
    wanted = [one + numpy.eye(3)[along] for one in sent]
    assert f"with gravity left in (1 along {'xyz'[along]}" in said(monkeypatch, sent[:1], wanted)


def test_points_in_space_have_no_gravity(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = windows(1.0, 3, is_planar=False)
    sent = [one - one.mean(axis=1, keepdims=True) for one in wanted]
    wanted = [one + numpy.array([0, 0, 1], "f4") for one in sent]
    assert "gravity" in said(monkeypatch, sent, wanted)
    assert not said(monkeypatch, sent, wanted, Depicted("cone.ply", (1,)))


def test_axes_need_two_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = windows(9.80665, 3, is_planar=False)
    sent = [one[..., [0, 2, 1]] for one in wanted]
    assert said(monkeypatch, sent[:1], wanted) == ""
    assert "with y and z exchanged" in said(monkeypatch, sent, wanted)
    also = [*wanted, *(one / 9.80665 for one in sent)]
    assert said(monkeypatch, sent, also) == "", "another unit would do, too"
    small = [one / 9.80665 for one in wanted]
    assert "in m/s2, times 9.80665" in said(monkeypatch, small, wanted)
    assert said(monkeypatch, small, wanted, margin=80.0) == "", "larger numbers make any model surer"
    surer = said(monkeypatch, small[:1], wanted, other=Answer(2, 0.99, 10, 9.0))
    assert surer == "", "part of a walk may be a run"


@pytest.mark.parametrize("shape", [(1, 1, 64), (1, 64, 4), (1, 8, 3), (1, 64, 64), (2, 64, 3), (3, 9, 9)])
def test_other_shapes_are_no_windows(shape: tuple[int, ...]) -> None:
    assert window_among([Tensor.from_numpy(numpy.ones(shape, "f4"))]) is None
    assert [*of_axes(numpy.ones(shape, "f4"))] == []


def test_files_named_after_what_somebody_does() -> None:
    kinds = ("labels.txt", b"standing\nrunning\nwalking\ncycling\n")
    for file, place in ("imu_run.bin", 1), ("walk-2.csv", 2), ("cycle.csv", 3), ("stand.txt", 0):
        assert names(kinds, (file, b"\1")).depicted(file, 4) == Depicted(file, (place,))
    assert names(kinds, ("wal.csv", b"\1")).depicted("wal.csv", 4) is None
