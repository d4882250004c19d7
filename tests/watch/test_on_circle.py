"""Answers that are a sine and a cosine, or other measures of one thing, and no scores of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.sent.files_beside import files_beside
from pywasm_nn.watch.whatif import on_circle
from pywasm_nn.watch.whatif.on_circle import asked_on_circle, is_off_circle
from pywasm_nn.watch.whatif.several import Several
from pywasm_nn.watch.whatif.sureness import answer_of, answers_of, are_on_circle
from tests.watch.oracles import StandIn
from tests.watch.test_origin import ppm

ANGLES = (0.3, 1.2, 2.9, 4.0, 5.1)
SIDE = 24


def spec(name: str, *shape: int) -> TensorSpec:
    return TensorSpec(name, DType.F32, shape)


def of(*numbers: float) -> list[Tensor]:
    return [Tensor.from_numpy(numpy.array([numbers], "f4"))]


@pytest.mark.parametrize(
    "name", ["sincos", "out_sin_cos", "box", "head/bbox_offset", "xy", "Keypoints", "quat"]
)
def test_measures_are_no_classes(name: str) -> None:
    outputs = of(-2.0, 9.0, 0.5)
    assert answer_of([spec(name, 1, 3)], outputs) is None
    assert answers_of([spec(name, 1, 3)], outputs) == []


@pytest.mark.parametrize("name", ["scores", "proxy", "boxing", "output", "basin", "pointer_kind"])
def test_other_names_are_those_of_classes(name: str) -> None:
    answer = answer_of([spec(name, 1, 3)], of(-2.0, 9.0, 0.5))
    assert answer is not None and answer.place == 1


def test_probabilities_of_angles_are_classes() -> None:
    """Such as of a page that was turned by 0, 90, 180 or 270 degrees."""
    answer = answer_of([spec("angle", 1, 4)], of(0.01, 0.9, 0.05, 0.04))
    assert answer is not None and answer.place == 1


def test_answers_that_go_round_are_no_classes() -> None:
    def answers(scale: float) -> list[Any]:
        pairs = [(numpy.sin(one) * scale, numpy.cos(one) * scale) for one in ANGLES]
        return [answer_of([spec("output", 1, 2)], of(*pair)) for pair in pairs]

    assert are_on_circle(answers(1.05)) and not are_on_circle(answers(3.0))
    shares = [answer_of([spec("output", 1, 2)], of(*pair)) for pair in ((0.95, 0.1), (0.1, 0.93), (0.9, 0.2))]
    assert not are_on_circle([one for one in shares if one is not None])
    several, order = Several(), numpy.random.default_rng(1)
    for answer in answers(0.95):
        picture = Tensor.from_numpy(order.random((1, 3, 16, 16)).astype("f4"))
        due = several.take([picture], answer)
    assert not due


def arrow(angle: float) -> Any:
    """A bright line from the middle, in colours, on a dark ground."""
    made = numpy.full((SIDE, SIDE, 3), 12, "u1")
    for step in numpy.linspace(0, 10, 60):
        made[round(12 - step * numpy.cos(angle)) - 1, round(12 + step * numpy.sin(angle)) - 1] = 230, 200, 240
    return made


class Vane(StandIn):
    """Knows where bright arrows from 0 to 1 on a dark ground point to, and says something far off else."""

    def __init__(self, always: float = 0.0) -> None:
        self._always = always
        self._known = [arrow(angle) / 255 for angle in ANGLES]

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        pixels = array[0].transpose(1, 2, 0)
        for angle, one in zip(ANGLES, self._known, strict=True):
            if abs(one - pixels).max() < 0.05:
                return of(1.08 * numpy.sin(angle), 1.08 * numpy.cos(angle))
        length = self._always or 5 + float(array.std())
        return of(length * 0.8, length * 0.6)


def said(folder: Path, pictures: list[Any], made: Callable[[Any], Any], name: str = "wind_sincos") -> str:
    for at, one in enumerate(pictures):
        (folder / f"vane{at}.ppm").write_bytes(ppm(one))
    source = decoded("vane1.ppm", (folder / "vane1.ppm").read_bytes())
    assert source is not None
    sent = numpy.ascontiguousarray(made(pictures[1]).transpose(2, 0, 1)[None], "f4")
    found = traced(sent, source)
    assert found is not None
    tensor = Tensor.from_numpy(sent)
    known = files_beside(0, found, tensor, folder / "vane1.ppm", Budget(), lambda *_: None)
    assert known is not None
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    return asked_on_circle(graph, [tensor], known, [spec(name, 1, 2)], 10.0)


def test_dark_arrows_on_white(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_circle, "Runs", Vane())
    papers = [255 - arrow(angle) for angle in ANGLES]
    text = said(tmp_path, papers, lambda one: one / 255)
    assert "with black and white swapped the answers to 5 pictures (vane1.ppm" in text and "1.08" in text
    assert said(tmp_path, papers, lambda one: 1 - one / 255) == ""  # the right twin
    assert "black and white" in said(tmp_path, papers, lambda one: one / 255, "output")


def test_another_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_circle, "Runs", Vane())
    text = said(tmp_path, [arrow(angle) for angle in ANGLES], lambda one: one / 127.5 - 1)
    assert "with pixels from 0 to 1 (they were sent from -1 to 1) the answers" in text


def test_right_models_that_look_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = [255 - arrow(angle) for angle in ANGLES]
    monkeypatch.setattr(on_circle, "Runs", Vane(always=1.0))  # it divides by the length itself
    assert said(tmp_path, papers, lambda one: one / 255) == ""
    assert is_off_circle(of(3.0, 1.0)) and not is_off_circle(of(0.8, -0.6)) and not is_off_circle(of(9.0))
    monkeypatch.setattr(on_circle, "Runs", Vane())
    same = [papers[1]] * 5  # one angle says little
    assert said(tmp_path, same, lambda one: one / 255) == ""
