"""What a hello world imports: every start pays for each module. `benchmarks/start.py` measures how much."""

from __future__ import annotations

import subprocess
import sys

from pywasm_nn.interpreter.runtime.memory import Flavour

from ..conftest import HANGS, ROOT

HELLO = ROOT / "tests" / "guests" / "hello_c.wasm"
PACKAGES = {
    "": "api arrays brief checks cli engines enumerations errors frames host imports interpreter limits "
    "namespaces printable records tuples wasi",
    "cli": "asked ending failure interrupts load options plain running split terminal words",
    "host": "calls crossing face signature",
    "interpreter": "binary compile datas defining engine instructions matching module namespace numerics "
    "pace runtime types vectors",
    "interpreter.binary": "expressions functions leb128 sections",
    "interpreter.compile": "cache compiled installing",
    "interpreter.compile.installing": "fixed functions stubs",
    "interpreter.instructions": "cells control reference row",
    "interpreter.runtime": "alarm atomics constants deadline depth externs group heap instance link "
    "memory meter observe payment quota room slices store table values views",
    "wasi": "abi clocks codes descriptors errors patience preview1 provider streams system",
}
"""Our modules that a hello world may import, by their package."""
OTHERS = {
    "__future__", "_contextvars", "_ctypes", "_struct", "array", "contextvars", "errno", "importlib._abc",
    "importlib.util", "math", "mmap", "struct", "threading",
}  # fmt: skip
"""Python's modules that it may import, besides those that come with a few of which nearly every program has
one."""
SOURCE = """
import atexit, contextlib, gc, inspect, re, runpy, sys, typing, weakref
usual = {*sys.modules}
sys.argv[1:] = ["run", sys.argv[1]]
atexit.register(lambda: print(*{*sys.modules} - usual - {"__main__"}, file=sys.stderr))
runpy.run_module("pywasm_nn", run_name="__main__")
"""


def imported() -> set[str]:
    command = [sys.executable, "-c", SOURCE, str(HELLO)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=True)
    assert done.stdout == "Hello, world!\n"
    return set(done.stderr.split())


def test_a_hello_world_imports_what_it_needs() -> None:
    """Its second run, whose code is kept."""
    imported()
    found = imported()
    prefix = "pywasm_nn"
    allowed = {prefix, f"{prefix}.__main__"}
    for package, names in PACKAGES.items():
        allowed |= {".".join(filter(None, [prefix, package, name])) for name in names.split()}
    ours = {name for name in found if name.split(".")[0] == prefix}
    assert ours - allowed == set()
    if Flavour.default() is Flavour.VIEW:  # the other one doesn't import `views`
        assert allowed - ours <= {f"{prefix}.__main__"}, "no longer imported: strike it out here"
    if sys.version_info[:2] == (3, 11):  # what those import depends on the version
        assert found - ours - OTHERS == set()


def test_rare_instructions_are_made_when_one_is_asked_for() -> None:
    source = """
import sys
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, row
def rare(): return [name for name in row.RARE if f"pywasm_nn.interpreter.instructions.{name}" in sys.modules]
OPS["i32.add"], BY_CODE[0xFC, 10], OPS.get("br_if")
print(rare())
{}
print(sorted(rare()))
"""
    for asks in (
        'assert OPS["i8x16.add"].code == (0xFD, 110)',
        'assert BY_CODE[0xFE, 3].name == "atomic.fence"',
        'assert "struct.new" in OPS',
        "assert len(OPS) == len(BY_CODE) > 500",
        'assert "i8x16.add" in list(OPS)',
        'assert OPS.get("i32.none") is None',
    ):
        command = [sys.executable, "-c", source.replace("{}", asks)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=True)
        assert done.stdout.split("\n")[:2] == ["[]", "['atomics', 'descriptors', 'gc', 'simd', 'wide']"], asks
