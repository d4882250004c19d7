"""What a failed compute says of inputs whose elements are of another type than the guest's array."""

from __future__ import annotations

from struct import pack

import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.nn.halves import taken_for_others

SPECS = [TensorSpec("ids", DType.I64, (1, "N"))]


def said(dtype: DType, data: bytes) -> str:
    return taken_for_others(SPECS, [Tensor(dtype, (1, len(data) // dtype.size), data)])


@pytest.mark.parametrize("numbers", [[101, 7592, 2088, 102], [17, 10], [5, 9, -1, -1], [3, 1, 0, 0, 0, 0]])
def test_two_whole_numbers_in_one(numbers: list[int]) -> None:
    found = said(DType.I64, pack(f"<{len(numbers)}i", *numbers))
    assert f"is {numbers[0]} and {numbers[1]} in one" in found
    assert "was given as i64" in found
    assert said(DType.I64, pack(f"<{len(numbers)}q", *numbers)) == ""
    assert said(DType.I32, pack(f"<{len(numbers)}i", *numbers)) == ""


@pytest.mark.parametrize("numbers", [[1700000000000, 1700000060000], [1 << 40, 1 << 33], [-5, 9], [0, 0]])
def test_large_numbers_may_be_meant(numbers: list[int]) -> None:
    """Times in milliseconds, and bits."""
    assert said(DType.I64, pack(f"<{len(numbers)}q", *numbers)) == ""


@pytest.mark.parametrize(("dtype", "code"), [(DType.I32, "f"), (DType.I64, "d")])
def test_floats_as_whole_numbers(dtype: DType, code: str) -> None:
    found = said(dtype, pack(f"<4{code}", 12.0, 7.0, 3.0, 0.0))
    assert "is how 12 looks as f" in found
    assert said(dtype, pack(f"<4{code}", 12.5, 7.25, 3.1, 0.3)) == "", "no numbers of anything"


def test_inputs_that_are_not_set() -> None:
    assert taken_for_others(SPECS, [None]) == ""
