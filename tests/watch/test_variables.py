"""Variables of the source, as a native debugger shows them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.watch.debug.debugger import Debugger
from pywasm_nn.watch.debug.dwarf import Variables
from pywasm_nn.watch.debug.given import BadInputError
from pywasm_nn.watch.debug.rendered import Rendered, parts, text
from pywasm_nn.watch.debug.steps import Step, Stop

GUESTS = Path(__file__).parents[1] / "guests"


def stop_at(guest: str, place: str, paths: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """All variables where a guest stops first at a place, and some expressions."""
    module = Module.from_file(GUESTS / guest)
    variables = Variables(module)
    told: list[tuple[dict[str, str], dict[str, str]]] = []

    def stopped(stop: Stop) -> None:
        if stop.reason.startswith("breakpoint") and not told:
            rendered = Rendered(variables, debugger.positions[0])
            found = {}
            for path in paths:
                try:
                    found[path] = text(rendered.find(path))
                except BadInputError as error:
                    found[path] = f"error: {error}"
            told.append(({name: value for name, value, _, _ in rendered.values()}, found))
        if not debugger.breakpoints:
            debugger.add(place)
        debugger.go(Step.ON)

    debugger = Debugger(module, stopped)
    with module.instantiate(engine="interpret", observer=debugger) as instance, suppress(Trap):
        instance.exports._start()
    return told[0]


def test_variables_of_c() -> None:
    values, found = stop_at(
        "variables.wasm", "variables.c:23",
        ["shape->at.x", "*shape", "shape->name", "shape->other->y", "table[1]", "counter", "origin",
         "either.real", "nothing", "table[9]", "shape->", "size.x"],
    )  # fmt: skip
    assert values.pop("shape").startswith("0x")
    assert values == {
        "scale": "7", "size": "21", "large": "1099511627776", "ratio": "2.25", "letter": "119 'w'",
        "ready": "true", "table": "[21, -21, 40]", "either": "{whole = 1069547520, real = 1.5}",
    }  # fmt: skip
    assert found["shape->at.x"] == "3"
    assert found["shape->name"].endswith(' "triangle"')
    assert found["shape->other->y"] == "0.5"
    assert found["table[1]"] == "-21"
    assert found["counter"] == "40"
    assert found["origin"] == "{x = -1, y = 0.5}"
    assert found["either.real"] == "1.5"
    assert "at = {x = 3, y = 1.5}" in found["*shape"]
    assert "tag = [1, 2, 3, 7]" in found["*shape"]
    assert "colour = GREEN (5)" in found["*shape"]
    for bad in ("nothing", "table[9]", "shape->", "size.x"):
        assert found[bad].startswith("error: ")


def test_variables_of_rust() -> None:
    values, found = stop_at("variables_rust.wasm", "variables.rs:26", ["point.y", "numbers[1]", "pair"])
    assert values["name"] == '"square"'
    assert values["numbers"] == "[10, 20, 30]"
    assert values["scale"] == "7"
    assert values["size"] == "21"
    assert values["ready"] == "true"
    assert found["point.y"] == "1.5"
    assert found["numbers[1]"] == "20"


def test_variables_of_cpp() -> None:
    values, found = stop_at(
        "variables_cpp.wasm", "variables.cpp:21", ["box.size", "box.id", "box.label", "count", "total"]
    )
    assert values["count"] == "2"
    assert values["box"].startswith("{Item = {id = 4}, size = 12, label = 0x")
    assert (found["box.size"], found["box.id"], found["count"], found["total"]) == ("12", "4", "2", "0")
    values, _ = stop_at("variables_cpp.wasm", "variables.cpp:13", [])
    assert values["size"] == "20"
    assert values["rest"] == "8"


def test_an_optimised_guest_says_what_is_gone() -> None:
    values, _ = stop_at("source.wasm", "sum", [])
    assert "numbers" in values
    assert "total" in values


def test_a_guest_without_debug_information() -> None:
    module = Module.from_text('(module (func (export "_start") (nop)))')
    said: list[str] = []

    def stopped(stop: Stop) -> None:
        with pytest.raises(BadInputError) as caught:
            Variables(module).at(debugger.positions[0])
        said.append(str(caught.value))
        debugger.go(Step.ON)

    debugger = Debugger(module, stopped)
    with module.instantiate(engine="interpret", observer=debugger) as instance:
        instance.exports._start()
    assert said == ["the module tells no variables: compile it with -g"]


class Broken:
    """A module whose debug information has some other bytes."""

    def __init__(self, module: Module, random: Random) -> None:
        self.code_offset = module.code_offset
        self._sections: dict[str, bytes | None] = {}
        for name in (".debug_info", ".debug_abbrev", ".debug_str", ".debug_loc", ".debug_ranges"):
            data = bytearray(module.custom(name) or b"")
            for _ in range(random.choice([1, 3, 20]) if data else 0):
                data[random.randrange(len(data))] = random.choice(
                    [0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)]
                )
            self._sections[name] = bytes(data) or None

    def custom(self, name: str) -> bytes | None:
        return self._sections.get(name)


@pytest.mark.parametrize("guest", ["variables.wasm", "variables_rust.wasm", "source.wasm"])
def test_broken_debug_information_is_an_error_that_says_so(guest: str) -> None:
    module = Module.from_file(GUESTS / guest)
    random, tried = Random(18), 0

    def stopped(stop: Stop) -> None:
        nonlocal tried
        if stop.error is None and stop.reason.startswith("breakpoint") and tried < 60:
            tried += 60
            for _ in range(60):
                variables: Any = Variables(Broken(module, random))  # type: ignore[arg-type] # has what is read
                rendered = Rendered(variables, debugger.positions[0])
                with suppress(BadInputError):
                    for _, _, _, value in rendered.values():
                        for each in parts(value) if value is not None else []:
                            assert text(each)
                    for name in ("shape", "table", "numbers"):
                        assert text(rendered.find(name))
        if not debugger.breakpoints:
            debugger.add("area" if "variables" in guest else "sum")
        debugger.go(Step.ON)

    debugger = Debugger(module, stopped)
    with module.instantiate(engine="interpret", observer=debugger) as instance, suppress(Trap):
        instance.exports._start()
    assert tried
