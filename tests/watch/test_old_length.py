"""Answers in words that a guest cuts off where the question ended, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.old_length import OldLength

QUESTIONS = ["What is the capital of France?", "Wie hei\u00dft der Fluss in K\u00f6ln?"]
ANSWERS = [
    "Paris is the capital.\n\nIt lies on the Seine, and is large.",
    "Der Fluss heisst Rhein; er ist lang und breit.",
]


def event(operation: str, data: bytes) -> Any:
    tensor = Tensor.from_numpy(numpy.frombuffer(data, "u1"))
    return SimpleNamespace(
        error=None, operation=operation, index=0, specs=(None,), tensors=(tensor,), given=(), context_id=1
    )


def hint(question: bytes, answer: bytes, said: bytes) -> str:
    rule = OldLength()
    rule.nn_event(event("set_input", question))
    rule.nn_event(event("get_output", answer))
    written: Any = SimpleNamespace(error=None, name="fd_write", arguments=[("fd", 1), ("ciovs", [said])])
    rule.host_call(written)
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize("answer", [one.encode() for one in ANSWERS])
@pytest.mark.parametrize("question", [one.encode() for one in QUESTIONS])
@pytest.mark.parametrize("before", [b"", b"> ", b"(the question) "])
def test_as_long_as_the_question(question: bytes, answer: bytes, before: bytes) -> None:
    length = len(question)
    told = f"writes {length} bytes of an answer of {len(answer)}"
    assert told in hint(question, answer, before + answer[:length] + b"\n")
    for said in (
        answer,
        answer.strip() + b"\n",
        answer[:length] + b"... (cut)\n",
        answer[: length - 3] + b"\n",
        answer[: length + 4] + b"\n",
        answer.split()[0] + b"\n",
        b"",
    ):
        assert hint(question, answer, before + said) == ""
    assert hint(answer, question, before + question) == "", "it is all of the answer"
    numbers = numpy.linspace(0, 1, length // 4, dtype="f4").tobytes()
    assert hint(numbers, answer, answer[: len(numbers)]) == ""
