"""Inputs of which a guest's arithmetic leaves zeros and ones, or nothing."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.budget import Budget, always
from pywasm_nn.watch.sent.arithmetic import Arithmetic, arithmetic_of
from pywasm_nn.watch.sent.emptied import Emptied

BYTES = numpy.random.default_rng(7).integers(0, 17, 100).astype("u1")
LOOP = """(module (memory 1) (data (i32.const 64) "{data}") (func (export "f") (local $i i32) (local $p i32)
  (local $v f32)
  (local.set $p (i32.const 4096))
  (loop $next {body}
    (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 64))))))"""
BYTE = "(f32.convert_i32_u (i32.load8_u offset=64 (local.get $i)))"
GUARDED = f"""(i32.store8 offset=900 (local.get $i) (if (result i32) (f32.lt (local.tee $v
  (f32.div {BYTE} (f32.const 255))) (f32.const 4e9)) (then (i32.trunc_f32_u (local.get $v)))
  (else (i32.const 0))))"""
GROWING = f"(f32.store (local.get $p) {BYTE}) (local.set $p (i32.add (local.get $p) (i32.const {{by}})))"


def module(body: str, data: bytes = b"") -> Any:
    text = "".join(f"\\{byte:02x}" for byte in data)
    return Module.from_text(LOOP.format(body=body, data=text))


def cut(value: str) -> str:
    return f"(i32.store8 offset=900 (local.get $i) (i32.trunc_sat_f32_u {value}))"


def stored(address: str, kind: str = "f32.store offset=512", value: str = BYTE) -> str:
    return f"({kind} {address} {value})"


BODIES = {
    "the index": (stored("(local.get $i)"), Arithmetic(1, 4, 0)),
    "an index and a base": (stored("(i32.add (local.get $i) (local.get $p))"), Arithmetic(1, 4, 0)),
    "two bytes": (stored("(i32.shl (local.get $i) (i32.const 1))"), Arithmetic(2, 4, 0)),
    "a double": (
        stored("(i32.mul (local.get $i) (i32.const 4))", "f64.store", f"(f64.promote_f32 {BYTE})"),
        Arithmetic(4, 8, 0),
    ),
    "an address that grows": (GROWING.format(by=1), Arithmetic(1, 4, 0)),
    "an address that grows by 4": (GROWING.format(by=4), Arithmetic()),
    "one byte": (
        stored("(i32.shl (local.get $i) (i32.const 2))", value=BYTE.replace("$i", "$p")),
        Arithmetic(is_stuck=True),
    ),
    "four times the index": (stored("(i32.shl (local.get $i) (i32.const 2))"), Arithmetic()),
    "backwards": (GROWING.format(by=-4), Arithmetic()),
    "an unrolled loop": (
        stored("(local.get $p)") + stored("(local.get $p)", "f32.store offset=513") + GROWING.format(by=8),
        Arithmetic(1, 4, 0),
    ),
    "planes": (
        stored("(i32.shl (local.get $i) (i32.const 2))")
        + stored("(i32.shl (local.get $i) (i32.const 2))", "f32.store offset=768"),
        Arithmetic(),
    ),
    "one place": (stored("(local.get $p)"), Arithmetic()),
    "bytes": ("(i32.store8 offset=900 (local.get $i) (i32.load8_u (local.get $i)))", Arithmetic()),
    "divided and cut": (cut(f"(f32.div {BYTE} (f32.const 255))"), Arithmetic(0, 0, 255)),
    "multiplied and cut": (cut(f"(f32.mul (f32.const 0.0078125) {BYTE})"), Arithmetic(0, 0, 128)),
    "brought to -1..1 and cut": (
        cut(f"(f32.sub (f32.div {BYTE} (f32.const 127.5)) (f32.const 1))"), Arithmetic(0, 0, 127.5)
    ),
    "by mean and deviation": (
        cut(f"(f32.div (f32.sub (f32.div {BYTE} (f32.const 255)) (f32.const 0.5)) (f32.const 0.25))"),
        Arithmetic(0, 0, 63.75),
    ),
    "guarded": (GUARDED, Arithmetic(0, 0, 255)),
    "quantised": (cut(f"(f32.mul (f32.div {BYTE} (f32.const 255)) (f32.const 128))"), Arithmetic()),
    "made brighter": (cut(f"(f32.mul {BYTE} (f32.const 1.25))"), Arithmetic()),
    "a share as a byte": (cut("(f32.mul (f32.load (local.get $p)) (f32.const 255))"), Arithmetic()),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_what_instructions_do(name: str) -> None:
    body, wanted = BODIES[name]
    found = arithmetic_of(module(body), always)
    assert (found.step, found.width, round(found.divisor, 3)) == (wanted.step, wanted.width, wanted.divisor)


def hints(body: str, array: Any, data: bytes = b"") -> str:
    emptied = Emptied(Budget())
    emptied.attach(module(body, data))
    return " ".join(emptied.set("x", Tensor.from_numpy(numpy.ascontiguousarray(array)[None])))


def overlapping(values: Any, step: int) -> Any:
    """What is left of elements that are stored too near to each other."""
    made = numpy.zeros(values.nbytes, "u1")
    for number, one in enumerate(values):
        made[number * step : number * step + values.itemsize] = numpy.frombuffer(one.tobytes(), "u1")
    return made.view(values.dtype)


@pytest.mark.parametrize("values", [BYTES[:64] / 16, BYTES[:64] / 255, numpy.zeros(64)])
def test_elements_that_overwrite_each_other(values: Any) -> None:
    array = values.astype("f4")
    body = stored("(local.get $i)")
    said = hints(body, overlapping(array, 1))
    assert "elements of 4 bytes are stored (f32.store) at an address that grows by 1 for each" in said
    assert "is the index to be multiplied by 4?" in said
    assert hints(body, array[array > 0]) == ""
    assert hints(stored("(i32.shl (local.get $i) (i32.const 2))"), overlapping(array, 1)) == ""


def test_floats_that_were_cut_to_bytes() -> None:
    body = BODIES["divided and cut"][0]
    for array in numpy.zeros(64, "u1"), (BYTES > 15).astype("u1"), (BYTES > 15).astype("f4"):
        assert "divided by 255 and then made bytes again" in hints(body, array)
        assert hints(BODIES["quantised"][0], array) == ""
    for other in BYTES, (BYTES > 15).astype("i4"), BYTES.astype("f4") / 16:
        assert hints(body, other) == ""


@pytest.mark.parametrize("by", [1, 100 / 16, 255 / 16])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bytes_of_the_program_that_were_divided_as_whole_numbers(by: float, dtype: str) -> None:
    data = (BYTES * by).astype("u1")
    data[5:9] = divisor = int(16 * by)
    array = (data[20:] // divisor).astype(dtype)
    assert f"divided by {divisor} as whole numbers" in hints("", array, bytes(data))
    assert hints("", array, bytes(data[::-1])) == "", "the program has other bytes"
    assert hints("", (data[20:] > 6 * by).astype(dtype), bytes(data)) == "", "a threshold"
    assert hints("", data[20:].astype(dtype) / divisor, bytes(data)) == ""
    begun = numpy.arange(16) < 5
    assert hints("", begun.astype(dtype), bytes([*numpy.where(begun, divisor, BYTES[:16] % 8)])) == "", (
        "a mask"
    )
    mask = (data > 8 * by).astype("u1") * divisor
    assert hints("", (mask // divisor).astype(dtype), bytes(mask)) == "", "a mask has no other levels"
