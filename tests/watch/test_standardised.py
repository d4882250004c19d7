"""Answers in deviations from a mean that are written as amounts; and numbers that are small, or around 0, by
right."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import NN, Module
from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.amounts.standardised import Standardised
from pywasm_nn.watch.sent.unapplied import Unapplied
from pywasm_nn.watch.whatif.usual_rows import gives_standard
from tests.nn.backends.onnx_writer import Model, node

RAW = numpy.array([[72, 3, 2.5, 40], [118, 5, 1.5, 12], [41, 2, 6.2, 55], [95, 4, 3.1, 30]])
SCALED = (RAW - [80, 3, 4, 30]) / [33, 1.4, 2, 17]
WORTH = numpy.array([-0.104, 1.241, -1.331, 0.738])
FILES = [("flats.txt", "\n".join(" ".join(map(str, row)) for row in RAW).encode())]


def said(
    lines: list[str], sent: Any = SCALED, answers: Any = WORTH, *, standard: bool = True, own: Any = ()
) -> str:
    """What is said at the end of a guest that writes a line of each answer, and has numbers of its own."""
    stores = "".join(f"(f32.store (i32.const 0) (f32.const {one!s}))" for one in own)
    unapplied = Unapplied()
    unapplied.attach(Module.from_text(f"(module (memory 1) (func {stores}))"))
    rule = Standardised(lambda: FILES, lambda *_: standard, unapplied.every)
    specs = TensorSpec("x", DType.F32, (1, 4)), TensorSpec("y", DType.F32, (1, 1))
    graph = SimpleNamespace(inputs=specs[:1], outputs=specs[1:])
    for row, answer, line in zip(sent, answers, lines, strict=True):
        for operation, spec, array in (("set_input", specs[0], [row]), ("compute", specs[1], [[answer]])):
            event: Any = SimpleNamespace(
                error=None, context_id=1, graph=graph, graph_id=1, operation=operation, given=(),
                specs=(spec,), model=None, index=0, tensors=(Tensor.from_numpy(numpy.array(array, "f4")),),
            )  # fmt: skip
            rule.nn_event(event)
        call = (("fd", 1), ("ciovs", [(line + "\n").encode()]))
        wrote: Any = SimpleNamespace(name="fd_write", error=None, result=0, arguments=call)
        rule.host_call(wrote)
    return "; ".join(text for _, text in rule.finish())


FORMS = [
    "flat: {:.2f} thousand euro", "{:.3f} kg", "$ {:.2f}", "about {:.1f} kWh", "{:.2f} €", "age {:.2f} years",
    "EUR {:.3f}", "{:.2f} m²", "takes {:.2f} h", "patient: {:.0f} (slow)", "weight {:.0f}",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_an_amount_that_is_not_brought_back(form: str) -> None:
    assert "to be brought back" in said([form.format(one) for one in WORTH])
    assert said([form.format(337 + 125 * one) for one in WORTH]) == ""
    assert said([form.format(one) for one in WORTH], standard=False) == "", "the model gives amounts"
    assert said([form.format(one) for one in WORTH], RAW) == "", "the model scales its inputs"
    assert said([form.format(one) for one in 3 + 90 * WORTH], answers=3 + 90 * WORTH) == ""


@pytest.mark.parametrize(
    "form",
    ["{:.2f}", "{:.2f} °C", "z-score {:.2f}", "change: {:.2f} kg", "sentiment {:.0f}", "class {:.0f}",
     "profit {:.2f} euro", "{:.2f} V", "trend {:.2f} euro", "displacement {:.3f} mm", "{:.2f} minutes late",
     "{:.2f} hours early", "delay {:.1f} minutes"],
)  # fmt: skip
def test_numbers_that_are_around_0_by_right(form: str) -> None:
    assert said([form.format(one) for one in WORTH]) == ""


@pytest.mark.parametrize("by", [77.0057, 12.43, 1830.25])
@pytest.mark.parametrize("form", ["case: course {:.2f}", "{:.1f}", "{:.2f} mg"])
def test_answers_times_a_number_of_the_program(form: str, by: float) -> None:
    lines, numbers = [form.format(by * one) for one in WORTH], [3.25, by, 0.5]
    assert "a number of the program, and nothing is added" in said(lines, own=numbers)
    assert "nothing is added" in said(lines[:2], SCALED[:2], WORTH[:2], own=numbers) or ".1f" in form
    assert said(lines, own=numbers, standard=False) == "", "the model gives amounts"
    assert said(lines) == said(lines, own=[by * 1.01]) == "", "by another number"
    assert said([form.format(by * one + 337) for one in WORTH], own=[by, 337]) == ""
    assert said([f"{line} steering" for line in lines], own=numbers) == ""


@pytest.mark.parametrize("by", [25, 180, 57.29578, 100, 3.6])
def test_answers_times_a_unit(by: float) -> None:
    assert said([f"{by * one:.2f}" for one in WORTH], own=[by]) == ""


def regression(kind: str, seed: int) -> bytes:
    """A network for a number, by the target of its training."""
    numbers = numpy.random.default_rng(seed)
    first, second = numbers.normal(0, 0.5, (4, 8)), numbers.normal(0, 0.6, (8, 1))
    units = numpy.maximum(numbers.normal(size=(500, 4)) @ first, 0) @ second
    mean, deviation = {"standard": (0, 1), "prices": (340, 120), "thirds": (0.4, 0.12), "rain": (0.9, 0.7)}[
        kind
    ]
    second = second * deviation / units.std()
    height = numpy.array([mean - units.mean() * deviation / units.std()])
    nodes = [
        node("Gemm", ["x", "w", "b"], ["a"]), node("Relu", ["a"], ["r"]), node("Gemm", ["r", "v", "c"], ["y"])
    ]  # fmt: skip
    constants = {"w": first, "b": numpy.zeros(8), "v": second, "c": height}
    inputs, outputs = {"x": ("float32", [1, 4])}, {"y": ("float32", [1, 1])}
    return Model(nodes, inputs, outputs, {name: one.astype("f4") for name, one in constants.items()}).data()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["standard", "prices", "thirds", "rain"])
def test_what_a_model_gives(kind: str, seed: int, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(regression(kind, seed))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        tensors = model.tensors({"x": SCALED[:1].astype("f4")})
        assert gives_standard(model.graph, tensors, 0.01) is (kind == "standard")
