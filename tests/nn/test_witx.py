"""The face as guests of every age use it; bad input is in test_witx_errno.py."""

from __future__ import annotations

from struct import pack

import pytest

from pywasm_nn.interpreter.types import I32, FuncType
from pywasm_nn.nn import DType
from pywasm_nn.nn.numbers import type_of
from pywasm_nn.nn.witx import face

from .conftest import ADD_MUL, GUEST_DTYPES, Start, floats

PARAMETERS = {
    "load": 5,
    "load_by_name": 3,
    "init_execution_context": 2,
    "set_input": 3,
    "compute": 1,
    "get_output": 5,
    "load_by_name_with_config": 5,
    "get_output_single": 5,
    "compute_single": 1,
    "fini_single": 1,
    "unload": 1,
    "finalize_execution_context": 1,
}
"""Of i32, by function: the six of wasi-nn.witx and WasmEdge's six."""


def test_the_twelve_functions_have_their_types() -> None:
    types = {name: face.signature(name).type for name in face}
    assert types == {name: FuncType((I32,) * count, (I32,)) for name, count in PARAMETERS.items()}


@pytest.mark.parametrize(
    ("number", "length", "dtype"),
    [
        (0, 12, DType.F16), (1, 24, DType.F32), (2, 48, DType.F64), (3, 6, DType.U8), (4, 24, DType.I32),
        (5, 48, DType.I64),
        (2, 6, DType.U8), (3, 24, DType.I32),  # before August 2023
        (2, 7, DType.F64), (3, 7, DType.U8), (4, 6, DType.I32),  # wrong lengths: today's meaning
    ],
)  # fmt: skip
def test_types_by_number_and_length(number: int, length: int, dtype: DType) -> None:
    assert type_of(number, 6, length) is dtype


def test_an_empty_tensor_has_the_type_of_today() -> None:
    assert type_of(2, 0, 0) is DType.F64


@pytest.mark.parametrize("encoding", [1, 5, 6])
def test_add_and_mul_in_two_contexts(start: Start, encoding: int) -> None:
    guest = start()
    first = guest.ready(encoding=encoding)
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    second = guest.u32()
    for ctx, batch in ((first, 1), (second, 3)):
        for index in (0, 1):
            assert guest.set_input(ctx, index, floats(*range(2 * batch)), dims=(batch, 2)) == 0
    for ctx in (first, second):
        assert guest.call("compute", ctx) == 0
    assert guest.output(first, 0) == (0, floats(0, 2))
    assert guest.output(second, 0) == (0, floats(0, 2, 4, 6, 8, 10))
    assert guest.output(first, 1) == (0, floats(0, 1))
    assert guest.reports == []


def test_an_input_is_a_snapshot(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for index in (0, 1):  # both in the same place, as guests do that reuse a buffer
        assert guest.set_input(ctx, index, floats(index, index), at=0x4000) == 0
    guest.poke(0x4000, floats(9, 9))
    guest.memory.grow(1)
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0) == (0, floats(1, 1))
    guest.poke(0x4000, floats(8, 8))
    assert guest.set_input(ctx, 0, floats(7, 7), at=0x4000) == 0
    assert guest.output(ctx, 0) == (0, floats(1, 1)), "an output changed with an input"


def test_a_model_may_be_overwritten_after_load(start: Start) -> None:
    guest = start()
    assert guest.load(ADD_MUL) == 0
    guest.poke(0x1000, bytes(len(ADD_MUL)))
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    for index in (0, 1):
        assert guest.set_input(0, index, floats(2, 3)) == 0
    assert guest.call("compute", 0) == 0
    assert guest.output(0, 1) == (0, floats(4, 9))


def test_every_dtype_comes_back_as_it_went(start: Start) -> None:
    guest = start()
    assert guest.load(b"FAKE types", encoding=77) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    data = {dtype: bytes(range(3 * dtype.size)) for dtype in GUEST_DTYPES}
    for index, dtype in enumerate(GUEST_DTYPES):
        assert guest.set_input(0, index, data[dtype], dims=[3], type=index) == 0
    for index, number in ((3, 2), (4, 3)):  # u8 and i32 of old guests
        assert guest.set_input(0, index, data[GUEST_DTYPES[index]], dims=[3], type=number) == 0
    assert guest.call("compute", 0) == 0
    for index, dtype in enumerate(GUEST_DTYPES):
        assert guest.output(0, index) == (0, data[dtype])


def test_a_layout_mixed_up_is_named(start: Start) -> None:
    guest = start()
    assert guest.load(b"FAKE picture", encoding=77) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    guest.poke(0x200, pack("<4I", 1, 3, 224, 224))
    guest.poke(0x100, pack("<IIIII", 0x200, 4, 1, 0, 0))
    assert guest.call("set_input", 0, 0, 0x100) == 1
    assert guest.reports == [
        "wasi-nn set_input(ctx 0, index 0, f32[1,3,224,224] 0 bytes) -> invalid_argument: graph 0 "
        'input 0 "in" wants f32[1,224,224,3]; the guest sent NCHW dims [1,3,224,224], the model is NHWC'
    ]


def test_an_exception_of_a_framework_is_a_runtime_error_with_its_words(start: Start) -> None:
    guest = start()
    assert guest.load(b"FAKE broken", encoding=77) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    for index in (0, 1):
        assert guest.set_input(0, index, floats(1, 2)) == 0
    assert guest.call("compute", 0) == 5
    assert guest.reports == [
        "wasi-nn compute(ctx 0) -> runtime_error: fake: ZeroDivisionError: the framework divides by zero"
    ]


def test_unload_leaves_outputs_and_nothing_else(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for index in (0, 1):
        assert guest.set_input(ctx, index, floats(1, 2)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.call("unload", 0) == 0
    assert guest.output(ctx, 0) == (0, floats(2, 4))
    assert guest.call("compute", ctx) == 1
    assert guest.set_input(ctx, 0, floats(1, 2)) == 1
    assert guest.call("init_execution_context", 0, guest.OUT) == 1
    assert guest.call("finalize_execution_context", ctx) == 0
    assert guest.output(ctx, 0)[0] == 1


def test_too_many_parts_and_dimensions_are_refused(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.call("load", 0, 1000, 1, 0, guest.OUT) == 1
    guest.poke(0x100, pack("<IIIII", 0, 1000, 1, 0, 0))
    assert guest.call("set_input", ctx, 0, 0x100) == 1
    assert "a tensor of 1000 dimensions" in guest.reports[-1]


@pytest.mark.parametrize(("dims", "type"), [((1,), 3), ((1,), 1), ((7, 9), 0), ((), 5)])
@pytest.mark.parametrize("prompt", [b"four", b"a longer prompt", b"", b"eight by"])
def test_an_input_of_bytes_takes_them_whatever_type_and_dimensions_say(
    start: Start, dims: tuple[int, ...], type: int, prompt: bytes
) -> None:
    guest = start()
    assert guest.load(b"FAKE bytes", encoding=77) == 0, guest.reports
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
    ctx = guest.u32()
    assert guest.set_input(ctx, 0, prompt, dims, type) == 0, guest.reports
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0) == (0, prompt)
