"""Random loops, done with arrays, without numpy and by `interpret`: results, traps and every byte of memory
are the same to the bit, but for the bits of NaNs that arithmetic makes."""

from __future__ import annotations

import struct
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.arrays import course, whole
from pywasm_nn.interpreter.compile.lowering import arrays as lowered

from ..conftest import examples
from .loops import arguments, function

steps = pytest.importorskip("pywasm_nn.interpreter.arrays.steps")
DONE: Counter[bool] = Counter()
"""How often rounds were done at once, and how often not."""


@pytest.fixture(autouse=True, scope="module")
def few_rounds_pay() -> Any:
    """Arrays for loops of few rounds, in small pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "LEAST", 2)
        patch.setattr(course, "LEAST_OUTER", 2)
        patch.setattr(lowered, "LEAST", 0)
        patch.setattr(course, "LEAST_TOGETHER", 0)
        patch.setattr(course, "LEAST_AROUND", 2)
        patch.setattr(course, "LEAST_ADDED", 0)
        for name in ("FEW", "FEW_AROUND", "TOGETHER", "TOGETHER_AROUND", "TOGETHER_ADDED"):
            patch.setattr(lowered, name, 0)
        patch.setattr(steps, "PIECE", 37)
        yield


class Closed(whole.Purse):
    """Numpy can't be imported."""

    def opens(self, instructions: int) -> bool:
        return False


class Counting(whole.Whole):
    def __call__(self, *values: Any) -> Any:
        made = super().__call__(*values)
        DONE[made is not None] += 1
        return made


def memory(seed: int) -> bytes:
    """Numbers of all kinds: bytes, floats that are usual, NaNs and others."""
    random = Random(seed)
    data = bytearray(random.randbytes(65536))
    usual = [0.0, -0.0, 1.0, -1.5, 255.0, 0.1, 3.75, -200.25, 1e9, 1e20, 7.0, 100.5]
    for start in range(0, 65536, 4 if seed % 3 else 12):
        if seed % 2:
            struct.pack_into("<f", data, start, random.choice(usual))
    return bytes(data)


def bits(value: Any) -> Any:
    return struct.pack("<d", value if value == value else float("nan")) if isinstance(value, float) else value


def outcome(text: str, engine: str, values: list[Any], data: bytes) -> tuple[Any, bytes]:
    instance = Module.from_text(text).instantiate(engine=engine)
    found = instance.exports["memory"]
    found.write(0, data)
    try:
        result: Any = [bits(value) for value in instance.exports["run"](*values)]
    except Trap as trap:
        result = trap.kind
    return result, found.read(0, 65536)


@given(st.integers(0, 2**64))
@examples(1200)
def test_loops_are_the_same_with_arrays_and_without(seed: int) -> None:
    random = Random(seed)
    text, step = function(random)
    values = arguments(random, step)
    data = memory(random.randrange(6))
    want = outcome(text, "interpret", values, data)
    for class_, purse in ((Counting, whole.Purse), (whole.Whole, Closed)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(whole, "Whole", class_)
            patch.setattr(whole, "Purse", purse)
            assert outcome(text, "compile", values, data) == want


def test_many_of_them_were_done_at_once() -> None:
    if not DONE:
        test_loops_are_the_same_with_arrays_and_without()
    assert DONE[True] >= 10
