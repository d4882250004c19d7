"""A large component costs what its bytes do until functions of it are called."""

from __future__ import annotations

import tracemalloc

from pywasm_nn import Component
from pywasm_nn.component.syntax import core_modules
from tests.component.components import assembled
from tests.component.mutations import COMPONENT, unsigned

FUNCTIONS, NOPS = 3000, 4000
"""Functions, and instructions of each: 12 MB."""
LIFTED = """(component
  (core module $M (func (export "f") (result i32) (i32.const 7)))
  (core instance $m (instantiate $M))
  (func (export "f") (result u32) (canon lift (core func $m "f"))))"""


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def module() -> bytes:
    """A core module of very many instructions, whose function `f` is the last one, and returns 7."""
    body = b"\x00" + b"\x01" * NOPS + b"\x41\x07\x0b"
    bodies = unsigned(FUNCTIONS) + (unsigned(len(body)) + body) * FUNCTIONS
    types = section(1, b"\x01\x60\x00\x01\x7f")
    functions = section(3, unsigned(FUNCTIONS) + b"\x00" * FUNCTIONS)
    exports = section(7, b"\x01\x01f\x00" + unsigned(FUNCTIONS - 1))
    return b"\0asm\1\0\0\0" + types + functions + exports + section(10, bodies)


def large() -> bytes:
    """A component with the large module in place of a small one."""
    small = assembled(LIFTED)
    at = len(COMPONENT)
    assert small[at] == 1 and small[at + 1] < 0x80, "the first section is the core module"
    return COMPONENT + section(1, module()) + small[at + 2 + small[at + 1] :]


def test_bodies_stay_as_they_are_until_they_are_called() -> None:
    data = large()
    assert len(data) > 12_000_000
    tracemalloc.start()
    try:
        component = Component(data, "large.wasm")
        with component.instantiate() as instance:
            held, peak = tracemalloc.get_traced_memory()
            [core] = core_modules(component._syntax)
            assert [func for func in core.funcs if func.kept_body is not None] == []
            assert instance.exports.f() == 7
            assert len([func for func in core.funcs if func.kept_body is not None]) <= 1
    finally:
        tracemalloc.stop()
    # The core module's bytes are a copy of their own, and some megabytes are a reserve.
    assert held < 1.5 * len(data)
    assert peak < 2.5 * len(data)
