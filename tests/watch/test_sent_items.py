"""Scores that are written beside the names of other things than theirs, and beside their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.sent_items import SentItems

ORDER = numpy.random.default_rng(6)
NAMES = [
    f"{one} {two}" for one in ("Amber", "Cobalt", "Olive", "Rose") for two in ("Pine", "Quay", "Reed", "Sand")
]
COUNT = len(NAMES)
GAPPED = [3 * row // 2 + 1 for row in range(COUNT)]
SCORES = ORDER.random(COUNT).astype("f4")
Choice = Callable[[Sequence[int], int], int]
"""By the things that were sent and the place of a score, the row of the name that is written with it."""


def text_of(numbers: Sequence[int] | None, *, heading: str = "") -> str:
    lines = (
        NAMES
        if numbers is None
        else [f"{number}\t{name}\tx" for number, name in zip(numbers, NAMES, strict=True)]
    )
    return heading + "".join(f"{line}\n" for line in lines)


def hints(
    items: Sequence[int], choice: Choice, text: str, *, shown: str = "{score:.3f} {name} (new)", most: int = 4
) -> str:
    """What is said of a guest that writes the best of the things that it sent."""
    rule = SentItems(lambda: [("paints.txt", text.encode())])
    sent = numpy.array(items, "i8")
    scores = SCORES[: len(items)]
    for operation, array in (("set_input", sent), ("get_output", scores.reshape(1, -1))):
        event: Any = SimpleNamespace(
            operation=operation, index=0, tensors=(Tensor.from_numpy(array),), error=None, context_id=0,
            specs=(SimpleNamespace(name="x"),), given=(),
        )  # fmt: skip
        rule.nn_event(event)
    best = numpy.argsort(-scores)[:most].tolist()
    lines = [shown.format(score=scores[at], name=NAMES[choice(items, at)]) for at in best]
    told: Any = SimpleNamespace(
        name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", ["\n".join(lines).encode()])), result=0
    )
    rule.host_call(told)
    return "".join(text for _, text in rule.finish())


LEFT = [row for row in range(COUNT) if row not in (0, 1, 5)]
EVERY = [*range(COUNT)]


@pytest.mark.parametrize("numbers", [None, range(COUNT), range(1, COUNT + 1)])
@pytest.mark.parametrize(
    "shown", ["{score:.3f} {name} (new)", "{name}: {score:.5f}", "1. {name} {score:.2f}"]
)
def test_places_of_what_was_left(numbers: Sequence[int] | None, shown: str) -> None:
    text = text_of(numbers)
    said = hints(LEFT, lambda items, at: at, text, shown=shown)
    assert "is a place among those taken for the number of a thing?" in said and "13 things" in said
    assert hints(LEFT, lambda items, at: items[at], text, shown=shown) == ""


def test_rows_of_a_list_whose_numbers_have_gaps() -> None:
    text = text_of(GAPPED, heading="id\tname\tkind\n")
    by_number = {number: row for row, number in enumerate(GAPPED)}
    said = hints(EVERY, lambda items, at: by_number.get(at, at), text)
    assert "its numbers have gaps; is a row taken for a number?" in said
    assert hints(EVERY, lambda items, at: at, text) == ""
    assert hints(GAPPED, lambda items, at: at, text) == "", "the numbers themselves were sent"


def test_the_first_things_of_a_list() -> None:
    assert hints(EVERY[:10], lambda items, at: at, text_of(range(COUNT))) == ""
    assert hints(EVERY[:10], lambda items, at: at, text_of(GAPPED)) == ""


def test_lists_of_what_was_sent() -> None:
    some = "".join(f"{name}\n" for name in NAMES[: len(LEFT)])
    assert hints(LEFT, lambda items, at: at, some) == "", (
        "a list of the things that were sent, in their order"
    )


def test_names_without_scores_and_few_of_them() -> None:
    text = text_of(None)
    assert hints(LEFT, lambda items, at: at, text, shown="{name}") == ""
    assert hints(LEFT, lambda items, at: at, text, most=2) == ""
    assert hints(LEFT, lambda items, at: (at + 3) % COUNT, text) == "", "something else"
