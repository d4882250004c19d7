"""A chain of components over wasi:nn: the first one makes tensors, and the second one computes on them."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack

import pytest

from pywasm_nn import Linker
from pywasm_nn.components import Component
from pywasm_nn.nn import NN

from ..component.components import LIBC, component
from .conftest import ADD_MUL, FakeBackend
from .wit_component import ERRORS, GRAPH, INFERENCE, ONE_CALL, TENSOR
from .wit_guest import NEWEST, Opened, nn_with

TENSORS = TENSOR.format(NEWEST)
ALL = TENSORS + ERRORS.format(NEWEST, "") + INFERENCE.format(NEWEST, ONE_CALL) + GRAPH.format(NEWEST)
MAKER = f"""
  {TENSORS} {LIBC}
  (alias export $tensor "[constructor]tensor" (func $new))
  (core func $new (canon lower (func $new) (memory $memory) (realloc $realloc)))
  (core module $Main
    (import "" "new" (func $new (param i32 i32 i32 i32 i32) (result i32)))
    (import "" "memory" (memory 1))
    (func (export "make") (param $first f32) (param $second f32) (result i32)
      (i64.store (i32.const 0) (i64.const 0x0000000200000001))
      (f32.store (i32.const 8) (local.get $first)) (f32.store (i32.const 12) (local.get $second))
      (call $new (i32.const 0) (i32.const 2) (i32.const 1) (i32.const 8) (i32.const 8))))
  (core instance $main (instantiate $Main (with "" (instance
    (export "new" (func $new)) (export "memory" (memory $memory))))))
  (func (export "make") (param "first" f32) (param "second" f32) (result (own $Tensor))
    (canon lift (core func $main "make")))
"""
"""Makes a tensor of the shape 1, 2."""
MAKE = '(func (param "first" f32) (param "second" f32) (result (own $Tensor)))'


def computer(make: str) -> str:
    """Adds a tensor of another component to one that it has."""
    model = "".join(f"\\{byte:02x}" for byte in ADD_MUL)
    names = {
        "load": '$graph "load"',
        "init": '$graph "[method]graph.init-execution-context"',
        "compute": '$inference "[method]graph-execution-context.compute"',
        "data": '$tensor "[method]tensor.data"',
    }
    lowered = "".join(
        f"(alias export {where} (func ${name})) "
        f"(core func ${name} (canon lower (func ${name}) (memory $memory) (realloc $realloc)))"
        for name, where in names.items()
    )
    given = "".join(f'(export "{name}" (func ${name}))' for name in names)
    return f"""
  {ALL} {LIBC} {lowered}
  {make}
  (core func $make (canon lower (func $make)))
  (core module $Main
    (import "" "load" (func $load (param i32 i32 i32 i32 i32)))
    (import "" "init" (func $init (param i32 i32)))
    (import "" "compute" (func $compute (param i32 i32 i32 i32)))
    (import "" "data" (func $data (param i32 i32)))
    (import "" "make" (func $make (param f32 f32) (result i32)))
    (import "" "memory" (memory 1))
    (data (i32.const 512) "{model}")
    (data (i32.const 256) "ab")
    (func $good (if (i32.load8_u (i32.const 16)) (then unreachable)))
    (func (export "add") (param $first f32) (param $second f32) (result i32) (local $outputs i32)
      (i32.store (i32.const 0) (i32.const 512)) (i32.store (i32.const 4) (i32.const {len(ADD_MUL)}))
      (call $load (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 16)) (call $good)
      (call $init (i32.load (i32.const 20)) (i32.const 16)) (call $good)
      (i32.store (i32.const 32) (i32.const 256)) (i32.store (i32.const 36) (i32.const 1))
      (i32.store (i32.const 40) (call $make (local.get $first) (local.get $second)))
      (i32.store (i32.const 44) (i32.const 257)) (i32.store (i32.const 48) (i32.const 1))
      (i32.store (i32.const 52) (call $make (f32.const 10) (f32.const 20)))
      (call $compute (i32.load (i32.const 20)) (i32.const 32) (i32.const 2) (i32.const 16)) (call $good)
      (call $data (i32.load offset=8 (i32.load (i32.const 20))) (i32.const 24))
      (i32.const 24)))
  (core instance $main (instantiate $Main (with "" (instance
    {given} (export "make" (func $make)) (export "memory" (memory $memory))))))
  (func (export "add") (param "first" f32) (param "second" f32) (result (list u8))
    (canon lift (core func $main "add") (memory $memory)))
"""


def imported() -> Component:
    """The second one as a component of its own."""
    return component(computer(f'(import "make" (func $make {MAKE[6:-1]}))'))


Add = Callable[[float, float], bytes]


def composed(nn: NN) -> Add:
    """Both within one component."""
    whole = component(
        f"""{ALL}
        (component $Maker {MAKER})
        (instance $maker (instantiate $Maker (with "wasi:nn/tensor{NEWEST}" (instance $tensor))))
        (component $Computer {computer(f'(import "make" (func $make {MAKE[6:-1]}))')})
        (instance $computer (instantiate $Computer
          (with "wasi:nn/tensor{NEWEST}" (instance $tensor))
          (with "wasi:nn/errors{NEWEST}" (instance $errors))
          (with "wasi:nn/inference{NEWEST}" (instance $inference))
          (with "wasi:nn/graph{NEWEST}" (instance $graph))
          (with "make" (func $maker "make"))))
        (export "add" (func $computer "add"))"""
    )
    return whole.instantiate(nn=nn).exports.add  # type: ignore[no-any-return] # as every export


def given(nn: NN) -> Add:
    """What one exports is an import of the other."""
    maker = component(MAKER).instantiate(nn=nn)
    return imported().instantiate({"make": maker.exports.make}, nn=nn).exports.add  # type: ignore[no-any-return] # so


def passed_on(nn: NN) -> Add:
    """A function of Python's gets tensors of one and gives them to the other."""
    maker = component(MAKER).instantiate(nn=nn)

    def make(first: float, second: float) -> object:
        return maker.exports.make(first, second)

    return imported().instantiate({"make": make}, nn=nn).exports.add  # type: ignore[no-any-return] # as above


def linked(nn: NN) -> Add:
    """Both in one linker, over one session."""
    linker = Linker(nn=nn)
    maker = linker.instantiate(component(MAKER))
    linker.define_interface("make", maker.exports.make)
    return linker.instantiate(imported()).exports.add  # type: ignore[no-any-return] # as every export


@pytest.mark.parametrize("chained", [composed, given, passed_on, linked])
def test_a_tensor_of_one_component_goes_into_another(chained: Callable[[NN], Add]) -> None:
    add = chained(nn_with(FakeBackend()))
    for first, second in ((1, 2), (-1, 0.5)):
        assert add(first, second) == pack("<ff", first + 10, second + 20)


def test_a_tensor_that_was_given_away_counts_no_more() -> None:
    """Each component has a session of its own, and that of the component that made a tensor counts it: once,
    even if Python gives it to two."""
    opened = Opened(nn_with(FakeBackend()))
    maker = component(MAKER).instantiate(nn=opened)
    tensor = maker.exports.make(1, 2)
    (session,) = opened.sessions
    all_of_it = session.limits.tensor_total
    assert session.tensors.left == all_of_it - 8
    add = imported().instantiate({"make": lambda first, second: tensor}, nn=opened).exports.add
    assert add(1, 2) == pack("<ff", 2, 4)
    assert session.tensors.left == all_of_it
