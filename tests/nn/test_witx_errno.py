"""What a guest gets for bad input: one test per row of the table that compares the hosts of wasi-nn.

The rows and the answers are those of the project's ABI reference, section 3, column "recommended"; where
that file is at hand, a test compares the titles. All rows are reached: those about text models and devices
through the fake backend.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from struct import pack
from threading import Thread
from time import sleep

import pytest

from pywasm_nn.errors import BusyError, Trap
from pywasm_nn.limits import Limits
from pywasm_nn.nn import Target

from .conftest import ADD_MUL, FakeBackend, Guest, Start, files_that_go, floats
from .table import Rows

OUTSIDE = 0x20000
"""The first address beyond the guest's two pages."""
ROWS = Rows()
row = ROWS.row


def traps(call: Callable[[], object]) -> None:
    with pytest.raises(Trap, match="out of bounds memory access"):
        call()


@row("no exported memory")
def _(start: Start) -> None:
    guest = start(memory=False)
    with pytest.raises(Trap, match="exports no memory"):
        guest.call("load", 0, 0, 0, 0, 0)


@row("out pointer OOB")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    traps(lambda: guest.call("load", 0x100, 1, 1, 0, OUTSIDE - 3))
    traps(lambda: guest.call("init_execution_context", 0, OUTSIDE))
    for index in (0, 1):
        assert guest.set_input(ctx, index, floats(1, 2)) == 0
    assert guest.call("compute", ctx) == 0
    traps(lambda: guest.call("get_output", ctx, 0, 0x8000, 8, OUTSIDE - 2))
    assert guest.memory.read(0x8000, 8) == bytes(8), "the output was copied before the trap"
    assert guest.load(ADD_MUL) == 0
    assert guest.u32() == 1, "the load that trapped took a handle"


@row("builder array / builder bytes OOB")
def _(start: Start) -> None:
    guest = start()
    traps(lambda: guest.call("load", OUTSIDE - 4, 1, 1, 0, guest.OUT))
    traps(lambda: guest.call("load", 0x100, 0xFFFFFFFF, 1, 0, guest.OUT))
    guest.poke(0x100, pack("<II", OUTSIDE - 8, 9))
    traps(lambda: guest.call("load", 0x100, 1, 1, 0, guest.OUT))


@row("tensor struct OOB")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    traps(lambda: guest.call("set_input", ctx, 0, OUTSIDE - 19))


@row("dims or data OOB")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for dims, rank, data, length in (
        (OUTSIDE - 7, 2, 0x4000, 8),
        (0x200, 2, OUTSIDE - 7, 8),
        (0x200, 1 << 30, 0, 0),
    ):
        guest.poke(0x100, pack("<IIIII", dims, rank, 1, data, length))
        traps(lambda: guest.call("set_input", ctx, 0, 0x100))


@row("dims ptr not 4-aligned")
def _(start: Start) -> None:
    guest = start()
    assert guest.set_input(guest.ready(), 0, floats(1, 2), dims_at=0x201) == 0


@row("out ptr / tensor ptr not 4-aligned")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.call("init_execution_context", 0, 0x13) == 0
    assert guest.u32(0x13) == 1
    assert guest.set_input(ctx, 0, floats(1, 2), record=0x101, at=0x4003) == 0


@row("name OOB")
def _(start: Start) -> None:
    traps(lambda: start().call("load_by_name", OUTSIDE - 1, 2, Guest.OUT))


@row("name not UTF-8")
def _(start: Start) -> None:
    guest = start()
    assert guest.call("load_by_name", *guest.poke(0x1000, b"m\xff"), guest.OUT) == 1
    assert "no UTF-8" in guest.reports[-1]


@row("encoding not in enum")
def _(start: Start) -> None:
    guest = start()
    for number in (8, 14, 257, 0xFFFFFFFF):  # 257 is 1 in a byte
        assert guest.load(ADD_MUL, encoding=number) == 2
    assert f"encoding has the number {0xFFFFFFFF}" in guest.reports[-1]


@row("encoding known, backend absent")
def _(start: Start) -> None:
    guest = start()
    assert guest.load(b"any bytes", encoding=7) == 2  # NeuralSpeed
    assert guest.load(ADD_MUL, encoding=3) == 2
    assert "declared pytorch, the bytes are onnx" in guest.reports[-1]


@row("second load() with another encoding in one instance")
def _(start: Start) -> None:
    guest = start()
    for graph, encoding in enumerate((1, 77, 5, 6)):
        assert guest.load(b"FAKE types" if encoding == 77 else ADD_MUL, encoding=encoding) == 0
        assert guest.u32() == graph


@row("target not in enum (e.g. 3 AUTO)")
def _(start: Start) -> None:
    guest = start()
    assert guest.load(ADD_MUL, target=3) == 0
    assert guest.load(ADD_MUL, target=4) == 1
    assert "no execution target 4" in guest.reports[-1]


@row("target valid but unsupported")
def _(start: Start) -> None:
    backend = FakeBackend()
    guest = start(plugins=[backend], backends={"onnx": "fake"})
    assert guest.load(ADD_MUL, target=2) == 0
    assert backend.configs[-1].target is Target.CPU
    assert guest.reports == ["wasi-nn: fake has no tpu here, the model runs on the cpu"]
    strict = start(plugins=[FakeBackend()], backends={"onnx": "fake"}, strict=True)
    assert strict.load(ADD_MUL, target=2) == 6


@row("wrong number of builders")
def _(start: Start) -> None:
    guest = start()
    assert guest.load() == 1
    assert guest.load(ADD_MUL, b"weights") == 1
    assert "onnx wants 1 part(s)" in guest.reports[-1]


@row("corrupt model bytes")
def _(start: Start) -> None:
    guest = start()
    for data in (b"", ADD_MUL[:-9], b"\x00" * 100):
        assert guest.load(data) == 5, data


@row("load_by_name unknown")
def _(start: Start) -> None:
    with files_that_go(gone="gone.onnx", text="gone.gguf") as models:
        guest = start(models=models)
    for name, number in (b"what", 8), (b"gone", 8), (b"text", 103):
        assert guest.call("load_by_name", *guest.poke(0x1000, name), guest.OUT) == number
    assert 'no model is named "what"; named are: gone, text' in guest.reports[0]
    assert f"there is no file {models['gone']}" in guest.reports[1]


@row("bad config JSON (with_config / set_input index 1)")
def _(start: Start, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(ADD_MUL)
    guest = start(models=tmp_path)
    name = guest.poke(0x1000, b"m")
    for text in (b"", b"{", b"[]", b"\xff", b"[" * 1000 + b"]" * 1000):
        assert guest.call("load_by_name_with_config", *name, *guest.poke(0x2000, text), guest.OUT) == 2, text
    assert guest.call("load_by_name_with_config", *name, *guest.poke(0x2000, b"{}"), guest.OUT) == 0
    assert guest.load(b"FAKE text", encoding=5) == 0
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
    assert guest.set_input(guest.u32(), 1, b"{bad", dims=[4], type=3) == 2


@row("bad graph handle in init")
def _(start: Start) -> None:
    guest = start()
    assert guest.call("init_execution_context", 0, guest.OUT) == 1
    guest.ready()
    assert guest.call("init_execution_context", 1, guest.OUT) == 1


@row("bad ctx in set_input / get_output / compute")
def _(start: Start) -> None:
    guest = start()
    guest.ready()
    assert guest.set_input(1, 0, floats(1, 2)) == 1
    assert guest.output(1, 0)[0] == 1
    assert guest.call("compute", 1) == 1
    assert len(guest.reports) == 3


@row("input index >= n_inputs")
def _(start: Start) -> None:
    guest = start()
    assert guest.set_input(guest.ready(), 2, floats(1, 2)) == 1
    assert 'has 2 input(s) ("a", "b"), none has index 2' in guest.reports[-1]


@row("unknown tensor type byte")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for number in (6, 255):
        assert guest.set_input(ctx, 0, floats(1, 2), type=number) == 1
    assert guest.set_input(ctx, 0, floats(1, 2), type=1, garbage=b"\x03\x10\x00") == 0, "padding was read"


@row("dtype mismatch")
def _(start: Start) -> None:
    guest = start()
    assert guest.set_input(guest.ready(), 0, bytes(16), type=5) == 1
    assert 'graph 0 input 0 "a" wants f32[' in guest.reports[-1]
    assert "2]; the guest gave i64[1,2]: elements of another type" in guest.reports[-1]


@row("shape mismatch")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.set_input(ctx, 0, floats(1, 2, 3), dims=(1, 3)) == 1
    assert guest.set_input(ctx, 0, floats(1, 2), dims=(2,)) == 1
    assert "batch dimension" in guest.reports[-1]
    for batch in (1, 3):
        for index in (0, 1):
            assert guest.set_input(ctx, index, floats(*range(2 * batch)), dims=(batch, 2)) == 0
        assert guest.call("compute", ctx) == 0
        assert guest.output(ctx, 1) == (0, floats(*(i * i for i in range(2 * batch))))


@row("data.len != product*size")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for length in (0, 7, 9):
        assert guest.set_input(ctx, 0, bytes(length)) == 1
    assert "f32[1,2] is 8 bytes, given were 9" in guest.reports[-1]
    assert guest.set_input(ctx, 0, b"", dims=(0xFFFFFFFF, 2)) == 1


@row("compute, an input missing")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.set_input(ctx, 0, floats(1, 2)) == 0
    assert guest.call("compute", ctx) == 1
    assert 'input 1 "b"' in guest.reports[-1]


@row("compute again, same ctx")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for index, values in enumerate(((1, 2), (3, 4))):
        assert guest.set_input(ctx, index, floats(*values)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.set_input(ctx, 1, floats(5, 6)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0) == (0, floats(6, 8))


@row("get_output before compute")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.output(ctx, 0)[0] == 5
    assert "before a compute" in guest.reports[-1]


@row("output index >= n")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.output(ctx, 2)[0] == 1
    assert 'has 2 output(s) ("sum", "prod"), none has index 2' in guest.reports[-1]


@row("buffer too small")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for index in (0, 1):
        assert guest.set_input(ctx, index, floats(1, 2)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0, room=7)[0] == 7
    assert guest.u32() == 8
    assert guest.memory.read(0x8000, 8) == bytes(8)
    assert guest.output(ctx, 0, room=8) == (0, floats(2, 4))


@row("unload / finalize unknown or twice")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    for name, handle in ("finalize_execution_context", ctx), ("unload", 0):
        assert [guest.call(name, n) for n in (9, handle, handle)] == [1, 0, 1]
    assert "never given out" in guest.reports[0]
    assert "let go of before" in guest.reports[1]


@row("compute_single etc. on non-LLM backend")
def _(start: Start) -> None:
    guest = start()
    ctx = guest.ready()
    assert guest.call("compute_single", ctx) == 6
    assert guest.call("get_output_single", ctx, 0, 0x8000, 8, guest.OUT) == 6
    assert guest.call("fini_single", ctx) == 6


@row("end of tokens in compute_single / ctx full / prompt too long")
def _(start: Start) -> None:
    guest = start()
    assert guest.load(b"FAKE text", encoding=5) == 0
    assert guest.call("init_execution_context", 0, guest.OUT) == 0

    def words(prompt: bytes) -> tuple[list[bytes], int]:
        assert guest.set_input(0, 0, prompt, dims=[len(prompt)], type=3) == 0
        made = []
        while (error := guest.call("compute_single", 0)) == 0:
            assert guest.call("get_output_single", 0, 0, 0x8000, 8, guest.OUT) == 0
            made.append(guest.memory.read(0x8000, guest.u32()))
        return made, error

    assert words(b"one two") == ([b"one", b"two"], 100)
    assert guest.reports == [], "the end of a text is no failure"
    assert words(b"one two three four") == ([b"one", b"two", b"three"], 101)
    assert guest.call("fini_single", 0) == 0
    assert guest.set_input(0, 0, b"word " * 5, dims=[25], type=3) == 102


@row("two threads, one instance")
def _(start: Start) -> None:
    guest = start()
    assert guest.load(b"FAKE slow", encoding=5) == 0
    errors: list[int] = []
    for ctx in (0, 1):
        assert guest.call("init_execution_context", 0, guest.OUT) == 0
        for index in (0, 1):
            assert guest.set_input(ctx, index, floats(1, 2)) == 0

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
def _(start: Start) -> None:
    guest = start(limits=Limits(graphs=2, contexts=2))
    assert [guest.load(ADD_MUL) for _ in range(3)] == [0, 0, 7]
    assert [guest.call("init_execution_context", 0, guest.OUT) for _ in range(3)] == [0, 0, 7]
    assert guest.call("unload", 0) == 0
    assert guest.load(ADD_MUL) == 0
    assert guest.u32() == 2, "a handle was used again"


@pytest.mark.parametrize("title", ROWS)
def test_row(title: str, start: Start, tmp_path: Path) -> None:
    ROWS.run(title, start, tmp_path)


def test_rows_are_those_of_the_reference() -> None:
    ROWS.check_titles()
