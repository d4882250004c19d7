"""Counts of letters and words by a hash of signed bytes, for models of unsigned ones and for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import NN
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.whatif.signed_letters import SignedLetters
from tests.nn.backends.onnx_writer import Model, node

TEXTS = [
    "früh süße Äpfel für größere Körbe übrig", "où est passé le café près de la forêt là-bas",
    "dziś może być gorąco, więc weź ze sobą wodę", "mañana el niño comerá piña y jamón en el jardín",
]  # fmt: skip
PLAIN = ["we would like to buy bread", "the market is closed today", "a letter came", "no rain this week"]
Bytes = Callable[[bytes], list[int]]
Counts = Callable[[bytes, Bytes], Any]


def unsigned(piece: bytes) -> list[int]:
    return [*piece]


def signed(piece: bytes) -> list[int]:
    return [one - 256 if one > 127 else one for one in piece]


def fnv(codes: list[int]) -> int:
    made = 2166136261
    for one in codes:
        made = ((made ^ one % 2**32) * 16777619) % 2**32
    return made


def djb(codes: list[int]) -> int:
    made = 5381
    for one in codes:
        made = (made * 33 + one) % 2**32
    return made


def long_fnv(codes: list[int]) -> int:
    made = 14695981039346656037
    for one in codes:
        made = ((made ^ one % 2**64) * 1099511628211) % 2**64
    return made


def pieces(*lengths: int) -> Callable[[bytes], list[bytes]]:
    return lambda text: [text[at : at + length] for length in lengths for at in range(len(text) - length + 1)]


def counting(width: int, way: Callable[[list[int]], int], cut: Callable[[bytes], list[bytes]]) -> Counts:
    def count(text: bytes, as_codes: Bytes) -> Any:
        places = Counter(way(as_codes(one)) % width for one in cut(text))
        return numpy.array([places[at] for at in range(width)], "f8")

    return count


COUNTS: dict[str, Counts] = {
    "triples": counting(300, fnv, pieces(3)), "pairs and triples": counting(512, djb, pieces(2, 3)),
    "words": counting(301, djb, bytes.split), "fours": counting(1024, long_fnv, pieces(4)),
}  # fmt: skip
SCALES: dict[str, Callable[[Any], Any]] = {
    "counts": lambda one: one, "shares": lambda one: one / one.sum(),
    "length": lambda one: one / numpy.linalg.norm(one),
}  # fmt: skip


def said(
    path: Path,
    texts: list[bytes],
    made: Callable[[bytes], Any],
    known: Callable[[bytes], Any],
    other: Callable[[bytes], Any] | None = None,
    *,
    is_own: bool = False,
    reserved: list[float] | None = None,
) -> str:
    """What is said of a guest that sends `made` of texts to a model that knows each by `known`, and gives
    each another answer by `other`, of which it isn't sure."""
    rows = numpy.stack([way(one) for way in (known, other) if way is not None for one in texts])
    answers = 9 * numpy.eye(len(texts))
    wanted = numpy.concatenate([answers, numpy.roll(answers, 1, axis=1) / 9])[: len(rows)]
    weights = numpy.linalg.lstsq(rows, wanted, rcond=None)[0]
    nodes = [node("MatMul", ["x", "w"], ["s"]), node("Softmax", ["s"], ["y"])]
    inputs, outputs = {"x": ("float32", [1, len(weights)])}, {"y": ("float32", [1, len(texts)])}
    (path / "m.onnx").write_bytes(Model(nodes, inputs, outputs, {"w": weights.astype("f4")}).data())
    with NN(backends={"onnx": "numpy"}).load(path / "m.onnx") as loaded:
        graph: Any = loaded.graph
        graph.worked = 0.2 if is_own else 0.0
        files = [("texts.txt", b"\n".join(texts))]
        kept: list[float] = [] if reserved is None else reserved
        rule = SignedLetters(lambda: files, (), lambda _, ask: ask(graph, 0.001, 1.0), kept.append)
        for one in texts:
            tensor = Tensor.from_numpy(made(one).astype("f4")[None])
            for operation in ("set_input", "compute"):
                event: Any = SimpleNamespace(
                    error=None, operation=operation, graph=graph, graph_id=1, index=0, given=(),
                    specs=graph.inputs, tensors=(tensor,), context_id=1,
                )  # fmt: skip
                rule.nn_event(event)
        return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-2"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("count", COUNTS)
def test_a_model_of_unsigned_bytes(count: str, scale: str, encoding: str, tmp_path: Path) -> None:
    make, by = COUNTS[count], SCALES[scale]
    texts = [one.encode(encoding, "ignore") for one in TEXTS]

    def told(made: Bytes, known: Bytes) -> str:
        other = signed if known is unsigned else unsigned
        ways = [lambda one, way=way: by(make(one, way)) for way in (made, known, other)]
        return said(tmp_path, texts, *ways)

    assert "by a hash that takes them as signed" in told(signed, unsigned)
    assert told(unsigned, unsigned) == told(signed, signed) == told(unsigned, signed) == ""


def test_texts_of_ascii_alone(tmp_path: Path) -> None:
    make = COUNTS["triples"]
    texts = [one.encode() for one in PLAIN]
    assert said(tmp_path, texts, lambda one: make(one, signed), lambda one: make(one[::-1], unsigned)) == ""


def test_another_recipe(tmp_path: Path) -> None:
    """The letters are backwards, so that no known hash makes these counts."""
    make = COUNTS["triples"]
    texts = [one.encode() for one in TEXTS]
    assert said(tmp_path, texts, lambda one: make(one[::-1], signed), lambda one: make(one, unsigned)) == ""


def test_time_is_left_for_a_model_that_is_opened_again(tmp_path: Path) -> None:
    make = COUNTS["triples"]

    def reserved(texts: list[str], *, is_own: bool) -> list[float]:
        kept: list[float] = []
        data = [one.encode() for one in texts]
        said(
            tmp_path, data, lambda one: make(one, signed), lambda one: make(one, unsigned),
            is_own=is_own, reserved=kept,
        )  # fmt: skip
        return kept

    assert reserved(TEXTS, is_own=True)[0] > 0.2
    assert reserved(TEXTS, is_own=False) == reserved(PLAIN, is_own=True) == []


def test_places_that_are_the_same(tmp_path: Path) -> None:
    """A byte less 256 changes no sum modulo 256."""
    make = counting(256, djb, bytes.split)
    texts = [one.encode() for one in TEXTS]
    way = [lambda one, kind=kind: make(one, kind) for kind in (signed, unsigned)]
    assert (way[0](texts[0]) == way[1](texts[0])).all()
    assert said(tmp_path, texts, *way) == ""
