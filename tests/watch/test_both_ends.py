"""The first and the last bytes of a file, in an input that has the last ones first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.bytewise import begun_half, bytes_in, end_first
from pywasm_nn.watch.whatif import both_ends
from pywasm_nn.watch.whatif.both_ends import beginning_first, with_the_end
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bytes")])
HALF = 64


def data_of(kind: str, size: int) -> bytes:
    random = numpy.random.default_rng(size)
    if kind == "text":
        words = ["harbour", "tea", "cold", "rain", "stone", "bridge", "lamp", "seven"]
        text = " ".join(words[one] for one in random.integers(0, 8, size))
        return b"  " + text.encode()[:size] + b"\n"
    return random.integers(1, 256, size).astype("u1").tobytes()


def halves(data: bytes, pad: int, *, strip: bool) -> tuple[Any, Any]:
    """The first and the last bytes of a file, padded where they are short."""
    own = numpy.frombuffer(data.strip() if strip else data, "u1").astype("i4")
    begin, end = numpy.full(HALF, pad, "i4"), numpy.full(HALF, pad, "i4")
    count = min(HALF, len(own))
    begin[:count], end[HALF - count :] = own[:count], own[len(own) - count :]
    return begin, end


@pytest.mark.parametrize("pad", [0, 256])
@pytest.mark.parametrize("size", [40, 100, 5000])
@pytest.mark.parametrize("kind", ["text", "bytes"])
def test_the_end_before_the_beginning(kind: str, size: int, pad: int) -> None:
    data = data_of(kind, size)
    for strip in (True, False):
        begin, end = halves(data, pad, strip=strip)
        wrong, right = numpy.concatenate([end, begin])[None], numpy.concatenate([begin, end])[None]
        assert end_first(data, wrong) == HALF
        found = bytes_in(data, wrong)
        assert found is not None and found.wrong == "" and "from element 64 on its beginning" in found.said
        assert end_first(data, right) == 0
        assert end_first(data + b"more of it, and no end", wrong) == 0, "its end is another"
        odd = wrong.copy()
        odd[0, HALF - 3] += 1
        assert end_first(data, odd) == 0


@pytest.mark.parametrize("seed", range(20))
def test_other_parts_of_a_file(seed: int) -> None:
    random = numpy.random.default_rng(seed)
    data = data_of("bytes", 3000)
    at = sorted(random.integers(100, 2800, 2).tolist())
    own = numpy.frombuffer(data, "u1").astype("i4")
    for parts in ([own[at[0] : at[0] + HALF], own[:HALF]], [own[-HALF:], own[at[1] : at[1] + HALF]]):
        assert end_first(data, numpy.concatenate(parts)[None]) == 0


class Reader(StandIn):
    """Stands for the runs of a model that knows a file by its beginning, and no other."""

    sure, blind = 0.97, 0.3

    def changed(self, _: int, array: Any) -> Answer:
        is_known = array[0, 0] == data_of("bytes", 5000)[0]
        return Answer(5, self.sure, 10, 4.0) if is_known else Answer(2, self.blind, 10, 0.2)


@pytest.mark.parametrize(
    ("sent", "sure", "seen"),
    [(0.3, 0.97, True), (0.6, 0.97, True), (0.9, 0.97, True), (0.3, 0.5, False), (0.96, 0.97, False)],
)
def test_a_model_that_is_surer_of_the_beginning_first(
    sent: float, sure: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader()
    reader.sure = sure
    monkeypatch.setattr(both_ends, "Runs", reader)
    begin, end = halves(data_of("bytes", 5000), 256, strip=False)
    given = [Tensor.from_numpy(numpy.concatenate([end, begin])[None])]
    said = beginning_first(GRAPH, given, 0, HALF, Answer(2, sent, 10, 1.5), 0.01)
    assert ("are the two exchanged" in said) is seen
    assert bool(said) is seen


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("pad", [0, 256])
@pytest.mark.parametrize(("kind", "size"), [("text", 5000), ("bytes", 300), ("bytes", 70), ("text", 40)])
def test_a_half_that_is_left_unfilled(kind: str, size: int, pad: int, *, strip: bool) -> None:
    data = data_of(kind, size)
    begin, end = halves(data, pad, strip=strip)
    right, empty = numpy.concatenate([begin, end])[None], numpy.full(HALF, pad, "i4")
    made = begun_half(data, numpy.concatenate([begin, empty])[None])
    assert (made is not None) is (size >= 2 * HALF)
    if made is not None:
        last = numpy.frombuffer(data.rstrip()[-HALF:], "u1")
        assert (made[0, HALF:] == last).all() and (made[0, :HALF] == begin).all()
    assert begun_half(data, right) is None or size < 2 * HALF
    quarter = numpy.concatenate([begin[:32], numpy.full(96, pad, "i4")])[None]
    assert begun_half(data, quarter) is None, "as much as somebody chose"
    more = numpy.concatenate([numpy.frombuffer((data * 3)[:100], "u1"), numpy.full(28, pad, "i4")])[None]
    assert begun_half(data * 3, more) is None


class WithEnd(Reader):
    """Stands for the runs of a model, which say this of the input with a file's end."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def changed(self, _: int, array: Any) -> Answer:
        return self._answer


@pytest.mark.parametrize(
    ("sent", "place", "sure", "seen"),
    [
        (0.7, 3, 0.8, True), (0.7, 5, 0.9, True), (0.7, 5, 0.8, False), (0.7, 3, 0.6, False),
        (0.2, 3, 0.4, False), (0.7, 3, 0.75, False),
    ],
)  # fmt: skip
def test_what_a_model_says_with_the_end(
    sent: float, place: int, sure: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(both_ends, "Runs", WithEnd(Answer(place, sure, 10, 1.0)))
    data = data_of("bytes", 5000)
    given = Tensor.from_numpy(
        numpy.concatenate([halves(data, 256, strip=False)[0], numpy.full(HALF, 256, "i4")])[None]
    )
    made = begun_half(data, given.numpy())
    found = with_the_end(GRAPH, [given], 0, made, Answer(5, sent, 10, 0.5), 0.01, 1.0)
    assert ("was the second half not filled?" in found) is seen is bool(found)
