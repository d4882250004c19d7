"""WAMR's `wasi_nn`: what is different from WITX, and the table of bad input in its words.

Rows about what the dialect hasn't got say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from struct import pack
from threading import Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import BusyError, Trap
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, DType, Target, Tensor, TensorSpec
from pywasm_nn.nn.legacy import face
from pywasm_nn.nn.quantized import dequantized, quantized

from .conftest import ADD_MUL, FakeBackend, files_that_go, floats
from .table import Rows

ROWS = Rows()
row = ROWS.row
OUTSIDE = 0x20000
PARAMETERS = {
    "load": 4, "load_by_name": 3, "init_execution_context": 2, "set_input": 3, "compute": 1, "get_output": 4
}  # fmt: skip


def text(memory: bool) -> str:
    imports = "".join(
        f'(import "wasi_nn" "{name}" (func (param{" i32" * count}) (result i32)))'
        for name, count in PARAMETERS.items()
    )
    exports = "".join(f'(export "{name}" (func {number}))' for number, name in enumerate(PARAMETERS))
    own = '(memory (export "memory") 2)' if memory else ""
    return f"(module {imports} {own} {exports})"


PASSTHROUGH = {memory: Module.from_text(text(memory)) for memory in (True, False)}


class Guest:
    """Arguments from 0x100 on, results at 0x10, tensors and models from 0x1000."""

    OUT = 0x10

    def __init__(self, memory: bool = True, backend: FakeBackend | None = None, **options: Any) -> None:
        self.reports: list[str] = []
        nn = NN(**{"plugins": [backend or FakeBackend()], "backends": {"onnx": "fake"}} | options)
        self.instance = PASSTHROUGH[memory].instantiate(nn=nn, report=self.reports.append)
        if memory:
            self.memory = self.instance.memory

    def call(self, name: str, *values: int) -> Any:
        return self.instance.exports[name](*values)

    def poke(self, address: int, data: bytes) -> tuple[int, int]:
        self.memory.write(address, data)
        return address, len(data)

    def u32(self, address: int = OUT) -> int:
        return int.from_bytes(self.memory.read(address, 4), "little")

    def load(self, *parts: bytes, encoding: int = 1, target: int = 0) -> int:
        at, records = 0x1000, b""
        for part in parts:
            records += pack("<II", *self.poke(at, part))
            at += len(part)
        self.poke(0x200, records)
        self.poke(0x100, pack("<II", 0x200, len(parts)))
        return int(self.call("load", 0x100, encoding, target, self.OUT))

    def set_input(
        self, ctx: int, index: int, data: bytes, dims: Sequence[int] = (1, 2), type: int = 1,
        *, record: int = 0x100, dims_at: int = 0x204,
    ) -> int:  # fmt: skip
        self.poke(dims_at, pack(f"<{len(dims)}I", *dims))
        self.poke(0x300, pack("<II", dims_at, len(dims)))
        self.poke(0x4000, data)
        self.poke(record, pack("<IB3sI", 0x300, type, b"\x07\x07\x07", 0x4000))
        return int(self.call("set_input", ctx, index, record))

    def output(self, ctx: int, index: int, room: int = 16) -> tuple[int, bytes]:
        self.poke(self.OUT, pack("<I", room))
        error = self.call("get_output", ctx, index, 0x8000, self.OUT)
        return error, self.memory.read(0x8000, 4 * self.u32() if error == 0 else 0)

    def ready(self) -> int:
        assert self.load(ADD_MUL) == 0, self.reports
        assert self.call("init_execution_context", self.u32(), self.OUT) == 0, self.reports
        return self.u32()

    def computed(self) -> int:
        ctx = self.ready()
        assert [self.set_input(ctx, index, floats(1, 2)) for index in (0, 1)] == [0, 0]
        assert self.call("compute", ctx) == 0
        return ctx


def test_the_functions_have_their_types() -> None:
    assert {name: len(face.signature(name).type.params) for name in face} == PARAMETERS


def test_sizes_of_outputs_count_floats() -> None:
    guest = Guest()
    ctx = guest.computed()
    assert guest.output(ctx, 0, 2) == (0, floats(2, 4))
    assert guest.u32() == 2
    assert guest.output(ctx, 1, 500) == (0, floats(1, 4))


@pytest.mark.parametrize(("count", "floats_"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_sizes_of_outputs_that_are_no_floats_are_rounded_up(count: int, floats_: int) -> None:
    guest = Guest()
    assert guest.load(b"FAKE bytes", encoding=6) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    data = bytes(range(1, count + 1))
    assert guest.set_input(0, 0, data, (count,), 2) == 0, guest.reports
    assert guest.call("compute", 0) == 0, guest.reports
    error, found = guest.output(0, 0, 16)
    assert (error, guest.u32(), found[:count]) == (0, floats_, data)
    assert guest.output(0, 0, floats_)[0] == 0
    assert guest.output(0, 0, floats_ - 1)[0] != 0
    assert guest.u32() == floats_, "what it takes"


@pytest.mark.parametrize(
    ("number", "dtype", "size"), [(0, "f16", 2), (1, "f32", 4), (2, "u8", 1), (3, "i32", 4)]
)
def test_types_have_their_old_numbers(number: int, dtype: str, size: int) -> None:
    guest = Guest()
    assert guest.load(b"FAKE types", encoding=6) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    index = ["f16", "f32", "f64", "u8", "i32", "i64"].index(dtype)
    assert guest.set_input(0, index, bytes(3 * size), (3,), number) == 0, guest.reports


def test_names_may_end_with_a_nul(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(ADD_MUL)
    guest = Guest(models=tmp_path)
    for name in (b"m", b"m\0"):
        assert guest.call("load_by_name", *guest.poke(0x1000, name), guest.OUT) == 0


def test_quantised_models_take_and_give_floats() -> None:
    spec = TensorSpec("x", DType.U8, (None,), quantization=(0.5, 10))
    given = np.array([-99, -5, 0, 0.2, 0.3, 1, 999], "f4")
    tensor = quantized(Tensor.from_numpy(given), spec)
    assert tensor.numpy().tolist() == [0, 0, 10, 10, 11, 12, 255]
    back = dequantized(tensor, spec)
    assert back.dtype is DType.F32
    assert back.numpy().tolist() == [-5, -5, 0, 0, 0.5, 1, 122.5]
    plain = TensorSpec("x", DType.U8, (None,))
    assert dequantized(tensor, plain) is tensor


def traps(call: Callable[[], object], words: str = "out of bounds memory access") -> None:
    with pytest.raises(Trap, match=words):
        call()


@row("no exported memory")
def _() -> None:
    traps(lambda: Guest(memory=False).call("load", 0, 0, 0, 0), "exports no memory")


@row("out pointer OOB")
def _() -> None:
    guest = Guest()
    ctx = guest.computed()
    traps(lambda: guest.call("load", 0x100, 1, 0, OUTSIDE - 3))
    traps(lambda: guest.call("init_execution_context", 0, OUTSIDE))
    traps(lambda: guest.call("get_output", ctx, 0, 0x8000, OUTSIDE - 2))
    assert guest.load(ADD_MUL) == 0
    assert guest.u32() == 1, "the load that trapped took a handle"


@row("builder array / builder bytes OOB")
def _() -> None:
    guest = Guest()
    traps(lambda: guest.call("load", OUTSIDE - 4, 1, 0, guest.OUT))
    for at, count in (0x200, 0xFFFFFFFF), (OUTSIDE - 4, 1):
        guest.poke(0x100, pack("<II", at, count))
        traps(lambda: guest.call("load", 0x100, 1, 0, guest.OUT))
    guest.poke(0x100, pack("<IIII", 0x108, 1, OUTSIDE - 8, 9))
    traps(lambda: guest.call("load", 0x100, 1, 0, guest.OUT))


@row("tensor struct OOB")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    traps(lambda: guest.call("set_input", ctx, 0, OUTSIDE - 11))


@row("dims or data OOB")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    for dims, rank, data in (OUTSIDE - 7, 2, 0x4000), (0x204, 2, OUTSIDE - 7), (0x204, 1 << 30, 0):
        guest.poke(0x204, pack("<II", 1, 2))
        guest.poke(0x300, pack("<II", dims, rank))
        guest.poke(0x100, pack("<III", 0x300, 1, data))
        traps(lambda: guest.call("set_input", ctx, 0, 0x100))
    guest.poke(0x100, pack("<III", OUTSIDE - 4, 1, 0x4000))
    traps(lambda: guest.call("set_input", ctx, 0, 0x100))


@row("dims ptr not 4-aligned")
def _() -> None:
    guest = Guest()
    assert guest.set_input(guest.ready(), 0, floats(1, 2), dims_at=0x205) == 0


@row("out ptr / tensor ptr not 4-aligned")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    assert guest.call("init_execution_context", 0, 0x13) == 0
    assert guest.set_input(ctx, 0, floats(1, 2), record=0x101) == 0


@row("name OOB")
def _() -> None:
    traps(lambda: Guest().call("load_by_name", OUTSIDE - 1, 2, Guest.OUT))


@row("name not UTF-8")
def _() -> None:
    guest = Guest()
    assert guest.call("load_by_name", *guest.poke(0x1000, b"m\xff"), guest.OUT) == 1


@row("encoding not in enum")
def _() -> None:
    guest = Guest()
    assert [guest.load(ADD_MUL, encoding=number) for number in (8, 257, 0xFFFFFFFF)] == [2, 2, 2]


@row("encoding known, backend absent")
def _() -> None:
    guest = Guest()
    assert guest.load(b"any bytes", encoding=7) == 2  # NeuralSpeed
    assert guest.load(ADD_MUL, encoding=3) == 2


@row("second load() with another encoding in one instance")
def _() -> None:
    guest = Guest()
    assert [guest.load(ADD_MUL, encoding=encoding) for encoding in (1, 5, 6)] == [0, 0, 0]


@row("target not in enum (e.g. 3 AUTO)")
def _() -> None:
    guest = Guest()
    assert [guest.load(ADD_MUL, target=target) for target in (3, 4)] == [0, 1]


@row("target valid but unsupported")
def _() -> None:
    backend = FakeBackend()
    guest = Guest(backend=backend)
    assert guest.load(ADD_MUL, target=1) == 0
    assert backend.configs[-1].target is Target.CPU
    assert guest.reports == ["wasi-nn: fake has no gpu here, the model runs on the cpu"]
    assert Guest(strict=True).load(ADD_MUL, target=1) == 6


@row("wrong number of builders")
def _() -> None:
    guest = Guest()
    assert (guest.load(), guest.load(ADD_MUL, b"weights")) == (1, 1)
    assert "onnx wants 1 part(s)" in guest.reports[-1]


@row("corrupt model bytes")
def _() -> None:
    guest = Guest()
    assert [guest.load(data) for data in (b"", ADD_MUL[:-9], bytes(100))] == [5, 5, 5]


@row("load_by_name unknown")
def _() -> None:
    with files_that_go(gone="gone.onnx", text="gone.gguf") as models:
        guest = Guest(models=models)
    for name, number in (b"what", 8), (b"gone", 8), (b"text", 103):
        assert guest.call("load_by_name", *guest.poke(0x1000, name), guest.OUT) == number


@row("bad config JSON (with_config / set_input index 1)")
def _() -> None:
    """No function with a configuration; a text model's second input is its options."""
    guest = Guest()
    assert guest.load(b"FAKE text", encoding=5) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    assert guest.set_input(0, 1, b"{bad", dims=[4], type=2) == 2


@row("bad graph handle in init")
def _() -> None:
    guest = Guest()
    assert guest.call("init_execution_context", 0, guest.OUT) == 1


@row("bad ctx in set_input / get_output / compute")
def _() -> None:
    guest = Guest()
    guest.ready()
    assert guest.set_input(1, 0, floats(1, 2)) == 1
    assert guest.output(1, 0)[0] == 1
    assert guest.call("compute", 1) == 1


@row("input index >= n_inputs")
def _() -> None:
    guest = Guest()
    assert guest.set_input(guest.ready(), 2, floats(1, 2)) == 1


@row("unknown tensor type byte")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    assert [guest.set_input(ctx, 0, floats(1, 2), type=number) for number in (4, 255)] == [1, 1]


@row("dtype mismatch")
def _() -> None:
    guest = Guest()
    assert guest.set_input(guest.ready(), 0, bytes(16), type=3) == 1
    assert guest.reports[-1].endswith(
        "the guest gave i32[1,2]: elements of another type (i32, wanted is f32)"
    )


@row("shape mismatch")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    assert guest.set_input(ctx, 0, floats(1, 2, 3), dims=(1, 3)) == 1
    assert guest.set_input(ctx, 0, floats(*range(6)), dims=(3, 2)) == 0


@row("data.len != product*size")
def _() -> None:
    """A tensor has no length here; one that reaches outside memory is a trap."""
    guest = Guest()
    ctx = guest.ready()
    traps(lambda: guest.set_input(ctx, 0, b"", dims=(0xFFFFFFFF, 2)))


@row("compute, an input missing")
def _() -> None:
    guest = Guest()
    ctx = guest.ready()
    assert guest.set_input(ctx, 0, floats(1, 2)) == 0
    assert guest.call("compute", ctx) == 1


@row("compute again, same ctx")
def _() -> None:
    guest = Guest()
    ctx = guest.computed()
    assert guest.set_input(ctx, 1, floats(5, 6)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0) == (0, floats(6, 8))


@row("get_output before compute")
def _() -> None:
    guest = Guest()
    assert guest.output(guest.ready(), 0)[0] == 5


@row("output index >= n")
def _() -> None:
    guest = Guest()
    assert guest.output(guest.computed(), 2)[0] == 1


@row("buffer too small")
def _() -> None:
    guest = Guest()
    ctx = guest.computed()
    assert guest.output(ctx, 0, 1)[0] == 7
    assert guest.u32() == 2
    assert guest.memory.read(0x8000, 8) == bytes(8)


@row("unload / finalize unknown or twice")
def _() -> None:
    assert not {"unload", "finalize_execution_context"} & set(face)


@row("compute_single etc. on non-LLM backend")
def _() -> None:
    assert not any("single" in name for name in face)


@row("end of tokens in compute_single / ctx full / prompt too long")
def _() -> None:
    guest = Guest()
    assert guest.load(b"FAKE text", encoding=5) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    assert guest.set_input(0, 0, b"word " * 5, dims=[25], type=2) == 102


@row("two threads, one instance")
def _() -> None:
    guest = Guest()
    assert guest.load(b"FAKE slow", encoding=5) == 0
    errors: list[int] = []
    for ctx in (0, 1):
        assert guest.call("init_execution_context", 0, guest.OUT) == 0
        assert [guest.set_input(ctx, index, floats(1, 2)) for index in (0, 1)] == [0, 0]

    def compute(ctx: int) -> None:
        while True:
            try:
                return errors.append(guest.call("compute", ctx))
            except BusyError:  # as the instance says to all threads but one
                sleep(0.001)

    threads = [Thread(target=compute, args=(i % 2,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [0] * 6, guest.reports


@row("too many graphs/contexts")
def _() -> None:
    guest = Guest(limits=Limits(graphs=2, contexts=2))
    assert [guest.load(ADD_MUL) for _ in range(3)] == [0, 0, 7]
    assert [guest.call("init_execution_context", 0, guest.OUT) for _ in range(3)] == [0, 0, 7]


@pytest.mark.parametrize("title", ROWS)
def test_row(title: str) -> None:
    ROWS.run(title)


def test_rows_are_those_of_the_reference() -> None:
    ROWS.check_titles()
