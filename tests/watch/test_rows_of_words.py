"""Numbers of the words of pairs and batches of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.rows_of_words import looked_up_in_rows
from pywasm_nn.watch.origin.vocabulary import words_in

PAIRS = [
    ("Where does the old river begin", "The river begins in the northern hills"),
    ("Who built the stone bridge", "Masons from another town built it of stone"),
    ("When was the market opened", "It opened in spring under the old king"),
]
WORDS = sorted({word for pair in PAIRS for text in pair for word in text.lower().split()})
VOCABULARY = words_in("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]).encode())
PAD, UNKNOWN, CLASS, SEPARATOR = range(4)
LENGTH = 20


def row(
    texts: Sequence[str], *, lower: bool = True, by: int = 0, begin: bool = True, end: bool = True
) -> list[int]:
    assert VOCABULARY is not None
    made = [CLASS] if begin else []
    for text in texts:
        words = (text.lower() if lower else text).split()
        made += [by + VOCABULARY.numbers[one] if one in VOCABULARY.numbers else UNKNOWN for one in words]
        made += [SEPARATOR] if end else []
    return [*made, *[PAD] * LENGTH][:LENGTH]


def hint(rows: Any) -> str:
    assert VOCABULARY is not None
    found = looked_up_in_rows(VOCABULARY, ["\n".join(text) for text in PAIRS], numpy.array(rows), "input_ids")
    return "" if found is None else found.wrong


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ({}, ""),
        ({"lower": False}, "words were not made lower case"),
        ({"by": 1}, "are the numbers 1 too high?"),
        ({"begin": False}, "[CLS] (2) is missing before the words"),
    ],
)
@pytest.mark.parametrize("pairs", [PAIRS, PAIRS[:1]])
def test_pairs(pairs: Any, way: Any, said: str) -> None:
    found = hint([row(pair, **way) for pair in pairs])
    if way.get("by") and len(pairs) == 1:
        return  # two short texts may be alike by chance
    assert said in found and bool(said) == bool(found)


def test_a_batch_of_texts() -> None:
    texts = [[text] for pair in PAIRS for text in pair]
    assert hint([row(one) for one in texts]) == ""
    assert "1 too high" in hint([row(one, by=1) for one in texts])
    assert "[SEP] (3) is missing behind the words" in hint([row(one, end=False) for one in texts])
    assert hint([row(one, begin=False, end=False) for one in texts]) != ""
