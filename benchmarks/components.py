"""What crossing into and out of a component costs, beside core calls, plain copies and wasmtime's package.

    python benchmarks/components.py [ROUNDS]
    python benchmarks/components.py FILE FUNCTION [TEXT ...]

Time is the processor's; every figure is the best of so many rounds, and what is compared is measured in turn.
Printed: a row for each way to cross, in microseconds, and the ratio that docs/speed.md keeps. Of a file: what
it takes up to the first answer of a function that it exports, in processes without kept code and with it, and
in wasmtime without kept code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import wasmtime  # noqa: E402 - after the path is set
from wasmtime import component as native  # noqa: E402 - after the path is set

from pywasm_nn import Component, Module, Text  # noqa: E402 - after the path is set

LOOPS = 20_000
"""Calls of the host within one call of the guest."""
CORE = """
  (memory (export "memory") 64)
  (func (export "same") (param i32) (result i32) (local.get 0))
  (func (export "pair") (param i32 i32) (result i32)
    (i32.store (i32.const 8) (local.get 0)) (i32.store (i32.const 12) (local.get 1)) (i32.const 8))
  (func (export "loop") (param $n i32)
    (loop (call $log (i32.const 32) (i32.const 11))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (data (i32.const 32) "hello world")
"""
COMPONENT = f"""(component
  (import "log" (func $log (param "text" string)))
  (core module $Libc
    (memory (export "memory") 64)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536)))
  (core instance $libc (instantiate $Libc))
  (core func $log_ (canon lower (func $log) (memory (core memory $libc "memory"))))
  (core module $Main
    (import "libc" "memory" (memory 64)) (import "host" "log" (func $log (param i32 i32)))
    {CORE.replace('(memory (export "memory") 64)', "")})
  (core instance $main (instantiate $Main
    (with "libc" (instance $libc)) (with "host" (instance (export "log" (func $log_))))))
  (func (export "same") (param "n" u32) (result u32) (canon lift (core func $main "same")))
  (func (export "bytes") (param "x" (list u8)) (result (list u8)) (canon lift (core func $main "pair")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (func (export "floats") (param "x" (list f32)) (result (list f32)) (canon lift (core func $main "pair")
    (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (func (export "loop") (param "n" u32) (canon lift (core func $main "loop"))))
"""


def best(rounds: int, *works: Callable[[], Any], times: int = 1) -> list[float]:
    """Microseconds of processor time of each, measured in turn."""
    found = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            began = time.process_time()
            for _ in range(times):
                work()
            found[index] = min(found[index], (time.process_time() - began) / times * 1e6)
    return found


def log(text: Text) -> None:
    """Nothing."""


def native_functions() -> dict[str, Callable[..., Any]]:
    """The same component in wasmtime."""
    store = wasmtime.Store()
    linker = native.Linker(store.engine)
    with linker.root() as root:
        root.add_func("log", lambda store, text: None)
    instance = linker.instantiate(store, native.Component(store.engine, COMPONENT))
    functions = {}
    for name in ("same", "bytes", "floats", "loop"):
        function = instance.get_func(store, name)

        def call(*arguments: Any, function: Any = function) -> Any:
            result = function(store, *arguments)
            function.post_return(store)
            return result

        functions[name] = call
    return functions


TOLD = """
import resource, sys, time
def told(what):
    taken, memory = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"  {what:36} {taken:6.2f} s {memory:6} MiB")
path, folder, function, *texts = sys.argv[1:]
"""
"""What both processes begin with; memory is the peak so far (Linux)."""
START = """
from pywasm_nn import CodeFolder, Component, Wasi
began = time.process_time()
component = Component.from_file(path, cache=CodeFolder(folder) if folder else None)
with component.instantiate(wasi=Wasi()) as instance:
    told("decoded, validated, instantiated")
    instance.exports[function](*texts)
    told("first answer")
    began = time.process_time()
    instance.exports[function](*texts)
    told("second answer alone")
"""
"""What a process of its own runs here."""
NATIVE_START = """
import wasmtime
from wasmtime import component as components
began = time.process_time()
store = wasmtime.Store()
linker = components.Linker(store.engine)
linker.add_wasip2()
store.set_wasi(wasmtime.WasiConfig())
try:
    instance = linker.instantiate(store, components.Component.from_file(store.engine, path))
except wasmtime.WasmtimeError as refused:
    sys.exit(f"  the package doesn't run it: {str(refused).splitlines()[0]}")
told("compiled, instantiated")
called = instance.get_func(store, function)
called(store, *texts)
told("first answer")
called.post_return(store)
began = time.process_time()
called(store, *texts)
told("second answer alone")
"""
"""The same in wasmtime."""


def starts(path: str, arguments: list[str]) -> None:
    """Print what a component takes up to its first answer."""
    with tempfile.TemporaryDirectory() as folder:
        # Processes after the first find the package's bytecode, as after an installation.
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
        for what, place in (("nothing kept", ""), ("the first to keep code", folder), ("kept code", folder)):
            print(f"{what}:", flush=True)
            command = [sys.executable, "-c", TOLD + START, path, place, *arguments]
            subprocess.run(command, check=True, env=environment)
    print("wasmtime's package, nothing kept:", flush=True)
    subprocess.run([sys.executable, "-c", TOLD + NATIVE_START, path, "", *arguments], check=False)


def main() -> None:
    if len(sys.argv) > 2:
        starts(sys.argv[1], sys.argv[2:])
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    core_text = f'(module (import "env" "log" (func $log (param i32 i32))) {CORE})'
    core = Module.from_text(core_text).instantiate(imports={"env": {"log": log}}).exports
    component = Component.from_bytes(bytes(wasmtime.wat2wasm(COMPONENT)))
    ours = component.instantiate({"log": lambda text: None}).exports
    theirs = native_functions()
    data = bytes(range(256)) * 4096
    floats = [float(n) for n in range(100_000)]
    packed = array("f", floats)
    rows = [
        (
            "u32 to u32, from outside",
            *best(rounds, lambda: ours.same(7), lambda: core.same(7), times=2000),
            "core call",
        ),
        (
            "a string to the host, in a guest",
            *(us / LOOPS for us in best(rounds, lambda: ours.loop(LOOPS), lambda: core.loop(LOOPS))),
            "host call of a module",
        ),
        (
            "1 MiB list<u8>, in and out",
            *best(rounds, lambda: ours.bytes(data), lambda: bytearray(data), times=20),
            "copy",
        ),
        (
            "100,000 list<f32>, a list in and out",
            *best(rounds, lambda: ours.floats(floats), lambda: list(floats)),
            "copy of the list",
        ),
        (
            "100,000 list<f32>, a buffer in",
            *best(rounds, lambda: ours.floats(packed), packed.tolist),
            "list of the buffer",
        ),
    ]
    print(f"{'':38} {'ours':>10} {'beside':>10} {'ratio':>7}  {'':24}{'wasmtime':>12}")
    natively = [
        lambda: theirs["same"](7),
        lambda: theirs["loop"](200),
        lambda: theirs["bytes"](data[:65536]),
        lambda: theirs["floats"](floats[:10_000]),
        lambda: theirs["floats"](floats[:10_000]),
    ]
    scale = [1, 1 / 200, 16, 10, 10]
    for (name, own, beside, what), work, factor in zip(rows, natively, scale, strict=True):
        (other,) = best(3, work)
        print(f"{name:38} {own:10.2f} {beside:10.2f} {own / beside:7.2f}  {what:24}{other * factor:12.2f}")
    print(f"an element of list<f32>: {rows[3][1] / 100:.0f} ns a list, {rows[4][1] / 100:.0f} ns a buffer")


if __name__ == "__main__":
    main()
