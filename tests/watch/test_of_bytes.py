"""Bytes of files that are filled up, signed, exchanged, or begin with zeros: mistakes, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.bytewise import SIGNED, begins_in, bytes_in, padding_in
from pywasm_nn.watch.whatif import both_ends, padding
from pywasm_nn.watch.whatif.of_bytes import DOUBTED, MOST_KEPT, ByteFiles
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

HALF = 64
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bytes")])
EVENT: Any = SimpleNamespace(graph_id=3, specs=(), tensors=())
UMLAUTS = "Fünf Käfer gehen über den Fluß, öfter als ähnliche Tiere, und schöner.".encode()


def as_ends(data: bytes, pad: int, kind: str = "i4") -> Any:
    """The first and the last bytes of a file, with padding between them."""
    own = numpy.frombuffer(data, "u1").astype(kind)
    made, count = numpy.full(2 * HALF, pad, kind), min(HALF, len(own))
    made[:count], made[2 * HALF - count :] = own[:count], own[len(own) - count :]
    return made[None]


def noise(seed: int, size: int, zeros: int = 0) -> bytes:
    body = numpy.random.default_rng(seed).integers(1, 256, size).astype("u1")
    body[:zeros] = 0
    return body.tobytes()


@pytest.mark.parametrize("kind", ["i4", "i8", "i2"])
@pytest.mark.parametrize("data", [UMLAUTS, noise(1, 50), noise(2, 4000), noise(3, 4000, zeros=900)])
def test_signed_bytes_of_any_file(data: bytes, kind: str) -> None:
    """Also where the first letters have no sign, or the file begins with zeros."""
    right = as_ends(data, 256, kind)
    wrong = numpy.where((right >= 128) & (right < 256), right - 256, right)
    found, said = bytes_in(data, right), bytes_in(data, wrong)
    assert found is not None and found.wrong == ""
    assert said is not None and said.wrong == SIGNED


@pytest.mark.parametrize("seed", range(8))
def test_a_silent_beginning_is_no_padding(seed: int) -> None:
    data = noise(seed, 4000, zeros=900)
    found = bytes_in(data, as_ends(data, 256))
    assert found is not None and "its first bytes and its last ones" in found.said
    assert bytes_in(noise(seed + 100, 4000, zeros=900), as_ends(data, 256)) is None, "another file"
    assert padding_in(data, as_ends(data, 256)) == -1, "the zeros are the file's own"


@pytest.mark.parametrize("pad", [0, 32, 255])
@pytest.mark.parametrize("data", [UMLAUTS[:40], noise(5, 30), b"a short line of a text"])
def test_a_byte_with_which_a_file_is_filled_up(data: bytes, pad: int) -> None:
    assert padding_in(data, as_ends(data, pad)) == pad
    assert padding_in(data, as_ends(data, 256)) == -1, "no byte"
    assert padding_in(data + bytes([pad]) * 100, as_ends(data, pad)) == -1, "the file's own"
    assert begins_in(data, as_ends(data, pad)) is (len(set(data)) >= 8)
    assert not begins_in(b"x" + data, as_ends(data, pad))
    written = b"\n" + data.strip() + b" \n\n"
    assert begins_in(written, as_ends(written.strip(), pad)) is (len(set(data)) >= 8), "without its blanks"


class Reader(StandIn):
    """Stands for the runs of a model that is sure of a file with its own padding, or with it at any rate."""

    def __init__(self, blind: float) -> None:
        self.blind = blind

    def changed(self, _: int, array: Any) -> Answer:
        is_known = bool((array == 256).any())
        return Answer(5 if is_known or self.blind > 0.9 else 2, 0.97 if is_known else self.blind, 10, 2.0)


def kept(files: Any, computes: Any, rows: int = 257) -> ByteFiles:
    """What is kept of inputs with how sure a model is of them."""
    found = ByteFiles(lambda: files)
    for array, sure in computes:
        found.take(EVENT, [Tensor.from_numpy(array)], 0, Answer(2, sure, 10, 1.0), rows)
    return found


SHORT = [(f"{at}.txt", b"some words of text number %d, and" % at) for at in range(9)]


def test_the_most_doubtful_ones_are_asked_about() -> None:
    sures = [0.99, 0.9, 0.5, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93]
    computes = [(as_ends(data, 0), sure) for (_, data), sure in zip(SHORT, sures, strict=True)]
    assert kept(SHORT, computes[:2]).doubted(3) == [], "a model is surer of what it knows than that"
    due = kept(SHORT, computes).doubted(3)
    assert [one.sent.sure for one in due] == sorted(sures)[:MOST_KEPT]
    assert [one.known.file for one in due][:2] == ["2.txt", "1.txt"]
    assert len(kept(SHORT, computes[:2]).rest()) == 2
    assert kept([], computes).rest() == [], "of no file"
    closed = kept(SHORT, computes)
    closed.close(3)
    closed.take(EVENT, [Tensor.from_numpy(computes[2][0])], 0, Answer(2, 0.5, 10, 1.0), 257)
    assert closed.rest() == []


@pytest.mark.parametrize("pad", [0, 32])
@pytest.mark.parametrize(("rows", "blind", "seen"), [(257, 0.5, True), (257, 0.96, False), (300, 0.8, False)])
def test_what_a_model_says_of_the_next_file(
    pad: int, rows: int, blind: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is sure of the first one, and the files have a byte 0 of their own."""
    monkeypatch.setattr(padding, "Runs", Reader(blind))
    monkeypatch.setattr(both_ends, "Runs", Reader(blind))
    files = [("a.bin", noise(1, 30)), ("b.bin", noise(2, 20) + b"\0" + noise(3, 20))]
    computes = [(as_ends(data, pad), sure) for (_, data), sure in zip(files, (0.99, 0.5), strict=True)]
    due = kept(files, computes, rows).doubted(3)
    assert due[0].sent.sure <= DOUBTED
    said = due[0].said(GRAPH, 0.01, 1.0)
    assert ("with its padding as 256" in said and f"as sent, with {pad}, it is" in said) is seen is bool(said)
    right = [(as_ends(data, 256), 0.5) for _, data in files]
    assert kept(files, right, rows).rest() == []
