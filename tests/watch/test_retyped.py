"""Answers whose elements are read as another type, by the numbers that guests write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.retyped import as_bytes, retyped, unlike
from tests.watch.test_uses_of_answers import asked_of


def found(
    own: str, kind: str, form: str, size: int = 4, at: int = 0, *, begin: float = 1, rule: Any = retyped
) -> str:
    """What is said of a guest that reads an answer as another type."""
    answer = numpy.linspace(begin, 3, size).astype(own).reshape(1, size)

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        read = numpy.frombuffer(flat.tobytes() + bytes(-flat.nbytes % 4), kind)
        return form.format(read[at], int(read.argmax()))

    return str(rule(asked_of(say, answer)))


FORMS = ("y = {0:.3f}\n", "class {1} with {0:.2f}\n", "{0:.0%}\n")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("own", "kind", "size", "at"),
    [
        ("<f8", "<f4", 1, 0),
        ("<f8", "<f4", 1, 1),
        ("<f4", "<f8", 4, 1),
        ("|u1", "<f4", 8, 0),
        ("<f2", "<f4", 2, 0),
        ("<i4", "<f4", 1, 0),
        ("|u1", "<f4", 7, 0),
        ("|i1", "<f4", 10, 1),
        ("<i8", "<f8", 2, 0),
    ],
)
def test_numbers_of_another_type(own: str, kind: str, size: int, at: int, form: str) -> None:
    assert "is the buffer declared as another type?" in found(own, kind, form, size, at)
    assert found(own, own, form, size) == ""


@pytest.mark.parametrize("kind", ["<i4", "|u1", "<i2"])
def test_floats_as_whole_numbers(kind: str) -> None:
    assert "f32" in found("<f4", kind, "kind {0} of all\n")
    assert found("<f4", "<f4", "kind {1} of all\n") == ""


@pytest.mark.parametrize(("own", "kind"), [("|u1", "<i4"), ("|u1", "<i2"), ("<i2", "<i4"), ("|u1", "|i1")])
def test_whole_numbers_of_another_size_or_sign(own: str, kind: str) -> None:
    assert "is the buffer declared" in found(own, kind, "{0} points\n", 8)
    assert found(own, own, "{0} points\n", 8) == ""


@pytest.mark.parametrize("form", ["{0:.2f} days\n", "worse by {0:+.3f}\n", "{0:.1%}\n"])
@pytest.mark.parametrize(("own", "kind", "size"), [("<f4", "<f8", 1), ("<f2", "<f4", 1), ("|u1", "<f4", 3)])
def test_an_answer_that_is_shorter_than_what_is_read(form: str, own: str, kind: str, size: int) -> None:
    """The guest has room for one element of its type, which was zeros, and get_output fills a part of it."""
    answer = numpy.linspace(2, 3, size).astype(own).reshape(1, size)

    def hint(read_as: str, room: int = 8) -> str:
        def say(answers: Sequence[Any]) -> str:
            data = answers[0][0].tobytes()
            return (
                form.format(numpy.frombuffer((data + bytes(8))[:8], read_as)[0]) if len(data) <= room else ""
            )

        return str(unlike(asked_of(say, answer)) or retyped(asked_of(say, answer)))

    assert "is the buffer declared as another type?" in hint(kind)
    assert hint(own) == hint(own, answer.nbytes) == ""


def test_numbers_that_stay() -> None:
    assert found("<f8", "<f8", "41 of 83 are done, 117 left ({1})\n") == ""


@pytest.mark.parametrize(("begin", "seen"), [(0.05016, True), (1, True)])
def test_nothing_but_zeros_and_huge_numbers(begin: float, seen: bool) -> None:
    """Which is asked first of all; other numbers may be made of the answer in any way."""
    said = found("<f8", "<f4", "risk {0:.4f}\n", 1, begin=begin, rule=unlike)
    assert (
        "the guest reads the answer's bytes as f32 (from an answer made up of 0.1875 in f32 it makes 0.1875)"
        in said
    ) is seen
    assert found("<f8", "<f8", "risk {0:.4f}\n", 1, begin=begin, rule=unlike) == ""
    assert found("<f4", "<f8", "risk {0:.4f}\n", 4, begin=begin, rule=unlike) == ""


MASK = numpy.linspace(0.001, 0.98, 400, dtype="f4").reshape(1, 20, 20, 1)


@pytest.mark.parametrize("form", ["{0} of 400 pixels\n", "{1:.1f} % are kept\n", "a person at row {2}\n"])
@pytest.mark.parametrize("level", [70, 100, 127, 180])
def test_bytes_of_shares_compared_with_a_level(form: str, level: int) -> None:
    def hint(kept: Any, answer: Any = MASK) -> str:
        def say(answers: Sequence[Any]) -> str:
            seen = kept(answers[0][0].reshape(-1))
            rows = int(seen.argmax()) // 20 if seen.any() else "-"
            return form.format(int(seen.sum()), seen.mean() * 100, rows)

        return as_bytes(asked_of(say, answer))

    assert "bytes of the answer compared with a level" in hint(lambda flat: flat.view("u1")[:400] > level)
    assert hint(lambda flat: flat > level / 255) == hint(lambda flat: flat > 0.8) == ""
    assert hint(lambda flat: flat < level / 255) == hint(lambda flat: flat < -1) == ""
    assert hint(lambda flat: (flat * 255).astype("i4").astype("u1") > level) == ""
    assert hint(lambda flat: flat < -1.2, MASK * 9 - 4) == "", "no shares"
