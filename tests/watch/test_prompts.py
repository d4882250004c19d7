"""Prompts of another length than the text, bytes of which some are signed, counts for shares, letters that
are taken byte by byte, and elements whose bytes are turned. Each mistake has right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.prompts import LineEnds, cut_short, half_signed, nuls
from pywasm_nn.watch.hints.values import other_type, whole_shares
from pywasm_nn.watch.origin.letters import letters_in
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from pywasm_nn.watch.tensors import described

ORDER = numpy.random.default_rng(23)


def given(array: Any, name: str = "x", *, takes_bytes: bool = False) -> Input:
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
    spec = TensorSpec(name, tensor.dtype, tensor.shape, takes_bytes=takes_bytes)
    return Input(0, spec, described(spec, tensor), tensor.numbers())


def prompt(text: bytes) -> Input:
    return given(numpy.frombuffer(text, "u1"), "prompt", takes_bytes=True)


@pytest.mark.parametrize("zeros", [1, 25])
def test_a_prompt_with_the_rest_of_its_buffer(zeros: int) -> None:
    text = b"Tell me" + bytes(zeros)
    said = nuls(prompt(text), memoryview(text))
    assert said is not None and f"{zeros} of its {7 + zeros} bytes are 0" in said
    assert nuls(prompt(b"Tell me"), memoryview(b"Tell me")) is None
    assert nuls(prompt(bytes(4)), memoryview(bytes(4))) is None, "a warm-up"
    assert nuls(given(numpy.zeros(9, "u1"), "prompt"), memoryview(text)) is None, "elements"


@pytest.mark.parametrize(
    ("there", "seen"),
    [
        (b"Tell me\0", True),
        (b"Tell m\0e", False),
        (b"Tell m.\0", False),
        (b"Tell m\n\0", False),
        (b"Tell mean", False),
    ],
)
def test_a_prompt_without_its_last_letter(there: bytes, seen: bool) -> None:
    bytes_ = b"?" * 64 + there
    memory: Any = SimpleNamespace(size=len(bytes_), view=lambda at, size: memoryview(bytes_)[at : at + size])
    assert (cut_short(prompt(b"Tell m"), memory, 64) is not None) == seen
    assert cut_short(prompt(b"Tell m"), memory, memory.size - 6) is None, "the end of memory"


def asked(prompts: list[bytes], text: bytes, *, name: str = "prompt") -> list[str]:
    """What is said of prompts that are given one after the other by a guest that has read a text."""
    rule = LineEnds(lambda: [("names.txt", b"a\nb\n"), ("asked.txt", text)])
    spec, said = TensorSpec(name, DType.U8, (None,), takes_bytes=True), []
    for prompt in prompts:
        tensor = Tensor(DType.U8, (len(prompt),), prompt)
        event: Any = SimpleNamespace(
            operation="set_input", index=0, tensors=(tensor,), specs=(spec,), given=()
        )
        said += [text for _, text in rule.nn_event(event)]
    return said


LINES_ASKED = [b"hello", b"Tell me", b"Once upon a time"]


@pytest.mark.parametrize("left", [b"\n", b"\r\n", b"\r"])
def test_line_ends_that_stay_on_prompts(left: bytes) -> None:
    end = b"\n" if left == b"\n" else b"\r\n"
    text = b"".join(one + end for one in LINES_ASKED)
    kept = [one + left for one in LINES_ASKED]
    assert len(found := asked(kept, text)) == 1
    assert '"Tell me" is a line of asked.txt and has' in found[0]
    assert ("CR" in found[0]) is (left == b"\r")
    assert asked(LINES_ASKED, text) == asked(kept[:1], text) == asked(kept[:1] * 3, text) == []
    assert asked(kept, b"another text\n") == asked(kept, text, name="options") == []


def test_line_ends_that_belong_to_prompts() -> None:
    text = b"".join(one + b"\n" for one in LINES_ASKED)
    assert asked([b"User: " + one + b"\nBot:" for one in LINES_ASKED], text) == []
    assert asked([b"Q: " + one + b"\n" for one in LINES_ASKED], text) == []
    assert asked([LINES_ASKED[0], *(one + b"\n" for one in LINES_ASKED)], text) == []
    assert asked([text, text.upper()], text + text.upper()) == []


def test_bytes_of_which_a_part_is_signed() -> None:
    begin, end = ORDER.integers(0, 256, (2, 64))
    signed = end.astype("u1").astype("i1").astype("i4")
    assert "char for unsigned char" in str(half_signed(given(numpy.append(begin, signed).astype("i4"))))
    assert "char for unsigned char" in str(half_signed(given(numpy.append(signed, begin).astype("i8"))))
    for right in (numpy.append(begin, end), ORDER.integers(-128, 257, 128), numpy.append(signed, signed)):
        assert half_signed(given(right.astype("i4"))) is None


@pytest.mark.parametrize(("name", "seen"), [("shares", True), ("letter_fractions", True), ("counts", False)])
def test_counts_in_place_of_shares(name: str, seen: bool) -> None:
    counts = numpy.array([[3, 0, 1, 2, 0, 5]], "f4")
    assert (whole_shares(given(counts, name)) is not None) == seen
    assert whole_shares(given(counts / counts.sum(), name)) is None
    assert ("percents" in str(whole_shares(given(counts / counts.sum() * 100, name)))) == seen
    assert whole_shares(given(numpy.array([[1, 0, 0, 0]], "f4"), name)) is None, "all of one"


ALPHABET = [*"abcdefghijklmnopqrstuvwxyz ", *"äöüßåł"]
LINES = "müde möwe über grün\ngreen street early\nsmå gräs hår\n"


def test_letters_of_several_bytes() -> None:
    line = LINES.splitlines()[0]
    counts = numpy.array([line.count(one) for one in ALPHABET], "f4")
    plain = counts * [one.isascii() for one in ALPHABET]
    for size in (len(line), len(line.encode()), 1):
        found = letters_in(ALPHABET, [LINES], plain[None] / size)
        assert found is not None and "was the text taken byte by byte?" in found.wrong
        assert letters_in(ALPHABET, [LINES], counts[None] / size) is None
    other = numpy.array([LINES.splitlines()[1].count(one) for one in ALPHABET], "f4")
    assert letters_in(ALPHABET, [LINES], other[None]) is None, "a line without such letters"
    assert letters_in(["red", *ALPHABET[:4]], [LINES], plain[None, :5]) is None


WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *(f"{one}{two}le" for one in "bcdfg" for two in "aeiou")]


@pytest.mark.parametrize("high", [1, 2])
def test_numbers_beyond_the_last_word(high: int) -> None:
    vocabulary = words_in("\n".join(WORDS).encode())
    assert vocabulary is not None
    text = WORDS[:3:-3]
    flat = [1, *(WORDS.index(one) + high for one in text), 2, 0, 0]
    found = looked_up(vocabulary, [" ".join(text)], numpy.array([flat], "i8"), "input_ids")
    assert found is not None and f"{high} too high" in found.wrong and "0 to 28" in found.wrong
    assert looked_up(vocabulary, ["something else"], numpy.array([flat], "i8"), "input_ids") is None


@pytest.mark.parametrize("count", [4, 13])
def test_few_elements_with_their_bytes_turned(count: int) -> None:
    numbers = ORDER.normal(0, 2, (1, count)).astype("f4")
    assert "big-endian" in str(other_type(given(numbers.byteswap())))
    assert other_type(given(numbers)) is None
    assert other_type(given((numbers * 1e12).astype("f4"))) is None
