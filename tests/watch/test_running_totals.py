"""Counts of texts whose sums are those of all texts so far, and counts that begin with zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.uncleared import Uncleared

TEXTS = [
    "Cold soup again; the waiter was rude and slow to us!",
    "Fresh bread, superb wine, lovely place.",
    "Morgen gehen alle Kinder sehr gern schwimmen.",
    "Our room smelt bad, lamps flickered.",
]
Count = Callable[[str], Any]


def words(text: str, places: int = 24) -> Any:
    made = numpy.zeros(places)
    for word in text.lower().replace(";", "").replace(",", "").split():
        made[crc32(word.encode()) % places] += 1
    return made


def letters(text: str) -> Any:
    return numpy.array([text.lower().count(chr(97 + at)) for at in range(26)], "f8")


def triples(text: str, places: int = 128) -> Any:
    made = numpy.zeros(places)
    for at in range(len(text) - 2):
        made[crc32(text[at : at + 3].encode()) % places] += 1
    return made


COUNTS: tuple[Count, ...] = (words, letters, triples)


def hints(sent: list[Any], texts: list[str], how: str = "lines") -> list[str]:
    read: list[tuple[str, bytes]] = []
    rule = Uncleared(lambda: read, lambda: sorted(texts) if how == "own" else [])
    if how == "lines":
        read += [("texts.txt", "\n".join(texts).encode()), ("labels.txt", b"good\nbad")]
    said = []
    for text, vector in zip(texts, sent, strict=True):
        if how == "files":
            read.append((f"{len(read)}.txt", text.encode()))
        said.append(rule.wrong(0, Tensor.from_numpy(vector.astype("f4")[None])))
    return [one for one in said if one]


@pytest.mark.parametrize(
    ("count", "how"),
    [(one, how) for one in COUNTS for how in ("lines", "files", "own") if (one, how) != (triples, "own")],
)
def test_counts_of_all_texts_so_far(count: Count, how: str) -> None:
    rows = [count(text) for text in TEXTS]
    found = hints([*numpy.cumsum(rows, axis=0)], TEXTS, how)
    assert len(found) == 1 and "set to 0 before each text" in found[0]
    assert hints(rows, TEXTS, how) == []
    assert hints(rows[::-1], TEXTS, how) == []


@pytest.mark.parametrize("count", COUNTS)
def test_shares(count: Count) -> None:
    rows = [count(text) for text in TEXTS]
    kept = [*numpy.cumsum(rows, axis=0)]
    assert len(hints([one / one.sum() for one in kept], TEXTS)) == 1
    assert len(hints([10 * one / one.sum() for one in kept], TEXTS)) == 1
    assert len(hints([one / numpy.linalg.norm(one) for one in kept], TEXTS)) == 1
    assert hints([one / numpy.linalg.norm(one) for one in rows], TEXTS) == []
    assert len(hints([one / own.sum() for one, own in zip(kept, rows, strict=True)], TEXTS)) == 1
    assert hints([one / one.sum() for one in rows], TEXTS) == []


@pytest.mark.parametrize("count", COUNTS)
def test_two_texts_are_enough(count: Count) -> None:
    rows = [count(text) for text in TEXTS[:2]]
    if count is not triples:  # of these there are fewer than letters
        assert len(hints([rows[0], rows[0] + rows[1]], TEXTS[:2])) == 1
    assert hints(rows, TEXTS[:2]) == []


@pytest.mark.parametrize("count", COUNTS)
def test_texts_that_go_on_on_purpose(count: Count) -> None:
    grown = [" ".join(TEXTS[: at + 1]) for at in range(len(TEXTS))]
    assert hints([count(text) for text in grown], grown) == []


@pytest.mark.parametrize("groups", [1, 3])
def test_shares_of_anything(groups: int) -> None:
    """Histograms of pictures, or of another number of groups, which no text is about."""
    own = numpy.random.default_rng(groups).dirichlet([0.4] * 8, (5, groups)).reshape(5, -1)
    kept = [*numpy.cumsum(own, axis=0)]
    found = hints(kept, [""] * 5)
    assert len(found) == 1 and "counts have to be set to 0" in found[0]
    assert hints([*own], [""] * 5) == hints([one / one.sum() for one in kept], [""] * 5) == []
    board = numpy.cumsum(numpy.eye(9), axis=0)
    assert hints([*board], [""] * 9) == hints([*board / 3], [""] * 9) == []
    assert hints([at * own[0] for at in range(1, 6)], [""] * 5) == [], "one thing that grows"


def test_vectors_before_that_were_no_numbers() -> None:
    sent = [words(text) / 3 for text in ("a b c a", "c d e f", "a c e f d")]
    sent[0][:] = numpy.nan
    assert hints([sent[0], *numpy.cumsum(sent[1:], axis=0)], ["a b c a", "c d e f", "a c e f d"]) == []
