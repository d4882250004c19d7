"""Words of a text that are cut in pieces, and empty words between blanks: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import Origins
from pywasm_nn.watch.origin.constants import Constants
from pywasm_nn.watch.origin.vocabulary import Vocabulary, looked_up, words_in
from pywasm_nn.watch.whatif import following
from pywasm_nn.watch.whatif.following import MOST_WAITED, WhatIf
from pywasm_nn.watch.whatif.padding import is_padded
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.test_false_alarms import reads

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
def test_a_model_is_asked_about_bytes_later(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of all if there is something to ask, and not for ever if there isn't."""
    data = b"a page of many letters and words, as it is written"
    monkeypatch.setattr(following, "answer_of", lambda *_: Answer(1, 0.9, 5, 2.0))
    event: Any = SimpleNamespace(context_id=1, graph_id=7, specs=(), tensors=())
    given = {fill: [Tensor.from_numpy(numpy.array([[*data, *[fill] * 30]], "i4"))] for fill in (0, 256)}
    for fill, waits in ((256, [at < MOST_WAITED for at in range(count)]), (0, [True] * count)):
        whatif = WhatIf(files=lambda: [("a.txt", data)])
        assert not whatif._is_asked_later(event, given[fill]), "it may be anything"
        whatif.of_inputs.bytes[1] = 0, "a.txt"
        assert [whatif._is_asked_later(event, given[fill]) for _ in range(count)] == waits


BARE = KNOWN[2:]
SAYINGS = ["We saw the mountains with friendly people\nThe food near a harbour\nthe music but rain\n"]
LINES = [line.split() for line in SAYINGS[0].splitlines()]


def numbered(words: Sequence[str], first: int, unknown: int, pad: int) -> Any:
    """The numbers of words that are counted from a first one on."""
    ids = [BARE.index(word) + first if word in BARE else unknown for word in words]
    return numpy.array([[*ids, *[pad] * 12][:12]], "i8")


def lower(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]


def bare(arrays: Sequence[Any], rows: int, words: Sequence[str] = BARE) -> str:
    """What is said of inputs by a list of words alone, of a model that knows so many numbers."""
    found = words_in("\n".join(words).encode())
    assert found is not None
    parts = [looked_up(found, SAYINGS, array, "tokens", rows) for array in arrays]
    return "; ".join(part.wrong for part in parts if part is not None)


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_list_that_lacks_padding(missing: int) -> None:
    rows, first = len(BARE) + missing, missing
    assert bare([numbered(lower(one), first, missing - 1, 0) for one in LINES], rows) == ""
    assert '"the" is in the vocabulary' in bare([numbered(one, first, missing - 1, 0) for one in LINES], rows)
    low = bare([numbered(lower(one), 0, 1, 0) for one in LINES], rows)
    assert 'padding as 0, which is "we" then' in low and "too low?" in low
    behind = [numbered(lower(one), 0, rows - 1, rows - 1) for one in LINES]
    assert bare(behind, rows) == "", "the others come behind the words"
    assert bare([numbered(lower(one), 1, rows - 1, 0) for one in LINES], rows) == "", "padding is no word"
    with_blank = ["_", *BARE[1:]]
    assert bare([numbered(lower(one), 0, 1, 0) for one in LINES], rows, with_blank) == "", "it pads"


def addresses(words: Sequence[str]) -> bytes:
    """A list of words as C keeps it: their addresses, and the words, from address 64 on."""
    at, texts, found = 64 + 4 * len(words), b"", []
    for word in words:
        found.append(at + len(texts))
        texts += word.encode() + b"\0"
    return b"".join(one.to_bytes(4, "little") for one in found) + texts


@pytest.mark.parametrize(
    "data",
    [" ".join(BARE).encode(), " ".join(BARE).encode("utf-16-le"), ", ".join(BARE).encode(), addresses(BARE)],
)
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda one: numbered(lower(one), 2, 1, 0), ""),
        (lambda one: numbered(one, 2, 1, 0), "words were not made lower case"),
        (lambda one: numbered(lower(one), 0, 1, 0), "are the numbers of words too low?"),
    ],
)
def test_a_list_in_the_program(data: bytes, make: Any, words: str) -> None:
    text = "".join(f"\\{one:02x}" for one in data)
    module = Module.from_bytes(
        encode(Module.from_text(f'(module (memory 1) (data (i32.const 64) "{text}"))'))
    )
    origins = Origins()
    origins.constants, origins.rows = Constants(module), {"x": len(BARE) + 2, "y": 0}
    for event in reads(SAYINGS[0].encode(), "sayings.txt"):
        origins.host_call(event)
    found = [origins.of(Tensor.from_numpy(make(one)), "x") for one in LINES]
    said = [(one.source.name, one.wrong) for one in found if one is not None and one.wrong]
    assert (
        [one for one in said if one[0] == "a list in the program" and words in one[1]] if words else not said
    )
    assert origins.of(Tensor.from_numpy(make(LINES[0])), "y") is None, "not known what the model knows"
