"""Computes that repeat are counted where a trace is read for its hints."""

from __future__ import annotations

from typing import Any

import pytest

from pywasm_nn.watch import events
from pywasm_nn.watch.folding import Folding, begins
from pywasm_nn.watch.text import Lines

ROUND = ["set_input", "compute", "get_output"]


def operation(name: str, *, context: int = 1, error: str | None = None) -> events.Inference:
    fields: dict[str, Any] = dict.fromkeys(("reason", "model", "graph", "asked", "backend", "device"))
    return events.Inference(
        number=1, at=0.0, thread=0, operation=name, arguments=f"ctx {context}", seconds=0.0, error=error,
        context=context, index=None, tensors=(), **fields,
    )  # fmt: skip


HINT = events.Hint(number=9, at=0.0, thread=0, rule="origin", text="odd", about=1)


def origin(text: str) -> events.Origin:
    return events.Origin(number=9, at=0.0, thread=0, text=text, about=1)


NOTE = "a note"


def shown(given: list[events.Event | str]) -> list[str]:
    """The second word of each line."""
    written: list[str] = []
    sink = Folding(Lines(written.append))
    for event in given:
        if event == NOTE:
            sink.catch_up()
            written.append(NOTE)
        else:
            sink(operation(event) if isinstance(event, str) else event)
    sink.flush()
    return [line if line.startswith("...") else line.split()[1].partition("(")[0] for line in written]


def test_two_rounds_are_shown_and_the_others_counted() -> None:
    assert shown(["load", *ROUND * 2]) == ["load", *ROUND * 2]
    assert shown(["load", *ROUND * 3]) == ["load", *ROUND * 2, "...   1 more compute like those before"]
    assert shown(["load", *ROUND * 9]) == ["load", *ROUND * 2, "...   7 more computes like those before"]
    assert shown(["compute"] * 5) == ["compute", "compute", "...   3 more computes like those before"]


def test_a_round_with_a_hint_is_shown() -> None:
    given = [*ROUND * 5, "set_input", HINT, "compute", "get_output", *ROUND * 2]
    counted = ["...   3 more computes like those before"]
    assert shown(given) == [
        *ROUND * 2, *counted, "set_input", "odd", "compute", "get_output",
        "...   2 more computes like those before",
    ]  # fmt: skip


def test_what_was_before_a_note_is_told_before_it() -> None:
    counted = ["...   3 more computes like those before"]
    given = [*ROUND * 5, "set_input", NOTE, operation("compute", error="runtime_error"), *ROUND * 3]
    assert shown(given) == [
        *ROUND * 2, *counted, "set_input", "note", "compute", *ROUND * 2,
        "...   1 more compute like those before",
    ]  # fmt: skip
    assert shown([*ROUND * 5, NOTE]) == [
        *ROUND * 2,
        "...   2 more computes like those before",
        *ROUND,
        "note",
    ]


def test_what_is_different_is_shown() -> None:
    other = [operation(one, context=2) for one in ROUND]
    assert shown([*ROUND * 4, *other]) == [*ROUND * 2, "...   2 more computes like those before", *ROUND]
    failed = operation("compute", error="runtime_error")
    assert shown([*ROUND * 3, "set_input", failed]) == [
        *ROUND * 2, "...   1 more compute like those before", "set_input", "compute",
    ]  # fmt: skip
    longer = ["set_input", "compute", "get_output", "get_output"]
    assert shown([*ROUND * 3, *longer]) == [*ROUND * 2, "...   1 more compute like those before", *longer]
    shorter = [*ROUND * 3, "set_input", "compute", "load"]
    assert shown(shorter)[-3:] == ["set_input", "compute", "load"]


def test_where_inputs_came_from_is_shown_twice() -> None:
    given: list[events.Event | str] = []
    for number in range(5):
        given += ["set_input", origin(f'input 0 "x": {number}.png'), "compute"]
    assert shown(given).count("input") == 2
    assert shown([*given, "set_input", origin('input 1 "y": a.png')]).count("input") == 3


@pytest.mark.parametrize(
    ("operation", "before", "said"),
    [
        ("set_input", "get_output", True), ("set_input", "set_input", False), ("compute", "set_input", False),
        ("compute", "compute", True), ("get_output", "compute", False), ("set_input_by_name", "", True),
    ],
)  # fmt: skip
def test_rounds(operation: str, before: str, said: bool) -> None:
    assert begins(operation, before) is said
