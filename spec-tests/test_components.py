"""The component model's reference tests: one test a file.

What is run so far: all that is decided before a component is instantiated.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from component_suite import NO_SUITE, SUITE, Command, commands, files

from pywasm_nn.component.binary import decode
from pywasm_nn.component.validate import validate, validate_bodies
from pywasm_nn.errors import InvalidError, MalformedError, WasmError

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)

DECIDED = {
    "module": None,
    "module_definition": None,
    "assert_malformed": MalformedError,
    "assert_invalid": InvalidError,
}
"""Commands about a component that is not, or not yet, instantiated, and how it is refused."""
SHARED_MEMORY = ("validation/instantiation", 422)
"""Wants two memories told apart by whether they are shared; shared memories are refused as malformed."""


def load(data: bytes) -> None:
    component = decode(data)
    validate(component)
    validate_bodies(component)


def refusal(command: Command) -> type[WasmError] | None:
    """How the component of a command is refused."""
    try:
        load(command.data)
    except WasmError as error:
        return type(error)
    return None


@pytest.mark.parametrize("name", files())
def test_component_is_valid_or_refused(name: str) -> None:
    wrong = []
    for command in commands(name):
        if command.type not in DECIDED or command.is_text:
            continue
        wanted = DECIDED[command.type]
        if (command.name, command.line) == SHARED_MEMORY:
            wanted = MalformedError
        if refusal(command) is not wanted:
            wrong.append(str(command))
    assert not wrong


def test_component_suite_is_whole() -> None:
    kinds = Counter(command.type for name in files() for command in commands(name))
    assert len(files()) == 63
    assert kinds["assert_invalid"] == 380
    assert kinds["assert_malformed"] == 75
    assert kinds["module"] + kinds["module_definition"] == 285


def test_damaged_component_is_refused_by_errors_of_ours() -> None:
    chance = random.Random(2026)
    whole = [
        command.data
        for name in files()
        for command in commands(name)
        if command.type in ("module", "module_definition")
    ]
    outcomes: Counter[str] = Counter()
    for _ in range(2_000):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.choice([1, 1, 2, 4])):
            where = chance.randrange(len(data))
            data[where : where + chance.choice([0, 1, 1, 5])] = chance.randbytes(chance.choice([0, 1, 1, 3]))
        try:
            load(bytes(data))
            outcomes["valid"] += 1
        except MalformedError as error:
            assert -1 <= error.offset <= len(data)
            outcomes["malformed"] += 1
        except InvalidError:
            outcomes["invalid"] += 1
    assert all(outcomes[kind] > 10 for kind in ("valid", "malformed", "invalid")), outcomes
