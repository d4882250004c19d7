"""Words of a text that are cut in pieces, and empty words between blanks: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.vocabulary import Vocabulary, looked_up, words_in
from pywasm_nn.watch.whatif.following import MOST_WAITED, WhatIf
from pywasm_nn.watch.whatif.padding import is_padded

KNOWN = ["<pad>", "<unk>", "we", "saw", "a", "wonderful", "but", "overpriced", "hotel", "near", "the", "and",
         "disappointing", "harbour", "unforgettable", "mountains", "with", "friendly", "people", "music",
         "food", "rain"]  # fmt: skip
TEXTS = [
    "we saw a wonderful  but overpriced hotel\n",
    "the disappointing  harbour and friendly zebras with food\n",
]
Split = Callable[[str], Sequence[str]]


def vocabulary() -> Vocabulary:
    found = words_in("\n".join(KNOWN).encode())
    assert found is not None
    return found


def wrong(text: str, split: Split, *, before: Sequence[int] = (), size: int = 16) -> str:
    """What is said of an input of a text's words, of which the guest read several."""
    ids = [KNOWN.index(word) if word in KNOWN else 1 for word in split(text)]
    flat = [*before, *ids, *[0] * size][:size]
    part = looked_up(vocabulary(), ["".join(TEXTS)], numpy.array([flat], "i8"), "ids")
    return part.wrong if part else ""


def cut(length: int) -> Split:
    return lambda text: [
        word[at : at + length] for word in text.split() for at in range(0, len(word), length)
    ]


def at_each_blank(text: str) -> list[str]:
    return text.strip("\n").split(" ")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("before", [(), (2,)])
def test_words_in_pieces(text: str, before: tuple[int, ...]) -> None:
    for length in (8, 9):
        assert "was looked up in pieces" in wrong(text, cut(length), before=before)
    assert "split at each single blank" in wrong(text, at_each_blank, before=before)
    assert wrong(text, str.split, before=before) == "", "unknown words are looked up, too"


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_is_longer_than_its_input(text: str) -> None:
    assert "single blank" in wrong(text, at_each_blank, size=6)
    assert wrong(text, str.split, size=6) == ""


def test_no_words_of_these_texts() -> None:
    assert wrong("we saw rain", lambda text: ["we", "", "saw", "", "rain"]) == ""


@pytest.mark.parametrize(
    ("array", "padded"),
    [([65] * 30 + [0] * 8, True), ([65] * 38, False), ([65, 0] + [66] * 30, False), ([0] * 38, False),
     ([65] * 20 + [256] * 18, False)],
)  # fmt: skip
def test_whether_bytes_are_padded(array: Any, padded: bool) -> None:
    assert is_padded(numpy.array([array], "i4")) == padded


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_model_is_asked_when_there_is_padding(count: int) -> None:
    whatif = WhatIf()
    whatif.of_inputs.bytes[1] = 0, ""
    event: Any = SimpleNamespace(context_id=1, graph_id=7)
    full: Any = SimpleNamespace(numpy=lambda: numpy.full((1, 64), 65, "i4"))
    short: Any = SimpleNamespace(numpy=lambda: numpy.array([[65] * 40 + [0] * 24], "i4"))
    waits = [whatif._may_be_padded_later(event, [full]) for _ in range(count)]
    assert waits == [at < MOST_WAITED for at in range(count)]
    assert not whatif._may_be_padded_later(event, [short])
