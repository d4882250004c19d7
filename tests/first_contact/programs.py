"""Programs that bring things: templates, atomics, proposals, Emscripten, WASI's reactors."""

from __future__ import annotations

from first_contact.place import Place, Report

ATOMIC = """(module (memory (export "memory") 1)
  (func (export "go") (result i32) (drop (i32.atomic.rmw.add (i32.const 8) (i32.const 5)))
    (i32.atomic.load (i32.const 8))))"""
REACTOR = """(module (global $g (mut i32) (i32.const 0))
  (func (export "_initialize") (global.set $g (i32.const 9)))
  (func (export "get") (result i32) (global.get $g)))"""
CONTINUATION = bytes.fromhex("0061736d0100000001 03015d00")
"""A module with a type of continuations (the proposal stack switching)."""
EMSCRIPTEN = """(module (import "env" "emscripten_notify_memory_growth" (func $n (param i32)))
  (memory (export "memory") 1) (func (export "_start") (call $n (i32.const 0))))"""
TENSORFLOW = """(module
  (import "wasmedge_tensorflow" "wasmedge_tensorflow_create_session" (func (param i32 i32) (result i64)))
  (func (export "_start")))"""


def check(place: Place, report: Report) -> None:
    templates(place, report)
    desk = place.desk()
    for name, text in (
        ("atomic.wat", ATOMIC),
        ("reactor.wat", REACTOR),
        ("em.wat", EMSCRIPTEN),
        ("tf.wat", TENSORFLOW),
    ):
        (desk / name).write_text(text)
    (desk / "continuation.wasm").write_bytes(CONTINUATION)
    for engine in ("compile", "interpret"):
        done = place.wasm("run", "--engine", engine, "--invoke", "go", "atomic.wat", where=desk)
        report.check(f"atomics on unshared memory, {engine}", done.stdout == "5\n", done.stdout + done.stderr)
    done = place.wasm("run", "--invoke", "get", "reactor.wat", where=desk)
    report.check("_initialize is called", done.stdout == "9\n", done.stdout + done.stderr)
    for command in ("run", "validate", "inspect"):
        done = place.wasm(command, "continuation.wasm", where=desk)
        named = "stack switching" in done.stdout + done.stderr
        report.check(
            f"{command} names the proposal", named and "invalid function" not in done.stderr, done.stderr
        )
    done = place.wasm("run", "em.wat", where=desk)
    report.check("harmless imports of Emscripten", done.returncode == 0, done.stderr)
    done = place.wasm("run", "tf.wat", where=desk)
    named = done.returncode == 1 and "WasmEdge" in done.stderr and "wasi-nn" in done.stderr
    report.check("WasmEdge's old imports are named", named, done.stderr)


def templates(place: Place, report: Report) -> None:
    desk = place.desk()
    for language in ("c", "assemblyscript", "rust", "wat"):
        made = place.wasm("new", language, language, where=desk)
        report.check(f"new {language}", made.returncode == 0, made.stderr)
        said = made.stdout + made.stderr
        report.check(f"new {language}: says how it is run", "run: pywasm-nn run" in said, said)
        report.check(f"new {language}: says nothing else", len(said.splitlines()) <= 4, said)
        runs = [line.partition("run: ")[2] for line in said.splitlines() if "run: pywasm-nn" in line]
        builds = [line.partition("build: ")[2] for line in said.splitlines() if "build: python" in line]
        if language in ("c", "wat"):
            done = place.shell("\n".join(["set -e", *builds, *runs]), desk / language)
            report.check(f"new {language}: runs as it says", done.stdout == "5\n", done.stdout + done.stderr)
        again = place.wasm("new", language, language, where=desk)
        report.check(
            f"new {language}: never overwrites",
            again.returncode in (1, 2) and language in again.stderr,
            again,
        )
    include = place.wasm("include", where=desk)
    listed = place.shell(f"ls {include.stdout.strip()}", desk).stdout.split()
    wanted = {"wasi_nn.h", "wasi_nn.ts", "wasi_nn.rs"}
    report.check("include: the bindings are there", wanted <= set(listed), listed)
