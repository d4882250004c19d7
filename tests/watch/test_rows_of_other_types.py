"""Rows of a batch and of scored places that guests read as another type, or each from the next element on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import alike, batches, letters, offsets, whether
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.rows import of_another_width
from tests.watch.test_uses_of_answers import Say, asked_of


def digits(step: int) -> Say:
    """A guest that says the best of ten classes of each row, and takes it from so many elements on."""

    def said(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        best = [int(flat[step * row : step * row + 10].argmax()) for row in range(6)]
        return "".join(f"row {row} is a {one}\n" for row, one in enumerate(best))

    return said


def test_digits_of_rows_that_begin_at_each_element() -> None:
    answer = numpy.random.default_rng(5).random((6, 10)).astype("f4")
    for rule in (letters.misspelled, batches.unaligned):
        assert rule(asked_of(digits(10), answer)) == ""
    assert letters.misspelled(asked_of(digits(1), answer)) == ""
    assert "begin one element after the other" in batches.unaligned(asked_of(digits(1), answer))


@pytest.mark.parametrize("between", ["", " ", ", "])
@pytest.mark.parametrize("count", [3, 4, 7])
def test_labels_in_one_line(between: str, count: int) -> None:
    def say(kind: str) -> Say:
        def said(answers: Sequence[Any]) -> str:
            labels = numpy.frombuffer(answers[0][0].tobytes(), kind)[:count]
            return "labels\n" + between.join("MB"[int(one != 0)] for one in labels) + "\n"

        return said

    answer = numpy.array([1, 0, 1, 1, 0, 0, 1][:count], "i8")
    assert offsets.misaddressed(asked_of(say("i8"), answer)) == ""
    assert "elements of 4 bytes" in offsets.misaddressed(asked_of(say("i4"), answer))


@pytest.mark.parametrize(
    ("kind", "read", "said"),
    [
        ("f8", 7, "float for double"),
        ("f8", 15, ""),
        ("f4", 30, "double for float"),
        ("i8", 7, "i32"),
        ("f4", 7, ""),
    ],
)
def test_the_place_of_a_row_of_another_type(kind: str, read: int, said: str) -> None:
    found = of_another_width(numpy.zeros(31, kind), 15, read)
    assert said in found if said else found == ""


@pytest.mark.filterwarnings("error")
def test_rows_far_below_the_largest_give_no_warning() -> None:
    answer = numpy.array([[1e30, 2.0, 3.0], [0.5, 0.1, 0.2], [4.0, 5.0, 6.0]], "f4")
    said = asked_of(lambda answers: "".join(f"{row.max():.3f}\n" for row in answers[0][0]), answer)
    assert alike.across(said, said.outputs[0]) == ""


def meter(kind: str, way: str) -> Say:
    """A guest that reads labels as one type and puts them together, without any line for each."""

    def said(answers: Sequence[Any]) -> str:
        labels = numpy.frombuffer(answers[0][0].tobytes(), kind)[: answers[0][0].size].tolist()
        if way == "number":
            return f"reading: {sum(int(one) * 10**at for at, one in enumerate(labels[::-1]))} m3\n"
        if way == "names":  # without a name it is nothing that is known
            names = [{0: "red", 1: "blue", 2: "green", 3: "grey"}.get(one, "?") for one in labels]
            return f"colours {'-'.join(names)}.\n"
        if way == "counts":
            return f"{labels.count(0)} of the first, {labels.count(1)} and {labels.count(2)}\n"
        return f"the first half: {labels[: len(labels) // 2]}\n"

    return said


@pytest.mark.parametrize("way", ["number", "names", "counts", "part"])
@pytest.mark.parametrize("count", [4, 5, 9])
def test_labels_that_are_put_together(way: str, count: int) -> None:
    answer = numpy.array([2, 1, 3, 0, 2, 2, 1, 3, 1][:count], "i8")
    sent = [Sent("x", (count, 8), None, None)]
    found = offsets.misaddressed(asked_of(meter("i4", way), answer, sent=sent))
    assert "read as elements of 4 bytes" in found or way == "part"
    assert offsets.misaddressed(asked_of(meter("i8", way), answer, sent=sent)) == ""
    assert offsets.misaddressed(asked_of(meter("i4", way), answer.astype("i4"), sent=sent)) == ""


def list_of(kept: int, ways: int, *, all_of_first: bool = False) -> Say:
    """A guest that copies so many bytes of the answer, 0 for all (the rest is 0), and then says a class of
    each of seven inputs."""

    def said(answers: Sequence[Any]) -> str:
        own = numpy.ascontiguousarray(answers[0][0])
        data = own.tobytes()
        flat = numpy.frombuffer(data[: kept or len(data)].ljust(len(data), b"\0"), own.dtype)
        rows = flat.reshape(len(own), -1)
        rows = rows[:1].repeat(len(rows), axis=0) if all_of_first else rows
        of_each = rows.argmax(axis=1) if ways > 1 else (rows[:, 0] > 0).astype(int)
        lines = [f"patient {at}\t{NAMES[int(one)]}\n" for at, one in enumerate(of_each)]
        return "".join(lines) + f"{int((of_each == 1).sum())} malignant\n"

    return said


NAMES = ("benign", "malignant", "unknown", "unclear", "none")


@pytest.mark.parametrize("ways", [1, 2, 3, 5])
@pytest.mark.parametrize("kept", [4, 8, 12])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_a_pointer_is_copied(kept: int, ways: int, kind: str) -> None:
    random = numpy.random.default_rng(ways + kept)
    answer, rows = random.normal(size=(7, ways)).astype(kind), random.normal(size=(7, 4)).astype("f4")
    sent = [Sent("x", rows.shape, rows, None)]
    found = whether.first_alone(asked_of(list_of(kept, ways), answer, sent=sent))
    is_whole_rows = ways > 1 and kept % (ways * answer.itemsize) == 0
    is_cut = kept % answer.itemsize != 0
    assert is_whole_rows or is_cut or f"sizeof, {kept} bytes" in found
    for right in (list_of(0, ways), list_of(0, ways, all_of_first=True)):
        assert whether.first_alone(asked_of(right, answer, sent=sent)) == ""
    rows[2:] = 0
    padded = [Sent("x", rows.shape, rows, None)]
    assert whether.first_alone(asked_of(list_of(kept, ways), answer, sent=padded)) == ""
    answer[:] = answer[:1]
    assert whether.first_alone(asked_of(list_of(0, ways), answer, sent=sent)) == ""
