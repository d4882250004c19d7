"""Fuzz target of components: damaged ones are decoded, validated, instantiated with hosts that give anything,
and called with anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from types import FunctionType
from typing import Any

from pywasm_nn import Component, Err, Limits, Module, Ok, Some
from pywasm_nn.component.types import Extern, Sort
from pywasm_nn.errors import GuestExit, InvalidError, MalformedError, WasmError
from pywasm_nn.interpreter.engine import ENGINES
from tests.component.mutations import COMPONENT, mutated

from .modules import ROOT, claim, cut, flip, repeat

sys.path.append(str(ROOT / "spec-tests"))
from component_suite import commands, files

GUESTS = ("reader", "shelf", "together", "args_env", "files")
LIMITS = Limits(
    fuel=200_000, seconds=3, memory=16 << 20, memory_total=64 << 20, table_total=100_000, instances=200,
    handles=1000, lifted=1 << 24,
)  # fmt: skip
ANYTHING = (
    None, 0, 1, -1, 255, 1 << 31, 1 << 63, 1 << 70, "", "x", "é😀", "\ud800", b"", b"abc", [], [1], ["a"],
    [None], (), (1,), (1, "a"), {}, {"a": 1}, 1.5, float("nan"), True, object(), Err("x"), Ok(1), Some(None),
)  # fmt: skip
"""What hosts give, and calls are given."""
MOST_CALLED = 6
"""Exports of one instance that are called."""


@cache
def whole() -> tuple[bytes, ...]:
    """Components of toolchains, and those of the reference tests where these are."""
    of_tools = [(ROOT / f"tests/guests/components/{name}.wasm").read_bytes() for name in GUESTS]
    of_tests = [
        command.data
        for name in files()
        for command in commands(name)
        if command.type in ("module", "module_definition") and not command.is_text
    ]
    return (*of_tools, *(data for data in of_tests if data.startswith(COMPONENT)))


class Components:
    """Bytes that were once a component, and a seed for what is done with them."""

    name = "components"

    def input(self, random: Random) -> tuple[bytes, int]:
        data = random.choice(whole())
        if random.random() < 0.5:
            return mutated(random, data), random.randrange(1 << 32)
        damaged = bytearray(data)
        for _ in range(random.choice((0, 1, 1, 2, 4))):
            random.choice((flip, flip, flip, cut, repeat, claim))(damaged, random)
        return bytes(damaged), random.randrange(1 << 32)

    def feed(self, given: tuple[bytes, int]) -> str:
        data, seed = given
        try:
            component = Component(data, "damaged.wasm")
            component.validate()
        except (MalformedError, InvalidError) as error:
            return type(error).__name__
        assert repr(component).isprintable()
        return " ".join(sorted({play(component, engine, Random(seed)) for engine in ENGINES}))


def play(component: Component, engine: str, random: Random) -> str:
    """Bring a component to life and call some of what it exports; how far that went."""
    imports = {name: given(extern, random) for name, extern in component._type.imports.items()}
    try:
        with component.instantiate(imports, engine=engine, limits=LIMITS) as instance:
            for number, function in enumerate(functions(instance.exports)):
                if number == MOST_CALLED:
                    break
                call(function, random)
    except (WasmError, GuestExit) as error:
        assert str(error)
        return type(error).__name__
    return "instance"


def given(extern: Extern, random: Random) -> Any:
    """Something for an import."""
    if extern.sort is Sort.INSTANCE:
        return {name: given(inner, random) for name, inner in extern.type.exports.items()}
    if extern.sort is Sort.TYPE:
        return type("Resource", (), {})
    if extern.sort is Sort.CORE_MODULE:
        return Module.from_text("(module)")
    return lambda *arguments: anything(random)


def anything(random: Random) -> Any:
    """A result of a host function, if it doesn't raise."""
    how = random.random()
    if how < 0.1:
        raise Err(random.choice(ANYTHING))
    if how < 0.2:
        raise ValueError("the host's")
    return random.choice(ANYTHING)


def functions(exports: Mapping[str, Any]) -> Iterator[Any]:
    for value in exports.values():
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, Mapping):
            yield from functions(value)


def call(function: Any, random: Random) -> None:
    """Call it with anything. Raises what isn't documented for such a call."""
    arguments = [random.choice(ANYTHING) for _ in function.type.params]
    try:
        function.call(*arguments)
    except (WasmError, GuestExit) as error:
        assert str(error)
    except (TypeError, OverflowError, ValueError) as error:
        # The message begins with the path of an argument.
        assert any(str(error).startswith(label) for label in function.type.labels), error
