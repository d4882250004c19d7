"""Objects that are constants of generated code: views of memory, and globals that are objects."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from pywasm_nn import Module, Trap
from pywasm_nn.interpreter.runtime.memory import Flavour, Memory

ENGINES = ["compile", "interpret"]


def test_addresses_within_the_text_of_a_view(flavour: Flavour) -> None:
    """Python's compiler would take a character of the literal that stands for the view."""
    loads = "".join(
        f'(func (export "a{at}") (result i32) (i32.load8_u (i32.const {at})))'
        f'(func (export "b{at}") (result i32)'
        f" (i32.load8_u offset=1 (i32.and (i32.const {at}) (i32.const 95))))"
        f'(func (export "c{at}") (i32.store8 (i32.const {at}) (i32.const {200 - at})))'
        for at in range(70)
    )
    module = Module.from_text(f"(module (memory 1) {loads})")
    with module.instantiate(flavour=flavour, engine="compile") as instance:
        for at in range(70):
            instance.exports[f"c{at}"]()
        for at in range(70):
            assert instance.exports[f"a{at}"]() == 200 - at
            expected = 200 - ((at & 95) + 1) if (at & 95) + 1 < 70 else 0
            assert instance.exports[f"b{at}"]() == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_memory_that_grows_or_ends_while_a_function_runs(engine: str, flavour: Flavour) -> None:
    module = Module.from_text("""(module
      (import "host" "change" (func $change)) (import "host" "m" (memory 1 9))
      (func (export "run") (param i32) (result i32) (local i32)
        (loop
          (call $change)
          (i32.store offset=4 (local.get 0) (i32.add (i32.load offset=4 (local.get 0)) (i32.const 7)))
          (br_if 0 (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (i32.const 3))))
        (i32.load offset=4 (local.get 0))))""")
    memory = Memory.of(1, 9, flavour=flavour)
    changes = iter([lambda: memory.grow(1), lambda: None, lambda: memory.grow(2)] * 2 + [memory.close])
    with module.instantiate(
        flavour=flavour,
        engine=engine,
        imports={"host": {"change": lambda: next(changes)() and None, "m": memory}},
    ) as instance:
        assert instance.exports.run((1 << 16) + 8) == 21
        assert instance.exports.run((4 << 16) + 8) == 21
        with pytest.raises(Trap, match="out of bounds memory access"):
            instance.exports.run(8)


def test_a_closed_instance_keeps_no_memory() -> None:
    if Flavour.default() is Flavour.STRUCT:
        pytest.skip("a bytearray has no weak references")
    module = Module.from_text("""(module (memory (export "m") 1)
      (func (export "f") (param i32) (result i32) (i32.load offset=8 (local.get 0))))""")
    instance = module.instantiate(engine="compile")
    assert instance.exports.f(1) == 0
    mapping = weakref.ref(instance.memory.buffer.obj)
    instance.close()
    gc.collect()
    assert mapping() is None


@pytest.mark.parametrize("type_", ["i32", "funcref"])
def test_an_instance_that_nobody_closes_is_collected(type_: str, flavour: Flavour) -> None:
    """Python's search for garbage doesn't enter code, so code refers to nothing that leads back to it."""
    begins = "(i32.const 4096)" if type_ == "i32" else "(ref.func $f)"
    module = Module.from_text(f"""(module (memory 1) (global $g (export "g") (mut {type_}) {begins})
      (func $f (export "f") (param i32) (result i32)
        (global.set $g (global.get $g)) (i32.store (local.get 0) (i32.const 5)) (i32.load (local.get 0))))""")
    seen: Any = weakref.WeakSet()
    for _ in range(3):
        instance = module.instantiate(flavour=flavour, engine="compile")
        assert instance.exports.f(9) == 5
        seen.add(instance.exports.f.callable)
        del instance
    gc.collect()
    assert not seen
