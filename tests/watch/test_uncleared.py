"""Counts of words that were not set to 0 between texts."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.uncleared import Uncleared

TEXTS = [
    "my parcel has not come and the driver left no note",
    "the invoice was charged twice, please pay the amount back",
    "mein Drucker stürzt ab, und die Anzeige bleibt schwarz schwarz",
    "hello there, this chair came broken and I want another one",
]


def counts(text: str, places: int = 300) -> Any:
    made = numpy.zeros(places)
    for word in text.split():
        made[crc32(word.encode()) % places] += 1
    return made


def by_length(vector: Any) -> Any:
    return vector / numpy.linalg.norm(vector)


WAYS = {
    "plain": lambda vector: vector,
    "length": by_length,
    "weights": lambda vector: by_length(vector * (1 + numpy.arange(len(vector)) % 7)),
}


def hints(sent: list[Any], texts: list[str], *, in_lines: bool = False, kind: str = "f4") -> list[str]:
    read: list[tuple[str, bytes]] = [("labels.txt", b"a\nb")]
    if in_lines:
        read = [("all.txt", "\n".join(texts).encode())]
    rule, said = Uncleared(lambda: read), []
    for number, vector in enumerate(sent):
        if not in_lines:
            read.append((f"{number}.txt", texts[number].encode()))
        said.append(rule.wrong(0, Tensor.from_numpy(vector.astype(kind)[None])))
    return [one for one in said if one]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("in_lines", [False, True])
def test_counts_of_the_texts_before_stay(way: str, in_lines: bool) -> None:
    rows = [counts(text) for text in TEXTS]
    kept = [WAYS[way](one) for one in numpy.cumsum(rows, axis=0)]
    found = hints(kept, TEXTS, in_lines=in_lines)
    assert len(found) == 1 and "counts have to be set to 0 before each text" in found[0]
    assert hints([WAYS[way](one) for one in rows], TEXTS, in_lines=in_lines) == []


@pytest.mark.parametrize("way", ["length", "weights"])
def test_a_vector_that_is_scaled_in_its_place_and_kept(way: str) -> None:
    kept, vector = [], numpy.zeros(300)
    for text in TEXTS:
        vector = WAYS[way](vector + counts(text))
        kept.append(vector)
    assert len(hints(kept, TEXTS)) == 1


def test_the_bytes_of_texts_are_no_counts() -> None:
    """A text's first bytes, and its last ones at the end: a longer one fills all places of a shorter one."""

    def both_ends(text: str, size: int) -> Any:
        made, octets = numpy.zeros(300), numpy.frombuffer(text.encode()[:size], "u1")
        made[: len(octets)], made[-len(octets) :] = octets, octets
        return made

    sizes = [12, 14, 14, 14]
    sent = [both_ends(*pair) for pair in zip(TEXTS, sizes, strict=True)]
    assert hints(sent, TEXTS) == hints(sent, TEXTS, kind="i4") == []


def test_what_goes_on_on_purpose() -> None:
    grown = [" ".join(TEXTS[: count + 1]) for count in range(len(TEXTS))]
    assert hints([counts(text) for text in grown], grown) == []
    masks = [numpy.arange(300) < len(text.split()) for text in grown]
    assert hints(masks, TEXTS) == hints(masks, TEXTS, kind="i4") == []
    letters = [counts(" ".join(text.lower()), 64) for text in grown]
    assert hints(letters, grown) == []


BATCHES = [*TEXTS, *(" ".join(word + chr(97 + number) for word in TEXTS[0].split()) for number in range(6))]


def batches(size: int, *, cleared: bool) -> list[Any]:
    """The texts in batches of rows of counts, of which the last may not be filled."""
    made, rows = [], numpy.zeros((size, 300))
    for begin in range(0, len(BATCHES), size):
        rows = rows * (not cleared)
        for row, one in enumerate(BATCHES[begin : begin + size]):
            rows[row] += counts(one)
        made.append(rows.copy())
    return made


@pytest.mark.parametrize("size", [2, 3, 4])
def test_counts_that_stay_in_the_rows_of_a_batch(size: int) -> None:
    def found(sent: list[Any], texts: list[str]) -> list[str]:
        rule = Uncleared(lambda: [("all.txt", "\n".join(texts).encode())])
        said = [rule.wrong(0, Tensor.from_numpy(one.astype("f4"))) for one in sent]
        return [one for one in said if one]

    stale = batches(size, cleared=False)
    assert len(said := found(stale, BATCHES)) == 1 and f"each of {size} rows" in said[0]
    assert found(batches(size, cleared=True), BATCHES) == []
    assert found(stale, [BATCHES[0]] * 10) == [], "texts that go on"
    assert found([one[:, :40] for one in stale], BATCHES) == []
