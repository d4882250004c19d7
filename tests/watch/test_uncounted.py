"""Counts of words of which the guest finds none, or only those in small letters."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.bags import counted_in, lexicon_in
from pywasm_nn.watch.sent.uncounted import Uncounted

WORDS = [
    "the", "soup", "was", "cold", "and", "waiter", "rude", "never", "again", "good", "bad", "lovely", "warm",
    "place", "quiet", "garden", "music", "loud", "cheap", "dear", "friendly", "fresh",
]  # fmt: skip
TEXT = "Lovely: a QUIET garden, fresh soup and warm music! Friendly waiter; GOOD place. Never loud"


def counts(words: list[str]) -> Any:
    return numpy.array([words.count(one) for one in WORDS], "f4")


def said(*inputs: Any, end: str = "\n", text: str = TEXT, words: list[str] = WORDS) -> str:
    uncounted = Uncounted(lambda: [("list.txt", end.join(words).encode()), ("review.txt", text.encode())])
    for one in inputs:
        uncounted.set("x", "input 0", Tensor.from_numpy(one[None]))
    return "; ".join(uncounted.finish())


NONE, SOME = numpy.zeros(len(WORDS), "f4"), counts(["soup", "warm", "music"])


@pytest.mark.parametrize(("end", "name"), [("\n", "a line feed"), ("\r\n", "CR LF")])
def test_words_that_keep_the_ends_of_their_lines(end: str, name: str) -> None:
    assert f"the ends of their lines ({name})" in said(NONE, NONE, end=end)
    assert "made lower case" in said(NONE, text=TEXT.upper())


def test_zeros_that_may_be_meant() -> None:
    assert said(NONE, SOME) == "", "a warm-up"
    assert said(NONE, text="Il giardino era bello") == "", "no word of the list"
    assert said(numpy.zeros(30, "f4")) == "", "no input of these words"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace(": a", " a")])
def test_words_with_capitals_whatever_ends_words(text: str) -> None:
    """This guest's words end at blanks and commas, and not at a colon."""
    lexicon = lexicon_in("\n".join(WORDS).encode())
    assert lexicon is not None

    def wrong(words: list[str]) -> str:
        part = counted_in(lexicon, [text], counts(words)[None])
        return part.wrong if part else ""

    words = text.replace(",", " ").replace("!", " ").split()
    assert "not made lower case?" in wrong(words)
    assert wrong([one.lower() for one in words]) == ""
    assert wrong(["soup", "warm", "music"]) == "", "only a few of them"


def said_of_letters(text: str, *inputs: Any, more: tuple[tuple[str, bytes], ...] = ()) -> str:
    uncounted = Uncounted(lambda: [("notes.txt", text.encode()), *more])
    for one in inputs:
        uncounted.set("x", "input 0", Tensor.from_numpy(one))
    assert uncounted.is_known == bool([*uncounted.finish()])
    return "; ".join(uncounted.finish())


def test_letters_of_texts_in_capitals() -> None:
    """An alphabet of small letters counts none of these."""
    lines = [
        "WHERE IS THE STATION?",
        "THE FROGS SING, AT NIGHT",
        "CLOSED ON MONDAYS",
        "GR\u00dcSSE AUS K\u00d6LN",
    ]
    text, zeros = "\n".join(lines), numpy.zeros((1, 26), "f4")
    assert said_of_letters(text, *[zeros] * 4).startswith(
        "input 0: all 26 elements of 4 inputs are 0, and notes.txt has capitals alone: is it to be made lower"
    )
    for right in (text.title(), "\n".join(["TATAAGC GGCATTA"] * 4), "\n".join(["GATE", "NORTHWEST"] * 8)):
        assert said_of_letters(right, *[zeros] * 4) == "", "they have small letters, or are no words"
    assert said_of_letters(text, zeros) == "", "a trial"
    assert said_of_letters(text, zeros, numpy.eye(26, dtype="f4")[:1]) == "", "a warm-up"
    assert said_of_letters(text, *[zeros] * 5) == "", "there are not so many texts"
    other = ("more.txt", text.lower().encode())
    assert said_of_letters(text, *[zeros] * 4, more=(other,)) == "", "another text has small letters"
