"""Counts of texts with capitals, for models that know small letters, and for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import NN
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.loops import SameText
from pywasm_nn.watch.whatif.in_capitals import InCapitals
from tests.nn.backends.onnx_writer import Model, node

TEXTS = [
    "we would like to buy bread at the market", "morgen gehen wir auf den markt und kaufen brot",
    "chaque matin nous achetons du fromage frais", "esta tarde podemos comer algo con la gente",
]  # fmt: skip
TITLES = [" ".join(word.capitalize() for word in text.split()) for text in TEXTS]
LARGE = [text.upper() for text in TEXTS]
Counts = Callable[[str], Any]


def fnv(piece: bytes) -> int:
    made = 2166136261
    for one in piece:
        made = (made ^ one) * 16777619 % 2**32
    return made


def java(piece: bytes) -> int:
    made = 0
    for one in piece:
        made = (made * 31 + one) % 2**32
    return made


def hashed(width: int, length: int, way: Callable[[bytes], int], pad: str = "") -> Counts:
    def count(text: str) -> Any:
        found = (pad + text + pad).encode()
        places = Counter(way(found[at : at + length]) % width for at in range(len(found) - length + 1))
        return numpy.array([places[at] for at in range(width)], "f8")

    return count


def words(width: int) -> Counts:
    def count(text: str) -> Any:
        places = Counter(fnv(word.encode()) % width for word in text.split())
        return numpy.array([places[at] for at in range(width)], "f8")

    return count


def pairs(text: str) -> Any:
    made = numpy.zeros((27, 27))
    codes = [ord(one) - 96 if "a" <= one <= "z" else 0 for one in text]
    for one, other in pairwise(codes):
        made[one, other] += 1
    return made.reshape(-1)


def letters(text: str) -> Any:
    return numpy.array([text.count(chr(97 + at)) for at in range(26)], "f8")


COUNTS: dict[str, Counts] = {
    "triples": hashed(256, 3, java, " "), "fours": hashed(1000, 4, fnv), "words": words(300), "pairs": pairs,
}  # fmt: skip
SCALES: dict[str, Counts] = {
    "counts": lambda one: one,
    "shares": lambda one: one / one.sum(),
    "length": lambda one: one / numpy.linalg.norm(one),
}


def said(
    path: Path,
    texts: list[str],
    known: list[str],
    count: Counts,
    scale: Counts,
    made: Counts,
    files: list[tuple[str, bytes]] | None = None,
    alphabets: tuple[str, ...] = (),
) -> str:
    """What is said of a guest that sends `made` of texts to a model that knows some of them, and gives each
    another answer in capitals."""
    rows = numpy.stack([scale(count(text)) for text in known])
    large = numpy.stack([scale(count(text.upper())) for text in known])
    weights = ((rows - large / 2) / (rows**2).sum(axis=1, keepdims=True)).T * 12
    if alphabets:  # shares of letters differ less
        weights = numpy.linalg.lstsq(rows, 9 * numpy.eye(len(rows)), rcond=None)[0]
    nodes = [node("MatMul", ["x", "w"], ["s"]), node("Softmax", ["s"], ["y"])]
    inputs, outputs = {"x": ("float32", [1, len(weights)])}, {"y": ("float32", [1, len(known)])}
    model = Model(nodes, inputs, outputs, {"w": weights.astype("f4")})
    (path / "m.onnx").write_bytes(model.data())
    with NN(backends={"onnx": "numpy"}).load(path / "m.onnx") as loaded:
        graph = loaded.graph
        read = files or [("texts.txt", "\n".join(texts).encode())]
        rule = InCapitals(
            lambda: read, (), lambda _, question: question(graph, 0.001, 1.0), lambda: alphabets
        )
        for text in texts:
            tensor = Tensor.from_numpy(scale(made(text)).astype("f4")[None])
            for operation in ("set_input", "compute"):
                event: Any = SimpleNamespace(
                    error=None, operation=operation, graph=graph, graph_id=1, index=0, given=(),
                    specs=graph.inputs, tensors=(tensor,), context_id=1,
                )  # fmt: skip
                rule.nn_event(event)
        return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("count", COUNTS)
def test_a_model_of_small_letters(count: str, scale: str, tmp_path: Path) -> None:
    make, by = COUNTS[count], SCALES[scale]
    for texts in (LARGE, [*TEXTS[:3], LARGE[3]], LARGE[2:3]):
        found = said(tmp_path, texts, TEXTS, make, by, make)
        assert "is it to be made lower case" in found
    assert said(tmp_path, LARGE, TEXTS, make, by, lambda text: make(text.lower())) == ""
    assert said(tmp_path, TEXTS, TEXTS, make, by, make) == ""


@pytest.mark.parametrize("count", COUNTS)
def test_models_of_capitals_and_other_counts(count: str, tmp_path: Path) -> None:
    make, by = COUNTS[count], SCALES["length"]
    assert said(tmp_path, TITLES, TITLES, make, by, make) == "", "it knows them as they stand"
    if count != "pairs":  # of which none is known in capitals
        assert said(tmp_path, LARGE, TEXTS, make, by, lambda text: make(text[::-1])) == "", "another recipe"
    others = ["".join(one for one in text if one in "aeiou ") for text in TEXTS]
    assert said(tmp_path, LARGE, others, make, by, make) == "", "it knows neither"


@pytest.mark.parametrize("mark", [b"", b"\xff\xfe"])
def test_texts_of_two_bytes_a_letter(mark: bytes, tmp_path: Path) -> None:
    texts = [*TEXTS[:3], "mañana comeremos más pan y jamón con los niños"]
    files = [(f"note{at}.txt", mark + one.encode("utf-16-le")) for at, one in enumerate(texts)]
    make, by = hashed(512, 3, java), SCALES["length"]

    def as_read(text: str) -> Any:
        found = mark + text.encode("utf-16-le")
        places = Counter(java(found[at : at + 3]) % 512 for at in range(len(found) - 2))
        return numpy.array([places[at] for at in range(512)], "f8")

    told = said(tmp_path, texts, texts, make, by, as_read, files)
    assert "which is in UTF-16 (many of them are 0); of the text in UTF-8 the answer is" in told
    assert said(tmp_path, texts, texts, make, by, make, files) == "", "decoded"


ALPHABET = " abcdefghijklmnopqrstuvwxyz\u00e1\u00e9\u00f1'"


def by_alphabet(text: str) -> Any:
    return numpy.array([text.count(one) for one in ALPHABET], "f8")


@pytest.mark.parametrize("own", [ALPHABET, f"notes.txt{ALPHABET}en de fr"])
@pytest.mark.parametrize("scale", SCALES)
def test_an_alphabet_of_the_program(scale: str, own: str, tmp_path: Path) -> None:
    """Of texts in capitals it counts the blanks alone."""
    by = SCALES[scale]

    def told(texts: list[str], made: Counts, alphabet: str = own) -> str:
        return said(tmp_path, texts, TEXTS, by_alphabet, by, made, alphabets=(alphabet,))

    for texts in (LARGE, LARGE[1:3]):
        found = told(texts, by_alphabet)
        assert "is it to be made lower case" in found and "none of the letters of" in found
        assert told(texts, by_alphabet, ALPHABET.replace("'", "A")) == "", "another alphabet"
        assert told(texts, lambda text: by_alphabet(text.lower())) == ""
    assert told(TEXTS, by_alphabet) == "", "there are no capitals"
    other = [
        ("menu.txt", "\n".join(LARGE).encode()),
        ("note.txt", "\u0433\u0434\u0435 \u043c\u044b".encode()),
    ]
    found = said(tmp_path, LARGE, TEXTS, by_alphabet, by, by_alphabet, other, (own,))
    assert found == "", "it may have counted the text of other letters"


def test_capitals_are_named_before_one_input_for_all_lines() -> None:
    """An input of blanks alone is the same for all lines, because none of their letters is counted."""
    rules = [type(one) for one in Evidence()._of_answers]
    assert rules.index(InCapitals) < rules.index(SameText)
