"""Components in a `Linker`: what one exports another one imports, with one WASI and the same settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Capture, Component, Err, Limits, Linker, LinkError, Module, Trap, Wasi
from pywasm_nn.errors import DeadlineError, FuelError, HostCallsError, HostError
from tests.component.components import component

GUESTS = Path(__file__).parents[1] / "guests" / "components"
SHELF, CRITICS = "demo:library/shelf", "demo:library/critics"


def guest(name: str) -> Component:
    return Component.from_file(GUESTS / f"{name}.wasm")


class Critics:
    def judge(self, text: str) -> int:
        return len(text)


@pytest.mark.parametrize("named", [SHELF, [SHELF], (name for name in [SHELF])])
def test_a_component_imports_what_another_one_exports(named: Any) -> None:
    with Linker() as linker:
        linker.define_interface(CRITICS, Critics())
        shelf = linker.instantiate(guest("shelf"), named)
        reader = linker.instantiate(guest("reader"))
        book = reader.exports.reading.write("Zoë", ["漢字"])
        assert isinstance(book, shelf.exports.shelf.Book)
        assert shelf.exports.shelf.longest([book]) == "漢字\n"
        assert reader.exports.reading.review(book) == "★★★"
    for call in (shelf.exports.shelf.entries, reader.exports.reading.catalogue):
        with pytest.raises(Trap, match="closed"):
            call()


def test_all_interfaces_of_a_component_are_its_exports() -> None:
    shelf = guest("shelf")
    with Linker() as linker:
        linker.instantiate(shelf, shelf.exports)
        linker.define_interface(CRITICS, Critics())
        linker.instantiate(guest("reader")).exports.reading.catalogue()


def test_an_instance_as_a_whole_may_be_an_import() -> None:
    inner = component(
        """(core module $M (func (export "f") (result i32) (i32.const 7))) (core instance $m (instantiate $M))
        (func (export "seven") (result u32) (canon lift (core func $m "f")))"""
    )
    outer = component(
        """(import "numbers" (instance $n (export "seven" (func (result u32)))))
        (core func $f (canon lower (func $n "seven")))
        (core module $M (import "n" "f" (func $f (result i32)))
          (func (export "f") (result i32) (i32.mul (call $f) (i32.const 2))))
        (core instance $m (instantiate $M (with "n" (instance (export "f" (func $f))))))
        (func (export "twice") (result u32) (canon lift (core func $m "f")))"""
    )
    with Linker() as linker:
        linker.instantiate(inner, "numbers")
        assert linker.instantiate(outer).exports.twice() == 14


def test_names_are_defined_once_and_missing_ones_are_named() -> None:
    with Linker() as linker:
        linker.define_interface(CRITICS, Critics())
        with pytest.raises(ValueError, match=f"{CRITICS} is defined already"):
            linker.define_interface(CRITICS, Critics())
        with pytest.raises(LinkError, match=f"{SHELF} "):
            linker.instantiate(guest("reader"))
        with pytest.raises(TypeError, match="name must be a str"):
            linker.define_interface(5, Critics())  # type: ignore[arg-type] # what is tested
        with pytest.raises(TypeError, match="name must be a str"):
            linker.instantiate(guest("shelf"), [5])  # type: ignore[list-item] # what is tested
        with pytest.raises(TypeError, match="module must be a Module or a Component"):
            linker.instantiate("shelf.wasm")  # type: ignore[call-overload] # what is tested
        assert CRITICS in repr(linker)


def test_modules_and_components_share_one_wasi() -> None:
    """Both write to the same output; closing one leaves it open."""
    out = Capture()
    module = Module.from_file(GUESTS.parent / "args_env.wasm")
    with Linker(wasi=Wasi(args=["args_env", "first"], env={"CODE": "1"}, stdout=out)) as linker:
        command = linker.instantiate(guest("args_env"))
        assert command.run() == 1
        command.close()
        with pytest.raises(BaseException):  # noqa: B017 - how the program ends, with its code
            linker.instantiate(module).exports._start()
        assert linker.instantiate(guest("args_env")).run() == 1
    lines = b"argument 0: args_env\nargument 1: first\nvariable: CODE=1\n"
    assert out.value == lines * 3


def test_limits_are_those_of_the_linker() -> None:
    with Linker(limits=Limits(fuel=2_000)) as linker:
        shelf = linker.instantiate(guest("shelf"))
        with pytest.raises(FuelError):
            for _ in range(1000):
                shelf.exports.shelf.Book("t", None).add("line")


LOOPING = """(core module $M (func (export "f") (param i32) (loop (br 0))))
    (core instance $m (instantiate $M))
    (func (export "f") (param "x" u32) (canon lift (core func $m "f")))"""
AGAIN = """(import "i" (instance $i (export "f" (func (param "x" u32)))))
    (core module $M (memory 1)) (core instance (instantiate $M))
    (export "f" (func $i "f"))"""
IMPORTED = """(import "f" (func $f (param "x" u32) (result (result u32 (error string)))))
    (core module $M (memory 1)) (core instance (instantiate $M)) (export "f" (func $f))"""


@pytest.mark.parametrize(
    ("limits", "error"), [(Limits(seconds=0.06), DeadlineError), (Limits(fuel=1000), FuelError)]
)
def test_a_function_that_is_exported_again_is_limited_as_if_it_were_called(
    engine: str, limits: Limits, error: type[Exception]
) -> None:
    inner = component(LOOPING).instantiate(engine=engine)
    outer = component(AGAIN).instantiate(engine=engine, limits=limits, imports={"i": inner.exports})
    with pytest.raises(TypeError):
        outer.exports.f("1")
    with pytest.raises(error):
        outer.exports.f(1)
    with pytest.raises(Trap, match="can't be used"):
        outer.exports.f(1)


def test_a_host_function_that_is_exported_again_is_called_as_the_guest_would(engine: str) -> None:
    def f(x: int) -> int:
        if x == 1:
            raise Err("bad")
        if x == 2:
            raise ValueError("worse")
        return x

    with component(IMPORTED).instantiate(
        engine=engine, limits=Limits(host_calls=4), imports={"f": f}
    ) as outer:
        assert outer.exports.f(0) == 0
        with pytest.raises(Err, match="bad"):
            outer.exports.f(1)
        with pytest.raises(HostError, match="worse"):
            outer.exports.f(2)
        with pytest.raises(TypeError):
            outer.exports.f("0")
        assert outer.exports.f(0) == 0
        with pytest.raises(HostCallsError):
            outer.exports.f(0)
    with pytest.raises(Trap, match="closed"):
        outer.exports.f(0)
