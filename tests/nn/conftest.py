"""A backend of the tests' own, and a guest whose wasi-nn imports can be called with any bytes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import add, mul
from pathlib import Path
from struct import pack
from tempfile import TemporaryDirectory
from threading import get_ident
from time import sleep
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter.runtime.memory import Flavour, Memory
from pywasm_nn.nn import (
    NN,
    Backend,
    Code,
    Context,
    DType,
    Graph,
    GraphConfig,
    NNError,
    Target,
    Tensor,
    TensorSpec,
)
from pywasm_nn.nn.formats import Encoding, Format, Look
from pywasm_nn.nn.inputs import parse_options

from ..conftest import HANGS

FIXTURES = Path(__file__).parent / "fixtures"
ADD_MUL = (FIXTURES / "add_mul_dyn.onnx").read_bytes()
"""Inputs a, b f32[N,2]; outputs sum, prod."""
GUEST_DTYPES = (DType.F16, DType.F32, DType.F64, DType.U8, DType.I32, DType.I64)


@contextmanager
def files_that_go(**names: str) -> Iterator[dict[str, Path]]:
    """Models by name, whose files are there when they are named and gone when a guest loads them."""
    with TemporaryDirectory() as folder:
        places = {name: Path(folder, file) for name, file in names.items()}
        for place in places.values():
            place.touch()
        yield places


def floats(*values: float) -> bytes:
    return pack(f"<{len(values)}f", *values)


class AddMulContext(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        self.graph.runs += 1
        a, b = (tensor.view().cast("f") for tensor in inputs)
        return [Tensor(DType.F32, inputs[0].shape, floats(*map(operation, a, b))) for operation in (add, mul)]


class EchoContext(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        return [Tensor(tensor.dtype, tensor.shape, bytes(tensor.view())) for tensor in inputs]


class BrokenContext(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        raise ZeroDivisionError("the framework\n  divides by zero")


class SlowContext(Context):
    """Notices when two threads are in it at once."""

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        self.graph.inside.append(get_ident())
        sleep(0.01)
        if self.graph.inside != [get_ident()]:
            raise RuntimeError("two threads at once")
        self.graph.inside.clear()
        return list(inputs)


class TextContext(Context):
    """Makes the words of its prompt, one by one: prompts of at most 20 bytes, texts of at most 3 words."""

    def accept_input(self, index: int, tensor: Tensor) -> None:
        data = bytes(tensor.view())
        if index == 1:
            parse_options(data)
        elif len(data) > 20:
            raise NNError(Code.PROMPT_TOO_LONG, f"a prompt of {len(data)} tokens, 20 fit")
        else:
            self.words, self.made = data.split(), 0
        super().accept_input(index, tensor)

    def compute_single(self) -> None:
        if self.made == 3:
            raise NNError(Code.CONTEXT_FULL, "3 tokens fit")
        if self.made == len(self.words):
            raise NNError(Code.END_OF_SEQUENCE, "that was all")
        self.made += 1

    def output_single(self, index: int) -> Tensor:
        word = self.words[self.made - 1]
        return Tensor(DType.U8, (len(word),), word)

    def finish_single(self) -> None:
        self.made = 0


class FakeGraph(Graph):
    def __init__(
        self, context: type[Context], inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
    ) -> None:
        super().__init__("fake", inputs, outputs)
        self.context_type = context
        self.runs = 0
        self.inside: list[int] = []
        self.closed = 0
        self.open_contexts: list[Context] = []

    def context(self) -> Context:
        self.open_contexts.append(self.context_type(self))
        return self.open_contexts[-1]

    def close(self) -> None:
        assert all(not context.inputs for context in self.open_contexts), "a context is still open"
        self.closed += 1


def pair(dtype: DType = DType.F32) -> dict[str, TensorSpec]:
    return {name: TensorSpec(name, dtype, ("N", 2)) for name in ("a", "b", "sum", "prod")}


class FakeBackend(Backend):
    """Reads ADD_MUL, and models of its own format: b"FAKE <what>"."""

    name = "fake"
    guest_options = {"threads": 8}  # noqa: RUF012 - as in the base
    formats = ("onnx", Format("fake", encoding=Encoding("fake", 77)))
    from_guests = frozenset(formats)

    def __init__(self, targets: Sequence[Target] = (Target.CPU,)) -> None:
        self.graphs: list[FakeGraph] = []
        self.configs: list[GraphConfig] = []
        self._targets = frozenset(targets)

    def detect(self, data: Look) -> str | None:
        return "fake" if bytes(data[:5]) == b"FAKE " else None

    def targets(self) -> frozenset[Target]:
        return self._targets

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        specs = pair()
        anything = (TensorSpec("in", DType.F32, (1, 224, 224, 3)),)
        picture = FakeGraph(EchoContext, anything, anything)
        types = [TensorSpec(dtype.value, dtype, (None,)) for dtype in GUEST_DTYPES]
        text = [TensorSpec("prompt", DType.U8, (None,)), TensorSpec("options", DType.U8, (None,))]
        prompt = [TensorSpec("prompt", DType.U8, (None,), takes_bytes=True)]
        two = [specs["a"], specs["b"]], [specs["sum"], specs["prod"]]
        models: dict[bytes, FakeGraph] = {
            ADD_MUL: FakeGraph(AddMulContext, *two),
            b"FAKE picture": picture,
            b"FAKE types": FakeGraph(EchoContext, types, types),
            b"FAKE broken": FakeGraph(BrokenContext, *two),
            b"FAKE slow": FakeGraph(SlowContext, *two),
            b"FAKE text": FakeGraph(TextContext, text, text[:1]),
            b"FAKE bytes": FakeGraph(EchoContext, prompt, text[:1]),
            b"FAKE scalar": FakeGraph(
                EchoContext, [TensorSpec("x", DType.F32, ())], [TensorSpec("x", DType.F32, ())]
            ),
        }
        if bytes(parts[0]) not in models:
            raise ValueError("these bytes are no model")
        self.graphs.append(models[bytes(parts[0])])
        self.configs.append(config)
        return self.graphs[-1]


class Guest:
    """Calls wasi_ephemeral_nn as a guest does: core values in, an error number out.

    Memory is used like this: arguments of a call from 0x100, results at 0x10, tensors and models from 0x1000.
    """

    OUT = 0x10

    def __init__(self, memory: Memory | None, call: Callable[..., int], reports: list[str]) -> None:
        self.memory = memory
        self.call = call
        self.reports = reports

    def poke(self, address: int, data: bytes) -> tuple[int, int]:
        """Write bytes; returns pointer and length."""
        self.memory.write(address, data)
        return address, len(data)

    def u32(self, address: int = OUT) -> int:
        return int.from_bytes(self.memory.read(address, 4), "little")

    def load(self, *parts: bytes, encoding: int = 1, target: int = 0, at: int = 0x1000) -> int:
        """The error number of a load; the graph is at OUT."""
        records = b""
        for part in parts:
            records += pack("<II", *self.poke(at, part))
            at += len(part)
        self.poke(0x100, records)
        return self.call("load", 0x100, len(parts), encoding, target, self.OUT)

    def set_input(
        self,
        ctx: int,
        index: int,
        data: bytes,
        dims: Sequence[int] = (1, 2),
        type: int = 1,
        *,
        record: int = 0x100,
        at: int = 0x4000,
        dims_at: int = 0x200,
        garbage: bytes = bytes(3),
    ) -> int:
        self.poke(dims_at, pack(f"<{len(dims)}I", *dims))
        self.poke(at, data)
        self.poke(record, pack("<IIB3sII", dims_at, len(dims), type, garbage, at, len(data)))
        return self.call("set_input", ctx, index, record)

    def output(self, ctx: int, index: int, room: int = 64, at: int = 0x8000) -> tuple[int, bytes]:
        """The error number of get_output, and as many bytes as it says it wrote."""
        error = self.call("get_output", ctx, index, at, room, self.OUT)
        return error, self.memory.read(at, self.u32() if error == 0 else 0)

    def ready(self, **load: Any) -> int:
        """A context of ADD_MUL."""
        assert self.load(ADD_MUL, **load) == 0, self.reports
        assert self.call("init_execution_context", self.u32(), self.OUT) == 0, self.reports
        return self.u32()


Start = Callable[..., Guest]
PASSTHROUGH = Module.from_file(FIXTURES / "witx_passthrough.wasm")
"""Exports the 12 functions as it imports them, and two pages of memory."""
NO_MEMORY = Module.from_text(
    """(module (import "wasi_ephemeral_nn" "load" (func (param i32 i32 i32 i32 i32) (result i32)))
    (export "load" (func 0)))"""
)
WAYS = (
    ("compile", Flavour.default(), "fake"),
    ("compile", Flavour.STRUCT, "onnxruntime"),
    ("compile", Flavour.default(), "openvino"),
    ("interpret", Flavour.STRUCT, "fake"),
    ("interpret", Flavour.default(), "numpy"),
)
"""Engine, flavour of memory and the backend that reads ONNX: each of them at least once."""
NATIVE = ("onnxruntime", "openvino")


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]}-{way[1].value}-{way[2]}")
def start(request: pytest.FixtureRequest) -> Start:
    """Starts guests that pass everything through: NN options as given, `memory=False` for one that exports
    none.
    """
    engine, flavour, backend = request.param
    reason = NN().registry.backend(backend, "of these tests").unavailable() if backend != "fake" else None
    if reason:
        pytest.skip(reason)

    def start(*, memory: bool = True, **options: Any) -> Guest:
        # Native frameworks are imported once, here; numpy has a process for each guest, as is usual.
        given = {"trust_guest_models": True} if backend in NATIVE else {}
        nn = NN(**{"plugins": [FakeBackend()], "backends": {"onnx": backend}} | given | options)
        reports: list[str] = []
        module = PASSTHROUGH if memory else NO_MEMORY
        instance = module.instantiate(nn=nn, engine=engine, flavour=flavour, report=reports.append)
        request.addfinalizer(instance.close)
        return Guest(
            instance.memory if memory else None,
            lambda name, *values: instance.exports[name](*values),
            reports,
        )

    return start


ROOT = Path(__file__).parents[2]


def alone(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a process of its own, where nothing that other tests left moves its memory."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        node = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        if os.environ.get("PYWASM_NN_TEST_ALONE") == node:
            test(**fixtures)
            return
        command = [sys.executable, "-m", "pytest", "-rs", "-m", "", "-p", "no:cacheprovider", node]
        environment = {**os.environ, "PYWASM_NN_TEST_ALONE": node}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=HANGS, check=False
        )
        if " 1 skipped" in done.stdout:
            pytest.skip(next(line for line in done.stdout.splitlines() if line.startswith("SKIPPED")))
        assert done.returncode == 0, done.stdout

    return run
