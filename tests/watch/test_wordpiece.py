"""Pieces of words ("##ing"), texts that a guest has in itself, and words that were changed before they were
looked up."""

from __future__ import annotations

import pytest

from pywasm_nn.api import Module
from pywasm_nn.watch.origin.constants import Constants
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from pywasm_nn.watch.origin.wordings import changed_wrong
from pywasm_nn.watch.origin.wordpiece import INSIDE, has_pieces, of_text, pieces_wrong

ENTRIES = (
    "[PAD] [UNK] [CLS] [SEP] a b g man is eat ##ing ing un ##sal sal ##ted ted bread in the garden , . "
    "girl carry car ##ry some ##one one cafe for two"
)
WORDS = ENTRIES.split()
NUMBERS = {word: number for number, word in enumerate(WORDS)}
TEXT = "A man is eating unsalted bread, in the Garden."
SPLIT = "a man is eat ##ing un ##sal ##ted bread , in the garden ."
RIGHT = SPLIT.split()


def ids(words: list[str], ends: bool = True, off: int = 0, size: int = 24) -> list[int]:
    found = [NUMBERS[word] + off for word in words]
    found = [2, *found, 3] if ends else found
    return (found + [0] * size)[:size]


def wrong(flat: list[int], *texts: str) -> str:
    return pieces_wrong(WORDS, NUMBERS, texts or (TEXT,), flat, "input_ids")


@pytest.mark.parametrize(
    "flat",
    [
        ids(RIGHT),
        ids([word for word in RIGHT if word not in ",."]),
        ids(RIGHT, size=10),
        ids(["girl", "is", "in", "the", "garden"]),
        ids([]),
        ids(["[UNK]"] * 8),
    ],
)
def test_right_pieces(flat: list[int]) -> None:
    assert wrong(flat) == ""
    assert wrong(flat, "one", "another text of seven words or so", TEXT) == ""


@pytest.mark.parametrize(
    ("flat", "said"),
    [
        (ids(RIGHT, ends=False), "neither is around the words"),
        (ids(["[UNK]", *RIGHT[1:12], "[UNK]", "."]), "words were not made lower case"),
        (ids([*RIGHT[:8], "[UNK]", "in", "the", "[UNK]"]), "marks were left on words"),
        (ids(SPLIT.replace("##", "").split()), "without ##"),
        (ids([*RIGHT[:3], "[UNK]", "[UNK]", *RIGHT[8:]]), "were not split into its parts"),
        (ids(RIGHT, off=1), "are 1 too high"),
        (ids(RIGHT, off=2), "are 2 too high"),
    ],
)
def test_mistakes_with_pieces(flat: list[int], said: str) -> None:
    assert said in wrong(flat)
    assert wrong(flat, "a girl is in the garden .") == "", "it is another text"


def test_accents_may_be_left_out() -> None:
    text = "Some man is in the café, for two."
    words = ["some", "man", "is", "in", "the", "{}", ",", "for", "two", "."]
    flat = ids([word.format("cafe") for word in words])
    assert of_text(NUMBERS, ["some", "man"], 1) == flat[1:3]
    assert wrong(flat, text) == ""


def test_a_vocabulary_with_pieces() -> None:
    import numpy

    assert has_pieces(WORDS) and not has_pieces([word for word in WORDS if INSIDE not in word])
    vocabulary = words_in("\n".join(WORDS).encode())
    assert vocabulary is not None and vocabulary.has_pieces
    assert looked_up(vocabulary, [TEXT], numpy.array([ids(RIGHT)])) is None
    found = looked_up(vocabulary, [TEXT], numpy.array([ids(RIGHT, off=1)]))
    assert found is not None and "1 too high" in found.wrong


def test_texts_of_a_guest() -> None:
    data = f"{TEXT}\\00No such file\\00%d of %d are wrong\\00a/path of words\\00x\\00{'long ' * 10}"
    with Module.from_text(f'(module (memory 1) (data (i32.const 8) "{data}"))').instantiate() as app:
        found = [*Constants(app.module)]
    assert found == [("long " * 10).strip(), TEXT, "No such file"], "the longest first"


ALL = "[PAD] [UNK] please seven café for two near"
KNOWN = {word: number for number, word in enumerate(ALL.split())}


@pytest.mark.parametrize(
    ("text", "core", "said"),
    [
        ("please seven\n", [2, 1], "the line's end was left on it"),
        ("please seven\r\n", [2, 1], "the CR of CR LF was left on it"),
        ("please seven\n", [2, 3], ""),
        ("café please\n", [1, 2], "letters beyond ASCII were left out"),
        ("Café, please", [4, 2], ""),
        ("please eight\n", [2, 1], ""),
        ("please seven near two", [2, 3, 1, 6], ""),
        ("seven\n", [1], ""),
    ],
)
def test_words_that_were_changed(text: str, core: list[int], said: str) -> None:
    found = changed_wrong(KNOWN, text, core, 1)
    assert (said in found) if said else (found == "")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_end_of_one_of_several_lines(end: str) -> None:
    import numpy

    words = words_in("\n".join([*ALL.split(), *(f"word{at}" for at in range(30))]).encode())
    assert words is not None
    texts = [end.join(["please seven", "near two", "two for word9", ""])]
    for row, seen in (([7, 1], True), ([6, 5, 1], True), ([2, 3], False), ([6, 7, 1], False)):
        found = looked_up(words, texts, numpy.array([[*row, *[0] * 12]]))
        assert ("was left on it" in (found.wrong if found else "")) is seen, row
