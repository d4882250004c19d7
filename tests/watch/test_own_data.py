"""Inputs that begin before the program's own data of their length, and twins that don't."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.watch.hints.own_data import beside_data
from tests.watch.test_bytes_of_others import memory_with
from tests.watch.test_hints import given

AT = 640
KINDS = ("<f4", "<f8", "<i4", "<i8")


def text_of(data: bytes) -> str:
    return "".join(f"\\{one:02x}" for one in data)


def hint(
    numbers: Any, parts: int, begins: int, *, before: bytes = b"", mode: str = "(i32.const {})"
) -> str | None:
    """What is said of an input that begins so many bytes from the data on, which are in some parts."""
    data, width = numbers.tobytes(), numbers.nbytes // parts
    segments = [
        f'(data {mode.format(AT + at)} "{text_of(data[at : at + width])}")'
        for at in range(0, numbers.nbytes, width)
    ]
    module = Module.from_text("(module (memory 1) " + " ".join(segments) + ' (data (i32.const 8) "name"))')
    memory = memory_with(bytes(AT - len(before)) + before + data + bytes(64), 0)
    sent = numpy.frombuffer(bytes(memory.view(AT + begins, numbers.nbytes)), numbers.dtype)
    return beside_data(given(sent), module, memory, AT + begins)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_before_own_data(kind: str, parts: int) -> None:
    numbers = numpy.random.default_rng(4).integers(1, 90, 12).astype(kind)
    width = numbers.dtype.itemsize
    for early in (1, 3):
        said = hint(numbers, parts, -early * width) or ""
        assert (
            f"{early * width} bytes before {numbers.nbytes} bytes of the program's own data at {AT}" in said
        )
    for begins in (0, width, -5 * width, -1):
        assert hint(numbers, parts, begins) is None, begins
    assert hint(numbers, parts, -width, before=b"\x01") is None, "something was written there"
    assert hint(numbers, parts, -width, mode="") is None, "nobody knows where it lies"
    assert hint(numbers[:6], 1, -width) is None, "a few numbers"


def test_data_of_another_length() -> None:
    numbers = numpy.arange(1, 13).astype("f4")
    module = Module.from_text(f'(module (memory 1) (data (i32.const {AT}) "{"a" * 52}"))')
    memory = memory_with(bytes(AT) + numbers.tobytes() + bytes(64), 0)
    assert beside_data(given(numbers), module, memory, AT - 4) is None
