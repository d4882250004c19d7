"""Inputs of any shape against the one mean and deviation by which a model scales all elements itself."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.sent.maps import Maps
from tests.nn.backends.onnx_writer import Model, node

ORDER = numpy.random.default_rng(24)
WARM = 15 + 8 * numpy.sin(numpy.arange(240) / 20) + ORDER.normal(0, 0.4, 240)
SHAPES = [(1, 1, 12, 20), (1, 12, 20, 1), (240,), (1, 80, 3)]
COUNTS = numpy.round((WARM + 60) * 200).astype("<u2")


def model(shape: Any, steps: tuple[str, str], numbers: tuple[float, float]) -> bytes:
    nodes = [node(steps[0], ["x", "m"], ["s"]), node(steps[1], ["s", "d"], ["y"])]
    constants = {name: numpy.array(one, "f4") for name, one in zip("md", numbers, strict=True)}
    kinds = ("float32", list(shape))
    return Model(nodes, {"x": kinds}, {"y": kinds}, constants).data()


FORMS = [(("Sub", "Div"), (15, 5)), (("Add", "Mul"), (-15, 0.2)), (("Mul", "Sub"), (0.2, 3))]


def said(elements: Any, *, form: int = 0, shape: Any = SHAPES[0], files: Any = (), known: Any = ()) -> str:
    maps = Maps(lambda: files, lambda: numpy.array(known, "f8"))
    maps.loaded(1, facts([model(shape, *FORMS[form])]).firsts)
    return maps.set(1, 0, Tensor.from_numpy(numpy.asarray(elements).astype("f4").reshape(shape)))


@pytest.mark.parametrize("form", range(3))
@pytest.mark.parametrize("shape", SHAPES)
def test_another_unit(form: int, shape: Any) -> None:
    assert said(WARM, form=form, shape=shape) == ""
    for elements, meant in (
        (WARM + 273.15, "less 273.15 (kelvins to Celsius)"),
        (10 * (WARM + 273.15) - 273.15, "made 10 times smaller before 273.15 is taken away"),
        (100 * WARM, "divided by 100"),
    ):
        text = said(elements, form=form, shape=shape)
        assert "takes 15 away from all elements and divides them by 5" in text and f"; {meant} they" in text


@pytest.mark.parametrize(("step", "number"), [("Add", 1.0), ("Sub", -4.0), ("Mul", 0.2)])
@pytest.mark.parametrize("bend", ["Log", "Sqrt"])
def test_what_comes_before_a_logarithm_is_no_mean(step: str, number: float, bend: str) -> None:
    nodes = [node(step, ["x", "m"], ["s"]), node(bend, ["s"], ["l"]), node("Sub", ["l", "d"], ["y"])]
    constants = {"m": numpy.array(number, "f4"), "d": numpy.array(3, "f4")}
    kinds = ("float32", [1, 48])
    data = Model(nodes, {"x": kinds}, {"y": kinds}, constants).data()
    maps = Maps(lambda: [("meter.csv", b"kwh\n")], lambda: numpy.zeros(0))
    maps.loaded(1, facts([data]).firsts)
    counts = numpy.linspace(60, 800, 48).astype("f4").reshape(1, 48)
    assert maps.set(1, 0, Tensor.from_numpy(counts)) == ""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("mark", "places"), [(-9999, [7]), (-99, [3, 50]), (1e6, [3, 4, 5])])
def test_marks_for_missing_numbers_are_no_other_unit(mark: float, places: list[int], shape: Any) -> None:
    own = WARM.copy()
    own[places] = mark
    count = f"{len(places)} elements are" if len(places) > 1 else f"element {places[0]} is"
    assert f"{count} {mark:g}, and the others" in said(own, shape=shape)


@pytest.mark.parametrize("peaks", [{9: 400.0}, {9: 640.0, 10: 720.0}, {9: 99.0, 10: 99.0, 100: 99.0}])
def test_peaks_are_neither_a_unit_nor_marks(peaks: dict[int, float]) -> None:
    own = WARM.copy()
    own[[*peaks]] = [*peaks.values()]
    assert said(own) == ""


def test_bytes_for_shares() -> None:
    maps = Maps(tuple, lambda: numpy.zeros(0))
    maps.loaded(1, facts([model(SHAPES[0], ("Sub", "Div"), (0.4, 0.3))]).firsts)
    shares = (WARM - WARM.min()) / numpy.ptp(WARM)
    assert maps.set(1, 0, Tensor.from_numpy(shares.astype("f4").reshape(SHAPES[0]))) == ""
    text = maps.set(1, 0, Tensor.from_numpy((100 * shares).round().astype("u1").reshape(SHAPES[0])))
    assert "; divided by 255 they would be 0 to 0.3922" in text


def test_fahrenheit_that_a_guest_makes_itself() -> None:
    text = said(WARM * 1.8 + 32, known=[1.8, 32])
    assert "Fahrenheit" in text
    assert said(WARM + 30) == said(WARM + 30, known=[1.8]) == "", "a hot day"


def test_scaled_before() -> None:
    level = (WARM - 22) / 6
    numbers = (22.0, 6.0)
    data = model(SHAPES[0], ("Sub", "Div"), numbers)
    for known, is_said in (([22, 6], True), ([22, 1 / 6], True), ([22], False)):
        maps = Maps(tuple, lambda known=known: numpy.array(known, "f8"))
        maps.loaded(1, facts([data]).firsts)
        text = maps.set(1, 0, Tensor.from_numpy(level.astype("f4").reshape(SHAPES[0])))
        assert ("as if scaled before" in text) == is_said


def test_samples_that_were_read_otherwise() -> None:
    data = b"HEAT1234" + COUNTS.tobytes() + COUNTS[::-1].tobytes()
    for first in (8, 8 + 480):
        own = numpy.frombuffer(data, "<u2", 240, first)
        files = [("hall.raw", data)]
        assert said(own / 200 - 60, files=files) == ""
        text = said(own.byteswap() / 200 - 60, files=files)
        assert "compared with hall.raw, its samples of 16 bits were read as big-endian" in text
        text = said((own & 255) / 200 - 60, files=files)
        assert "only the first byte of each of its samples" in text


def test_what_is_no_mistake() -> None:
    assert said(numpy.zeros(240)) == said(ORDER.normal(200, 3, 240)) == "", "it warms up"
    assert "deviations away" in said(-500 - WARM)
    pixels = Maps(tuple, lambda: numpy.zeros(0))
    pixels.loaded(1, facts([model(SHAPES[0], ("Sub", "Div"), (127.5, 127.5))]).firsts)
    assert pixels.set(1, 0, Tensor.from_numpy((9000 + WARM).astype("f4").reshape(SHAPES[0]))) == ""


@pytest.mark.parametrize(("file", "seen"), [("m.onnx", False), ("day.txt", True)])
def test_noise_of_a_guest_that_reads_its_model(file: str, *, seen: bool) -> None:
    """Random numbers warm a model up. They can't come from the file of the model."""
    noise = numpy.random.default_rng(5).uniform(300, 400, 240)
    assert bool(said(noise, files=[(file, b"4.5")])) is seen


def by_each(shape: Any, means: Any, deviations: Any) -> bytes:
    """A model that lays its input flat, and scales each element by its own numbers."""
    nodes = [node("Flatten", ["x"], ["f"]), node("Sub", ["f", "m"], ["s"]), node("Div", ["s", "d"], ["y"])]
    constants = {"m": numpy.asarray(means, "f4"), "d": numpy.asarray(deviations, "f4")}
    flat = ("float32", [1, len(means)])
    return Model(nodes, {"x": ("float32", list(shape))}, {"y": flat}, constants).data()


def of_openvino(shape: Any, means: Any, deviations: Any) -> list[bytes]:
    """The same in two parts."""
    count, sizes = len(means), ",".join(map(str, shape))
    layers = [
        f'<data shape="{sizes}" element_type="f32"/>', "",
        f'<data element_type="f32" shape="1, {count}" offset="0" size="{4 * count}"/>', "",
        f'<data element_type="f32" shape="1, {count}" offset="{4 * count}" size="{4 * count}"/>', "",
    ]  # fmt: skip
    kinds = ["Parameter", "Reshape", "Const", "Multiply", "Const", "Add", "MatMul"]
    xml = "".join(
        f'<layer id="{at}" name="n{at}" type="{kind}" version="opset1">{body}</layer>'
        for at, (kind, body) in enumerate(zip(kinds, [*layers, ""], strict=True))
    )
    whole = f'<?xml version="1.0"?>\n<net name="m" version="11"><layers>{xml}</layers><edges/></net>'
    by = 1 / numpy.asarray(deviations)
    return [whole.encode(), numpy.concatenate([by, -numpy.asarray(means) * by]).astype("<f4").tobytes()]


@pytest.mark.parametrize("form", ["onnx", "openvino"])
@pytest.mark.parametrize("shape", [(1, 4, 6), (1, 3, 5, 4)])
def test_a_mean_for_each_element(form: str, shape: Any) -> None:
    count = int(numpy.prod(shape))
    means = 23 + 0.9 * numpy.sin(numpy.arange(count))
    deviations = 2.2 + 0.3 * numpy.cos(numpy.arange(count))

    def said(elements: Any, called: str = "degrees_celsius", means: Any = means) -> str:
        one = form == "onnx"
        parts = [by_each(shape, means, deviations)] if one else of_openvino(shape, means, deviations)
        known, maps = facts(parts), Maps(lambda: [("log.txt", b"1\n")], lambda: numpy.zeros(0))
        maps.loaded(1, known.firsts, known.columns)
        return maps.set(1, 0, Tensor.from_numpy(elements.astype("f4").reshape(shape)), called)

    warm = (means + deviations * numpy.random.default_rng(3).normal(0, 0.5, count)).round(2)
    counts = (4 * warm).round()
    assert said(warm) == ""
    assert "(Fahrenheit to Celsius)" in said(warm * 1.8 + 32)
    assert "divided by 4 (quarters" in said(counts) and "divided by 4" not in said(counts + 0.3)
    assert said(warm * 1.8 + 32, means=means + 40 * numpy.arange(count)) == "", "elements of many kinds"
