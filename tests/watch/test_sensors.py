"""Models of windows of an accelerometer and a gyroscope: another unit, and the sensors exchanged. Mistakes,
and twins without one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import sensors
from pywasm_nn.watch.whatif.sensors import Sensors, asked_otherwise, counts_in
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn

GRAVITY, DEGREES = 9.80665, 180 / numpy.pi
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="motion")])
MOTIONS = (
    ((0.1, 0, 1), 0.01, 0.08),
    ((1, 0.1, 0.1), 0.02, 0.1),
    ((0.1, 1, 0.2), 0.25, 0.5),
    ((0.6, 0.6, 0.5), 0.9, 1.6),
)
"""Of each motion where gravity is, how hard it moves in g, and how fast it turns in radians a second."""
Change = Callable[[Any], Any]


def windows(seed: int) -> list[Any]:
    """A window of each motion, in g and radians, acceleration first."""
    numbers = numpy.random.default_rng(seed)
    return [
        numpy.hstack(
            [numpy.array(place) + numbers.normal(0, hard, (64, 3)), numbers.normal(0, fast, (64, 3))]
        )
        for place, hard, fast in MOTIONS
    ]


def scaled(first: int, factor: float) -> Change:
    return lambda rows: (
        rows * numpy.where((numpy.arange(6) >= first) & (numpy.arange(6) < first + 3), factor, 1)
    )


def turned(rows: Any) -> Any:
    return rows[:, [3, 4, 5, 0, 1, 2]]


def counted(rows: Any) -> Any:
    """Rotation as a gyroscope's counts for a degree make it."""
    made = rows.copy()
    made[:, 3:] = numpy.rint(rows[:, 3:] * DEGREES * 131) / 131
    return made


class Nearest(StandIn):
    """Stands for the runs of a model that knows each motion by what its axes are on average and how much they
    move, in its own unit and order."""

    def __init__(self, own: Change) -> None:
        known = numpy.array([[features(own(one)) for one in windows(seed)] for seed in range(40, 60)])
        self._middle, self._wide = known.mean(axis=0), known.std(axis=(0, 1)) / 3

    def changed(self, _: int, array: Any) -> Answer:
        away = (((features(array[0].astype("f8")) - self._middle) / self._wide) ** 2).mean(axis=1)
        answer = chosen(-away)
        assert answer is not None
        return answer


def features(rows: Any) -> Any:
    return numpy.concatenate([rows.mean(axis=0), rows.std(axis=0)])


def said(
    own: Change,
    sent: Change,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    heading: bytes = b"",
    first: int = 0,
) -> str:
    """What is said of a guest that sends windows otherwise than a model wants them, from a motion on."""
    model, kept = Nearest(own), Sensors(lambda: [("log.csv", heading)])
    monkeypatch.setattr(sensors, "Runs", model)
    taken: list[Any] = []
    for one in windows(seed)[first:]:
        array = sent(one)[None].astype("f4")
        taken = kept.take(0, Tensor.from_numpy(array), model.changed(0, array)) or taken
        assert not kept.take(0, Tensor.from_numpy(array), model.changed(0, array)), "the same motion"
    return asked_otherwise(GRAPH, taken, kept.changes(taken), 0.01)


WAYS: dict[str, tuple[Change, Change, str]] = {
    "in m/s2": (lambda rows: rows, scaled(0, GRAVITY), "divided by 9.80665"),
    "in degrees": (lambda rows: rows, counted, "the factor pi / 180 missing"),
    "rotation first": (lambda rows: rows, turned, "acceleration to come before rotation"),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", WAYS)
def test_what_a_model_wants_otherwise(way: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own, sent, wrong = WAYS[way]
    assert wrong in said(own, sent, seed, monkeypatch)
    assert said(sent, sent, seed, monkeypatch) == "", "it learned from such windows"
    assert said(own, own, seed, monkeypatch) == ""


def counts(of_1_g: int, by: int, unit: float = 1.0) -> Change:
    """Windows with gravity, as a sensor counts them, divided by another number."""

    def counted(rows: Any) -> Any:
        gravity = rows[:, :3].mean(axis=0)
        axes = rows[:, :3] - gravity + gravity / numpy.linalg.norm(gravity)
        return numpy.hstack([numpy.rint(axes * of_1_g) / by * unit, rows[:, 3:]])

    return counted


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("of_1_g", "by"), [(1024, 8192), (2048, 16384), (8192, 2048)])
@pytest.mark.parametrize("unit", [1.0, GRAVITY])
def test_another_range_of_the_sensor(
    of_1_g: int, by: int, unit: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = counts(of_1_g, of_1_g, unit), counts(of_1_g, by, unit)
    assert f"is 1 g {of_1_g:,} counts in the range" in said(right, wrong, seed, monkeypatch)
    assert said(wrong, wrong, seed, monkeypatch) == "", "it learned from such windows"
    assert said(right, right, seed, monkeypatch) == ""
    of_three = said(right, wrong, seed, monkeypatch, first=1)
    assert ("3 windows as sent get 2 answers" in of_three) is (of_1_g < by)
    assert said(right, scaled(0, 2), seed, monkeypatch, first=1) == "", "of these three are too few"
    assert "counts in the range" not in said(right, scaled(0, 0.6), seed, monkeypatch), "no counts"
    kept = [*map(wrong, windows(seed))]
    size = unit * of_1_g / by
    assert [*sensors.in_ranges(kept, [size, 1.04 * size, 1.25 * size, size])], "one of them runs"
    assert not [*sensors.in_ranges(kept, [size, 1.25 * size, 1.2 * size, 0.8 * size])]
    assert not [*sensors.in_ranges(kept, [size, size, size, 1.5 * size])]
    assert not [*sensors.in_ranges(kept, [0.01 * unit, 0.25 * unit, 0.6 * unit])], "gravity was taken away"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("of_1_g", [1000, 4096])
def test_counts_that_were_divided_as_samples(of_1_g: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = counts(of_1_g, of_1_g), counts(of_1_g, 32768)
    found = said(right, wrong, seed, monkeypatch)
    assert f"is 1 g {of_1_g:,} counts?" in found and "as samples of a sound are" in found
    assert said(wrong, wrong, seed, monkeypatch) == "", "it learned from such windows"
    assert said(counts(16384, 16384), counts(16384, 16384), seed, monkeypatch) == ""
    assert not [*sensors.of_full_scale([right(one) for one in windows(seed)], [1.0] * 4)]
    kept = [wrong(one) for one in windows(seed)]
    size = of_1_g / 32768
    assert not [*sensors.of_full_scale(kept, [0.01 * size, 0.4 * size, size])], "gravity was taken away"


def with_zero(rows: Any, zero: int, of_1_g: float, taken: float, unit: float = 1.0) -> Any:
    """Windows of a converter that gives a number at rest, of which some was taken away."""
    level = rows[:, :3] - rows[:, :3].mean(axis=0)
    gravity = rows[:, :3].mean(axis=0) / numpy.linalg.norm(rows[:, :3].mean(axis=0))
    counts = numpy.rint((gravity + level.clip(-0.5, 0.5)) * of_1_g) + zero
    return numpy.hstack([(counts - taken) / of_1_g * unit, rows[:, 3:]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("zero", "of_1_g"), [(2048, 409.6), (128, 42.0), (32768, 8192.0)])
@pytest.mark.parametrize("unit", [1.0, GRAVITY])
def test_the_zero_of_a_converter(
    zero: int, of_1_g: float, unit: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def right(rows: Any) -> Any:
        return with_zero(rows, zero, of_1_g, zero, unit)

    def wrong(rows: Any) -> Any:
        return with_zero(rows, zero, of_1_g, 0, unit)

    assert f"is the converter's zero, {zero:,}, to be subtracted" in said(right, wrong, seed, monkeypatch)
    assert said(wrong, wrong, seed, monkeypatch) == "", "it learned from such windows"
    assert said(right, right, seed, monkeypatch) == ""
    assert not [*sensors.without_zero([right(one) for one in windows(seed)])]
    large = [wrong(one) + 0.3 * unit for one in windows(seed)]
    assert not [*sensors.without_zero(large)], "gravity isn't measured around it"


@pytest.mark.parametrize("seed", range(3))
def test_g_that_was_divided_by_gravity(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    level, weak = counts(1000, 1000), counts(1000, 1000, 1 / GRAVITY)
    assert "as in g that were divided by 9.80665" in said(level, weak, seed, monkeypatch)
    assert said(weak, weak, seed, monkeypatch) == "", "it learned from such windows"
    assert said(level, level, seed, monkeypatch) == ""
    assert not [*sensors.divided_again([0.1, 0.01, 0.3, 0.12])], "what is left without gravity"


@pytest.mark.parametrize("seed", range(3))
def test_three_windows_that_are_too_large(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their answers are surer than training makes any, which larger ones in m/s2 alone don't show."""
    in_meters = scaled(0, GRAVITY)
    of_three = said(lambda rows: rows, in_meters, seed, monkeypatch, first=1)
    assert "3 windows as sent get" in of_three and "divided by 9.80665" in of_three
    assert said(in_meters, in_meters, seed, monkeypatch, first=1) == ""
    windows_of = [sensors.Window(one, Answer(0, 0.6, 3, 40.0), GRAVITY) for one in windows(seed)]
    assert not any(one.is_told for one in Sensors().changes(windows_of))


def test_headings_say_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, sent = scaled(3, 0.05), scaled(3, 0.05 * DEGREES)
    assert "a file's heading says degrees" in said(slow, sent, 1, monkeypatch, b"t,ax_g,gx_dps\n")
    assert said(slow, sent, 1, monkeypatch) == said(slow, slow, 1, monkeypatch, b"t,ax_g,gx[rad/s]\n") == ""


def test_counts_of_a_gyroscope() -> None:
    turning = numpy.random.default_rng(3).normal(0, 20, (64, 3))
    for counts in (131.0, 65.5, 16.4):
        made = (numpy.rint(turning * counts) / counts).astype("f4")
        assert counts_in(made, 1.0) == pytest.approx(counts)
        assert not counts_in(made / DEGREES, 1.0) and counts_in(made / DEGREES, DEGREES)
    assert not counts_in(turning, 1.0) and not counts_in(turning * 1e-6, 1.0)


class Centred(StandIn):
    """Stands for a model that takes its own gravity away first, of windows in this unit. Of these it says
    different things, with one margin, and of all others a single one, with the other margin."""

    def __init__(self, unit: float, margin: float, other: float) -> None:
        self._unit, self._margin, self._other = unit, margin, other

    def changed(self, _: int, array: Any) -> Answer:
        rows = array[0].astype("f8") / self._unit
        size = float(numpy.linalg.norm(rows[:, :3].mean(axis=0)))
        scores = numpy.zeros(5)
        if 0.5 < size < 2:
            scores[int(features(rows)[0] > 0.5) + 2 * int(features(rows)[1] > 0.5)] = self._margin
        else:
            scores[4] = self._other
        answer = chosen(scores)
        assert answer is not None
        return answer


@pytest.mark.parametrize(
    ("unit", "margin", "other", "is_told"),
    [
        (GRAVITY, 7, 20, True),
        (GRAVITY, 11, 29, True),
        (GRAVITY, 14, 20, False),
        (GRAVITY, 20, 8, False),
        (1.0, 8, 20, False),
    ],
)
@pytest.mark.parametrize("count", [2, 3])
def test_a_model_that_is_less_sure_of_larger_numbers(
    unit: float, margin: float, other: float, count: int, monkeypatch: pytest.MonkeyPatch, *, is_told: bool
) -> None:
    model, kept = Centred(unit, margin, other), Sensors(tuple)
    monkeypatch.setattr(sensors, "Runs", model)
    taken: list[Any] = []
    for one in windows(7)[:count]:
        array = one[None, :, :3].astype("f4")
        taken = kept.take(0, Tensor.from_numpy(array), model.changed(0, array)) or taken
    found = asked_otherwise(GRAPH, taken, kept.changes(taken), 0.01)
    assert ("to be multiplied by 9.80665" in found) is (is_told and count == 3)


WORN = (
    ((0.15, 0.1, 0.98), (0.01, 0.01, 0.01), 0),
    ((0.05, 0.2, 0.97), (0.35, 0.02, 0.4), 2),
    ((0.1, 0.1, 0.99), (0.5, 0.9, 0.1), 3),
    ((0.2, 0.1, 0.96), (0.3, 0.02, 0.02), 9),
)
"""Of motions of something that is always worn the same way, how much each axis moves, and how often."""


def worn(seed: int) -> list[Any]:
    numbers, steps = numpy.random.default_rng(seed), numpy.arange(64)[:, None] / 64
    return [
        numpy.array(place)
        + numpy.array(hard) * numpy.sin(2 * numpy.pi * (often * steps + numbers.random(3)))
        + numbers.normal(0, 0.01, (64, 3))
        for place, hard, often in WORN
    ]


class Worn(Nearest):
    """A model that learned such motions."""

    def __init__(self, of: Change = lambda rows: rows) -> None:
        known = numpy.array([[features(of(one)) for one in worn(seed)] for seed in range(40, 60)])
        self._middle = known.mean(axis=0)

    def changed(self, _: int, array: Any) -> Answer:
        away = numpy.sqrt(((features(array[0].astype("f8")) - self._middle) ** 2).sum(axis=1))
        answer = chosen(-30 * away)
        assert answer is not None
        return answer


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0)])
def test_axes_in_another_order(order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def exchanged(rows: Any) -> Any:
        return rows[:, order]

    def asked(model: Any, sent: Change) -> str:
        monkeypatch.setattr(sensors, "Runs", model)
        kept, taken = Sensors(), []
        for one in worn(1):
            array = sent(one)[None].astype("f4")
            taken = kept.take(0, Tensor.from_numpy(array), model.changed(0, array)) or taken
        assert len(taken) == len(WORN)
        return asked_otherwise(GRAPH, taken, kept.changes(taken), 0.01)

    assert "are the axes in the order that the model knows" in asked(Worn(), exchanged)
    assert asked(Worn(), lambda rows: rows) == ""
    assert asked(Worn(exchanged), exchanged) == "", "it learned from such windows"
