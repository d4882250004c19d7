"""Inputs whose bytes are those of another type, of a vector's header, or of the zeros before the elements."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.records import changed
from pywasm_nn.watch.facts import Compute
from pywasm_nn.watch.hints.appended import are_behind
from pywasm_nn.watch.hints.foreign import addresses
from pywasm_nn.watch.hints.values import other_type, zeros
from tests.watch.test_foreign import given

MEASURED = (numpy.arange(1, 6) / 7).astype("f4")
AT = 2048


class Memory:
    """A page of memory with some bytes in it."""

    size = 1 << 16

    def __init__(self, data: bytes, at: int) -> None:
        self._bytes = bytearray(self.size)
        self._bytes[at : at + len(data)] = data

    def view(self, address: int, size: int) -> memoryview:
        return memoryview(self._bytes)[address : address + size]


def memory_with(data: bytes, at: int = AT) -> Any:
    return Memory(data, at)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (numpy.int32([16000]).view("f4"), "an int (16000)"),
        (numpy.int64([12]).view("f8"), "an int (12)"),
        (numpy.float32([16000]).view("i4"), "a float (16000)"),
        (numpy.float32([16000]), ""),
        (numpy.int32([16000]), ""),
        (numpy.float32([0]), ""),
        (numpy.int32([1 << 30]), ""),
        (numpy.int32([1700000001]), ""),
    ],
)
def test_single_numbers_of_another_type(sent: Any, shown: str) -> None:
    said = other_type(given(sent))
    assert shown in str(said) if shown else said is None


@pytest.mark.parametrize("kind", ["f4", "i8"])
@pytest.mark.parametrize("language", ["C++", "Rust", "AssemblyScript"])
def test_headers_of_short_vectors(kind: str, language: str) -> None:
    elements = (MEASURED * 700).astype(kind)
    end = AT + elements.nbytes
    words = {
        "C++": [AT, end, end],
        "Rust": [len(elements), AT, len(elements)],
        "AssemblyScript": [AT, AT, elements.nbytes],
    }[language]
    sent = numpy.frombuffer((numpy.array(words, "u4").tobytes() + bytes(64))[: elements.nbytes], kind)
    assert "was the address of an object" in str(addresses(given(sent), memory_with(elements.tobytes())))
    assert addresses(given(sent), memory_with(b"")) is None
    assert addresses(given(elements), memory_with(elements.tobytes())) is None


def test_elements_that_were_appended_to_zeros() -> None:
    sent = given(numpy.zeros(5, "f4"))
    memory = memory_with(MEASURED.tobytes(), AT + 20)
    assert are_behind(sent, memory, AT) and not are_behind(sent, memory, AT + 64)
    assert not are_behind(given(MEASURED), memory, AT)
    assert "push_back" in str(zeros(Compute((changed(sent, appended=True),))))


def test_a_sound_of_zeros_beside_single_numbers() -> None:
    inputs = given(numpy.zeros((1, 400), "f4")), given(numpy.float32([50]))
    assert "tone.wav divided as whole numbers" in str(zeros(Compute(inputs), lambda _: "tone.wav"))
    assert zeros(Compute(inputs)) is None
