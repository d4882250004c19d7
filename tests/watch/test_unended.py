"""Texts for an encoder without the entry for their end, and right twins."""

import json
from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.unended import Unended

ENTRIES = ["<pad>", "<bos>", "<eos>", "<unk>", *"abcdefghijklmnopqrstuvwxyz"]
NAMES = b"given ada\nfamily lovelace\n"
FORMS = {
    "v.txt": "\n".join(ENTRIES).encode(),
    "v.json": json.dumps({"tokens": ENTRIES, "size": 30}).encode(),
    "w.json": json.dumps({one: at for at, one in enumerate(ENTRIES)}).encode(),
}


def numbers_of(text: str, *more: int) -> list[int]:
    return [*(ENTRIES.index(one) for one in text), *more]


def said(
    sources: Sequence[Sequence[int]],
    target: Sequence[Sequence[int]],
    form: str = "v.txt",
    answers: Sequence[int] = (),
) -> str:
    unended = Unended(lambda: [("names.txt", NAMES), (form, FORMS[form])])
    for row in sources:
        unended.set("src", 'input 0 "src"', Tensor.from_numpy(numpy.array([row], "i8")))
        unended.set("mask", 'input 1 "mask"', Tensor.from_numpy(numpy.ones((1, len(row)), "i8")))
    for row in target:
        unended.set("tgt", 'input 0 "tgt"', Tensor.from_numpy(numpy.array([row], "i8")))
    for one in answers:
        unended.answered([Tensor.from_numpy(numpy.eye(30, dtype="f4")[None, [one]])])
        unended.answered([Tensor.from_numpy(numpy.ones((1, 5, 16), "f4"))])
    return "; ".join(unended.finish())


GROWING, STEPS = [[1], [1, 9], [1, 9, 12]], [[1], [9], [12]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", [GROWING, STEPS])
def test_the_end_is_missing(form: str, target: list[list[int]]) -> None:
    texts = "ada", "lovelace"
    assert 'without "<eos>" (2 in' in said([numbers_of(one) for one in texts], target, form)
    assert 'without "<eos>" (2 in' in said([[3, *numbers_of(one)] for one in texts], target, form)
    assert said([numbers_of(one, 2) for one in texts], target, form) == ""
    assert said([numbers_of(one, 0, 0) for one in texts], target, form) == "", "padding is no letter"


@pytest.mark.parametrize("form", FORMS)
def test_a_decoder_that_says_the_end(form: str) -> None:
    """Its encoder was trained on letters alone, as the length of the input says where they end."""
    sources = [numbers_of("ada")]
    assert said(sources, GROWING, form, [9, 12, 2]) == ""
    assert 'without "<eos>" (2 in' in said(sources, GROWING, form, [9, 12, 9, 12])


def test_other_guests() -> None:
    assert said([numbers_of("ada")], []) == "", "no decoder"
    assert said([numbers_of("ada")], [[1, 1, 1]]) == "", "a mask"
    assert said([numbers_of("ada")], [[2], [2, 9]]) == "", "the decoder begins with the end"
    assert said([numbers_of("adb")], GROWING) == "", "another text"
