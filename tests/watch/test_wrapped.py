"""Lines' ends of a file that are taken for letters of its sequence."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.wrapped import line_ends_in

ORDER = numpy.random.default_rng(4)
KINDS = "ACDEFGHIKLMNPQRSTVWY"


def file(kinds: str, length: int, end: str = "\n", header: str = ">one thing\n") -> bytes:
    letters = "".join(ORDER.choice(list(kinds), 3 * length + length // 2))
    lines = [letters[at : at + length] for at in range(0, len(letters), length)]
    return (header.replace("\n", end) + end.join(lines) + end).encode()


def numbers(text: str, kinds: str, other: int) -> Any:
    return numpy.array([kinds.find(one) if one in kinds else other for one in text])


def one_hot(own: Any, kinds: int) -> Any:
    return numpy.where((own >= 0)[:, None], numpy.eye(kinds)[own], 0).astype("f4")


@pytest.mark.parametrize(("kinds", "length"), [("ACGT", 20), (KINDS, 60), ("acgt", 9)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("header", ["", ">one thing\n"])
def test_ends_of_lines_as_letters(kinds: str, length: int, end: str, header: str) -> None:
    data = file(kinds, length, end, header)
    text = data.decode()[len(header.replace("\n", end)) :]
    for own, other in ((text, True), (text.replace(end, ""), False)):
        hot = one_hot(numbers(own[: 3 * length], kinds, -1), len(kinds))
        ids = numbers(own[: 3 * length], kinds, len(kinds))
        whole = one_hot(numbers(own, kinds, -1), len(kinds))
        padded = numpy.concatenate([whole, numpy.zeros((length, len(kinds)))])
        for array in (hot[None], hot.T[None].copy(), padded.T[None].copy(), ids[None]):
            said = line_ends_in(array, [("x.txt", b"a b c"), ("a.fasta", data)])
            assert ("ends of the lines of a.fasta" in said) == other, (said, array.shape)


def test_other_texts_and_the_bytes_themselves() -> None:
    words = b"one two three four\nfive six seven ei\nnine ten eleven tw\n"
    letters = list("abcdefghijklmnopqrstuvwxyz ")
    hot = one_hot(numbers(words.decode(), "".join(letters), -1), 27)
    assert line_ends_in(hot[None], [("a.txt", words)]) == ""
    data = file("ACGT", 20)
    own = numpy.frombuffer(data, "u1").astype("i8")
    assert line_ends_in(own[None], [("a.fasta", data)]) == "", "the bytes of a file"
    assert line_ends_in(numpy.zeros((0, 5), "f4"), [("a.fasta", data)]) == ""
    other = one_hot(ORDER.integers(4, size=60), 4)
    assert line_ends_in(other[None], [("a.fasta", data)]) == ""
