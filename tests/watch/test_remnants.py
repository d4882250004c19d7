"""Buffers of numbers that keep the end of a longer text: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.origin.remnants import Remnants
from tests.watch.test_false_alarms import reads

TEXTS = (
    "Seven grey herons stand in the shallow pond behind the mill.\n",
    "Who feeds them?\n",
    "The miller does, when nobody is there to see it, and the herons know.",
)
Split = Callable[[str], Sequence[Any]]
WORDS = sorted({word for text in TEXTS for word in text.lower().split()})
SPLITS: dict[str, Split] = {
    "characters": lambda text: [ord(one) - 30 for one in text.strip().lower()],
    "bytes": lambda text: [one + 3 for one in text.strip().encode()],
    "words": lambda text: [2 + WORDS.index(word) for word in text.lower().split()],
    "words, some unknown": lambda text: [
        1 if len(word) > 6 else 2 + WORDS.index(word) for word in text.lower().split()
    ],
}


def said(split: Split, *, is_cleared: bool, size: int = 80, before: Sequence[int] = ()) -> list[str]:
    buffer, remnants, found = numpy.zeros((1, size), "i8"), Remnants(), []
    for text in TEXTS:
        ids = [*before, *split(text)][:size]
        buffer[0, len(ids) if not is_cleared else 0 :] *= int(not is_cleared)
        buffer[0, : len(ids)] = ids
        found.append(remnants.wrong("way", buffer, TEXTS))
    return found


@pytest.mark.parametrize("way", SPLITS)
@pytest.mark.parametrize("before", [(), (101,)])
def test_the_rest_of_the_text_before(way: str, before: Sequence[int]) -> None:
    first, second, third = said(SPLITS[way], is_cleared=False, before=before)
    assert "the buffer was not cleared" in second and '"Who feeds them?' in second
    assert not first and not third
    assert not any(said(SPLITS[way], is_cleared=True, before=before))


def test_a_text_that_was_longer_than_its_input() -> None:
    assert "elements 15 to 39 behind it" in said(SPLITS["characters"], is_cleared=False, size=40)[1]
    assert not any(said(SPLITS["characters"], is_cleared=True, size=40))


def test_texts_that_end_alike() -> None:
    """Numbers from the right end, and questions that are all followed by the same."""
    texts = ["Is it warm? Answer yes or no.", "Is the pond warm? Answer yes or no."]
    for side in (1, -1):
        remnants = Remnants()
        for text in texts:
            row = numpy.zeros((1, 50), "i8")
            ids = [ord(one) for one in text.lower()]
            row[0, slice(0, len(ids)) if side > 0 else slice(50 - len(ids), 50)] = ids
            assert remnants.wrong("way", row, texts) == ""


def test_words_of_a_vocabulary_that_are_as_long() -> None:
    """Of texts in which no part comes again any numbers may be those: they must follow each other."""
    lines, words = ["open the blinds before the sun is up", "lights down now"], ["zinc", "owl", "plumber"]
    remnants, buffer = Remnants(), numpy.zeros((1, 16), "i8")
    numbers = {word: 9 + at for at, word in enumerate(sorted({*" ".join(lines).split()}))}
    for line, seen in zip(lines, (False, True), strict=True):
        ids = [numbers[word] for word in line.split()]
        buffer[0, : len(ids)] = ids
        found = remnants.wrong("way", buffer, ["\n".join(words), "\n".join(lines)])
        assert ('"lights down now" has 3 words' in found) is seen is bool(found)


def test_words_without_marks_before_an_end_entry() -> None:
    """A right program clears the row; another one begins each with the same entry, and ends it with one."""
    letters = str.maketrans("", "", ".,?")
    numbers = {word: 200 + at for at, word in enumerate(" ".join(TEXTS).lower().translate(letters).split())}
    for is_cleared in (True, False):
        remnants, buffer, found = Remnants(), numpy.zeros((1, 20), "i4"), []
        for text in TEXTS:
            ids = [101, *(numbers[word] for word in text.lower().translate(letters).split()), 102]
            buffer *= 1 - is_cleared
            buffer[0, : len(ids)] = ids
            found.append(remnants.wrong("way", buffer, ["".join(TEXTS)]))
        assert bool(found[1]) is not is_cleared and not found[0] and not found[2]
        assert is_cleared or "elements 5 to 12" in found[1]


@pytest.mark.parametrize("is_cleared", [False, True])
def test_texts_are_compared_without_a_search(is_cleared: bool) -> None:
    """Copies of the guest may have taken all of the time after the first text."""
    budget, buffer, wrong = Budget(), numpy.zeros((1, 24), "i4"), []
    origins = Origins((), budget)
    for event in reads("".join(TEXTS).encode(), "asked.txt"):
        origins.host_call(event)
    budget.spend(1000)
    for text in TEXTS[:2]:
        ids = SPLITS["words"](text)
        buffer *= int(not is_cleared)
        buffer[0, : len(ids)] = ids
        wrong.append(origins.of(Tensor.from_numpy(buffer)))
    *others, last = [one.wrong if one is not None else "" for one in wrong]
    assert not any(others) and ("has 3 words" in last) is not is_cleared
