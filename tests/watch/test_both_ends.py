"""The first and the last bytes of a file, in an input that has the last ones first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.bytewise import bytes_in, end_first
from pywasm_nn.watch.whatif import both_ends
from pywasm_nn.watch.whatif.both_ends import MOST_ASKED, BothEnds, beginning_first
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
    [(0.3, 0.97, True), (0.6, 0.97, True), (0.9, 0.97, False), (0.3, 0.5, False), (0.96, 0.97, False)],
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


def test_a_few_files_are_asked_about() -> None:
    data = data_of("bytes", 5000)
    begin, end = halves(data, 256, strip=False)
    ends = BothEnds(lambda: [("a.bin", data), ("b.txt", b"other words")])
    right, wrong = (Tensor.from_numpy(numpy.concatenate(one)[None]) for one in ((begin, end), (end, begin)))
    assert [ends.place(1, right) for _ in range(9)] == [0] * 9
    assert [ends.place(1, wrong) for _ in range(9)] == [HALF] * MOST_ASKED + [0] * (9 - MOST_ASKED)
    assert BothEnds(lambda: []).place(1, wrong) == 0
