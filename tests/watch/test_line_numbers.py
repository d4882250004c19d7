"""Words by the numbers of their lines in a list that says other ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import log
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.origin.numbered_lists import numbered_in
from pywasm_nn.watch.sent.line_numbers import LineNumbers

WORDS = [
    "river", "bank", "water", "fish", "boat", "money", "loan", "credit", "cheap", "offer", "bread", "butter",
    "flour", "oven", "bake", "train", "ticket", "station", "late", "platform", "doctor", "nurse", "fever",
    "dose",
]  # fmt: skip
ORDER = [7, 3, 0, 19, 12, 23, 5, 1, 10, 14, 2, 8, 21, 17, 4, 11, 6, 22, 9, 13, 20, 15, 18, 16]
NUMBERS = {word: ORDER.index(at) for at, word in enumerate(WORDS)}
WEIGHTS = {word: 1 + log(1 + 3 * (at % 5)) for at, word in enumerate(WORDS)}
PLACES = {word: place for place, word in enumerate(WORDS)}
TEXTS = (
    "cheap bread and butter, a late offer", "the train was late: ticket of the station, platform",
    "a boat on the river, water and fish",
)  # fmt: skip
FILES: dict[str, str] = {
    "columns.tsv": "\n".join(f"{one}\t{NUMBERS[one]}\t{WEIGHTS[one]:.6f}" for one in WORDS),
    "numbers.tsv": "\n".join(f"{one}\t{NUMBERS[one]}" for one in WORDS),
    "headed.csv": "\n".join(
        ["index,word,idf", *(f"{NUMBERS[one]},{one},{WEIGHTS[one]:.6f}" for one in WORDS)]
    ),
    "blanks.txt": "\n".join(f"{one} {NUMBERS[one]}" for one in WORDS),
    "flat.json": json.dumps(NUMBERS),
    "deep.json": json.dumps({"type": "words", "vocabulary": NUMBERS, "idf": [1.5, 2.5]}),
}  # fmt: skip
WEIGHTED = ("columns.tsv", "headed.csv")


def hints(rows: Sequence[Any], files: Mapping[str, str], dims: int = 2) -> list[str]:
    """What is said of inputs to a guest that read these files and the texts."""
    given = [*((name, text.encode()) for name, text in files.items()), ("in.txt", "\n".join(TEXTS).encode())]
    rule = LineNumbers(lambda: given)
    for row in rows:
        tensor = Tensor.from_numpy(row.reshape((1,) * (dims - 1) + (-1,)))
        spec = TensorSpec("words", tensor.dtype, tensor.shape)
        event: Any = SimpleNamespace(
            error=None, operation="set_input", index=0, specs=(spec,), tensors=(tensor,), given=()
        )
        rule.nn_event(event)
    return [text for _, text in rule.finish()]


def words_in(text: str) -> list[str]:
    return "".join(one if one.isalpha() else " " for one in text).split()


def counts(text: str, places: Mapping[str, int], *, weighted: bool) -> Any:
    row = numpy.zeros(len(WORDS))
    for word in words_in(text):
        if word in places:
            row[places[word]] += WEIGHTS[word] if weighted else 1
    return (row / numpy.linalg.norm(row)).astype("f4")


def ids(text: str, places: Mapping[str, int], *, unknown: int, first: int) -> Any:
    row = numpy.zeros(16, "i8")
    found = [places.get(word, unknown) + (first if word in places else 0) for word in words_in(text)]
    found = [one for one in found if one >= 0]
    row[: len(found)] = found
    return row


@pytest.mark.parametrize("file", FILES)
def test_counts_of_words(file: str) -> None:
    read, weighted = {file: FILES[file]}, file in WEIGHTED
    by_line = [counts(one, PLACES, weighted=weighted) for one in TEXTS]
    by_number = [counts(one, NUMBERS, weighted=weighted) for one in TEXTS]
    found = hints(by_line, read)
    assert len(found) == 1
    assert "have the numbers of their lines in" in found[0]
    assert '"river" is at place 0, and its number is 2' in found[0]
    assert hints(by_number, read) == []
    assert hints([by_line[0], by_number[1]], read) == [], "the list's numbers are known to it"
    assert hints([numpy.roll(one, 1) for one in by_line], read) == []


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("unknown", [-1, 1])
def test_numbers_of_words(file: str, unknown: int) -> None:
    read = {file: FILES[file]}
    for first in (0, 1):
        found = hints([ids(one, PLACES, unknown=unknown, first=first) for one in TEXTS], read)
        assert ["have the numbers of their lines" in one for one in found] == [True]
    assert hints([ids(one, NUMBERS, unknown=unknown, first=0) for one in TEXTS], read) == []
    assert hints([ids(one, PLACES, unknown=unknown, first=5) for one in TEXTS], read) == []


OTHERS: dict[str, Callable[[str], str]] = {
    "in order": lambda one: f"{one}\t{PLACES[one]}", "counts": lambda one: f"{one}\t{3 * NUMBERS[one]}",
    "alone": lambda one: one, "two orders": lambda one: f"{PLACES[one]}\t{one}\t{NUMBERS[one]}",
    "sentences": lambda one: f"the {one}\t{NUMBERS[one]}",
}  # fmt: skip


@pytest.mark.parametrize("other", OTHERS)
def test_other_lists(other: str) -> None:
    text = "\n".join(map(OTHERS[other], WORDS))
    assert numbered_in(text.encode()) is None
    assert hints([counts(one, PLACES, weighted=False) for one in TEXTS], {"words.txt": text}) == []


def test_ranks() -> None:
    text = "\n".join(["word,rank", *(f"{one},{NUMBERS[one]}" for one in WORDS)])
    assert numbered_in(text.encode()) is None
    assert numbered_in(b"") is numbered_in(b"{") is numbered_in(json.dumps([NUMBERS, 1]).encode()) is None
