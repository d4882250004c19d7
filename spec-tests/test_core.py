"""The official suite's files for the core specification, 3.0, on every engine: one test a file and engine.

No file is skipped and none is expected to fail.
"""

from __future__ import annotations

from collections import Counter

import pytest
from conformance import (
    DOCUMENT,
    GROUPS,
    NO_SUITE,
    SECTION,
    SUITE,
    Group,
    Outcome,
    Run,
    core_files,
    every_run,
    group_of,
    run_file,
    section,
)

from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.script import ASSERTIONS, KINDS
from pywasm_nn.interpreter.text import parse_script

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)


def files() -> list[object]:
    """Every file, found with `-k` by its group too."""
    return [pytest.param(name, id=f"{group_of(name).name}/{name}".replace(" ", "-")) for name in core_files()]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", files())
def test_file(name: str, engine: str, outcomes: dict[Run, Outcome]) -> None:
    run = Run(name, engine)
    outcome = outcomes[run] = run_file(run)
    assert not outcome.report.failures, "\n".join(map(str, outcome.report.failures))
    if group_of(name).native:
        assert not outcome.fallbacks


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_groups_have_all_of_their_files_and_assertions(group: Group) -> None:
    assert SUITE is not None
    names = [name for name in core_files() if group_of(name) is group]
    assert len(names) == group.files
    kinds = Counter(
        KINDS[type(command)]
        for name in names
        for command in parse_script((SUITE / f"{name}.wast").read_bytes().decode())
    )
    assert sum(kinds[kind] for kind in ASSERTIONS) == group.assertions


def test_few_functions_fall_back(outcomes: dict[Run, Outcome]) -> None:
    called = sum(outcome.called for outcome in outcomes.values())
    fallen = sum(sum(outcome.fallbacks.values()) for outcome in outcomes.values())
    assert 100 * fallen <= called


def test_the_document_is_what_came_of_it(outcomes: dict[Run, Outcome]) -> None:
    if set(outcomes) != set(every_run()):
        pytest.skip("only a part of the suite was run")
    written = SECTION.search(DOCUMENT.read_text("utf-8"))
    stale = "docs/conformance.md is stale: run python spec-tests/conformance.py"
    assert written and written.group().rstrip() == section(outcomes).rstrip(), stale
