"""Values of types by chance cross components alike: on both engines, both flavours of memory, in wasmtime."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from pywasm_nn import Component
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.runtime.memory import Flavour
from tests.component.components import assembled
from tests.component.echo import ENCODINGS, echo_text
from tests.component.shapes import Shape, foreign, from_theirs, ours, plain, shape, theirs, value

DEPTH = 5
VALUES = 4
"""Values of one type."""
QUICK, ALL = 40, 500


def case(seed: int) -> tuple[Shape, str, list[Any]]:
    """A type, the text of a component that passes it on, and values of it."""
    chance = random.Random(seed)
    of = shape(chance, DEPTH, extra=seed % 5 == 0)
    first, second = (chance.choice(ENCODINGS) for _ in range(2))
    return of, echo_text(of, first, second), [value(chance, of) for _ in range(VALUES)]


def check(seed: int) -> None:
    of, text, values = case(seed)
    data = assembled(text)
    component = Component(data)
    for engine in ENGINES:
        for flavour in Flavour:
            seen: list[Any] = []

            def echo(given: Any, seen: list[Any] = seen) -> Any:
                seen.append(plain(of, given))
                return given

            with component.instantiate({"echo": echo}, engine=engine, flavour=flavour) as instance:
                for given in values:
                    for name in ("near", "far"):
                        # A result is no exception here: `call` gives Ok and Err as they are.
                        got = instance.exports[name].call(ours(of, given))
                        assert alike(plain(of, got), given), (engine, flavour, name)
                        assert alike(seen[-1], given), (engine, flavour, name)
    if not foreign(of):
        near, far, seen = native(data, of)
        for given in values:
            for function in (near, far):
                assert alike(from_theirs(of, function(theirs(of, given)), given), given)
                assert alike(from_theirs(of, seen[-1], given), given)


def native(data: bytes, of: Shape) -> tuple[Callable[..., Any], Callable[..., Any], list[Any]]:
    """The functions in wasmtime, and what its host function has seen."""
    import wasmtime
    from wasmtime import component

    store, seen = wasmtime.Store(), []
    linker = component.Linker(store.engine)

    def echo(store: Any, given: Any) -> Any:
        seen.append(given)
        return given

    with linker.root() as root:
        root.add_func("echo", echo)
    instance = linker.instantiate(store, component.Component(store.engine, data))

    def function(name: str) -> Callable[..., Any]:
        func = instance.get_func(store, name)
        assert func is not None

        def call(given: Any) -> Any:
            got = func(store, given)
            func.post_return(store)
            return got

        return call

    return function("near"), function("far"), seen


def alike(one: Any, other: Any) -> bool:
    """Equal, also in class and in the sign of zero."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, frozenset):
        return bool(one == other)
    return repr(one) == repr(other)


@pytest.mark.parametrize("seed", range(QUICK))
def test_values_cross_components_unchanged(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK, ALL))
def test_values_cross_more_components_unchanged(seed: int) -> None:
    check(seed)
