"""What is checked before a backend sees it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn import Code, DType, NNError, Tensor, TensorSpec
from pywasm_nn.nn.inputs import MAX_JSON, fitting, parse_options, shape_hint

SPEC = TensorSpec("x", DType.F32, ("N", 2))


def refusal(spec: TensorSpec, tensor: Tensor, limit: int = 100) -> NNError:
    with pytest.raises(NNError) as caught:
        fitting(spec, tensor, 'model "m" input 0 "x"', limit)
    return caught.value


@given(st.sampled_from(DType), st.lists(st.integers(0, 3), max_size=3), st.integers(0, 80))
def test_only_what_fits_passes(dtype: DType, shape: list[int], length: int) -> None:
    tensor = Tensor(dtype, tuple(shape), bytes(length))
    if dtype is DType.F32 and len(shape) == 2 and shape[1] == 2 and length == shape[0] * 8:
        assert fitting(SPEC, tensor, "x", 100) is tensor
    else:
        assert refusal(SPEC, tensor).code is Code.INVALID_ARGUMENT


def test_the_limit() -> None:
    error = refusal(SPEC, Tensor(DType.F32, (13, 2), bytes(104)))
    assert error.code is Code.TOO_LARGE
    assert error.reason == 'model "m" input 0 "x": f32[13,2] is 104 bytes, the limit is 100'


@pytest.mark.parametrize(
    ("wanted", "given_as", "length", "words"),
    [
        (
            DType.I32,
            DType.U8,
            48,
            "; the 48 bytes are 6 elements of 64 bits (such as i64 or f64), and i32 has 32",
        ),
        (DType.F32, DType.F32, 48, "given were 48; the 48 bytes are 6 elements of 64 bits"),
        (DType.F64, DType.F64, 24, "given were 24; the 24 bytes are 6 elements of 32 bits"),
        (DType.F32, DType.F32, 6, "given were 6 (sizes are in bytes, not elements)"),
        (DType.F32, DType.F32, 50, "given were 50"),
        (DType.I32, DType.U8, 6, "elements of another type (u8, wanted is i32)"),
        (DType.I32, DType.U8, 24, "elements of another type (u8, wanted is i32)"),
    ],
)
def test_bytes_of_another_width(wanted: DType, given_as: DType, length: int, words: str) -> None:
    reason = refusal(TensorSpec("x", wanted, (1, 6)), Tensor(given_as, (1, 6), bytes(length))).reason
    assert words in reason
    assert "bits" in words or reason.endswith(words)


def test_one_element_stands_for_a_scalar() -> None:
    spec = TensorSpec("x", DType.F32, ())
    assert fitting(spec, Tensor(DType.F32, (1,), bytes(4)), "x", 100).shape == ()
    assert refusal(spec, Tensor(DType.F32, (2,), bytes(8))).code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("declared", "shape", "words"),
    [
        ((1, 224, 224, 3), (1, 3, 224, 224), "the guest sent NCHW dims [1,3,224,224], the model is NHWC"),
        (("N", 3, 8, 9), (5, 8, 9, 3), "the guest sent NHWC dims [5,8,9,3], the model is NCHW"),
        ((1, 8, 8, 3), (8, 8, 3), "the guest gave f32[8,8,3], the batch dimension in front is missing"),
        ((1, 8, 8, 3), (1, 9, 9, 3), None),
        ((4, 4), (5, 5), None),
        ((None, 13), (13, 5), "the guest gave f32[13,5]; are rows and columns swapped?"),
        ((None, 13), (12, 5), None),
    ],
)
def test_hints(declared: tuple[int | None, ...], shape: tuple[int, ...], words: str | None) -> None:
    assert shape_hint(TensorSpec("x", DType.F32, declared), shape, "the guest") == words


@pytest.mark.parametrize(
    ("declared", "shape", "words"),
    [
        ((None, 13), (1, 0), "[1,0]: each second one is 0; are they numbers of 64 bits (usize)?"),
        ((1, 3, 8, 8), (1, 0, 3, 0), "each second one is 0; are they numbers of 64 bits"),
        ((1, 3, 8, 8), (1, 0, 3, 0, 8, 0, 8, 0), "each second one is 0"),
        ((4,), (4, 0), "each second one is 0"),
        ((None, 64), (8, 64, 7, 9, 0, 5, 1, 2), "the first 2 of these 8 fit; is their number given in bytes"),
        ((1, 3, 8, 8), (1, 0, 9, 0), None),
        ((None, 13), (0, 0), None),
        ((None, 64), (8, 65, 7, 9, 0, 5, 1, 2), None),
        ((None, 64), (8, 64, 7, 9), None),
        ((), (4, 0), None),
        (None, (4, 0), None),
    ],
)
def test_dimensions_as_they_lie_in_memory(
    declared: tuple[int | None, ...] | None, shape: tuple[int, ...], words: str | None
) -> None:
    found = shape_hint(TensorSpec("x", DType.F32, declared), shape, "the guest") or ""
    assert (words in found) if words else "bits" not in found and "bytes" not in found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc"), JSON, max_size=4))
def test_options_are_read(options: dict[str, object]) -> None:
    assert parse_options(json.dumps(options).encode()) == options


@given(st.binary(max_size=40) | st.text('[]{}":,1eE.-', max_size=40).map(str.encode))
def test_options_are_a_json_object_or_refused(text: bytes) -> None:
    try:
        assert isinstance(parse_options(text), dict)
    except NNError as error:
        assert error.code is Code.INVALID_ENCODING


@pytest.mark.parametrize(
    "text", [b"[" * 33 + b"]" * 33, b'{"a":' * 33 + b"1" + b"}" * 33, b" " * MAX_JSON + b"{}"]
)
def test_options_too_deep_or_long_are_not_parsed(text: bytes) -> None:
    with pytest.raises(NNError, match="at most"):
        parse_options(text)
