"""The namespace `pywasm_nn`: names, outputs in place, inspection, chaining; on every backend."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from struct import pack, unpack

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.nn import NN, NNEvent, own, witx

from .conftest import FakeBackend, Guest, floats
from .wit_guest import Opened

INCLUDE = Path(__file__).parents[2] / "pywasm_nn" / "guest" / "include"
OUTSIDE = 0x20000


def exported(instance: Instance, name: str, *arguments: int) -> int:
    """Call an export."""
    answer: int = instance.exports[name](*arguments)
    return answer


def passthrough() -> Module:
    imports, exports = [], []
    for face in (witx.face, own.face):
        for name in face:
            type_ = face.signature(name).type
            params = " i32" * len(type_.params)
            imports.append(f'(import "{face.module}" "{name}" (func (param{params}) (result i32)))')
            exports.append(f'(export "{name}" (func {len(exports)}))')
    return Module.from_text(f'(module {"".join(imports)} (memory (export "memory") 2) {"".join(exports)})')


PASSTHROUGH = passthrough()
Start = Callable[..., tuple[Guest, Opened]]


@pytest.fixture(params=["fake", "onnxruntime", "openvino", "numpy"])
def start(request: pytest.FixtureRequest) -> Start:
    def start(flavour: Flavour | None = None, **options: object) -> tuple[Guest, Opened]:
        nn = NN(**{"plugins": [FakeBackend()], "backends": {"onnx": request.param}} | options)  # type: ignore[arg-type] # options of any type
        if reason := nn.registry.backend(request.param, "here").unavailable():
            pytest.skip(reason)
        reports: list[str] = []
        opened = Opened(nn)
        instance = PASSTHROUGH.instantiate(nn=opened, report=reports.append, flavour=flavour)
        request.addfinalizer(instance.close)
        return Guest(instance.memory, lambda name, *a: instance.exports[name](*a), reports), opened

    return start


def set_by_name(guest: Guest, ctx: int, name: bytes, data: bytes, dims: tuple[int, ...] = (1, 2)) -> int:
    guest.poke(0x200, pack(f"<{len(dims)}I", *dims))
    guest.poke(0x4000, data)
    guest.poke(0x100, pack("<IIIII", 0x200, len(dims), 1, 0x4000, len(data)))
    return guest.call("set_input_by_name", ctx, *guest.poke(0x300, name), 0x100)


def test_by_name_with_batches_of_one_and_three(start: Start) -> None:
    guest, _ = start()
    ctx = guest.ready()
    for batch in (1, 3):
        values = list(range(2 * batch))
        assert set_by_name(guest, ctx, b"b", floats(*(v + 1 for v in values)), (batch, 2)) == 0
        assert set_by_name(guest, ctx, b"a", floats(*values), (batch, 2)) == 0
        assert guest.call("compute", ctx) == 0
        for name, expected in (b"sum", [2 * v + 1 for v in values]), (b"prod", [v * (v + 1) for v in values]):
            assert guest.call("get_output_by_name", ctx, *guest.poke(0x300, name), 0x8000, 99, 0x10) == 0
            assert guest.memory.read(0x8000, guest.u32()) == floats(*expected)
            assert guest.call("get_output_dimensions", ctx, 0, 0x9000, 8, 0x10) == 0
            assert unpack("<II", guest.memory.read(0x9000, 8)) == (batch, 2)
    assert set_by_name(guest, ctx, b"c", floats(1, 2)) == 1
    assert 'none is named "c"' in guest.reports[-1]
    assert guest.call("get_output_by_name", ctx, *guest.poke(0x300, b"\xff"), 0x8000, 99, 0x10) == 1


@pytest.mark.parametrize("flavour", Flavour)
def test_compute_fills_what_was_set_and_fetches_nothing_else(start: Start, flavour: Flavour) -> None:
    guest, opened = start(flavour)
    ctx = guest.ready()
    for index in (0, 1):
        assert guest.set_input(ctx, index, floats(3, 4)) == 0
    assert guest.call("set_output_by_name", ctx, *guest.poke(0x300, b"prod"), 0x9000, 64) == 0
    assert guest.call("compute", ctx) == 0, guest.reports
    assert guest.memory.read(0x9000, 12) == floats(9, 16) + bytes(4)
    assert opened.sessions[0].traffic.given == 8
    assert guest.output(ctx, 1) == (0, floats(9, 16))
    assert guest.output(ctx, 0)[0] == 5
    guest.memory.grow(1)  # the memory may be elsewhere now
    assert guest.set_input(ctx, 0, floats(5, 6)) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.memory.read(0x9000, 8) == floats(15, 24)
    assert guest.call("set_output", ctx, 1, 0x9000, 7) == 0
    assert guest.call("compute", ctx) == 7
    assert "is 8 bytes, the buffer has 7" in guest.reports[-1]
    assert guest.call("set_output", ctx, 1, 0, 0) == 0
    assert guest.call("compute", ctx) == 0
    assert guest.output(ctx, 0) == (0, floats(8, 10))
    with pytest.raises(Trap, match="out of bounds"):
        guest.call("set_output", ctx, 0, guest.memory.size - 4, 8)


def test_fixed_shapes_are_written_in_place() -> None:
    """onnxruntime and OpenVINO write an output of known shape straight to the guest's buffer, odd or not."""
    from .backends.onnx_writer import Model, node

    shape = ("float32", [1, 2])
    nodes = [node("Add", ["a", "b"], ["sum"]), node("Mul", ["a", "b"], ["prod"])]
    data = Model(nodes, {"a": shape, "b": shape}, {"sum": shape, "prod": shape}).data()
    for backend in ("onnxruntime", "openvino", "numpy"):
        nn = NN(backends={"onnx": backend})
        if nn.registry.backend(backend, "here").unavailable():
            continue
        instance = PASSTHROUGH.instantiate(nn=nn, report=print)
        guest = Guest(instance.memory, partial(exported, instance), [])
        assert guest.load(data) == 0
        assert guest.call("init_execution_context", 0, guest.OUT) == 0
        for index in (0, 1):
            assert guest.set_input(0, index, floats(3, 4)) == 0
        assert guest.call("set_output", 0, 1, 0x9001, 9) == 0
        for _ in range(2):
            assert guest.call("compute", 0) == 0
        assert guest.memory.read(0x9001, 9) == floats(9, 16) + b"\0"
        assert guest.call("set_output", 0, 1, 0x9001, 7) == 0
        assert guest.call("compute", 0) == 7
        instance.close()


def test_inspection(start: Start) -> None:
    guest, _ = start()
    guest.ready()
    assert guest.call("count", 0, 0x10) == 0
    assert unpack("<II", guest.memory.read(0x10, 8)) == (2, 2)
    for side, names in ("input", [b"a", b"b"]), ("output", [b"sum", b"prod"]):
        for index, name in enumerate(names):
            assert guest.call(f"describe_{side}", 0, index, 0x10) == 0
            assert unpack("<III", guest.memory.read(0x10, 12)) == (1, 2, len(name))
            assert guest.call(f"{side}_name", 0, index, 0x40, len(name)) == 0
            assert guest.memory.read(0x40, len(name)) == name
            assert guest.call(f"{side}_dimensions", 0, index, 0x40, 8) == 0
            assert unpack("<II", guest.memory.read(0x40, 8)) == (own.UNKNOWN, 2)
        assert guest.call(f"{side}_name", 0, 1, 0x40, 0) == 7
        assert guest.call(f"describe_{side}", 0, 2, 0x10) == 1
        assert guest.call(f"{side}_dimensions", 9, 0, 0x40, 8) == 1
    assert guest.call("count", 9, 0x10) == 1


def test_chained_contexts_move_no_bytes(start: Start) -> None:
    guest, opened = start()
    first = guest.ready()
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    second = guest.u32()
    for index in (0, 1):
        assert guest.set_input(first, index, floats(3, 4)) == 0
    assert guest.call("compute", first) == 0
    traffic = opened.sessions[0].traffic
    before = (traffic.taken, traffic.given)
    for index in (0, 1):
        assert guest.call("set_input_from", second, index, first, index) == 0
    assert guest.call("compute", second) == 0
    assert (traffic.taken, traffic.given) == before == (16, 0)
    assert guest.output(second, 0) == (0, floats(6 + 9, 8 + 16))
    assert guest.call("set_input_from", second, 0, first, 2) == 1
    assert guest.call("set_input_from", second, 0, 99, 0) == 1


def test_any_number_of_outputs_take_one_run(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[NNEvent] = []
    guest, _ = start(observer=events.append)
    ctx = guest.ready()
    runs = []
    context = type(events[-1].graph.context()) if events[-1].graph else None
    assert context is not None
    run = context.run
    monkeypatch.setattr(context, "run", lambda self, inputs: (runs.append(1), run(self, inputs))[1])
    for index in (0, 1):
        assert guest.set_input(ctx, index, floats(3, 4)) == 0
    assert guest.call("compute", ctx) == 0
    for _ in range(4):
        assert [guest.output(ctx, index)[1] for index in (0, 1)] == [floats(6, 8), floats(9, 16)]
    assert len(runs) == 1


def test_options_of_a_context(start: Start) -> None:
    guest, _ = start()
    guest.ready()
    for text, error in (b'{"threads": 1}', 0), (b"{bad", 2), (b'{"target": "moon"}', 1):
        result = guest.call("init_execution_context_with_config", 0, *guest.poke(0x300, text), 0x10)
        if error == 0 and result == 6:
            assert "takes its configuration when it loads a graph" in guest.reports[-1]
            continue
        assert result == error, text


def test_the_header_has_every_function_with_its_type(tmp_path: Path) -> None:
    text = (INCLUDE / "pywasm_nn.h").read_text()
    named = re.findall(r"PYWASM_NN_IMPORT\((\w+)\)\nnn_errno (\w+)\(\s*([^)]*)\)", text)
    declared = {name: len(parameters.split(",")) for name, function, parameters in named}
    assert all(function == f"pywasm_nn_{name}" for name, function, _ in named)
    assert declared == {name: len(own.face.signature(name).type.params) for name in own.face}
    if subprocess.run(
        [sys.executable, "-m", "ziglang", "version"], capture_output=True, check=False
    ).returncode:
        pytest.skip("ziglang isn't installed")
    (tmp_path / "x.c").write_text(
        '#include "pywasm_nn.h"\nint f(void) { pywasm_nn_counts c; return pywasm_nn_count(0, &c); }\n'
    )
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "--target=wasm32-wasi", "-Werror", "-Wall", "-c", "x.c",
         "-o", "x.o", f"-I{INCLUDE}"], cwd=tmp_path, check=True,
    )  # fmt: skip


def test_without_a_copy_the_framework_reads_guest_memory(start: Start) -> None:
    guest, _ = start(copy_inputs=False)
    ctx = guest.ready()
    assert guest.set_input(ctx, 0, floats(3, 4), at=0x4000) == 0
    assert guest.set_input(ctx, 1, floats(3, 4), at=0x5000) == 0
    guest.poke(0x4000, floats(5, 6))  # without a copy the framework reads what is there at compute
    assert guest.call("compute", ctx) == 0
    moved = Flavour.default() is Flavour.STRUCT
    assert guest.output(ctx, 0) == (0, floats(6, 8) if moved else floats(8, 10))
