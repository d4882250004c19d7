"""Texts that go on by a model's answers: with the last letter of the beginning once, and twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.watch.whatif.fed_twice import Step, fed_twice
from pywasm_nn.watch.whatif.sureness import Answer

BEGINNINGS = ([3, 1, 4], [2, 7, 1, 8], [5, 0], [9, 2, 6, 5])
LETTERS = 10


def walk(
    beginnings: Sequence[Sequence[int]], *, twice: bool, own: int = 8, samples: bool = False
) -> list[Step]:
    """Steps of a model whose next letter depends on the two before."""
    order, made = numpy.random.default_rng(1), list[Step]()
    table = order.permuted(numpy.tile(numpy.arange(LETTERS), (LETTERS, 1)), axis=1)
    for beginning in beginnings:
        last, sent = 0, [*beginning, *beginning[-1:] * twice]
        for at in range(len(sent) + own):
            if at >= len(sent):
                answer = made[-1].answer
                assert answer is not None
                sent.append(int(order.integers(LETTERS)) if samples else answer.place)
            made.append(Step(sent[at], at > 0, Answer(int(table[sent[at], last]), 0.9)))
            last = sent[at]
    return made


@pytest.mark.parametrize("own", [5, 20])
def test_the_last_letter_twice(own: int) -> None:
    assert "in all 4 texts the last number of the beginning is sent twice" in fed_twice(
        walk(BEGINNINGS, twice=True, own=own)
    )
    assert fed_twice(walk(BEGINNINGS, twice=False, own=own)) == ""


def test_what_is_no_mistake() -> None:
    assert fed_twice(walk(BEGINNINGS[:2], twice=True)) == "", "two texts"
    assert fed_twice(walk(BEGINNINGS, twice=True, own=2)) == "", "hardly anything follows"
    assert fed_twice(walk(BEGINNINGS, twice=True, samples=True)) == "", "letters that are drawn"
    double = [[1, 4, 4], [3, 7, 7], [2, 6]]
    assert fed_twice(walk(double, twice=False)) == "", "some texts end so"
    assert fed_twice([]) == ""
