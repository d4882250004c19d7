"""Inputs that count the words of a text, and inputs that are its bytes.

The mistakes here are by the hand that wrote the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, Tensor
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.origin.bags import WORD, Lexicon, count, counted_in, lexicon_in
from pywasm_nn.watch.origin.bytewise import bytes_in
from pywasm_nn.watch.whatif import padding
from pywasm_nn.watch.whatif.padding import OfBytes, other_padding
from pywasm_nn.watch.whatif.sureness import Answer
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_false_alarms import reads

LIST = (
    "about after and bake cake cold dough engine film flour game goal heat launch moon oven plot rocket "
    "score scene team the walk was"
)
WORDS = LIST.split()
TEXTS = (
    "The rocket was cold, and the launch was late.\nBake the dough in the oven: the Oven was hot.\nNo game.\n"
)
WEIGHTS = 1 + numpy.random.default_rng(4).uniform(0.2, 3, len(WORDS)).round(4)


def lexicon(weights: bool) -> Lexicon:
    lines = [f"{word} {weight}" for word, weight in zip(WORDS, WEIGHTS, strict=True)] if weights else WORDS
    found = lexicon_in("\n".join(lines).encode())
    assert found is not None and (found.weights is not None) == weights
    return found


def counts(words: str) -> Any:
    return numpy.array([[words.split().count(word) for word in WORDS]], "f4")


FIRST = counts("the rocket was cold and the launch was late")
SECOND = counts("bake the dough in the oven the oven was hot")


def unit(vector: Any) -> Any:
    return vector / numpy.sqrt((vector * vector).sum())


def wrong(array: Any, weights: bool) -> str | None:
    found = counted_in(lexicon(weights), [TEXTS], array.astype("f4"))
    return None if found is None else found.wrong


@pytest.mark.parametrize("array", [FIRST, SECOND, unit(FIRST), FIRST / FIRST.sum(), numpy.minimum(FIRST, 1)])
def test_counts_that_are_right(array: Any) -> None:
    assert wrong(array, weights=False) == ""


@pytest.mark.parametrize("array", [FIRST, SECOND])
def test_weighted_words(array: Any) -> None:
    assert wrong(unit(array * WEIGHTS), weights=True) == ""
    assert wrong(array * WEIGHTS, weights=True) == "", "not every model wants the length 1"
    assert wrong(array / array.sum() * WEIGHTS, weights=True) == ""
    assert "counts were sent without it" in str(wrong(array, weights=True))
    assert "multiplied twice" in str(wrong(unit(array * WEIGHTS**2), weights=True))


OWN = "The rocket was cold, and the launch. Was the Oven hot? Oven, rocket and dough."


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("The", "Was", "Oven"), WORD.findall(OWN)),
        (("cold,", "launch.", "hot?"), OWN.lower().split()),
        (("The", "Oven", "Oven,", "cold,", "launch."), OWN.split()),
    ],
)
def test_a_list_of_words_as_they_stand(more: tuple[str, ...], words: list[str]) -> None:
    """Its words have capitals or marks, so that texts keep theirs."""
    for entries, is_wrong in (([*WORDS, *more], False), (WORDS, True)):
        found = lexicon_in("\n".join(entries).encode())
        assert found is not None
        part = counted_in(found, [OWN], count(found, words)[None])
        assert part is not None and bool(part.wrong) == is_wrong


def test_a_list_of_how_frequent_words_are() -> None:
    found = lexicon_in("\n".join(f"{one} {9.5 - at / 10}" for at, one in enumerate(WORDS)).encode())
    part = None if found is None else counted_in(found, [TEXTS], FIRST)
    assert part is not None and part.wrong == ""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [",", "\t", " "])
def test_a_list_whose_numbers_are_in_front(mark: str, end: str) -> None:
    found = lexicon_in("".join(f"{9.5 - at / 10}{mark}{one}{end}" for at, one in enumerate(WORDS)).encode())
    assert found is not None and [*found.words] == [*WORDS]
    part = counted_in(found, [TEXTS], FIRST)
    assert part is not None and part.wrong == ""


@pytest.mark.parametrize(("by", "said"), [(1, "the place behind its own"), (-1, "the place before its own")])
@pytest.mark.parametrize("array", [FIRST, SECOND])
def test_weighted_words_at_another_place(array: Any, by: int, said: str) -> None:
    """Words by their own weights, or by those of the places at which they are counted."""
    assert said in str(wrong(unit(numpy.roll(array * WEIGHTS, by)), weights=True))
    assert said in str(wrong(numpy.roll(array * WEIGHTS, by), weights=True))
    assert said in str(wrong(unit(numpy.roll(array, by) * WEIGHTS), weights=True))
    assert wrong(unit(numpy.roll(array * WEIGHTS, 2)), weights=True) is None


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (counts("Bake the dough in the oven: the Oven was hot."), "capitals or marks"),
        (counts("bake the dough in the oven: the oven was hot."), "marks"),
        (counts("the dough in the oven the Oven was hot"), "not made lower case"),
        (FIRST + SECOND, "the texts before are still in it"),
        (numpy.roll(SECOND, 1), "the place behind its own"),
    ],
)
def test_words_that_are_not_counted(array: Any, said: str) -> None:
    assert said in str(wrong(array, weights=False))


@pytest.mark.parametrize("entries", [["[PAD]", "[UNK]"], ["<s>", "</s>", "<unk>"]])
@pytest.mark.parametrize("unknown", [0, 1, 2])
@pytest.mark.parametrize("scale", [lambda one: one, unit, lambda one: numpy.minimum(one, 1)])
def test_entries_before_the_words(entries: list[str], unknown: int, scale: Any) -> None:
    """Words that the list lacks, if any are counted, have the element of the last entry."""
    found = lexicon_in("\n".join([*entries, *WORDS]).encode())
    assert found is not None
    size = len(entries)

    def said(by: int) -> str | None:
        array = numpy.zeros((1, size + len(WORDS)))
        array[:, size:] = FIRST
        array = numpy.roll(array, by)
        array[:, size - 1] += unknown
        text = "The rocket was cold and the launch was " + "late " * min(unknown, 1) + "so " * (unknown > 1)
        part = counted_in(found, [text], scale(array).astype("f4"))
        return None if part is None else part.wrong

    assert said(0) == ""
    assert f"{size} places before its own: are the {size} entries before the words" in str(said(-size))
    assert f"{size} places behind its own" in str(said(size))
    assert said(-size - 2) is None


@pytest.mark.parametrize("array", [numpy.zeros((1, len(WORDS))), numpy.eye(len(WORDS))[:1], FIRST[:, 1:]])
def test_other_inputs_count_nothing(array: Any) -> None:
    assert wrong(array, weights=False) is None


@pytest.mark.parametrize("data", [b"", b"one two three\n" * 30, b"word 4\nother 7\n" * 20, b"\0" * 99])
def test_other_files_are_no_lists(data: bytes) -> None:
    assert lexicon_in(data) is None


DATA = "  Über die Brücke gehen wir, über den Fluß, und dann nach Haus zurück.\n".encode()
BYTES = numpy.frombuffer(DATA.strip(), "u1").astype("i4")


def framed(head: Any, tail: Any = (), size: int = 200, pad: int = 256) -> Any:
    made = numpy.full((1, size), pad, "i4")
    made[0, : len(head)] = head
    if len(tail):
        made[0, -len(tail) :] = tail
    return made


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (framed(BYTES), ""),
        (framed(BYTES, BYTES), ""),
        (framed(BYTES, BYTES, pad=0), ""),
        (framed(BYTES[:40], size=40), ""),
        (framed(numpy.frombuffer(DATA.strip(), "i1")), "taken as signed"),
        (framed(BYTES, BYTES[::-1]), "its end backwards"),
        (framed(BYTES[::-1]), "it is backwards"),
    ],
)
def test_bytes_of_a_text(array: Any, said: str) -> None:
    found = bytes_in(DATA, array)
    assert found is not None and (said in found.wrong if said else found.wrong == "")


@pytest.mark.parametrize(
    "array", [framed([]), framed(BYTES[:10]), framed(BYTES + 1), framed([32] * 100), framed(BYTES) + 0.5]
)
def test_other_inputs_are_no_bytes(array: Any) -> None:
    assert bytes_in(DATA, array) is None


def test_letters_in_both_directions() -> None:
    """One model reads a text from its end, after the other from its beginning; or one alone does."""
    for turns, is_wrong in ((("", "back"), False), (("back",), True)):
        evidence, lines = Evidence(), []
        for event in reads(DATA, "a.txt"):
            evidence.host_call(event)
        for graph, turn in enumerate(turns):
            tensor = Tensor.from_numpy(framed(BYTES[::-1] if turn else BYTES))
            spec = TensorSpec("x", tensor.dtype, tensor.shape)
            event = NNEvent("set_input", "", 0.0, None, None, graph, graph, None, 0, (spec,), (tensor,))
            lines += evidence.nn_event(event, ())
        found = [text for rule, text in [*lines, *evidence.finish()] if rule is not None]
        assert any("it is backwards" in one for one in found) == is_wrong


TEXT = b"The tea was cold, and nobody in the harbour cared.\nRain fell on the old stone bridge.\n"
LINES = b"\n".join(
    bytes(part) for part in (b"MKTAYIAKQRQISFVKSHFSRQ", b"LEERLGLIEVQAPILSRVGDGT", b"QDNLSGAEKA")
)


def said_of_bytes(data: bytes, sent: bytes, fill: int = 0, count: int = 80) -> str:
    found = bytes_in(data, numpy.array([[*sent, *[fill] * (count - len(sent))]], "i4"))
    return "" if found is None else found.wrong


def test_blanks_that_are_left_out() -> None:
    kept = bytes(one for one in TEXT if one not in b" \n")
    assert "blanks and line ends are left out, 16 of the first" in said_of_bytes(TEXT, kept, 256)
    assert "blanks and line ends are left out" in said_of_bytes(TEXT, kept[:40], count=40), "its beginning"
    assert said_of_bytes(TEXT, TEXT[:80]) == said_of_bytes(TEXT, TEXT[:40], 256) == ""
    assert said_of_bytes(LINES, LINES.replace(b"\n", b"")) == "", "a sequence that is broken into lines"
    assert said_of_bytes(TEXT, bytes(one for one in TEXT if one not in b" \n,.")) == "", "letters alone"


BOARD = b"r n b q k b n r\np p p p p p p p\n. . . . . . . .\nP P P P P P P P\nR N B Q K B N R\n"


@pytest.mark.parametrize("data", [BOARD, b"de ad be ef 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n"])
def test_blanks_between_cells(data: bytes) -> None:
    kept = bytes(one for one in data if one not in b" \n")
    assert said_of_bytes(data, kept) == said_of_bytes(data, kept[:25], count=25) == ""
    assert "blanks and line ends are left out" in said_of_bytes(b"a board: " + data, b"aboard:" + kept)


def classifier_of_bytes(known: int, letter: float = 30, zero: float = 7.5, by: str = "Gather") -> bytes:
    """A model that adds up what letters say, with so many numbers; of 0 it takes the third class."""
    table = numpy.zeros((known, 3), "f4")
    table[97:123, 1], table[0, 2] = letter, zero
    constants = {"table": table}
    if by == "Equal":
        begins = [
            node("Unsqueeze", ["x", "at"], ["u"]),
            node("Equal", ["u", "every"], ["q"]),
            node("Cast", ["q"], ["o"], to=1),
            node("MatMul", ["o", "table"], ["e"]),
        ]
        constants["at"] = numpy.array([2], "i8")
        constants["every"] = numpy.arange(known, dtype="i4").reshape(1, 1, known)
    else:
        begins = [node("Gather", ["table", "x"], ["e"])]
    nodes = [
        *begins,
        node("ReduceMean", ["e"], ["l"], axes=[1], keepdims=0),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    inputs, outputs = {"x": ("int32", [1, 100])}, {"y": ("float32", [1, 3])}
    return Model(nodes, inputs, outputs, constants).data()


@pytest.mark.parametrize(("known", "pad", "seen"), [(257, 0, True), (256, 0, False), (257, 256, False)])
def test_padding_of_bytes(known: int, pad: int, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(classifier_of_bytes(known))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        array = framed(BYTES[10:40], size=100, pad=pad)
        found = other_padding(model.graph, model.tensors({"x": array}), 0, 0.01)
    assert (found is not None and "with its padding as 256" in found) is seen


@pytest.mark.parametrize("by", ["Gather", "Equal"])
@pytest.mark.parametrize(("known", "zeros", "seen"), [(257, 0, True), (257, 3, False), (300, 0, False)])
def test_padding_of_bytes_that_the_model_knows(
    by: str, known: int, zeros: int, seen: bool, tmp_path: Path
) -> None:
    """Of text with zeros in it nobody knows which are padding."""
    data = classifier_of_bytes(known, 5, 2.6, by)
    rows = facts([data]).columns[0][0].rows
    assert rows == known
    letters = bytearray(b"a page of letters and words is all")
    letters[5 : 5 + zeros] = bytes(zeros)
    (tmp_path / "m.onnx").write_bytes(data)
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": framed([*letters], size=100, pad=0)})
        found = other_padding(model.graph, given, 0, 0.01, known=OfBytes(rows))
    assert (found is not None and "the last of 257 numbers" in found) is seen


KINDS = [("labels.txt", b"image\njson\npython\n")]


@pytest.mark.parametrize(
    ("file", "known", "files", "seen"),
    [
        ("a.json", 257, KINDS, True),
        ("a.py", 257, KINDS, False),
        ("a.png", 257, KINDS, False),
        ("json", 257, KINDS, False),
        ("a.json", 300, KINDS, False),
        ("a.json", 257, [], False),
    ],
)
def test_padding_by_which_a_file_is_what_its_ending_says(
    file: str, known: int, files: Sequence[tuple[str, bytes]], seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the model is surer of another class with 0, which the ending doesn't name."""

    class Answers:
        def __init__(self, *_: object, **__: object) -> None: ...

        def __enter__(self) -> Answers:
            return self

        def __exit__(self, *_: object) -> None: ...

        def changed(self, place: int, array: Any) -> Answer:
            is_padded = bool((array == 256).any())
            return Answer(1 if is_padded else 2, 0.7 if is_padded else 0.96, 3, 1.0)

    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bytes")])
    array = numpy.array([[*b'{"a": 1}', *[0] * 92]], "i4")
    given = OfBytes.of(known, file, files, 3)
    monkeypatch.setattr(padding, "Runs", Answers)
    found = other_padding(graph, [Tensor.from_numpy(array)], 0, 0.01, known=given)
    assert (found is not None and f"as {file} is named" in found) is seen
    assert seen or found is None
