"""Runs the commands of the component model's reference tests on an engine.

Here are values of the tests as Python values, and `Runner`. What is not: which files there are
(`component_suite.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from component_suite import Command

from pywasm_nn.component.binary import decode
from pywasm_nn.component.canonical.faces import Err, Ok, Some, attribute, face
from pywasm_nn.component.canonical.helpers import ASYNC
from pywasm_nn.component.imports import Item
from pywasm_nn.component.link import Settings, instantiate
from pywasm_nn.component.runtime import ComponentFunc, Tree
from pywasm_nn.component.types import U8, ComponentType, Compound, Kind, Prim
from pywasm_nn.component.validate import validate, validate_bodies
from pywasm_nn.errors import InvalidError, MalformedError, Trap, WasmError
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.limits import Limits


def value_of(about: Mapping[str, Any], type_: Any) -> Any:
    """A value of the tests as one of Python's."""
    value = about.get("value")
    if isinstance(type_, Prim):
        if about["type"] in ("f32", "f64"):
            form, raw = ("<f", "<I") if about["type"] == "f32" else ("<d", "<Q")
            return struct.unpack(form, struct.pack(raw, int(value)))[0]
        return int(value) if type_.name[1:].isdigit() else value
    assert isinstance(type_, Compound)
    return BUILD[type_.kind](value, type_)


def variant(value: Any, type_: Compound) -> Any:
    index = type_.labels.index(value["case"])
    payload, part = value.get("payload"), type_.parts[index]
    return face(type_).cases[index](None if payload is None else value_of(payload, part))


def result(value: Any, type_: Compound) -> Any:
    ((case, inner),) = value.items()
    part = type_.parts[0 if case == "Ok" else 1]
    return (Ok if case == "Ok" else Err)(None if inner is None else value_of(inner, part))


def option(value: Any, type_: Compound) -> Any:
    (part,) = type_.parts
    if value is None:
        return None
    inner = value_of(value, part)
    return Some(inner) if isinstance(part, Compound) and part.kind is Kind.OPTION else inner


def sequence(value: Any, type_: Compound) -> Any:
    if type_.kind is Kind.TUPLE:
        return tuple(value_of(each, part) for each, part in zip(value, type_.parts, strict=True))
    (part,) = type_.parts
    values = [value_of(each, part) for each in value]
    return bytes(values) if part is U8 and type_.length is None else values


def record(value: Any, type_: Compound) -> Any:
    given = {attribute(label): each for label, each in value}
    parts = zip(type_.labels, type_.parts, strict=True)
    return face(type_)(**{attribute(label): value_of(given[attribute(label)], part) for label, part in parts})


def flags(value: Any, type_: Compound) -> Any:
    return face(type_)(sum(1 << type_.labels.index(label) for label in value))


def mapping(value: Any, type_: Compound) -> Any:
    key, part = type_.parts
    return [
        (value_of(first, key), value_of(second, part)) for first, second in (each["value"] for each in value)
    ]


BUILD = {
    Kind.VARIANT: variant,
    Kind.RESULT: result,
    Kind.OPTION: option,
    Kind.LIST: sequence,
    Kind.TUPLE: sequence,
    Kind.RECORD: record,
    Kind.FLAGS: flags,
    Kind.ENUM: lambda value, type_: next(member for member in face(type_) if member.value == value),
    Kind.MAP: mapping,
}


PASSED, NEEDS_ASYNC = "", "needs asynchronous calls"


class Runner:
    """Runs one file. `outcome` says of a command what came of it: PASSED, NEEDS_ASYNC, or what is wrong."""

    def __init__(self, engine: str, flavour: Flavour | None = None) -> None:
        self.settings = Settings(ENGINES[engine], Limits(), flavour, None)
        self.types: dict[str | None, ComponentType] = {}
        self.trees: list[Tree] = []
        self.exports: Mapping[str, Item] = {}
        self.stopped = False
        """Whether the instance has stopped where it needs asynchronous calls: nothing is tested then."""

    def outcome(self, command: Command) -> str:
        if self.stopped and command.type in CALLS:
            return NEEDS_ASYNC
        try:
            wrong: str = getattr(self, command.type)(command) or PASSED
        except WasmError as error:
            wrong = f"{type(error).__name__}: {error}"
        if ASYNC in wrong:
            self.stopped = True
            return NEEDS_ASYNC
        return wrong

    def load(self, command: Command) -> ComponentType:
        component = decode(command.data)
        type_ = validate(component)
        validate_bodies(component)
        self.types[None] = self.types[command.about.get("name")] = type_
        return type_

    def instantiate(self, type_: ComponentType) -> None:
        self.exports, self.stopped = {}, False
        tree, self.exports = instantiate(type_, {}, self.settings)
        self.trees.append(tree)

    def function(self, command: Command) -> ComponentFunc:
        function: ComponentFunc = self.exports[command.about["action"]["field"]].value
        return function

    def invoke(self, command: Command) -> Any:
        function = self.function(command)
        given = command.about["action"]["args"]
        return function.call(*map(value_of, given, function.type.params))

    # Commands

    def module(self, command: Command) -> None:
        self.instantiate(self.load(command))

    def module_definition(self, command: Command) -> None:
        self.load(command)

    def module_instance(self, command: Command) -> None:
        self.instantiate(self.types[command.about.get("module")])

    def action(self, command: Command) -> None:
        self.invoke(command)

    def assert_return(self, command: Command) -> str:
        result, type_ = self.invoke(command), self.function(command).type.result
        expected = [value_of(each, type_) for each in command.about.get("expected", [])]
        wanted = expected[0] if expected else None
        same = result == wanted or (result != result and wanted != wanted)
        return PASSED if same else f"{result!r} in place of {wanted!r}"

    def assert_trap(self, command: Command) -> str:
        try:
            return f"no trap, but {self.invoke(command)!r}"
        except Trap as trap:
            return str(trap) if ASYNC in str(trap) else PASSED

    def assert_uninstantiable(self, command: Command) -> str:
        try:
            self.instantiate(self.load(command))
        except Trap as trap:
            return str(trap) if ASYNC in str(trap) else PASSED
        return "no trap"

    def assert_invalid(self, command: Command) -> str:
        return self.refused(command, InvalidError)

    def assert_malformed(self, command: Command) -> str:
        return self.refused(command, MalformedError)

    def refused(self, command: Command, wanted: type[WasmError]) -> str:
        try:
            self.load(command)
        except wanted:
            return PASSED
        return f"no {wanted.__name__}"

    def close(self) -> None:
        while self.trees:
            self.trees.pop().close()


CALLS = ("action", "assert_return", "assert_trap")
