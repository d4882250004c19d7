"""Counts of n-grams of letters, by a list that was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.origin.grams import Grams, grams_in
from pywasm_nn.watch.whatif.gram_shares import shared
from pywasm_nn.watch.whatif.sureness import are_linear

TEXT = "Zażółć gęślą jaźń, a Öl fließt über die Straße: ¿dónde está?"
PLAIN = " zażółć gęślą jaźń a öl fließt über die straße dónde está "
MORE = " quick wax jumps by five hymns to vex a fez of his own kin "
SIZES = 1, 2, 3
ALL = {text[at : at + size] for text in (PLAIN, MORE) for size in SIZES for at in range(len(text) - size + 1)}
GRAMS = sorted(ALL - {" "}, reverse=True)
FILES = [("grams.txt", "\n".join(GRAMS).encode()), ("text.txt", f"{TEXT}\nAnother line\n".encode())]


def count(text: str, grams: Sequence[str] = GRAMS) -> Any:
    return numpy.array(
        [sum(text[at : at + len(one)] == one for at in range(len(text))) if one else 0 for one in grams], "f4"
    )


def hint(row: Any) -> str:
    return Grams().wrong(0, Tensor.from_numpy(numpy.ascontiguousarray(row[None])), FILES)


ASCII = "".join(one for one in PLAIN if ord(one) < 128).replace("   ", " ").replace("  ", " ")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (count(PLAIN), ""),
        (count(PLAIN) / 60, ""),
        (count(PLAIN.strip()), ""),
        (count(ASCII), 'letters beyond ASCII ("ż", "ó", "ł") were left out'),
        (count(PLAIN, [one.strip() for one in GRAMS]), "and they were read without them"),
        (count(PLAIN, [(one.split() or [""])[0] for one in GRAMS]), "and they were read without them"),
        (numpy.random.default_rng(2).integers(0, 2, len(GRAMS)).astype("f4"), ""),
    ],
)
def test_what_a_text_or_the_list_has_lost(row: Any, said: str) -> None:
    found = hint(row)
    assert said in found and bool(said) == bool(found)


def test_a_list_without_marks() -> None:
    """Marks are rightly taken off letters for it."""
    plain = MORE.replace("fez", "f\u00e9z")
    grams = [one for one in GRAMS if one.isascii()]
    files = [("grams.txt", "\n".join(grams).encode()), ("text.txt", plain.encode())]
    for text in (MORE, plain.replace("\u00e9", "")):
        assert Grams().wrong(0, Tensor.from_numpy(count(text, grams)[None]), files) == ""


def test_lists_of_grams() -> None:
    assert len(grams_in(FILES[0][1])) == len(GRAMS)
    assert grams_in("\n".join(f"word{at} of a text" for at in range(90)).encode()) == ()
    assert grams_in(b"1 2\n" * 60) == () and grams_in(bytes(90)) == ()


def test_shares_of_the_grams_of_a_length() -> None:
    lengths = numpy.array([*map(len, GRAMS)])
    made = shared(count(PLAIN)[None], lengths)
    assert [float(made[0][lengths == size].sum()) for size in SIZES] == pytest.approx([1, 1, 1])
    assert shared(count(PLAIN)[None] / 2, lengths) is None


LOGITS = numpy.array([[1.0, -2, 4, -3], [0, 3, -1, 2], [0.5, 0.5, 1.5, -0.5]])
"""Of two inputs, and of their mean if the model is linear."""


@pytest.mark.parametrize("as_shares", [False, True])
def test_linear_models_are_left_alone(as_shares: bool) -> None:
    """Probabilities tell logits but for a number that is added to all."""
    specs = (TensorSpec("y", DType.F32, (1, 4)),)

    def are(logits: Any) -> bool:
        rows = numpy.exp(logits) / numpy.exp(logits).sum(axis=1, keepdims=True) if as_shares else logits
        return are_linear(specs, [[Tensor.from_numpy(row[None].astype("f4"))] for row in rows])

    assert are(LOGITS)
    assert not are(numpy.maximum(LOGITS, 0))
    assert not are(LOGITS * numpy.array([[1], [1], [2]]))
