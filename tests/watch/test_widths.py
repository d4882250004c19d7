"""Classes that are read from elements of another width: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.classes import misplaced
from tests.watch.test_uses_of_answers import asked_of

NAMES = ["oak", "elm", "ash", "yew", "fir", "sallow", "hazel", "lime", "beech", "pine"]


def found(own: str, kind: str, *, named: bool = False, size: int = 10) -> str:
    """What is said of a guest that searches the largest of as many elements of another type."""
    answer = (numpy.arange(size) * 7 % 10 + 1).astype(own).reshape(1, size)

    def say(answers: Sequence[Any]) -> str:
        data = answers[0][0].tobytes()
        data += bytes(max(0, size * numpy.dtype(kind).itemsize - len(data)))
        with numpy.errstate(all="ignore"):
            read = numpy.nan_to_num(numpy.frombuffer(data, kind, size))
        best = int(read.argmax())
        return f"it is {NAMES[best] if named else best}\n"

    return misplaced(asked_of(say, answer, files=[("trees.txt", "\n".join(NAMES).encode())]))


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("own", "kind"),
    [
        ("|u1", "<f4"),
        ("|i1", "<f4"),
        ("|u1", "<i4"),
        ("<f8", "<f4"),
        ("<f4", "<f8"),
        ("<f2", "<f4"),
        ("<f4", "|u1"),
    ],
)
def test_classes_of_another_width(own: str, kind: str, named: bool) -> None:
    assert "follows the elements as if they were" in found(own, kind, named=named)
    assert found(own, own, named=named) == ""


@pytest.mark.parametrize("kind", ["f4", "f8", "u1"])
@pytest.mark.parametrize("keys", ["123A456B789C*0#D ", "0123456789ABCDEF-", "789456123.0=+-*/ "])
def test_keys_with_digits_are_no_places(keys: str, kind: str) -> None:
    answer = (numpy.arange(17) * 7 % 17 + 1).astype(kind).reshape(1, 17)
    asked = asked_of(lambda answers: f"0.17 s: {keys[int(answers[0][0].argmax())]}\n", answer)
    assert misplaced(asked) == ""


@pytest.mark.parametrize("by", [-1, 1])
@pytest.mark.parametrize("named", [False, True])
def test_classes_that_are_one_beside(by: int, named: bool) -> None:
    """Names of the guest's own, too: the width is right."""
    answer = (numpy.arange(10) * 7 % 10 + 1).astype("f4").reshape(1, 10)

    def say(answers: Sequence[Any]) -> str:
        best = int(answers[0][0].argmax()) + by
        return f"it is {[*NAMES, 'none'][best] if named else best}\n"

    asked = asked_of(say, answer)
    asked.own_names = lambda count: [NAMES] if count == len(NAMES) else []
    assert "follows the elements as if" not in misplaced(asked)
