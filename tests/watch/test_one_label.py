"""One whole number for a class, whose bytes a guest reads as a float."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.one_label import misnamed, misread
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


LIST = ("kinds.txt", "\n".join(NAMES).encode())


@pytest.mark.parametrize(
    ("by", "label", "files", "seen"),
    [
        (-1, 2, [LIST], True), (1, 0, [LIST], True), (0, 2, [LIST], False), (-1, 3, [LIST], False),
        (-1, 2, [], False), (-1, 2, [("kinds.txt", b"1 setosa\n2 versicolor\n3 virginica\n")], False),
    ],
)  # fmt: skip
def test_labels_that_are_said_by_the_name_beside(by: int, label: int, files: Any, seen: bool) -> None:
    """Label 3 of three counts from 1."""
    shares = numpy.roll(numpy.array([[0.7, 0.2, 0.1]], "f4"), min(label, 2))

    def say(answers: Sequence[Any]) -> str:
        at = int(answers[0][0][0]) + by
        return f"flower 7: {NAMES[at] if 0 <= at < len(NAMES) else ''}\n"

    asked = asked_of(say, numpy.array([label], "<i8"), shares, files=files)
    assert ("is 1 taken away, or added?" in misnamed(asked)) is seen
