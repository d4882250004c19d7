"""Keeps what came of the suite's files, and sums it up by engine. The compiler's intermediate form is checked
on the way."""

from __future__ import annotations

import pytest
from conformance import Outcome, Run

from pywasm_nn.interpreter.compile import translate
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.script import Report

translate.CHECKED = True  # as PYWASM_NN_CHECK=1 has it
OUTCOMES = pytest.StashKey[dict[Run, Outcome]]()


@pytest.fixture
def outcomes(request: pytest.FixtureRequest) -> dict[Run, Outcome]:
    """What came of the files that have been run in this session."""
    return request.config.stash.setdefault(OUTCOMES, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    outcomes = config.stash.get(OUTCOMES, {})
    for engine in ENGINES:
        chosen = [outcome for run, outcome in outcomes.items() if run.engine == engine]
        if not chosen:
            continue
        total = Report()
        for outcome in chosen:
            total.add(outcome.report)
        terminalreporter.write_line(f"{engine}: {total}")
