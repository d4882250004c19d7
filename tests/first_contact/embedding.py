"""Mistakes of those who embed: `inside.py` makes them, in the Python of the fresh environment."""

from __future__ import annotations

import shutil
from pathlib import Path

from first_contact.place import Place, Report

UNCAUGHT = {
    "a trap shows the guest's frames": (
        """
m = Module.from_text('''(module (func $inner (param $n i32) unreachable)
    (func (export "go") (call $inner (i32.const 42))))''', "deep.wat")
m.instantiate().exports.go()
""",
        ["unreachable", "deep.wat!inner", "$n=42", "deep.wat!go"],
    ),
    "a host's error shows its call": (
        """
def log(n: int):
    raise OSError("the disk is full")

m = Module.from_text('''(module (import "env" "log" (func $l (param i32)))
    (func (export "go") (call $l (i32.const 7))))''')
m.instantiate(imports={"env": {"log": log}}).exports.go()
""",
        ["the disk is full", "HostError", "log", "7"],
    ),
    "a guest that traps after a failing inference shows why it failed": (
        """
m = Module.from_text('''(module
    (import "wasi_ephemeral_nn" "load_by_name" (func $l (param i32 i32 i32) (result i32)))
    (memory (export "memory") 1) (data (i32.const 0) "cat")
    (func (export "go") (if (call $l (i32.const 0) (i32.const 3) (i32.const 8)) (then unreachable))))''')
m.instantiate(nn=NN(models="models")).exports.go()
""",
        ["unreachable", "cat", "digits", "last host call"],
    ),
    "a limit shows where": (
        """
m = Module.from_text('(module (func $spin (export "go") (loop (br 0))))')
m.instantiate(limits=Limits(fuel=1000)).exports.go()
""",
        ["fuel", "spin"],
    ),
}
"""Programs that nobody saves from their errors, and what the traceback must have."""


def check(place: Place, report: Report) -> None:
    desk = place.desk()
    digits = place.clone / "examples" / "digits"
    shutil.copytree(digits / "models", desk / "models")
    shutil.copy(digits / "app.wasm", desk)
    done = place.run([place.python, Path(__file__).with_name("inside.py")], desk)
    for line in done.stdout.splitlines():
        what, _, found = line.partition("\t")
        report.check(what, not found, found)
    report.check("embedding: all of it ran", done.returncode == 0, done.stderr)
    uncaught(place, report, desk)


def uncaught(place: Place, report: Report, desk: Path) -> None:
    """The traceback of an error that nobody catches shows the reasons."""
    for what, (source, words) in UNCAUGHT.items():
        done = place.script(f"from pywasm_nn import NN, Limits, Module\n{source}", desk)
        report.check(f"uncaught: {what}", done.returncode == 1 and all(word in done.stderr for word in words),
                     done.stderr)  # fmt: skip
