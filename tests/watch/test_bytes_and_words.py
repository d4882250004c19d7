"""Inputs that are bytes of any file, words as they are written in it, and what fills the rest.

Each mistake has a right twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget, Left, never
from pywasm_nn.watch.origin import Origins
from pywasm_nn.watch.origin.bytewise import bytes_in
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from tests.watch.test_false_alarms import all_said, origins_of, reads

LINES = ["[PAD]", "[UNK]", *(f"word{number}" for number in range(30)), "play", "some", "jazz", "snooze"]
NUMBERS = {word: number for number, word in enumerate(LINES)}


def ids_of(text: str, fill: int = 0, length: int = 12) -> list[int]:
    words = [NUMBERS.get(word, 1) for word in text.split()]
    return [*words, *[fill] * (length - len(words))]


@pytest.mark.parametrize(
    ("text", "ids", "words"),
    [
        ("PLAY SOME JAZZ", ids_of("PLAY SOME JAZZ"), "not made lower case"),
        ("PLAY SOME JAZZ", ids_of("play some jazz"), ""),
        ("Play, SOME Jazz!", ids_of("Play, SOME Jazz!"), "not made lower case, and marks were left on words"),
        ("play, (some) jazz!", ids_of("play, (some) jazz!"), "marks were left on words"),
        ("Hum, SOME Jazz!", ids_of("Hum, SOME Jazz!"), ""),  # words that the list doesn't have
        ("PLAY", ids_of("PLAY"), ""),  # one unknown word may be any
        ("Hum That Tune", ids_of("Hum That Tune"), ""),
        ("\ufeffsnooze", ids_of("\ufeffsnooze"), "(BOM)"),
        ("\ufeffsnooze", ids_of("snooze"), ""),
        ("play some jazz", ids_of("play some jazz", -1), "the last 9 elements are -1"),
        (
            "play some jazz",
            ids_of("play some jazz", 1),
            "the last 9 elements are 1 (which stands for unknown",
        ),
        ("play some jazz", ids_of("play some jazz"), ""),
        ("play some jazz", ids_of("play jazz", -1), ""),  # perhaps labels, of which -1 is none
    ],
)
def test_words_as_they_are_written_and_filled(text: str, ids: list[int], words: str) -> None:
    vocabulary = words_in("\n".join(LINES).encode())
    assert vocabulary is not None
    found = looked_up(vocabulary, [text], numpy.array([ids], "i4"), "ids")
    wrong = "" if found is None else found.wrong
    assert words in wrong and bool(words) == bool(wrong)
    mask = looked_up(vocabulary, [text], numpy.array([[1, 1, 1, 0, 0, 0]], "i4"), "attention_mask")
    assert mask is None or mask.wrong == ""


@pytest.mark.parametrize(
    ("text", "ids", "words"),
    [
        ("play some jazz snooze\n", ["play", "some", "jazz", "?"], "the line's end was left on it"),
        ("play some jazz snooze\n", ["play", "some", "jazz", "snooze"], ""),
        ("play some jazz snooze!\n", ["play", "some", "jazz", "?"], ""),  # its mark, perhaps
    ],
)
def test_the_last_word_of_a_line(text: str, ids: list[str], words: str) -> None:
    vocabulary = words_in("\n".join(LINES).encode())
    assert vocabulary is not None
    found = looked_up(vocabulary, ["word1 word2", text], numpy.array([ids_of(" ".join(ids))], "i4"), "ids")
    wrong = "" if found is None else found.wrong
    assert ("the line's end was left on it" in wrong) is bool(words)


@pytest.mark.parametrize(("marks", "is_wrong"), [(",;", True), ("", False)])
def test_a_later_text_when_searches_have_taken_their_time(marks: str, is_wrong: bool) -> None:
    """Of the first text all words are found."""

    class Spent(Budget):
        @contextmanager
        def searching(self) -> Iterator[Left]:
            yield never

    budget = Spent()
    budget.inferred(0.01)
    origins, texts = Origins((), budget), ["play some jazz snooze", "word3, word4, word5; snooze word6"]
    for name, data in (("words.txt", "\n".join(LINES)), ("mail.txt", "\n".join(texts))):
        for event in reads(data.encode(), name):
            origins.host_call(event)
    origins.names["way"] = "ids"
    bare = [text.translate(str.maketrans("", "", ",;" if not marks else "")) for text in texts]
    found = [origins.of(Tensor.from_numpy(numpy.array([ids_of(text)], "i8")), "way") for text in bare]
    assert found[0] is None
    assert (found[1] is not None and "marks were left on words" in found[1].wrong) is is_wrong


def test_elements_that_are_no_numbers_give_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    for odd in (numpy.nan, numpy.inf, 1e30):
        array = numpy.where(numpy.arange(600) % 3, numpy.float32(odd), numpy.float32(3)).astype("f4")
        found = origins_of(b"The tea was cold, and nobody in the harbour cared.").of(Tensor.from_numpy(array))
        assert found is None
    assert not [*recwarn]


@pytest.mark.parametrize("signed", [False, True])
def test_the_bytes_of_a_file_that_is_no_text(signed: bool) -> None:
    data = numpy.random.default_rng(3).integers(0, 256, 4000).astype("u1")
    elements = data[:1024].astype("i1" if signed else "u1").astype("i4")
    found = origins_of(data.tobytes()).of(Tensor.from_numpy(elements[None]))
    assert found is not None and ("as signed" in found.wrong) is signed


@pytest.mark.parametrize(("end", "seen"), [(600, True), (601, False)])
def test_a_length_that_ends_at_the_first_0(end: int, seen: bool) -> None:
    data = numpy.random.default_rng(4).integers(1, 256, 4000).astype("u1")
    data[600] = 0
    elements = numpy.full(2048, 256, "i4")
    elements[:end] = data[:end]
    found = origins_of(data.tobytes()).of(Tensor.from_numpy(elements[None]))
    assert found is not None and ("strlen" in found.wrong) is seen


@pytest.mark.parametrize(
    ("kind", "end", "seen"), [("i4", 128, True), ("i8", 64, True), ("i4", 100, False), ("u1", 128, False)]
)
def test_elements_moved_as_if_they_were_bytes(kind: str, end: int, seen: bool) -> None:
    data = numpy.random.default_rng(5).integers(1, 256, 700).astype("u1")
    for length, is_seen in ((700, seen), (end, False)):
        elements = numpy.zeros(512, kind)
        elements[:end] = data[:end]
        found = origins_of(data[:length].tobytes()).of(Tensor.from_numpy(elements[None]))
        assert found is not None and ("memcpy, memory.copy" in found.wrong) is is_seen


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"\0asm" + b"x" * 50, True),
        (b"asm" + b"x" * 50, False),
        (bytes(64) + b"a sound after silence", False),
        (b"", False),
    ],
)
def test_nothing_of_a_file_that_begins_with_0(data: bytes, seen: bool) -> None:
    said = all_said(numpy.full((1, 64), 256), {"a.bin": data}, kind="i4")
    assert any("strlen" in hint for hint in said) is seen


@pytest.mark.parametrize(("first", "what"), [("0", "digits"), ("a", "small letters"), ("A", "capitals")])
def test_bytes_less_the_first_digit_or_letter(first: str, what: str) -> None:
    data = b"import sys\nprint('Hello, WORLD', 3 * len(sys.argv))\n"
    body = numpy.frombuffer(data, "u1").astype("i4")
    found = bytes_in(data, numpy.append(body - ord(first), [256] * 30).astype("i4"))
    assert found is not None and f"of {what} alone" in found.wrong
    for right in (body, body + 1):
        part = bytes_in(data, numpy.append(right, [256] * 30).astype("i4"))
        assert part is None or part.wrong == ""
    digits = b"31415926535897932384626433832795028841971"
    own = bytes_in(digits, numpy.frombuffer(digits, "u1").astype("i4") - 48)
    assert own is None or own.wrong == "", "digits alone"


@pytest.mark.parametrize("at_end", [False, True])
def test_a_file_that_is_no_text_through_a_decoder(*, at_end: bool) -> None:
    """Its bytes, those of what a decoder makes of them, and of a text in an older code."""
    data = b"\x7fELF\0" + numpy.random.default_rng(3).bytes(400)
    note = ("K\xf6nig, M\xfcller und Gr\xfcn. " * 12).encode("latin-1")
    for file in (data, note):
        for made, words in (
            (file, ""),
            (file.decode("utf-8", "replace").encode(), "the three of U+FFFD (EF BF BD)"),
            (file.decode("latin-1").encode(), "which has two bytes"),
        ):
            sent = numpy.full(512, 256, "i4")
            sent[:200] = [*made[:200]]
            if at_end:
                sent[-200:] = [*made[-200:]]
            part = bytes_in(file, sent.reshape(1, -1))
            wrong = "" if part is None else part.wrong
            assert (words in wrong and bool(wrong) is bool(words)) if file is data else not wrong
