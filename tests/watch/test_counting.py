"""Characters and words that are counted from another number than a model does: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.records import changed
from pywasm_nn.watch.origin.alphabets import alphabets_in
from pywasm_nn.watch.origin.characters import spelled
from pywasm_nn.watch.origin.counted import Counted, counted
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from pywasm_nn.watch.whatif import counting
from pywasm_nn.watch.whatif.counting import counted_otherwise
from pywasm_nn.watch.whatif.sureness import Answer
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.oracles import StandIn

ALPHABET = " abcdefghijklmnopqrstuvwxyzäöü'.?"
TEXT = "seven grey herons stand there."
WORDS = sorted({"heron", "grey", "pond", "mill", "stand", *(f"word{letter}" for letter in ALPHABET[1:27])})


def row_of(places: Sequence[int], first: int, size: int = 48, fill: int = 0) -> Any:
    ids = [first + one for one in places]
    return numpy.array([[*ids, *[fill] * (size - len(ids))]], "i8")


def how(first: int, fill: int = 0) -> Counted | None:
    row = row_of([ALPHABET.index(one) for one in TEXT], first, fill=fill)
    files = [("a.txt", TEXT.encode()), ("alphabet.txt", ALPHABET.encode())]
    return counted(files, [], [], row.reshape(-1).tolist())


@pytest.mark.parametrize("first", [0, 1, 2])
def test_from_which_number_on(first: int) -> None:
    found, count = how(first), len(ALPHABET)
    assert found is not None and (found.first, found.count, found.end) == (first, count, len(TEXT))
    assert bool(found.beyond(count + first - 1)) is (first > 0)
    assert found.beyond(count + first) == "" == found.beyond(count + 5)


def test_words_from_which_number_on() -> None:
    text = "grey heron stand mill pond"
    row = row_of([WORDS.index(one) for one in text.split()], 1)
    found = counted([("words.txt", "\n".join(WORDS).encode())], [], [text], row.reshape(-1).tolist())
    assert found is not None and found.what == "words"
    assert f"the last one has {len(WORDS)}" in found.beyond(len(WORDS))


@pytest.mark.parametrize("code", ["utf-8", "utf-16-le", "utf-32-le"])
def test_an_alphabet_among_the_data(code: str) -> None:
    data = "".join(f"\\{byte:02x}" for byte in ("\0label\0" + ALPHABET + "\0%s: %d\0").encode(code))
    module = Module.from_text(f'(module (memory 1) (data (i32.const 64) "{data}"))')
    own = alphabets_in(module)
    assert [*own] == [ALPHABET]
    loud = [ALPHABET.index(one) + 1 if one in ALPHABET else 0 for one in TEXT.upper()]
    found = spelled([("a.txt", TEXT.upper())], [], row_of(loud, 0), own)
    assert found is not None and "made lower case" in found[1].wrong
    quiet = row_of([ALPHABET.index(one) for one in TEXT], 1)
    assert spelled([("a.txt", TEXT)], [], quiet, own) is None


def of_letters(rows: int) -> bytes:
    """A model that says class 1 of this text's letters, counted from 1, and class 0 of all others."""
    table = numpy.zeros((rows, 3), "f4")
    table[1:, 0] = 6
    for letter in TEXT:
        table[ALPHABET.index(letter) + 1] = 0, 12, 0
    nodes = [
        node("Gather", ["table", "x"], ["e"]),
        node("ReduceMean", ["e"], ["l"], axes=[1], keepdims=0),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    return Model(nodes, {"x": ("int64", [1, 48])}, {"y": ("float32", [1, 3])}, {"table": table}).data()


@pytest.mark.parametrize(
    ("first", "more", "fill", "seen"),
    [(0, 1, 0, True), (1, 1, 0, False), (0, 0, 0, False), (0, 1, 33, False)],
)
def test_a_model_that_knows_one_more(first: int, more: int, fill: int, seen: bool, tmp_path: Path) -> None:
    rows = len(ALPHABET) + more
    (tmp_path / "m.onnx").write_bytes(of_letters(max(rows, 34)))
    found = how(first, fill)
    assert found is not None
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        row = row_of([ALPHABET.index(one) for one in TEXT], first, fill=fill)
        said = counted_otherwise(model.graph, model.tensors({"x": row}), 0, found, rows, 0.01)
    assert (said is not None and "counted from 1" in said) is seen


def test_words_behind_a_number_for_padding() -> None:
    """A vocabulary of words whose first has the number 1 is right if the model knows one number more."""
    vocabulary, text = words_in("\n".join(WORDS).encode()), "wordb wordz grey wordm wordh stand"
    assert vocabulary is not None
    row = row_of([WORDS.index(one) for one in text.split()], 1)
    assert looked_up(vocabulary, [text], row, "ids", len(WORDS) + 1) is None
    part = looked_up(vocabulary, [text], row, "ids", len(WORDS))
    assert part is not None and "1 too high" in part.wrong


def of_places() -> bytes:
    """A model that is sure of texts that begin with the letters that this one begins with."""
    weights = numpy.zeros((64, 48, 2), "f4")
    for place, letter in enumerate(TEXT[:10]):
        weights[ALPHABET.index(letter) + 1, place, 0] = 1.2
    nodes = [
        node("Gather", ["table", "x"], ["e"]),
        node("Flatten", ["e"], ["f"], axis=1),
        node("MatMul", ["f", "w"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    flat = weights.transpose(1, 0, 2).reshape(48 * 64, 2)
    table = numpy.eye(64, dtype="f4")
    return Model(
        nodes, {"x": ("int64", [1, 48])}, {"y": ("float32", [1, 2])}, {"table": table, "w": flat}
    ).data()


def test_a_text_that_begins_in_the_last_element(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(of_places())
    right = row_of([ALPHABET.index(one) for one in TEXT], 1)
    back = how(1)
    assert back is not None
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        for row, seen in ((right[:, ::-1].copy(), True), (right, False)):
            given = model.tensors({"x": row})
            said = counted_otherwise(model.graph, given, 0, changed(back, is_backwards=True), 64, 0.01)
            assert (said is not None and "lie backwards" in said) == seen


def test_a_text_that_is_longer_than_its_input() -> None:
    text = TEXT * 3
    row = [1 + ALPHABET.index(one) for one in text][:48]
    found = counted([("a.txt", text.encode()), ("alphabet.txt", ALPHABET.encode())], [], [], row)
    assert found is not None and (found.first, found.end, found.filled) == (1, 48, None)


@pytest.mark.parametrize("code", ["utf-8", "utf-16-le", "utf-32-le"])
def test_an_alphabet_behind_a_table_of_letters(code: str) -> None:
    """Libraries have tables of all characters; optimisers cut zeros off at the end of data."""
    table = "".join(map(chr, range(33, 127))) + "\0"
    own = " abcdefghijklmnopqrstuvwxyz"
    data = [text.encode(code).rstrip(b"\0") for text in (table, own)]
    parts = ["".join(f"\\{byte:02x}" for byte in one) for one in data]
    module = Module.from_text(
        f'(module (memory 1) (data (i32.const 64) "{parts[0]}") (data (i32.const 2048) "{parts[1]}"))'
    )
    assert own in alphabets_in(module)


class Doubting(StandIn):
    """Stands for the runs of a model that doubts a text as sent, and is somewhat surer of other numbers: of
    all that are so large, or of none."""

    def __init__(self, other: float, control: float) -> None:
        self._sures = iter((0.6, other, control))

    def changed(self, *_: Any) -> Answer:
        return Answer(1, next(self._sures), 5)


@pytest.mark.parametrize("is_backwards", [False, True])
@pytest.mark.parametrize(
    ("other", "control", "seen"), [(0.7, 0.5, False), (0.85, 0.84, False), (0.85, 0.5, True)]
)
def test_a_text_that_is_doubted(
    other: float, control: float, is_backwards: bool, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blanks fill its end, and the last number is for unknown letters; or the model reads from the end on."""
    monkeypatch.setattr(counting, "Runs", Doubting(other, control))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    row = Tensor.from_numpy(row_of([ALPHABET.index(one) for one in TEXT], 0))
    found = how(0)
    assert found is not None
    found = changed(found, is_backwards=is_backwards)
    assert bool(counted_otherwise(graph, [row], 0, found, len(ALPHABET) + 1, 0.01)) is seen
