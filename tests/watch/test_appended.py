"""Vectors that are never cleared: each input's elements are appended, and the first ones are sent again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.hints.appended import Appended, cut_doubles
from tests.watch.test_bytes_of_others import memory_with
from tests.watch.test_hints import given
from tests.watch.test_origin import scene

ORDER = numpy.random.default_rng(3305)
AT = 1024
ITEMS = {
    "windows of a picture": [(scene(seed, 12, 12) / 127.5 - 1).astype("f4").reshape(-1) for seed in range(4)],
    "bytes": [scene(seed, 12, 12).reshape(-1) for seed in range(4)],
    "rows of a table": [(ORDER.normal(size=13) * 3 + 9).astype("f4") for _ in range(4)],
    "words": [numpy.int64([101, *ORDER.integers(5, 900, 37), 102, 0]) for _ in range(4)],
}
FEW = ("rows of a table", "bytes")


def sent(
    rounds: Sequence[Any], others: Sequence[int] = (), moves: Callable[[int], int] = lambda _: 0
) -> list[str]:
    """What is said of a first item that is sent in rounds, each with what memory holds from it on, which
    `moves` as a vector grows."""
    kept, said = Appended(), []
    for number, held in enumerate(rounds):
        place = AT + moves(number)
        first = held[0]
        memory = memory_with(b"".join(one.tobytes() for one in held), place)
        said.append(kept.set(0, given(first), memory, place, others))
    return [one for one in said if one is not None]


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("step", [0, 4096])
def test_items_that_are_appended(kind: str, step: int) -> None:
    items = ITEMS[kind]
    grown = [items[: count + 1] for count in range(len(items))]
    said = sent(grown, moves=lambda number: number * step)
    assert said and all("to be cleared" in one for one in said)
    assert bool(sent(grown[:2])) is (kind not in FEW)


@pytest.mark.parametrize("kind", ITEMS)
def test_right_orders(kind: str) -> None:
    one, other, third, last = items = ITEMS[kind]
    assert not sent([[item] for item in items])  # each takes the place of the one before
    assert not sent([[one, other, third, last]] * 4)  # the same one of several that were there before
    assert not sent([[one], [one], [one]])
    assert not sent([items[count:] for count in range(4)])  # one after the other
    answer = [[one], [one, other], [one, other], [one, other]]
    assert not sent(answer, others=[other.nbytes])  # what lies behind it is an answer of the same size
    assert not sent([[one, other], [one, third], [one, last]], others=[one.nbytes])  # two inputs


@pytest.mark.parametrize("kind", ITEMS)
def test_something_else_behind_it(kind: str) -> None:
    """What is put behind the same input is text, zeros or what is far from its elements."""
    one = ITEMS[kind][0]
    for filled in (b"a line of text " * 200, b"\xff\xfe\xfd\x7f" * 300):
        behind = numpy.frombuffer(filled[: one.nbytes], one.dtype)
        if one.dtype != numpy.uint8:
            assert not sent([[one], [one, behind], [one, behind, behind[::-1]]])
    scores = numpy.zeros_like(one)
    scores[: len(one) // 8] = one[: len(one) // 8]
    assert not sent([[one], [one, numpy.zeros_like(one)]])
    assert not sent([[one], [one, scores], [one, scores, scores[::-1]]])


ROWS = {
    "whole numbers": [3, 14, 0, 27, 151, 6],
    "fractions": [2.5, 140.25, -3.125, 9.75, 21.5],
    "a table's line": [6.5, 3.0, 5.75, 2.25],
}


@pytest.mark.parametrize("row", ROWS)
def test_doubles_of_which_half_was_sent(row: str) -> None:
    doubles = numpy.array(ROWS[row], "<f8")
    half = numpy.frombuffer(doubles.tobytes(), "<f4")[: len(doubles)]
    found = cut_doubles(given(half), memory_with(doubles.tobytes(), AT), AT)
    assert found is not None and f"{len(doubles)} doubles together" in found and "weren't sent" in found
    assert cut_doubles(given(half), memory_with(doubles.tobytes(), AT + 4), AT + 4) is None, "not aligned"
    for behind in (b"", b"setosa versicolor virginica", doubles.astype("<f4").tobytes()):
        memory = memory_with(half.tobytes() + behind, AT)
        assert cut_doubles(given(half), memory, AT) is None, "nothing else lies behind it"


@pytest.mark.parametrize(
    "row", [[0, 1.5, 0, 2.5, 0, 1, 0, 2], [0, 2.4, 0, 2.1, 0, 2.7, 0, 1.9], [0, 0.3, 0, 7, 0, 0.1, 0, 9]]
)
def test_floats_between_zeros(row: list[float]) -> None:
    floats = numpy.array(row, "<f4")
    assert cut_doubles(given(floats[:4]), memory_with(floats.tobytes(), AT), AT) is None
