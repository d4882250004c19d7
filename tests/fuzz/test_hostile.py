"""Modules that claim, nest, loop and recurse without end, and those whose names break out of quotes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.module import Export, Import
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from .hostile import MODULES, SPITEFUL, spiteful_names

ROOT = Path(__file__).parents[2]
LARGE = (
    "a million", "100,000", "330,000", "1,000 loops", "4,000 nested", "1,000 values of", "500 fields",
    "20,000 choices",
)  # fmt: skip
"""How names of modules begin that take a second or more."""
SMALL = [name for name in MODULES if not name.startswith(LARGE)][::5]
"""One of five of the others, which stand by kind."""


@pytest.mark.parametrize(
    "names", [pytest.param(SMALL, id="small"), pytest.param([], id="all", marks=pytest.mark.slow)]
)
def test_each_ends_soon_and_small_as_it_should(names: list[str]) -> None:
    command = [sys.executable, "-m", "tests.fuzz.hostile", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_of_a_module_reaches_generated_source() -> None:
    module = decode(spiteful_names(), SPITEFUL)
    mild = replace(
        module,
        imports=tuple(Import("a", "b", wanted.kind, wanted.type) for wanted in module.imports),
        exports=tuple(Export(str(n), export.kind, export.index) for n, export in enumerate(module.exports)),
        customs=(),
        name="",
    )
    for flavour in Flavour:
        sources = [
            translate(each, 0, validate_func(each, 0), Variant(flavour)).source for each in (module, mild)
        ]
        assert sources[0] == sources[1]


SHORT_OF_MEMORY = """
import resource
from pywasm_nn import Module
from pywasm_nn.errors import MemoryLimitError
from tests.fuzz import bodies
small = bodies.module(bytes([1]))
for engine in ("interpret", "compile"):
    Module.from_bytes(small).instantiate(engine=engine).exports.f()
constants = bodies.module(b"\\x44abcdefgh\\x1a" * 60_000)
attacks = bodies.elements(300_000), constants, bodies.spread_locals(60_000)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
for megabytes in (4, 8, 16):
    limit = used + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    for data in attacks:
        for engine in ("interpret", "compile"):
            try:
                instance = Module.from_bytes(data).instantiate(engine=engine)
                if "f" in instance.exports:
                    instance.exports.f()
            except MemoryLimitError:
                print("short")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the address space is Linux's")
def test_short_memory_is_an_error_of_ours() -> None:
    command = [sys.executable, "-c", SHORT_OF_MEMORY]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("short") >= 3


MANY_MEMORIES = """
import resource
from pywasm_nn import Limits, Module
from pywasm_nn.errors import MemoryLimitError
module = Module.from_text('(module (memory (export "m") 1))')
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, resource.RLIM_INFINITY))
kept = []
try:
    while True:
        kept.append(module.instantiate(limits=Limits(memory=256 << 20)))
except MemoryLimitError as error:
    print(len(kept), "memories,", error)
kept.append(bytearray(24 << 20))
kept.pop()
for instance in kept:
    instance.memory.write(65535, b"x")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the address space is Linux's")
def test_memories_leave_room_for_all_else() -> None:
    """They once took the last page of the address space, and Python died of SIGSEGV."""
    command = [sys.executable, "-c", MANY_MEMORIES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "of memory to give" in done.stdout
