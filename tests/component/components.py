"""Components for tests, from text: wasmtime's package assembles it, without validating."""

from __future__ import annotations

import pytest

from pywasm_nn.components import Component

LIBC = """
  (core module $Libc
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 1024))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32) (local $over i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.sub (local.get 2) (i32.const 1)))
                              (i32.sub (i32.const 0) (local.get 2))))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.set $over (i32.sub (global.get $next) (i32.mul (memory.size) (i32.const 65536))))
      (if (i32.gt_s (local.get $over) (i32.const 0))
        (then (drop (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $over) (i32.const 16)))))))
      (memory.copy (local.get $at) (local.get 0)
        (select (local.get 1) (local.get 3) (i32.lt_u (local.get 1) (local.get 3))))
      (local.get $at)))
  (core instance $libc (instantiate $Libc))
  (alias core export $libc "memory" (core memory $memory))
  (alias core export $libc "realloc" (core func $realloc))
"""
"""A memory and an allocator that never frees."""


def assembled(text: str) -> bytes:
    wasmtime = pytest.importorskip("wasmtime")
    return bytes(wasmtime.wat2wasm(text))


def component(body: str) -> Component:
    """A component of these definitions."""
    return Component(assembled(f"(component {body})"), "test.wasm")
