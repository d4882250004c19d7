"""Components that a program composes: whoever is entered, its limits hold for all that it reaches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from pywasm_nn import BusyError, Component, Limits
from pywasm_nn.components import ComponentInstance
from pywasm_nn.errors import DeadlineError, FuelError, HostError, Trap, WasmError
from tests.component.components import component

ENDLESS = """
  (core module $M
    (import "h" "back" (func $back))
    (func (export "spin") (param i32) (loop (br 0)))
    (func (export "ask") (call $back)))
  (import "back" (func $back))
  (core func $back_ (canon lower (func $back)))
  (core instance $m (instantiate $M (with "h" (instance (export "back" (func $back_))))))
  (type $r (resource (rep i32) (dtor (core func $m "spin"))))
  (core func $new (canon resource.new $r))
  (export $er "r" (type $r))
  (func (export "make") (param "n" u32) (result (own $er)) (canon lift (core func $new)))
  (func (export "spin") (param "n" u32) (canon lift (core func $m "spin")))
  (func (export "ask") (canon lift (core func $m "ask")))
"""
"""Functions that run on without end, a destructor that does, and one that calls the host."""
USER = """
  (import "inner" (instance $i
    (export "r" (type $r (sub resource)))
    (export "make" (func (param "n" u32) (result (own $r))))
    (export "spin" (func (param "n" u32)))
    (export "ask" (func))))
  (import "back" (func $back))
  (alias export $i "r" (type $r))
  (core func $make (canon lower (func $i "make")))
  (core func $spin (canon lower (func $i "spin")))
  (core func $ask (canon lower (func $i "ask")))
  (core func $back (canon lower (func $back)))
  (core func $drop (canon resource.drop $r))
  (core module $M
    (import "h" "make" (func $make (param i32) (result i32))) (import "h" "drop" (func $drop (param i32)))
    (import "h" "spin" (func $spin (param i32))) (import "h" "back" (func $back))
    (import "h" "ask" (func $ask))
    (func (export "function") (call $spin (i32.const 0)))
    (func (export "destructor") (call $drop (call $make (i32.const 1))))
    (func (export "callback") (call $back))
    (func (export "ask") (call $ask))
    (func (export "nothing")))
  (core instance $m (instantiate $M (with "h" (instance
    (export "make" (func $make)) (export "drop" (func $drop)) (export "spin" (func $spin))
    (export "back" (func $back)) (export "ask" (func $ask))))))
  (func (export "function") (canon lift (core func $m "function")))
  (func (export "destructor") (canon lift (core func $m "destructor")))
  (func (export "callback") (canon lift (core func $m "callback")))
  (func (export "ask") (canon lift (core func $m "ask")))
  (func (export "nothing") (canon lift (core func $m "nothing")))
"""
WAYS = ("function", "destructor", "callback")
"""How the user reaches what doesn't end: as an import, by dropping a resource, by a host function."""


@pytest.fixture(scope="module")
def endless() -> Component:
    return component(ENDLESS)


@pytest.fixture(scope="module")
def user() -> Component:
    return component(USER)


@pytest.fixture(params=["compile", "interpret"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def nothing() -> None:
    """A host function."""


def pair(
    endless: Component, user: Component, engine: str, back: Callable[[], None] = nothing, **limits: Any
) -> tuple[ComponentInstance, ComponentInstance]:
    """The instance that runs on, without limits, and the one that calls it."""
    inner = endless.instantiate({"back": back}, engine=engine)
    imports: Any = {"inner": inner.exports, "back": lambda: inner.exports.spin(0)}
    return inner, user.instantiate(imports, engine=engine, limits=Limits(**limits))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("limits", "error"), [({"seconds": 0.3}, DeadlineError), ({"fuel": 20_000}, FuelError)]
)
def test_the_callers_limits_hold(
    endless: Component, user: Component, engine: str, way: str, limits: dict[str, Any], error: type[WasmError]
) -> None:
    inner, outer = pair(endless, user, engine, **limits)
    with inner, outer, pytest.raises((error, HostError)) as caught:
        outer.exports[way]()
    assert isinstance(caught.value, error) or isinstance(caught.value.__cause__, error)


def test_who_is_called_keeps_its_own_limits(endless: Component, user: Component, engine: str) -> None:
    inner = endless.instantiate({"back": nothing}, engine=engine, limits=Limits(fuel=20_000))
    with inner, user.instantiate({"inner": inner.exports, "back": nothing}, engine=engine) as outer:
        with pytest.raises(FuelError):
            outer.exports.function()
        assert inner.fuel == 0


def test_what_was_stopped_in_the_middle_is_not_called_again(
    endless: Component, user: Component, engine: str
) -> None:
    inner, outer = pair(endless, user, engine, seconds=0.2)
    with inner, outer:
        with pytest.raises(DeadlineError):
            outer.exports.function()
        for call in (outer.exports.nothing, inner.exports.ask):
            with pytest.raises(Trap):
                call()


def test_both_run_on_one_thread_and_are_not_closed_meanwhile(
    endless: Component, user: Component, engine: str
) -> None:
    asked, may_go_on = threading.Event(), threading.Event()
    seen: list[BaseException] = []

    def back() -> None:
        asked.set()
        assert may_go_on.wait(60)

    inner, outer = pair(endless, user, engine, back)
    runner = threading.Thread(target=outer.exports.ask)
    with inner, outer:
        runner.start()
        assert asked.wait(60)
        for act in (inner.exports.ask, outer.exports.nothing, inner.close, outer.close):
            try:
                act()
            except BusyError as error:
                seen.append(error)
        may_go_on.set()
        runner.join()
        assert len(seen) == 4
        outer.exports.nothing()
