"""Fuzz targets of the host: calls with absurd arguments on the WASI face and on the faces of wasi-nn, as a
guest makes them: through a module that passes them on. Memory is prepared so that many calls succeed."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random

from pywasm_nn.api import Module
from pywasm_nn.component.lowered import core_namespaces
from pywasm_nn.errors import GuestExit, Trap
from pywasm_nn.host import Face
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.types import I32, FuncType, NumType
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, witx
from pywasm_nn.nn.interfaces import INTERFACES
from pywasm_nn.nn.provider import FACES
from pywasm_nn.wasi import Capture, Clocks, MemoryDirectory, Wasi
from pywasm_nn.wasi.preview1 import preview1

from ..nn.conftest import ADD_MUL, FakeBackend
from ..wasi.test_bad_arguments import BUFFER, EDGES, FILE, GOOD, IOVEC, LONG_EDGES, NEW, POLL

TEN = b"0123456789"
LIMITS = Limits(output=1 << 16)
CALLS = 12
"""Most calls of one input."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the module, by the name of its export."""

    name: str
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Calls of functions of a face, and what is in memory before."""

    face: str
    memory: tuple[tuple[int, bytes], ...]
    calls: tuple[Call, ...]


Functions = Mapping[str, FuncType]
"""Functions of a namespace, with their types."""


def functions_of(face: Face) -> Functions:
    return {name: face.signature(name).type for name in face}


def passing(faces: Mapping[str, Functions], realloc: str = "") -> Module:
    """A module that imports every function of some namespaces and exports ones that call them."""
    imports, functions = [], []
    for face, named in faces.items():
        for name, type_ in named.items():
            params = f"(param {' '.join(map(str, type_.params))})" if type_.params else ""
            results = f"(result {' '.join(map(str, type_.results))})" if type_.results else ""
            number = len(imports)
            gets = " ".join(f"local.get {index}" for index in range(len(type_.params)))
            imports.append(f'(import "{face}" "{name}" (func {params} {results}))')
            functions.append(f'(func (export "{face} {name}") {params} {results} {gets} call {number})')
    text = f'(module {" ".join(imports)} (memory (export "memory") 1 2) {" ".join(functions)} {realloc})'
    return Module.from_text(text, "passing.wat")


def played(instance: Instance, story: Story) -> str:
    """How a story ends: a trap of the guest's, an exit or the last answer. Nothing else may rise."""
    try:
        for address, data in story.memory:
            instance.memory.write(address, data)
        for call in story.calls:
            instance.exports[call.name](*call.arguments)
    except Trap as trap:
        return str(trap.kind)
    except GuestExit:
        return "exit"
    return "all answered"


class WasiFace:
    """Calls of preview1 on directories in memory, and at times on a real one."""

    name = "wasi"

    @cached_property
    def module(self) -> Module:
        return passing({preview1.module: functions_of(preview1)})

    def input(self, random: Random) -> Story:
        memory = [
            (FILE, b"file"),
            (NEW, b"new\0\0\0\0\0to_file\0empty"),
            (IOVEC, struct.pack("<II", BUFFER, 16)),
            (POLL, struct.pack("<QB7xI4xQQH6x", 7, random.randrange(3), random.choice((0, 1, 4)), 1, 0, 0)),
        ]
        if random.random() < 0.3:
            memory.append((random.choice((FILE, NEW, IOVEC, POLL)), random.randbytes(random.randrange(40))))
        calls = [Call(f"{preview1.module} path_open", (3, 1, FILE, 4, 0, 66, 0, 0, 1024))]
        for _ in range(random.randrange(1, CALLS)):
            name = random.choice(list(GOOD))
            types = preview1.signature(name).type.params
            pairs = zip(GOOD[name], types, strict=True)
            arguments = [argument_near(good, type_, random) for good, type_ in pairs]
            calls.append(Call(f"{preview1.module} {name}", tuple(arguments)))
        return Story(preview1.module, tuple(memory), tuple(calls))

    def feed(self, story: Story) -> str:
        if len(story.calls) < CALLS:
            return self.feed_in(story, MemoryDirectory({"file": TEN, "empty/": b""}, limit=1 << 20))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "empty").mkdir()
            (Path(folder) / "file").write_bytes(TEN)
            return self.feed_in(story, Path(folder))

    def feed_in(self, story: Story, directory: Path | MemoryDirectory) -> str:
        wasi = Wasi(
            args=["program"],
            env={"NAME": "value"},
            dirs={"/": directory},
            stdin=b"in",
            stdout=Capture(),
            stderr=Capture(),
            clocks=Clocks(sleep=lambda seconds: None),
        )
        with self.module.instantiate(wasi, limits=LIMITS) as instance:
            return played(instance, story)


def argument_near(good: int, type_: NumType, random: Random) -> int:
    """An argument that may be right, or absurd."""
    chance = random.random()
    if chance < 0.8:
        return good
    if chance < 0.9:
        return signed(random.choice(EDGES if type_ is I32 else LONG_EDGES), type_)
    return random.choice((good + 1, good - 1 if good else 0, random.randrange(300), 3, 4))


def signed(value: int, type_: NumType) -> int:
    return value - (1 << type_.bits) if value >> type_.bits - 1 else value


MODEL, RECORD, SHAPE, TENSOR, ANSWERS, NAME = 0x1000, 0x100, 0x200, 0x4000, 0x10, 0x300


@cache
def passing_nn(name: str) -> Module:
    """A module that passes on the calls of WITX and of another face, and has a realloc, which never fails and
    may go too far."""
    realloc = """(global $top (mut i32) (i32.const 0x8000))
        (func (export "cabi_realloc") (export "cm32p2_realloc") (param i32 i32 i32 i32) (result i32)
          (global.set $top (i32.add (global.get $top) (i32.and (local.get 3) (i32.const 0xfff8))))
          (global.get $top))"""
    return passing({WITX: NN_FACES[WITX], name: NN_FACES[name]}, realloc)


class NNFaces:
    """Calls on every face of wasi-nn: a session with a model, handles that are there and others. Half of the
    calls are of WITX, the others of one more face."""

    name = "nn"

    @cached_property
    def backend(self) -> FakeBackend:
        return FakeBackend()

    @cached_property
    def nn(self) -> NN:
        return NN(plugins=[self.backend], backends={"onnx": "fake"}, trust_guest_models=True)

    def input(self, random: Random) -> Story:
        model = random.choice((ADD_MUL, ADD_MUL, b"FAKE broken", b"FAKE text", b"FAKE types", ADD_MUL[:20]))
        memory = (
            (MODEL, model),
            (RECORD, struct.pack("<II", MODEL, len(model))),
            (RECORD + 16, struct.pack("<IIB3xII", SHAPE, 2, 1, TENSOR, 8)),
            (SHAPE, struct.pack("<II", 1, 2)),
            (TENSOR, struct.pack("<ff", 1.5, -2.0)),
            (NAME, b"a\0sum\0default"),
            (random.choice((RECORD, SHAPE, TENSOR, NAME)), random.randbytes(random.choice((0, 0, 8, 40)))),
        )
        calls = [
            Call(f"{WITX} {name}", tuple(near(good, random) for good in arguments))
            for name, arguments in USUAL[: random.choice((0, 2, 4, 5, 6))]
        ]
        other = random.choice(list(NN_FACES))
        for _ in range(random.randrange(1, CALLS)):
            face = random.choice((WITX, other))
            name, type_ = random.choice(list(NN_FACES[face].items()))
            calls.append(Call(f"{face} {name}", tuple(anything(param, random) for param in type_.params)))
        return Story(other, memory, tuple(calls))

    def feed(self, story: Story) -> str:
        # The backend keeps its graphs for other tests, and with them whole sessions: 44 KB a story.
        self.backend.graphs.clear()
        self.backend.configs.clear()
        with passing_nn(story.face).instantiate(nn=self.nn) as instance:
            return played(instance, story)


def lowered() -> dict[str, Functions]:
    """What core modules import of wasi:nn."""
    host = NN().open(print)
    found: dict[str, Functions] = {}
    for namespace, names in core_namespaces(INTERFACES).items():
        functions = {name: host.lookup(namespace, name) for name in names}
        found[namespace] = {name: function.type for name, function in functions.items() if function}
    return found


NN_FACES = {name: functions_of(face) for name, face in FACES.items()} | lowered()
WITX = witx.face.module
USUAL = (
    ("load", (RECORD, 1, 1, 0, ANSWERS)),
    ("init_execution_context", (0, ANSWERS)),
    ("set_input", (0, 0, RECORD + 16)),
    ("set_input", (0, 1, RECORD + 16)),
    ("compute", (0,)),
    ("get_output", (0, 0, 0x8000, 64, ANSWERS)),
)
"""What a guest does with a model, by its WITX name."""


def near(good: int, random: Random) -> int:
    return argument_near(good, I32, random) if random.random() < 0.1 else good


def anything(type_: NumType, random: Random) -> int:
    usual = (0, 0, 0, 1, 1, 2, 8, ANSWERS, RECORD, RECORD + 16, SHAPE, TENSOR, NAME, MODEL)
    return signed(random.choice(EDGES if random.random() < 0.1 else usual), type_)
