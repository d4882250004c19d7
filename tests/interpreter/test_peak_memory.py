"""Peak memory of whole runs, each in a process of its own: what the compiler needs is bounded by the largest
function that it compiles, and what is kept by the size of the module.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pywasm_nn import Capture, GuestExit, Module, Wasi
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.validate import validate_func

GUESTS = Path(__file__).parents[1] / "guests"
MODULE, FIXED, INSTRUCTION = 3, 30 << 20, 2500
"""Bytes for each byte of the module, for everything else, and for an instruction of the largest function: on
CPython 3.11. On 3.13 the largest guest here takes 2.6 MiB more than that."""
UNIT = 1 if sys.platform == "darwin" else 1024
"""Of `ru_maxrss`."""


WATCHER = """if True:
    import os, sys
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ, file_actions=nowhere)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    print(usage.ru_maxrss)"""
"""A small process between this one and the one that is measured: Linux counts what a process had before it
became another program."""


USUAL = 10 << 20
"""Bytes that Python takes by itself at most. Some builds take more, which is no doing of ours."""


def peak(*arguments: str) -> int:
    """Bytes that Python with these arguments takes at most."""
    watched = subprocess.run([sys.executable, "-c", WATCHER, *arguments], capture_output=True, check=True)
    return int(watched.stdout) * UNIT


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """What this build of Python takes beyond what is usual. Modules are there as bytecode meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        subprocess.run(
            [sys.executable, "-m", "pywasm_nn", "run", "--no-cache", str(GUESTS / "hello_c.wasm")],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        yield max(0, peak("-c", "pass") - USUAL)


def bound(path: Path) -> int:
    """What it may take."""
    module = Module.from_file(path)
    with module.instantiate(Wasi(args=[path.name], stdout=Capture())) as instance:
        try:
            instance.exports["_start"]()
        except GuestExit as exit_:
            assert exit_.code == 0
        memory = sum(memory.size for memory in instance.mems)
        engine = instance.engine
        assert isinstance(engine, CompileEngine)
        compiled = set(engine.compiled)  # a closed instance has forgotten
    bodies = [module.funcs[funcidx - module.imported_funcs].body for funcidx in compiled]
    largest = max(len(body.ops) for body in bodies)
    print(path.name, path.stat().st_size, memory, largest)
    return MODULE * path.stat().st_size + memory + FIXED + INSTRUCTION * largest


def large(folder: Path) -> Path:
    """A program with one function of 20,000 instructions, and a string of 2 MB."""
    work = "(local.set 0 (i32.add (i32.load (local.get 0)) (i32.mul (local.get 0) (i32.const 77))))"
    mask = "(local.set 0 (i32.and (local.get 0) (i32.const 0xfffc)))"
    text = f"""(module (memory (export "memory") 40) (data (i32.const 0) "{"text" * (1 << 19)}")
      (func (export "_start") (local i32) {(work + mask) * 2000}))"""
    path = folder / "large.wasm"
    path.write_bytes(encode(parse(text)))
    return path


def test_the_compiler_leaves_no_garbage() -> None:
    """What refers to itself would stay until Python looks for it, perhaps in the midst of the next one."""
    module = Module.from_file(GUESTS / "hello_go.wasm")
    indices = range(0, len(module.funcs), 40)
    known = [(index, validate_func(module, index)) for index in indices]
    gc.collect()
    gc.disable()
    gc.freeze()  # what others left is not counted, however late it turns out to be garbage
    try:
        for index, facts in known:
            translate(module, index, facts, Variant(Flavour.default())).compile()
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="this system doesn't tell what a process took")
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the bound is stated for CPython 3.11")
@pytest.mark.parametrize(
    "name",
    # Go's is compiled twice for ten seconds, once to know its largest function.
    ["hello_c", "hello_rust", "hello_cpp", pytest.param("hello_go", marks=pytest.mark.slow), "large"],
)
def test_a_run(name: str, own: int, tmp_path: Path) -> None:
    path = large(tmp_path) if name == "large" else GUESTS / f"{name}.wasm"
    taken = peak("-m", "pywasm_nn", "run", "--no-cache", str(path))
    allowed = bound(path) + own
    print(f"{name}: {taken / (1 << 20):.1f} of {allowed / (1 << 20):.1f} MiB")
    assert taken <= allowed
