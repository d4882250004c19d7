"""Files of numpy's arrays: whatever their bytes are, an array or a ValueError, and no memory that they only
claim."""

from __future__ import annotations

import io
import tracemalloc
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pywasm_nn.npy import stored_in


def saved(array: Any) -> bytes:
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


@given(
    arrays(
        st.sampled_from(["<f4", ">f8", "u1", "<i8", "?", "<f2", "<U3"]), array_shapes(min_dims=0, min_side=0)
    )
)
def test_what_numpy_saves(array: Any) -> None:
    for one in (array, array.T):
        found = stored_in(saved(one)).array
        assert found.dtype == one.dtype and found.shape == one.shape
        assert found.tobytes() == one.tobytes()


@given(st.data())
def test_files_that_are_cut_off_or_changed(data: st.DataObject) -> None:
    whole = bytearray(saved(numpy.arange(6, dtype="f4").reshape(2, 3)))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, 127))] = data.draw(
            st.sampled_from(b"\0\xff(){}[]',:0123456789<>fiuO#\n\\")
        )
    try:
        found = stored_in(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    except ValueError:
        return
    assert found.raw.nbytes <= 24


def claiming(shape: str, dtype: str = "<f4") -> bytes:
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(64)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(99999, 99999, 99999)", "(-1,)", "(17,)"])
def test_a_shape_that_the_file_only_claims(shape: str) -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="bytes of elements"):
        stored_in(claiming(shape))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "data", [b"", b"\x93NUM", saved(numpy.zeros(3))[:9], claiming("(1,)", "O"), claiming("(")]
)
def test_what_is_no_array(data: bytes) -> None:
    with pytest.raises(ValueError, match="npy file"):
        stored_in(data)
