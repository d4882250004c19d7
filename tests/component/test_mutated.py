"""Whether components that were changed by chance are valid: the same here as in wasmtime."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from pywasm_nn import Component
from pywasm_nn.errors import InvalidError, MalformedError
from tests.component.components import assembled
from tests.component.mutations import COMPONENT, mutated
from tests.component.test_differential import case

sys.path.append(str(Path(__file__).resolve().parents[2] / "spec-tests"))
from component_suite import commands, files

QUICK, ALL, SEED = 150, 1000, 15
GENERATED = 60
"""Components of `test_differential.py` among those that are changed."""
UNFINISHED = (
    # Valid by the specification; wasmtime says itself that it hasn't got so far.
    "reexport of an imported function which is not implemented",
    "unsupported type export",
)


def refusal(data: bytes) -> str:
    """Why a component is refused here; empty if it is valid."""
    try:
        Component(data).validate()
    except (MalformedError, InvalidError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def native_refusal(data: bytes) -> str:
    """Why wasmtime refuses a component; empty if it doesn't."""
    import wasmtime
    from wasmtime import component

    try:
        component.Component(wasmtime.Engine(), data)
    except wasmtime.WasmtimeError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def valid() -> list[bytes]:
    """Valid components: those of the suite that wasmtime takes, and generated ones."""
    pytest.importorskip("wasmtime")
    found = [assembled(case(seed)[1]) for seed in range(GENERATED)]
    for name in files():
        for command in commands(name):
            if command.type in ("module", "module_definition") and not command.is_text:
                found.append(command.data)
    return [data for data in found if data.startswith(COMPONENT) and not native_refusal(data)]


def check(valid: list[bytes], numbers: range) -> None:
    verdicts: Counter[bool] = Counter()
    for number in numbers:
        chance = random.Random(SEED + number)
        data = mutated(chance, chance.choice(valid))
        own, native = refusal(data), native_refusal(data)
        if not own and any(reason in native for reason in UNFINISHED):
            continue
        assert bool(own) == bool(native), f"mutation {number}: here {own!r}, in wasmtime {native!r}"
        verdicts[not own] += 1
    assert verdicts[True] > len(numbers) // 20, "hardly any mutation was valid: nothing was compared"


def test_wasmtime_agrees_which_mutations_are_valid(valid: list[bytes]) -> None:
    check(valid, range(QUICK))


@pytest.mark.slow
def test_wasmtime_agrees_about_more_mutations(valid: list[bytes]) -> None:
    check(valid, range(QUICK, ALL))
