"""One whole number for a class, whose bytes a guest reads as a float."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.one_label import misread
from tests.watch.test_uses_of_answers import asked_of

NAMES = ("setosa", "versicolor", "virginica")


def found(own: str, read: str, say: Callable[[Any], str]) -> str:
    """What is said of a guest that reads a label as another type."""

    def written(answers: Sequence[Any]) -> str:
        data = answers[0][0].tobytes()
        return say(numpy.frombuffer(data[: numpy.dtype(read).itemsize], read)[0])

    return str(misread(asked_of(written, numpy.array([2], own))))


@pytest.mark.parametrize(("own", "read"), [("<i8", "<f4"), ("<i8", "<f8"), ("<i4", "<f4")])
def test_labels_that_are_read_as_floats(own: str, read: str) -> None:
    assert "as which all small labels are 0" in found(own, read, lambda label: f"{NAMES[int(label) % 3]}\n")
    said = found(own, read, lambda label: "spam\n" if label > 0.5 else "ham\n")
    assert "as which all small labels are 0" in said


@pytest.mark.parametrize(
    "say",
    [
        lambda label: f"{NAMES[int(label) % 3]}\n",
        lambda label: "many\n" if label >= 5 else "few\n",
        lambda label: "done\n",
        lambda label: f"{label}\n",
    ],
)
@pytest.mark.parametrize("read", ["<i4", "<i8"])
def test_labels_that_are_read_as_they_are(say: Callable[[Any], str], read: str) -> None:
    assert found("<i8", read, say) == ""
