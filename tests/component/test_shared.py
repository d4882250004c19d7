"""Memories that are shared decide which component is valid, though no instance has one so far."""

from __future__ import annotations

import pytest

from pywasm_nn import Component, Module
from pywasm_nn.errors import InvalidError, LinkError, MalformedError
from tests.component.components import assembled

LINKED = """(component
  (core module $user (import "" "m" (memory 1 2 {wanted})))
  (core module $owner (memory (export "m") 1 2 {given}))
  (core instance $o (instantiate $owner))
  (core instance (instantiate $user (with "" (instance $o)))))"""
USED = """(component
  (core module $m (memory (export "m") 1 2 {shared}) (func (export "f") (param i32 i32))
    (func (export "r") (param i32 i32 i32 i32) (result i32) unreachable))
  (core instance $m (instantiate $m))
  (func (export "f") (param "x" string)
    (canon lift (core func $m "f") (memory (core memory $m "m")) (realloc (core func $m "r")))))"""
DECLARED = """(component
  (import "a" (core module $a (export "m" (memory 1 2 {given}))))
  (component $c (import "b" (core module (export "m" (memory 1 2 {wanted})))))
  (instance (instantiate $c (with "b" (core module $a)))))"""


@pytest.mark.parametrize("text", [LINKED, DECLARED])
@pytest.mark.parametrize(("given", "wanted"), [("shared", ""), ("", "shared")])
def test_shared_memory_is_none_that_is_not(text: str, given: str, wanted: str) -> None:
    with pytest.raises(InvalidError, match=r"expected 1 2.*, found 1 2"):
        Component(assembled(text.format(given=given, wanted=wanted)))


@pytest.mark.parametrize("text", [LINKED, DECLARED])
@pytest.mark.parametrize("shared", ["shared", ""])
def test_memories_match_that_are_both_shared_or_not(text: str, shared: str) -> None:
    Component(assembled(text.format(given=shared, wanted=shared))).validate()


def test_canonical_memory_is_not_shared() -> None:
    Component(assembled(USED.format(shared="")))
    with pytest.raises(InvalidError, match="can't use a memory that is shared"):
        Component(assembled(USED.format(shared="shared")))


def test_shared_memory_has_a_maximum() -> None:
    data = assembled("(component (core module (memory 1 2 shared)))")
    unlimited = data.replace(b"\x05\x04\x01\x03\x01\x02", b"\x05\x04\x01\x02\x81\x00")
    assert unlimited != data
    with pytest.raises(InvalidError, match="shared memory must have maximum"):
        Component(unlimited)


def test_table_is_not_shared() -> None:
    data = assembled("(component (core module (table 1 2 funcref)))")
    shared = data.replace(b"\x70\x01\x01\x02", b"\x70\x03\x01\x02")
    assert shared != data
    with pytest.raises(MalformedError, match="malformed limits flags"):
        Component(shared)


def test_instance_with_a_shared_memory_is_refused_by_name() -> None:
    component = Component(assembled(LINKED.format(given="shared", wanted="shared")), "app.wasm")
    with pytest.raises(LinkError, match=r"^app\.wasm/owner has a memory that is shared: .* threads so far"):
        component.instantiate()


def test_core_module_alone_needs_the_feature() -> None:
    wasmtime = pytest.importorskip("wasmtime")
    with pytest.raises(MalformedError, match="malformed limits flags") as caught:
        Module.from_bytes(bytes(wasmtime.wat2wasm("(module (memory 1 2 shared))")), features=["-threads"])
    assert caught.value.feature == "threads"
