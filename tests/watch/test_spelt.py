"""The letters of words, numbered by the program itself. Each mistake has twins without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.spelt import Spelt
from pywasm_nn.watch.whatif import spelt
from pywasm_nn.watch.whatif.spelt import Spelling, Spellings, spelt_otherwise
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

TOWNS = ("Bristol", "Swansea", "Exeter", "Yorkton", "D\u00fcsseldorf")


def codes(word: str, first: int = 1) -> list[int]:
    return [ord(one) - ord("a") + first for one in word.lower()]


FILE = "town\n" + "".join(f"{town};{at}\n" for at, town in enumerate(TOWNS))
ORIGINS: Any = SimpleNamespace(files=lambda: [("towns.csv", FILE.encode())], arguments=())


def hint_of(array: Any, rows_of_table: int) -> tuple[str, Any]:
    return Spelt(ORIGINS).set(0, Tensor.from_numpy(array), rows_of_table)


def hint(*rows: list[int], kind: str = "i4", length: int = 14, rows_of_table: int = 0) -> tuple[str, Any]:
    """What is said of inputs that begin with numbers, and how the last one spells a word."""
    kept, said = Spelt(ORIGINS), []
    for row in rows:
        array = numpy.zeros((1, length), kind)
        array[0, : len(row)] = row
        text, how = kept.set(0, Tensor.from_numpy(array), rows_of_table)
        said.append(text)
    return "; ".join(filter(None, said)), how


@pytest.mark.parametrize("kind", ["i4", "i8", "f4"])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([codes("Bristol"), codes("Exeter")], ""),
        ([[*codes("Bristol"), -86]], 'a line break ("\\n")'),
        ([[*codes("Bristol"), 10]], "it was not cut off the line"),
        ([[*codes("Bristol"), 13]], 'a line break ("\\r")'),
        ([[*codes("Bristol"), 27]], ""),
        ([[ord(one) - 96 for one in "Bristol"]], '"B" of "Bristol" is -30'),
        ([[ord(one) - 96 for one in "bristol"]], ""),
        ([[one & 15 for one in codes(word)] for word in ("Bristol", "Swansea")], "were they cut by & 15"),
        ([[one % 8 for one in codes(word, 0)] for word in ("Bristol", "Swansea")], "were they cut by & 7"),
        ([[3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8]], ""),
    ],
)  # fmt: skip
def test_letters_of_words(rows: list[list[int]], words: str, kind: str) -> None:
    said, _ = hint(*rows, kind=kind)
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize(("first", "seen"), [(0, True), (1, False)])
def test_windows_of_letters_that_are_counted_from_0(first: int, seen: bool) -> None:
    """Each row is the letters around a place of a word, and a batch has a word in each row."""
    places = [0] * 3 + codes("Swansea", first) + [0] * 3
    windows = [places[at : at + 8] for at in range(len(places) - 7)]
    batch = [codes(word, first) + [0] * 4 for word in ("Bristol", "Swansea", "Yorkton")]
    for rows in (windows, batch):
        said, how = hint_of(numpy.array(rows, "i4"), 27)
        assert ("are letters to be counted from 1?" in said) is seen and how is None
        assert hint_of(numpy.array(rows, "i4"), 26) == ("", None)


@pytest.mark.parametrize("kind", ["f4", "i8"])
def test_a_number_alone_is_no_word(kind: str) -> None:
    """A scalar has no dimensions, as a rate or a limit beside a sound."""
    assert hint_of(numpy.array(80, kind), 0) == ("", None)
    assert hint_of(numpy.zeros((0, 4), "i4"), 0) == ("", None)


@pytest.mark.parametrize(("by", "words"), [(0, "as 99"), (256, "as -157")])
def test_letters_of_several_bytes(by: int, words: str) -> None:
    data = TOWNS[-1].lower().encode()
    assert words in hint([one - (by if one > 127 else 0) - 96 for one in data])[0]


def test_letters_from_0_of_a_table_with_a_row_more() -> None:
    assert "are letters to be counted from 1?" in hint(codes("Bristol", 0), rows_of_table=27)[0]
    assert hint(codes("Bristol", 0), rows_of_table=26)[0] == ""
    assert hint(codes("Bristol"), rows_of_table=27)[0] == ""


@pytest.mark.parametrize(
    ("row", "way"),
    [
        ([0] * 7 + codes("Bristol"), "at the end"),
        (codes("lotsirB"), "from the last one"),
        ([0] * 7 + codes("lotsirB"), "from the last one"),
        (codes("Bristol", 0), "counted from"),
        (codes("Bristol"), ""),
    ],
)
def test_words_in_other_places(row: list[int], way: str) -> None:
    said, how = hint(row)
    assert not said and how is not None and way in how.way and bool(how.way) == bool(way)
    array = numpy.zeros((1, 14), "i4")
    array[0, : len(row)] = row
    assert how.usual(array).reshape(-1).tolist() == [*codes("Bristol"), *[0] * 7]


class Reader(StandIn):
    """Stands for the runs of a model that reads words from the first element on."""

    def changed(self, _: int, array: Any) -> Answer:
        return Answer(int(array.reshape(-1)[0]), 0.97 if array.reshape(-1)[0] else 0.6)


@pytest.mark.parametrize(("start", "seen"), [(7, True), (0, False)])
def test_a_model_is_asked_about_words(start: int, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelt, "Runs", Reader())
    kept = Spellings()
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="letters")])
    inputs = []
    for word in TOWNS[:4]:
        array = numpy.zeros((1, 14), "i4")
        array[0, start : start + len(word)] = codes(word)
        inputs.append(Tensor.from_numpy(array))
        kept.take(0, 0, inputs[-1], Spelling(word, start, len(word), 0, 1))
    due = kept.due(0)
    assert bool(due) == seen
    if due:
        said = spelt_otherwise(graph, inputs[:1], due, 0.01)
        assert "0.97 sure on average; as sent 0.60" in said
        assert kept.due(0) == [], "asked once"


class FromTheEnd(StandIn):
    """Stands for the runs of a model that was trained with words at the end (as Keras pads them), and says
    one thing of all that ends in zeros."""

    def changed(self, _: int, array: Any) -> Answer:
        flat = array.reshape(-1)
        return Answer(int(flat[-1]) % 2 + 1, 0.7) if flat[-1] else Answer(3, 0.95)


def test_a_model_that_says_one_thing_of_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelt, "Runs", FromTheEnd())
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="letters")])
    words = []
    for word in TOWNS[:3]:
        array = numpy.zeros((1, 14), "i4")
        array[0, 14 - len(word) :] = codes(word)
        words.append((0, array, Spelling(word, 14 - len(word), len(word), 0, 1)))
    assert spelt_otherwise(graph, [Tensor.from_numpy(words[0][1])], words, 0.01) == ""
