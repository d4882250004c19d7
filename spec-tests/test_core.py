"""The official suite's files for the core specification, 3.0, and for proposals, on every engine: one test a
file and engine.

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
    commands_of,
    every_run,
    files_of_the_suite,
    group_of,
    run_file,
    section,
    text_of,
)

from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.script import ASSERTIONS, KINDS
from pywasm_nn.interpreter.text import parse_script
from pywasm_nn.interpreter.text.script import Command

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)


def files() -> list[object]:
    """Every file, found with `-k` by its group too."""
    return [
        pytest.param(name, id=f"{group_of(name).name}/{name}".replace(" ", "-"))
        for name in files_of_the_suite()
    ]


LONG = ("return_call", "return_call_ref")
"""Millions of tail calls take the machine half a minute. A fiftieth of them is made with all the others, in
the same assertions; all of them are made among the slow tests."""


def with_fewer_calls(name: str) -> list[Command]:
    text = text_of(name).replace("1_000_00", "20_00").replace("999_999", "19_999")
    assert text != text_of(name)
    return parse_script(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_millions_of_tail_calls(name: str) -> None:
    assert not run_file(Run(name, "interpret")).report.failures


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", files())
def test_file(name: str, engine: str, outcomes: dict[Run, Outcome]) -> None:
    run = Run(name, engine)
    is_long = name in LONG and engine == "interpret"
    outcome = outcomes[run] = run_file(run, with_fewer_calls(name) if is_long else None)
    assert not outcome.report.failures, "\n".join(map(str, outcome.report.failures))
    if group_of(name).native:
        assert not outcome.fallbacks


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_groups_have_all_of_their_files_and_assertions(group: Group) -> None:
    names = [name for name in files_of_the_suite() if group_of(name) is group]
    assert len(names) == group.files
    kinds = Counter(KINDS[type(command)] for name in names for command in commands_of(name))
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
