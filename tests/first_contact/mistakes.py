"""First mistakes on the command line: each is answered by something that names the remedy.

`MISTAKES` was written before anybody looked at what is answered: what is typed, the exit code, and what must
be on stderr. `app.wasm` is the classifier, `hello.wat` prints, `add.wat` has add(i32, i32), `bad.wasm` is no
module, `needs.wat` imports functions that nobody has.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from first_contact.place import Place, Report

HELLO = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "hello\\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 6))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"""
ADD = """(module (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "half") (param f64) (result f64) (f64.mul (local.get 0) (f64.const 0.5)))
  (func (export "spin") (loop (br 0))))"""
NEEDS = """(module (import "env" "log" (func $log (param i32))) (import "game" "score" (func (result i32)))
  (func (export "_start") (call $log (i32.const 7))))"""
TRAPS = '(module (func $deep (unreachable)) (func (export "_start") (call $deep)))'
ARGUMENTS = """(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (drop (call $sizes (i32.const 0) (i32.const 4)))
    (call $exit (i32.load (i32.const 0)))))"""
FILES = {"hello.wat": HELLO, "add.wat": ADD, "needs.wat": NEEDS, "traps.wat": TRAPS, "count.wat": ARGUMENTS}


class Mistake(NamedTuple):
    typed: str
    code: int
    remedy: str
    """A regular expression, found in stderr."""


MISTAKES = [
    # Commands and files.
    Mistake("rnu app.wasm", 2, r"run"),
    Mistake("inspct app.wasm", 2, r"inspect"),
    Mistake("docter", 2, r"doctor"),
    Mistake("compile-model x", 2, r"--help|compile"),
    Mistake("run", 2, r"MODULE"),
    Mistake("run nothing.wasm", 1, r"nothing\.wasm.*(no such file|not there|doesn't exist)"),
    Mistake("run app.wsm", 1, r"app\.wasm"),
    Mistake("run .", 1, r"directory"),
    Mistake("run bad.wasm", 1, r"magic|isn't WebAssembly|text file and no module"),
    Mistake("run empty.wasm", 1, r"empty|0 bytes|end"),
    Mistake("run picture.png", 1, r"PNG|picture|magic|not a"),
    Mistake("run main.c", 1, r"C |source|compile|clang|ziglang"),
    Mistake("run script.py", 1, r"Python|module|magic|expected"),
    Mistake("run models/digits.onnx", 1, r"model|onnx|--models"),
    Mistake("validate bad.wasm", 1, r"magic|text file and no module"),
    Mistake("assemble bad.txt", 1, r"1:\d+: unknown operator i32\.cosnt"),
    Mistake("inspect nothing.wasm", 1, r"nothing\.wasm"),
    Mistake("new go guest", 2, r"assemblyscript|rust"),
    Mistake("completion powershell", 2, r"bash"),
    # Names and arguments of functions.
    Mistake("run --invoke ad add.wat 2 3", 2, r"add"),
    Mistake("run --invoke add add.wat 2", 2, r"2 arguments|i32 i32|takes"),
    Mistake("run --invoke add add.wat 2 x", 2, r"x.*i32|i32.*x"),
    Mistake("run --invoke add add.wat 2 3.5", 2, r"3\.5.*i32|i32.*3\.5"),
    Mistake("run --invoke add add.wat 2 99999999999", 2, r"99999999999"),
    Mistake("run --invoke half add.wat one", 2, r"one.*f64|f64.*one"),
    Mistake("run add.wat", 1, r"--invoke"),
    # Imports.
    Mistake("run needs.wat", 1, r"env.*log(.|\n)*game.*score(.|\n)*--preload.*--host.*--unknown-imports"),
    Mistake("run --host nothing.py needs.wat", 1, r"there is no file nothing\.py"),
    Mistake("run --host broken.py needs.wat", 2, r"broken\.py.*1|SyntaxError"),
    Mistake("run --preload env needs.wat", 2, r"NAME=MODULE"),
    Mistake("run --preload env=nothing.wat needs.wat", 1, r"nothing\.wat"),
    Mistake("run --unknown-imports ignore needs.wat", 2, r"trap.*zero"),
    # Values of options.
    Mistake("run --timeout soon app.wasm", 2, r"2s|500ms"),
    Mistake("run --timeout -1s app.wasm", 2, r"--timeout"),
    Mistake("run --max-memory lots app.wasm", 2, r"64MiB"),
    Mistake("run --max-memory 64MB2 app.wasm", 2, r"64MiB"),
    Mistake("run --fuel many app.wasm", 2, r"integer|number"),
    Mistake("run --fuel -5 app.wasm", 2, r"fuel"),
    Mistake("run --engine jit app.wasm", 2, r"compile.*interpret"),
    Mistake("run --trace=everything hello.wat", 2, r"host.*nn.*calls|instr"),
    Mistake("run --trace-format xml --trace hello.wat", 2, r"json"),
    Mistake("run --trace-budget none --trace hello.wat", 2, r"trace-budget"),
    Mistake("run --trace-html nowhere/x.html hello.wat", 1, r"nowhere"),
    Mistake("run --monitor speed hello.wat", 2, r"hotness"),
    Mistake("run --monitor my.py:Speed hello.wat", 2, r"my\.py"),
    Mistake("run --dir nowhere hello.wat", 2, r"nowhere"),
    Mistake("run --dir hello.wat hello.wat", 2, r"directory"),
    Mistake("run --models nowhere hello.wat", 2, r"nowhere"),
    Mistake("run --models hello.wat hello.wat", 2, r"directory"),
    Mistake("run --nn-backend onnx=tensorrt hello.wat", 2, r"numpy"),
    Mistake("run --nn-backend numpy hello.wat", 2, r"FORMAT=BACKEND|onnx=numpy"),
    Mistake("run --nn-config digits=target hello.wat", 2, r"JSON"),
    Mistake("run --nn-graph models hello.wat", 2, r"FORMAT::DIR|onnx::"),
    Mistake("run --nn-graph onx::models hello.wat", 2, r"onnx"),
    Mistake("run --nn-preload digits hello.wat", 2, r"NAME:"),
    Mistake("run --nn-plugin plain.py hello.wat", 2, r"file\.py:Name|FILE\.py:NAME"),
    Mistake("run --nn-plugin nothing.py:Plain hello.wat", 2, r"there is no file nothing\.py"),
    Mistake("run --nn-plugin plain.py:Plane hello.wat", 2, r"--nn-plugin.*Plane"),
    Mistake("run --tcplisten here hello.wat", 2, r"HOST:PORT|port"),
    Mistake("run --env =x hello.wat", 2, r"NAME"),
    Mistake("run --verbos hello.wat", 2, r"--verbose"),
    Mistake("run --time-out 2s hello.wat", 2, r"--timeout"),
    Mistake("run --directory . hello.wat", 2, r"--dir"),
    Mistake("cache --empty", 2, r"--clear|--help"),
    # A model without a guest.
    Mistake("nn inspect nothing.onnx", 1, r"nothing\.onnx"),
    Mistake("nn inspect hello.wat", 1, r"are a program in WebAssembly.*`pywasm-nn run` runs it"),
    Mistake("nn run models/digits.onnx", 2, r"picture"),
    Mistake("nn run models/digits.onnx nothing.npy", 1, r"nothing\.npy"),
    Mistake("nn run models/digits.onnx photo=models/digit.pgm", 2, r"picture"),
    Mistake("nn run models/digits.onnx main.c", 1, r"\.npy|picture|PNG"),
    # What people type who come from wasmtime.
    Mistake("run -W max-memory-sise=1 hello.wat", 2, r"max-memory-size|--max-memory"),
    Mistake("run -O opt-level=2 --profile=jitdump hello.wat", 2, r"--monitor|--trace|hotness"),
    Mistake("run --debug-info hello.wat -g", 2, r"debug"),
    Mistake("serve app.wasm", 2, r"run|serve"),
    Mistake("run --gdb hello.wat", 2, r"debug"),
    # From WasmEdge.
    Mistake("run --reactor add.wat add 2 3", 2, r"--invoke"),
    Mistake("run --memory-page-limit x hello.wat", 2, r"page|--max-memory"),
    Mistake("run --nn-preload digits:ONX:CPU:models/digits.onnx hello.wat", 2, r"onnx"),
    # From wasmer and iwasm.
    Mistake("run --stack-size=big hello.wat", 2, r"--max-stack|stack"),
    Mistake("run --native-lib=lib.so hello.wat", 2, r"--host"),
]

UNDERSTOOD = {
    "hello.wat": "hello",
    "run --wasm-timeout 100s hello.wat": "hello",
    "run --llvm hello.wat": "hello",
    "run --enable-all hello.wat": "hello",
    "run --mapdir /data:. hello.wat": "hello",
    "run --dir .:. hello.wat": "hello",
    "run -W fuel=100000 hello.wat": "hello",
    "run --gas-limit 100000 hello.wat": "hello",
    "run --wasm-features all hello.wat": "hello",
    "run -S nn hello.wat": "hello",
    "run --wasi=nn hello.wat": "hello",
    "run --wasi=nn --wasi=nn-graph=onnx::models hello.wat": "hello",
    "run -S nn,nn-graph=onnx::models hello.wat": "hello",
    "run --wasi nn --dir . hello.wat": "hello",
    "run --env A=1 --env B=2 hello.wat extra words": "hello",
    "run hello.wat -- --dir x": "hello",
    "run --time-limit 100000 hello.wat": "hello",
}
"""What is typed by those who come from elsewhere and works."""


def desk_with_files(place: Place) -> Path:
    desk = place.desk()
    digits = place.clone / "examples" / "digits"
    shutil.copytree(digits / "models", desk / "models")
    shutil.copy(digits / "app.wasm", desk)
    shutil.copy(place.clone / "examples" / "plain_backend" / "plain.py", desk)
    for name, text in FILES.items():
        (desk / name).write_text(text)
    (desk / "bad.wasm").write_bytes(b"hello, I am no module")
    (desk / "bad.txt").write_text("(module (func (i32.cosnt 1)))")
    (desk / "empty.wasm").write_bytes(b"")
    (desk / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (desk / "main.c").write_text("#include <stdio.h>\nint main(void) { return 0; }\n")
    (desk / "script.py").write_text("print('hello')\n")
    (desk / "broken.py").write_text("def log(:\n")
    return desk


def check(place: Place, report: Report) -> None:
    desk = desk_with_files(place)
    for typed, code, remedy in MISTAKES:
        done = place.shell(f"pywasm-nn {typed}", desk)
        named = re.search(remedy, done.stderr, re.IGNORECASE) is not None
        good = done.returncode == code and named and "Traceback" not in done.stderr
        report.check(
            f"pywasm-nn {typed}", good, f"exit code {done.returncode}, not {code}, {remedy!r}: {done.stderr}"
        )
    for typed, printed in UNDERSTOOD.items():
        done = place.shell(f"pywasm-nn {typed}", desk)
        good = done.returncode == 0 and printed in done.stdout
        report.check(f"pywasm-nn {typed}", good, f"exit code {done.returncode}: {done.stderr}")
    behind(place, report, desk)


def behind(place: Place, report: Report, desk: Path) -> None:
    """Options behind the module, and a file that is here but not given."""
    done = place.shell("pywasm-nn run count.wat --nobody-knows x", desk)
    report.check("an option behind the module is the guest's, and named", done.returncode == 3
                 and "--nobody-knows" in done.stderr, f"{done.returncode}: {done.stderr}")  # fmt: skip
    done = place.shell("pywasm-nn run count.wat --timeout 100000s", desk)
    report.check("an option of ours right after the module counts", done.returncode == 1, done.stderr)
    done = place.shell("pywasm-nn run app.wasm models/digit.pgm", desk)
    hinted = done.returncode != 0 and "--dir" in done.stderr
    report.check("a file that isn't given: the hint names --dir", hinted, done.stderr)
