"""A guest of `wasi:nn` whose imports can be called with any numbers, in any version and mangling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from struct import pack, unpack
from typing import Any

from pywasm_nn.api import Module
from pywasm_nn.component.lowered import LEGACY, STANDARD32, Mangling, core_names, core_type
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Backend
from pywasm_nn.nn.interfaces import VERSIONS
from pywasm_nn.nn.provider import NNHost
from pywasm_nn.nn.registry import Report
from pywasm_nn.nn.session import Session

NEWEST, AUGUST, JUNE, UNVERSIONED = (f"@{version}" * bool(version) for version in VERSIONS)


@cache
def module(version: str, mangling: Mangling, memory: bool = True) -> Module:
    """Exports what it imports, and a realloc that goes up from 0x10000 and grows memory as it must."""
    imports, exports = [], []
    for interface in VERSIONS[version.removeprefix("@")].values():
        path = f"{mangling.prefix}{interface.name}{version}"
        for name in core_names(interface, mangling):
            type_ = core_type(interface, mangling, name)
            assert type_ is not None
            params = "".join(" i32" for _ in type_.params)
            results = " (result i32)" if type_.results else ""
            number = len(imports)
            imports.append(f'(import "{path}" "{name}" (func (param{params}){results}))')
            exports.append(f'(export "{interface.name.removeprefix("wasi:nn/")}.{name}" (func {number}))')
    realloc = "cm32p2_realloc" if mangling is STANDARD32 else "cabi_realloc"
    parts = f"""(memory (export "{mangling.memory}") 2)
      (global $top (export "top") (mut i32) (i32.const 0x10000))
      (global $skew (export "skew") (mut i32) (i32.const 0))
      (func (export "{realloc}") (param i32 i32 i32 i32) (result i32) (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
        (global.set $top (i32.add (local.get $at) (local.get 3)))
        (if (i32.gt_u (global.get $top) (i32.shl (memory.size) (i32.const 16)))
          (then (drop (memory.grow (i32.const 1)))))
        (i32.add (local.get $at) (global.get $skew)))"""
    return Module.from_text(f"(module {' '.join(imports)} {parts if memory else ''} {' '.join(exports)})")


class WitError(Exception):
    """The `error` that a function answered."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text


class Opened:
    """A provider that remembers the sessions it opened."""

    def __init__(self, nn: NN) -> None:
        self.nn = nn
        self.sessions: list[Session] = []

    def open(self, report: Report, limits: Limits) -> NNHost:
        host = self.nn.open(report, limits)
        self.sessions.append(host.session)
        return host


class WitGuest:
    """Arguments from 0x100 on, result areas at 0x10, tensors and models from 0x1000."""

    AREA = 0x10
    survives_traps = True

    def __init__(
        self, version: str, nn: NN, *, mangling: Mangling = LEGACY, memory: bool = True, **options: Any
    ) -> None:
        self.reports: list[str] = []
        self.mangling = mangling
        opened = Opened(nn)
        self.instance = module(version, mangling, memory).instantiate(
            nn=opened, report=self.reports.append, **options
        )
        self.session = opened.sessions[0]

    @property
    def memory(self) -> Any:
        return self.instance.exports[self.mangling.memory]

    def call(self, name: str, *arguments: int) -> Any:
        return self.instance.exports[name](*arguments)

    def skew(self, by: int) -> None:
        """Let the allocator answer with addresses that are off by so much."""
        self.instance.exports["skew"].value = by

    def rewind(self) -> None:
        """Let the allocator begin anew."""
        self.instance.exports["top"].value = 0x10000

    def poke(self, address: int, data: bytes) -> tuple[int, int]:
        self.memory.write(address, data)
        return address, len(data)

    def words(self, count: int, at: int = AREA) -> tuple[int, ...]:
        return unpack(f"<{count}I", self.memory.read(at, 4 * count))

    def result(self, words: int = 1) -> tuple[int, ...]:
        """What is in the area of a `result`. Raises WitError, whose resource is dropped."""
        tag, *values = self.words(1 + words)
        if tag & 0xFF:
            handle = values[0]
            code = self.call("errors.[method]error.code", handle)
            text = self.listed("errors.[method]error.data", handle).decode()
            self.drop("errors", "error", handle)
            raise WitError(code, text)
        return tuple(values)

    def drop(self, interface: str, resource: str, handle: int) -> None:
        self.call(f"{interface}.{self.mangling.drop(resource)}", handle)

    def listed(self, name: str, handle: int, size: int = 1) -> bytes:
        self.call(name, handle, self.AREA)
        at, count = self.words(2)
        return bytes(self.memory.read(at, count * size))

    def load(self, *parts: bytes, encoding: int = 1, target: int = 0) -> int:
        at, records = 0x1000, b""
        for part in parts:
            records += pack("<II", *self.poke(at, part))
            at += len(part)
        self.poke(0x100, records)
        self.call("graph.load", 0x100, len(parts), encoding, target, self.AREA)
        return self.result()[0]

    def load_by_name(self, name: bytes) -> int:
        self.call("graph.load-by-name", *self.poke(0x1000, name), self.AREA)
        return self.result()[0]

    def context(self, graph: int) -> int:
        self.call("graph.[method]graph.init-execution-context", graph, self.AREA)
        return self.result()[0]

    def tensor(self, data: bytes, dims: Sequence[int] = (1, 2), type: int = 1) -> int:
        self.poke(0x200, pack(f"<{len(dims)}I", *dims))
        handle: int = self.call(
            "tensor.[constructor]tensor", 0x200, len(dims), type, *self.poke(0x4000, data)
        )
        return handle

    def data(self, tensor: int) -> bytes:
        return self.listed("tensor.[method]tensor.data", tensor)

    def dimensions(self, tensor: int) -> tuple[int, ...]:
        data = self.listed("tensor.[method]tensor.dimensions", tensor, 4)
        return unpack(f"<{len(data) // 4}I", data)

    def compute(self, context: int, **inputs: int) -> dict[str, int]:
        """All at once, as since October 2024."""
        records, at = b"", 0x300
        for name, tensor in inputs.items():
            records += pack("<III", *self.poke(at, name.encode()), tensor)
            at += len(name)
        method = "inference.[method]graph-execution-context.compute"
        self.call(method, context, *self.poke(0x400, records)[:1], len(inputs), self.AREA)
        at, count = self.result(2)
        outputs = {}
        for index in range(count):
            name_at, length, tensor = self.words(3, at + 12 * index)
            outputs[self.memory.read(name_at, length).decode()] = tensor
        return outputs

    def set_input(self, context: int, name: str, tensor: int) -> None:
        method = "inference.[method]graph-execution-context.set-input"
        self.call(method, context, *self.poke(0x300, name.encode()), tensor, self.AREA)
        self.result()

    def compute_set(self, context: int) -> None:
        self.call("inference.[method]graph-execution-context.compute", context, self.AREA)
        self.result()

    def output(self, context: int, name: str) -> int:
        method = "inference.[method]graph-execution-context.get-output"
        self.call(method, context, *self.poke(0x300, name.encode()), self.AREA)
        return self.result()[0]


def nn_with(backend: Backend, **options: Any) -> NN:
    return NN(**{"plugins": [backend], "backends": {"onnx": backend.name}} | options)


Starter = Callable[..., WitGuest]
MANGLINGS = (LEGACY, STANDARD32)
