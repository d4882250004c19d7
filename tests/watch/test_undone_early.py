"""Powers of answers that are logarithms in a scale of their own, taken before the scale is undone; and right
programs."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.written.undone_early import UndoneEarly

CODE = "(module (func (result f32) (drop (f32.const 126.5)) (drop (f32.const {})) {} (f32.const {})))"
ANSWERS = numpy.array([0.31, -1.2, 1.72, 0.05], "f4").astype("f8")


def hint(
    written: Any,
    own: tuple[float, float] = (0.61, 11.25),
    file: str = "",
    form: str = "{0}: {1:.0f}\n",
    more: str = "",
) -> str:
    """What is said of a guest with two numbers of its own that writes what `written` makes of answers."""
    rule = UndoneEarly(lambda: [("target.json", file.encode())], Budget())
    rule.attach(Module.from_text(CODE.format(own[0], more, own[1])))
    for number, answer in enumerate(ANSWERS):
        tensors = (Tensor.from_numpy(numpy.asarray([[answer]], "f4")),)
        spec = SimpleNamespace(name="price")
        event = SimpleNamespace(operation="compute", error=None, tensors=tensors, specs=(spec,))
        rule.nn_event(cast(Any, event))
        text = form.format(number + 1, written(answer)).encode()
        call = SimpleNamespace(name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text])))
        rule.host_call(cast(Any, call))
    return "".join(text for _, text in rule.finish())


def test_a_power_of_each() -> None:
    found = hint(lambda y: numpy.exp(y) * 0.61 + numpy.exp(11.25))
    assert 'output 0 "price": the guest says 76881 of 0.31, which is exp(y) x 0.61 + exp(11.25)' in found
    assert "exp(y x 0.61 + 11.25), which is 92" in found
    assert hint(lambda y: numpy.exp(y * 0.61 + 11.25)) == ""


@pytest.mark.parametrize(
    ("name", "power"), [("exp", numpy.exp), ("expm1", numpy.expm1), ("pow10", lambda y: 10**y)]
)
def test_a_power_of_the_answer_alone(name: str, power: Any) -> None:
    found = hint(lambda y: power(y) * 0.61 + 11.25, form="{0} {1:.3f}\n")
    assert f"{name}(y) x 0.61 + 11.25; is the scale to be undone first" in found
    assert hint(lambda y: power(y * 0.61 + 1.25), (0.61, 1.25), form="{0} {1:.3f}\n") == ""


@pytest.mark.parametrize("kind", ["f64.const {:r}", "f32.const {:.6g}"])
def test_a_power_that_the_compiler_worked_out(kind: str) -> None:
    folded = math.exp(11.25)
    code = kind.replace("{:r}", "{!r}").format(folded)
    found = hint(lambda y: numpy.exp(y) * 0.61 + folded, more=f"(drop ({code}))", own=(0.61, 3.5))
    assert ("exp(y) x 0.61 + exp(11.25)" in found) == (kind[:3] == "f64"), "somebody wrote the other one"


def test_numbers_in_a_file() -> None:
    file = '{"log_mean": 12.502119975885682, "log_std": 0.644366131638477}'
    wrong, own = (lambda y: numpy.exp(y) * 0.644366131638477 + numpy.exp(12.502119975885682)), (3.5, 4.5)
    assert "exp(y) x 0.644366 + exp(12.5021)" in hint(wrong, own, file)
    assert hint(wrong, own) == "", "nobody has these numbers"
    assert hint(lambda y: numpy.exp(y * 0.644366131638477 + 12.502119975885682), own, file) == ""


def test_deviations_that_fit_alike() -> None:
    """They hardly show beside the power of the mean."""
    found = hint(lambda y: numpy.exp(y) * 0.61 + numpy.exp(11.25), more="(drop (f32.const 0.625))")
    assert "which is exp(y) x deviation + exp(11.25); is the scale to be undone first" in found


def test_what_is_left_alone() -> None:
    assert hint(lambda y: y * 0.61 + 11.25, form="{0} {1:.3f}\n") == "", "no logarithm"
    assert hint(lambda y: numpy.exp(y) * 0.61 + 11.25, form="{0} {1:.0f}\n") == "", "too few digits"
