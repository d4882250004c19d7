"""The garbage collector rests while a large module is read, and goes on afterwards, whatever comes of it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from pywasm_nn import Module
from pywasm_nn.errors import WasmError
from pywasm_nn.interpreter import defining

TYPES = 40_000
COUNT = (
    TYPES.to_bytes(1, "little")
    if TYPES < 128
    else bytes([TYPES & 127 | 128, TYPES >> 7 & 127 | 128, TYPES >> 14])
)


def section(number: int, content: bytes) -> bytes:
    size = len(content)
    return bytes([number, size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + content


LARGE = b"\0asm\1\0\0\0" + section(1, COUNT + b"\x5e\x78\1" * TYPES)
"""Many types of arrays, 120 KB."""


@pytest.fixture(params=[True, False], ids=["collects", "doesn't collect"])
def collects(request: pytest.FixtureRequest) -> Iterator[bool]:
    was = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if was else gc.disable)()


@pytest.mark.parametrize(
    "data", [LARGE, LARGE[:-1], LARGE + section(7, b"\1\1f\0\0")], ids=["good", "short", "invalid"]
)
def test_the_collector_is_as_it_was(collects: bool, data: bytes) -> None:
    passes = gc.get_stats()[0]["collections"]
    try:
        Module.from_bytes(data)
    except WasmError:
        assert data is not LARGE
    assert gc.isenabled() == collects
    assert gc.get_stats()[0]["collections"] - passes < 20


def test_small_modules_are_read_as_ever(collects: bool) -> None:
    Module.from_text("(module (memory 1))")
    assert gc.isenabled() == collects


def numbered(index: int) -> bytes:
    """A type index of 21 bits, as a heap type."""
    return bytes([index & 127 | 128, index >> 7 & 127 | 128, index >> 14])


CHAIN = [b"\x5f\0", *[b"\x5f\1\x63" + numbered(index) + b"\0" for index in range(TYPES - 1)]]
"""Structures, each of which has one field for the one before."""


def test_types_that_nobody_uses_are_gone_without_the_collector() -> None:
    """What a module leaves would else be collected in the time of whoever comes next."""
    was, known = gc.isenabled(), len(defining._GROUPS)
    gc.disable()
    try:
        module = Module.from_bytes(b"\0asm\1\0\0\0" + section(1, COUNT + b"".join(CHAIN)))
        module.validate()
        assert len(defining._GROUPS) >= known + TYPES - 1
        del module
        assert len(defining._GROUPS) <= known
    finally:
        (gc.enable if was else gc.disable)()


def test_a_type_outlives_its_group_and_its_group_is_the_same_again() -> None:
    text = (
        "(module (rec (type $a (func (param (ref null $b)))) (type (struct)) (type $b (struct (field i32)))))"
    )
    kept = Module.from_text(text).deftypes[0]
    again = Module.from_text(text)
    assert again.deftypes[0] is kept
    assert kept.composite.params[0].heap is again.deftypes[2]
    assert kept.composite.params[0].heap.composite is again.deftypes[2].composite
