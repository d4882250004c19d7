"""Answers in words that a guest cuts off where the question ended, or writes with what its buffer held
behind them, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
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


def written(said: bytes) -> Any:
    arguments = [("fd", 1), ("ciovs", [said])]
    return SimpleNamespace(error=None, module="wasi_snapshot_preview1", name="fd_write", arguments=arguments)


def hint(question: bytes, answer: bytes, said: bytes, program: str = "") -> str:
    rule = OldLength()
    rule.attach(Module.from_text(f'(module (memory 1) (data (i32.const 9) "{program}"))'))
    rule.nn_event(event("set_input", question))
    rule.nn_event(event("get_output", answer))
    rule.host_call(written(said))
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


def test_texts_that_are_cut_at_a_width() -> None:
    """A question may be as long as that by chance."""
    question, answer = (one[0].encode() for one in (QUESTIONS, ANSWERS))
    cut = answer[: len(question)] + b"\n"
    for program in ("%.30s\\n", "|%-30.30s|", "{:.30}"):
        assert hint(question, answer, cut, program) == ""
    assert "as many as it sent" in hint(question, answer, cut, "%.31s %-30s")
    assert hint(b"What is the capital of Italy, m?", answer, answer[:32]) == ""
    rule = OldLength()
    other = b"Where does it lie, and is it large, or is it small?"
    for asked, told in ((question + b"??", answer), (other, LONG)):
        rule.nn_event(event("set_input", asked))
        rule.nn_event(event("get_output", told))
        rule.host_call(written(told[: len(asked)] + b"\n"))
    assert "as many as it sent" in "".join(text for _, text in rule.finish()), "two lengths are no width"


SHORT, LONG = b"It is Paris", b"It lies on the Seine, and is a large town with many bridges."


def said_of(room: bytearray, *rounds: tuple[bytes, bytes]) -> str:
    """The hint at answers that are put into one room, each with what is written then."""
    rule = OldLength()
    for answer, said in rounds:
        rule.nn_event(event("set_input", b"Tell me of Paris"))
        rule.nn_event(event("get_output", answer))
        room[: len(answer)] = answer
        arguments = [("context", 1), ("index", 0), ("buffer", memoryview(room))]
        fetched: Any = SimpleNamespace(
            error=None, module="wasi_ephemeral_nn", name="get_output", arguments=arguments
        )
        rule.host_call(fetched)
        rule.host_call(written(said))
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize("before", [b"", b"> ", b"[hello] -> "])
def test_what_the_buffer_held_behind_an_answer(before: bytes) -> None:
    stale = before + SHORT + LONG[len(SHORT) :] + b"\n"
    wrong = said_of(bytearray(4096), (LONG, LONG + b"\n"), (SHORT, stale))
    assert f"{len(LONG) - len(SHORT)} bytes more than an answer of {len(SHORT)} has" in wrong
    assert f"the end of the answer before, of {len(LONG)} bytes" in wrong
    noise = bytearray(b"\x07garbage" + bytes(100))
    held = bytes(noise[len(b"Rome") :]).rstrip(b"\0")
    assert "of something else" in said_of(noise, (b"Rome", b"Rome" + held))


def test_answers_that_end_where_they_end() -> None:
    right = SHORT + b"\n"
    assert said_of(bytearray(4096), (LONG, LONG + b"\n"), (SHORT, right)) == ""
    assert said_of(bytearray(4096), (SHORT, right), (LONG, LONG)) == "", "the longer one comes last"
    assert said_of(bytearray(4096), (LONG, LONG), (LONG[:20], LONG[:20] + b"\n")) == "", "its beginning"
    assert said_of(bytearray(4096), (LONG, LONG + b"\n"), (SHORT, SHORT + LONG[len(SHORT) :][:9])) == ""
