"""The component model's reference tests, on both engines and in both flavours of memory: one test a file.

What needs asynchronous calls is told by the trap that says so, and left out.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from component_run import NEEDS_ASYNC, PASSED, Runner
from component_suite import NO_SUITE, SUITE, commands, files, needing_async

from pywasm_nn.component.binary import decode
from pywasm_nn.component.validate import validate, validate_bodies
from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.runtime.memory import Flavour

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)

ASSERTIONS = ("assert_return", "assert_trap", "assert_uninstantiable", "assert_invalid", "assert_malformed")
PASS = 772
"""Of 980 assertions: all but 203 that need asynchronous calls and 5 about text."""
RUNS = [(engine, flavour) for engine in ENGINES for flavour in Flavour]


@pytest.fixture(scope="module")
def passed() -> dict[tuple[str, Flavour], Counter[str]]:
    """How many assertions passed, by engine and flavour of memory."""
    return {run: Counter() for run in RUNS}


@pytest.mark.parametrize(("engine", "flavour"), RUNS)
@pytest.mark.parametrize("name", files())
def test_component_file(
    name: str, engine: str, flavour: Flavour, passed: dict[tuple[str, Flavour], Counter[str]]
) -> None:
    runner, wrong, left = Runner(engine, flavour), [], 0
    for command in commands(name):
        if command.is_text:
            continue
        outcome = runner.outcome(command)
        passed[engine, flavour][command.type if outcome == PASSED else outcome] += 1
        left += outcome == NEEDS_ASYNC and command.type in ASSERTIONS
        if outcome not in (PASSED, NEEDS_ASYNC):
            wrong.append(f"{command}: {outcome}")
    runner.close()
    assert wrong == []
    assert left <= needing_async()[name]


@pytest.mark.parametrize(("engine", "flavour"), RUNS)
def test_component_assertions_that_pass(
    engine: str, flavour: Flavour, passed: dict[tuple[str, Flavour], Counter[str]]
) -> None:
    outcomes = passed[engine, flavour]
    if sum(outcomes.values()) < 1_000:
        pytest.skip("only a part of the suite was run")
    assert sum(outcomes[kind] for kind in ASSERTIONS) >= PASS, outcomes


def test_component_suite_is_whole() -> None:
    kinds = Counter(command.type for name in files() for command in commands(name))
    assert len(files()) == 63
    assert sum(kinds[kind] for kind in ASSERTIONS) == 980
    assert sum(needing_async().values()) == 203


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
            component = decode(bytes(data))
            validate(component)
            validate_bodies(component)
            outcomes["valid"] += 1
        except MalformedError as error:
            assert -1 <= error.offset <= len(data)
            outcomes["malformed"] += 1
        except InvalidError:
            outcomes["invalid"] += 1
    assert all(outcomes[kind] > 10 for kind in ("valid", "malformed", "invalid")), outcomes
