# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts at the prompt of the debugger, by what is typed or piped in, and by the program that is debugged."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, pathlib, resource, subprocess, sys, tempfile
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
import faulthandler
faulthandler.dump_traceback_later(110, exit=True)
from pywasm_nn import *
from tests.attempts.kit import raw, hostile_module
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "secret").write_text("SECRET")
program = folder / "a.wat"
program.write_text('''(module (memory (export "memory") 1) (global $g (mut i32) (i32.const 5)) (global $f (mut f64) (f64.const 1)) (table 2 funcref)
  (func $sum (param $n i32) (result i32) (local $s i64) (local $x f32) (local $v v128) (local.set $n (i32.add (local.get $n) (i32.const 1))) (i32.store (i32.const 8) (local.get $n)) (local.get $n))
  (func (export "_start") (local $k i32) (drop (call $sum (i32.const 3))) (loop (drop (call $sum (local.get $k))) (br_if 0 (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 4))))))''')
def prompt(*lines, file=program, options=("--timeout", "20s"), wall=100):
    '''What comes of these lines: no traceback, no signal, nothing raw, no secret, in time.'''
    text = "\\n".join(lines) + "\\n"
    try:
        done = subprocess.run([sys.executable, "-m", "pywasm_nn", "debug", *options, str(file)], input=text.encode("utf-8", "surrogatepass"), capture_output=True, timeout=wall, env={**os.environ, "PYTHONPATH": os.getcwd()}, cwd=folder)
    except subprocess.TimeoutExpired:
        raise SystemExit(f"hangs: {lines!r:.300}") from None
    out, error = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in error and "Traceback" not in out, (out[-800:], error[-1500:])
    assert done.returncode >= 0, (done.returncode, lines)
    assert not raw(out, "\\n\\t") and not raw(error, "\\n\\t"), (raw(out), raw(error), out[-500:])
    assert "SECRET" not in out + error
    assert len(out) < 20 << 20, len(out)
    return out
"""


def attempt(name: str, source: str, cpu: float = 20.0) -> Attempt:
    return Attempt(f"prompt: {name}", START + source, cpu, engines=("compile",))


ATTEMPTS = [
    attempt(
        "expressions and conditions that nest, run long, or name Python's own",
        """
ODD = ("__import__('os').system('id')", "().__class__", "$n.__class__", "{secret}", "%s%s%n", "9" * 5000, "-" * 5000 + "1", "(" * 5000 + ")" * 5000, "1" + "+1" * 20000, "1 / 0", "1 % 0", "1 << 99999999999", "2 ** 99999999", "u32 -1", "u32 4294967295", "u64 65529", "u8 65536", "i8 18446744073709551616", "f64 nan", "u32 u32 u32 8", "$n", "$nothing", "local 99", "local -1", "local 99999999999999999999", "global 99", "n == ", "== 5", "x" * 100000, "\\u202e", "\\x1b[31m", "\\x00", "'", '"', "\\\\", "0x" + "f" * 4000, "1e999", "0b" + "1" * 5000, "[" * 3000, "$n == 3 and " * 3000 + "1", "not " * 5000 + "1")
lines = ["break sum", "continue"]
for odd in ODD:
    lines += [f"print {odd}", f"break sum if {odd}", f"memory {odd}", f"watch {odd}", f"set local $n {odd}", f"set global 0 {odd}", f"set memory {odd} i32 5", f"set memory 8 i32 {odd}"]
prompt(*lines, "quit")
prompt(*lines[:40], *["continue"] * 5)
""",
        cpu=60.0,
    ),
    attempt(
        "counts, addresses, files and commands that aren't there",
        """
NUMBERS = ("-1", "0", "99999999999999999999", "9" * 5000, "x", "1.5", "1e9", "", "0x10", "0xffffffffffffffffff", "line", "\\u0663", "+5", "1_000", " 5", "NaN")
COMMANDS = ("step", "next", "finish", "back", "rstep", "rnext", "rcontinue", "ignore 1", "ignore", "ignore -1", "delete", "who", "watch", "memory", "memory 0", "list", "stack", "locals", "globals", "backtrace", "tensors", "break host", "break nn", "break main.c:", "break 0x", "help", "info", "source", "after", "run", "frame", "up", "down", "table", "set", "set local", "set memory 8", "set memory 8 i64", "set global", "print")
lines = ["break sum", "continue"]
for command in COMMANDS:
    lines += [f"{command} {number}" for number in NUMBERS if command != "run"]
prompt(*lines, "quit")
prompt("source " + str(folder / "secret"), "source /etc/passwd", "break /etc/passwd:1", "list /etc/passwd:1", "list " + str(folder / "secret"), "!id", "| id", "> x", "import os", "python", "shell id", "continue", "quit")
assert not (folder / "x").exists()
prompt("break sum", *["break sum if $n == 1"] * 2000, "continue", "quit")
prompt("watch 0:65536", "watch 0:99999999", "watch 65535:8", "watch -1:4", "who 0:65536", "who 0:99999999999", "continue", "rcontinue", "who 8:4", "quit")
prompt("memory 0 65536", "memory 0 99999999999", "memory 65535 100", "memory 8 -5", "quit")
""",
        cpu=60.0,
    ),
    attempt(
        "programs that never end, end at once, exhaust, and have hostile names",
        """
def made(text):
    path = folder / f"p{abs(hash(text))}.wat"
    path.write_text(text)
    return path
SHORT = ("--timeout", "2s")
loop = made('(module (func (export "_start") (loop (br 0))))')
prompt("continue", "backtrace", "back 5", "continue", "quit", file=loop, options=SHORT)
prompt("watch 0x10:4", "continue", "quit", file=made('(module (memory 1) (func (export "_start") (loop (br 0))))'), options=SHORT)
prompt("break sum if $n == -1", "continue", "quit", file=made('(module (func $sum (param $n i32)) (func (export "_start") (loop (call $sum (i32.const 1)) (br 0))))'), options=SHORT)
prompt("rcontinue", "back 100000000", "continue", "rcontinue", "back 99999999", "quit", file=loop, options=SHORT)
deep = made('(module (func $f (export "_start") (call $f)))')
prompt("continue", "backtrace", "locals", "back 10", "backtrace", "up", "quit", file=deep, options=SHORT)
prompt("next", "finish", "rnext", "finish", "quit", file=deep, options=SHORT)
grows = made('(module (memory 0) (func (export "_start") (loop (drop (memory.grow (i32.const 1))) (br 0))))')
prompt("continue", "back 3", "memory 0", "quit", file=grows, options=("--timeout", "2s", "--max-memory", "64MiB"))
chain = made('(module (type $l (struct (field (ref null $l)))) (global $g (mut (ref null $l)) (ref.null $l)) (func (export "_start") (local $n i32) (loop (global.set $g (struct.new $l (global.get $g))) (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 20000)))) unreachable))')
prompt("continue", "globals", "print $g", "back 1", "globals", "quit", file=chain, options=("--timeout", "20s"))
cycle = made('(module (type $l (struct (field (mut (ref null $l))))) (global $g (mut (ref null $l)) (ref.null $l)) (func (export "_start") (global.set $g (struct.new $l (ref.null $l))) (struct.set $l 0 (global.get $g) (global.get $g)) unreachable))')
prompt("continue", "globals", "back 2", "globals", "locals", "stack", "quit", file=cycle)
hostile = folder / "hostile.wasm"
hostile.write_bytes(hostile_module())
prompt("locals", "globals", "list", "backtrace", "break \\x1b[31mred", "continue", "backtrace", "help", "quit", file=hostile)
for data in (b"", b"\\0asm", b"\\0asm\\1\\0\\0\\0\\xff", os.urandom(100)):
    hostile.write_bytes(data)
    prompt("continue", file=hostile)
""",
        cpu=90.0,
    ),
]
