"""The first and the last bytes of a file, in an input that has the last ones first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.bytewise import begun_alone, begun_half, begun_whole, bytes_in, end_first
from pywasm_nn.watch.whatif import both_ends
from pywasm_nn.watch.whatif.both_ends import (
    Begun,
    beginning_first,
    with_its_end,
    with_the_end,
    with_their_ends,
)
from pywasm_nn.watch.whatif.of_bytes import ByteFiles
from pywasm_nn.watch.whatif.padding import classes_begun
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


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize(("kind", "size"), [("text", 40), ("bytes", 30), ("bytes", 70), ("text", 62)])
def test_a_short_file_in_the_first_half_alone(kind: str, size: int, *, strip: bool) -> None:
    data = data_of(kind, size)
    begin, end = halves(data, 256, strip=strip)
    sent = numpy.concatenate([begin, numpy.full(HALF, 256, "i4")])[None]
    made = begun_alone(data, sent)
    last = numpy.frombuffer(data.rstrip()[-HALF:], "u1")
    assert (made[0, 2 * HALF - len(last) :] == last).all() and (made[0, :HALF] == begin).all()
    assert (made[0, HALF : 2 * HALF - len(last)] == 256).all()
    both = numpy.concatenate([begin, end])[None]
    assert begun_alone(data, both) is None, "both are there"
    assert begun_alone(data, numpy.where(sent == 256, 0, sent)) is None, "whose zeros may be a text's end"
    assert begun_alone(data + b"more of it" * 20, sent) is None
    assert begun_alone(data[:20], sent) is None


class OfItsEnd(Reader):
    """Stands for a model that finds what it knows by the last elements, or by these and those before."""

    def __init__(self, last: int, sure: tuple[float, float]) -> None:
        self._last, self._sure = last, sure

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def changed(self, _: int, array: Any) -> Answer:
        is_at_end = array.reshape(-1)[-1] == self._last
        return Answer(3, self._sure[0 if is_at_end else 1], 10, 1.0)


@pytest.mark.parametrize(
    ("sent", "place", "sure", "seen"),
    [
        (0.8, 5, (0.99, 0.6), True), (0.3, 5, (0.95, 0.3), True),
        (0.8, 3, (0.99, 0.6), False),  # the same as without
        (0.8, 5, (0.9, 0.6), False),
        (0.8, 5, (0.99, 0.98), False),  # wherever it lies
    ],
)  # fmt: skip
def test_what_a_model_says_with_the_end_of_a_short_file(
    sent: float, place: int, sure: tuple[float, float], seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_of("bytes", 50)
    monkeypatch.setattr(both_ends, "Runs", OfItsEnd(data[-1], sure))
    begin, _ = halves(data, 256, strip=False)
    given = Tensor.from_numpy(numpy.concatenate([begin, numpy.full(HALF, 256, "i4")])[None])
    made, answer = begun_alone(data, given.numpy()), Answer(place, sent, 10, 0.5)
    found = with_its_end(GRAPH, [given], 0, made, answer, 0.01, 1.0)
    assert ("was the second half not filled?" in found) is seen is bool(found)
    kept = ByteFiles(lambda: [("photo.bin", data)])
    event: Any = SimpleNamespace(graph_id=1)
    assert not kept.are_short(1)
    assert kept.take(event, [given], 0, answer, 257) and kept.are_short(1)
    (one,) = kept.rest()
    assert one.said(GRAPH, 0.01, 1.0) == found


@pytest.mark.parametrize(("kind", "size"), [("text", 5000), ("bytes", 170), ("bytes", 150), ("text", 60)])
def test_the_beginning_alone(kind: str, size: int) -> None:
    data = data_of(kind, size)
    own = numpy.frombuffer(data.strip(), "u1")[: 2 * HALF].astype("i4")[None]
    made = begun_whole(data, own)
    assert (made is not None) is (size >= 170), "as much longer as a file that goes on is"
    if made is not None:
        assert (made[0, HALF:] == numpy.frombuffer(data.rstrip()[-HALF:], "u1")).all()
        assert (made[0, :HALF] == own[0, :HALF]).all()
        assert begun_whole(data, made) is None
        assert begun_whole(data, numpy.roll(own, 1)) is None


class ByFile(StandIn):
    """Stands for the runs of a model that answers so to the files in turn."""

    def __init__(self, answers: list[tuple[int, float]]) -> None:
        self._answers = [Answer(place, sure, 10, 1.0) for place, sure in answers]
        self.asked = 0

    def left(self, *_: int) -> bool:
        return self.asked < len(self._answers)

    def changed(self, _: int, array: Any) -> Answer:
        self.asked += 1
        return self._answers[self.asked - 1]


@pytest.mark.parametrize(
    ("sent", "others", "names", "seen"),
    [
        ([(1, 0.5), (2, 0.9)], [(4, 0.9), (5, 0.6)], (4, 5), True),
        ([(1, 0.5), (2, 0.9)], [(4, 0.9), (6, 0.6)], (4, 5), False),  # one, by chance
        ([(1, 0.5), (2, 0.9), (6, 0.9)], [(4, 0.9), (5, 0.6), (3, 1.0)], (4, 5, 6), False),  # one is lost
        ([(4, 0.9), (5, 0.9)], [(1, 0.9), (2, 0.9)], (4, 5), False),  # they are right as sent
        ([(1, 0.5), (2, 0.6), (3, 0.7)], [(4, 0.95), (5, 0.99), (6, 0.97)], (), True),
        ([(1, 0.5), (2, 0.6), (3, 0.7)], [(4, 0.95), (5, 0.99), (6, 0.8)], (), False),
        ([(1, 0.5), (2, 0.6)], [(4, 0.95), (5, 0.99)], (), False),  # too few
        ([(1, 0.7)] * 3 + [(2, 1.0)] * 3, [(4, 0.95)] * 3 + [(3, 0.6)] * 3, (), False),  # others are lost
    ],
)  # fmt: skip
def test_what_a_model_says_with_the_ends_of_several(
    sent: list[tuple[int, float]],
    others: list[tuple[int, float]],
    names: tuple[int, ...],
    seen: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(both_ends, "Runs", ByFile(others))
    given = (Tensor.from_numpy(numpy.zeros((1, 2 * HALF), "i4")),)
    several = [
        Begun(given, Answer(place, sure, 10, 1.0), given[0].numpy(), f"{at}.bin", names[at : at + 1])
        for at, (place, sure) in enumerate(sent)
    ]
    found = with_their_ends(GRAPH, several, 0, 0.01)
    assert ("does the model want the beginning and the end?" in found) is seen is bool(found)
    assert with_their_ends(GRAPH, several, 0, 0.01) == "", "there is no time left"


def test_beginnings_are_asked_about_together_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [(f"a.{one}", data_of("bytes", 900 + at)) for at, one in enumerate(["gz", "tif", "txt"])]
    monkeypatch.setattr(both_ends, "Runs", ByFile([(1, 0.9), (3, 0.9), (5, 0.9)]))
    event: Any = SimpleNamespace(graph_id=1)
    read: list[tuple[str, bytes]] = []
    kept = ByteFiles(lambda: read)
    for name, data in files:
        read.append((name, data))
        sent = numpy.frombuffer(data, "u1")[: 2 * HALF].astype("i4")[None]
        assert not kept.take(event, [Tensor.from_numpy(sent)], 0, Answer(7, 0.6, 20, 0.5), 257)
    names = "ace gzip bmp tiff wav jpeg mp3 flac ogg"
    read.append(("kinds.lst", names.replace(" ", "\n").encode()))
    (one,) = kept.rest()
    found = one.said(GRAPH, 0.01, 1.0)
    assert "a.gz gets 1 at 0.90 (a.gz, a.tif: what the name says)" in found
    assert kept.rest() == []


def test_lists_that_are_not_read_to_their_ends() -> None:
    names = "ace gzip bmp tiff wav jpeg mp3 flac og".replace(" ", "\n").encode()
    assert classes_begun("b.jpg", [("kinds", names)], 20) == {5}
    assert classes_begun("b.jpg", [("kinds", names)], 8) == frozenset(), "so many classes there are not"
    assert classes_begun("b.ogg", [("kinds", names)], 20) == frozenset(), "its last line is no whole one"
    assert classes_begun("jpg", [("kinds", names)], 20) == frozenset()
    assert classes_begun("b.jpg", [("text", names.replace(b"bmp", b"two words"))], 20) == frozenset()
