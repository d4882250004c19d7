"""One input for all lines of a text, and what looks like it: lists of names, words that aren't known, inputs
that move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.loops import SameText
from tests.watch.test_rounds_of_files import wrote

LINES = ["The room was clean", "nobody came to help us", "the breakfast was late again", "quiet at night"]
TABLE = ["name,kg,cm", "rex,12.5,40", "bello,31.0,62", "tina,4.2,25", "max,22.0,55"]


def event(operation: str, array: Any = None) -> Any:
    tensors = () if array is None else (Tensor.from_numpy(array),)
    return SimpleNamespace(
        error=None, context_id=1, graph_id=1, model="m", operation=operation, tensors=tensors, given=(),
        index=0, specs=(TensorSpec("x", DType.F32, (1, 4)),),
    )  # fmt: skip


def said(lines: list[str], texts: list[str], inputs: list[Any], file: str = "reviews.txt") -> str:
    """What is said if there are so many computes as texts, and an input for each, or one for all."""
    rule = SameText(lambda: [(file, "\n".join(lines).encode())])
    for at, text in enumerate(texts):
        if at < len(inputs):
            rule.nn_event(event("set_input", inputs[at]))
        rule.nn_event(event("compute", numpy.array([[0.2, 0.8]], "f4")))
        rule.host_call(wrote(text + "\n"))
    return "".join(hint for _, hint in rule.finish())


WORDS = numpy.array([[101, 7, 9, 102]], "i8")
COUNTS = numpy.array([[0, 1, 0, 2]], "f4")


@pytest.mark.parametrize("form", ["{1}. good (0.81)  {0}", "{0}\n  -> good", "'{0}' is good"])
@pytest.mark.parametrize("inputs", [[WORDS], [COUNTS], [COUNTS] * 4])
def test_the_same_input_for_all_lines(form: str, inputs: list[Any]) -> None:
    assert "beside the same answer" in said(
        LINES, [form.format(*one) for one in zip(LINES, "1234", strict=True)], inputs
    )
    names = [line.split(",")[0] for line in TABLE[1:]]
    assert '"rex,12.5,40"' in said(
        TABLE, [form.format(*one) for one in zip(names, "1234", strict=True)], inputs, "dogs.csv"
    )


def test_what_is_no_mistake() -> None:
    texts = [f"good (0.81) {line}" for line in LINES]
    assert not said(LINES, texts, [COUNTS + at for at in range(4)])  # inputs move
    assert not said(LINES, texts, [WORDS] * 4)  # all words may be unknown
    assert not said(LINES[:2] * 2, texts, [COUNTS])  # other lines
    assert not said(LINES, LINES, [COUNTS])  # no answer, but a list of names
    assert not said(LINES, [f"0.{at} {line}" for at, line in enumerate(LINES)], [COUNTS])  # other answers
    assert not said(LINES[:2], [f"good {line}" for line in (*LINES[:2], "a", "b")], [COUNTS])
