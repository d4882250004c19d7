"""Tensors as values, and their way to numpy and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.nn.tensor import byte_size

NUMERIC = [dtype for dtype in DType if dtype not in (DType.STRING, DType.ANY)]


@pytest.mark.parametrize("dtype", NUMERIC)
def test_numpy_and_back(dtype: DType) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype.numpy_name)
    tensor = Tensor.from_numpy(array, dtype)
    assert tensor.dtype is dtype
    assert len(tensor.view()) == tensor.size == array.nbytes == 6 * dtype.size
    assert np.array_equal(tensor.numpy(), array)
    assert tensor.numpy().dtype == array.dtype
    if dtype is not DType.BF16:
        assert Tensor.from_numpy(array).dtype is dtype


@given(st.lists(st.integers(0, 4), max_size=4))
def test_shapes_survive(shape: list[int]) -> None:
    array = np.ones(shape, "f4")
    tensor = Tensor.from_numpy(array)
    assert tensor.shape == tuple(shape)
    assert tensor.numpy().shape == tuple(shape)
    assert tensor.view().tobytes() == array.tobytes()


def test_only_what_must_be_is_copied() -> None:
    array = np.arange(6, dtype="f4")
    assert np.shares_memory(Tensor.from_numpy(array).numpy(), array)
    assert Tensor.from_numpy(array[::2]).numpy().tolist() == [0, 2, 4]
    assert Tensor.from_numpy(array.astype(">f4")).view().tobytes() == array.tobytes()


def test_numpy_types_that_no_tensor_has() -> None:
    with pytest.raises(ValueError, match="complex128"):
        Tensor.from_numpy(np.zeros(1, complex))


@given(st.lists(st.integers(0, 2**32 - 1), max_size=32))
def test_sizes_do_not_overflow(shape: list[int]) -> None:
    size = 8
    for dimension in shape:
        size *= dimension
    assert byte_size(DType.F64, shape) == size


def test_text() -> None:
    assert str(Tensor(DType.F32, (1, 3, 224, 224), b"")) == "f32[1,3,224,224]"
    assert str(TensorSpec("x", DType.U8, ("N", None, 2))) == "u8[N,?,2]"
    assert str(TensorSpec("x", DType.I64, ())) == "i64[]"
    assert str(TensorSpec("x", DType.I64, None)) == "i64[...]"


@pytest.mark.parametrize(
    ("declared", "shape", "accepted"),
    [
        ((1, 2), (1, 2), True), ((1, 2), (2, 1), False), ((1, 2), (2,), False), (("N", 2), (7, 2), True),
        ((None,), (0,), True), ((None, None), (1,), False), (None, (1, 2, 3), True), ((), (), True),
        ((), (1,), False),
    ],
)  # fmt: skip
def test_shapes_that_a_spec_accepts(
    declared: tuple[int, ...] | None, shape: tuple[int, ...], accepted: bool
) -> None:
    assert TensorSpec("x", DType.F32, declared).accepts_shape(shape) is accepted
