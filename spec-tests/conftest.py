"""Finds the official suite (data, not part of this repository) and sums up what came of its assertions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pywasm_nn.interpreter.script import ASSERTIONS, Report

HERE = Path(__file__).parent
PLACES = (
    os.environ.get("WASM_TESTSUITE"),
    HERE / "testsuite",
    HERE.parent / ".." / "shared" / "spec-testsuite",
)
REPORTS = pytest.StashKey[dict[str, list[Report]]]()
"""Reports by engine."""


@pytest.fixture(scope="session")
def suite() -> Path:
    """The folder of the suite (https://github.com/WebAssembly/testsuite)."""
    for place in PLACES:
        if place and Path(place, "i32.wast").exists():
            return Path(place)
    pytest.skip("no WebAssembly test suite: set WASM_TESTSUITE, or clone it to spec-tests/testsuite")


@pytest.fixture
def keep_report(request: pytest.FixtureRequest) -> Callable[[str, Report], None]:
    """Adds a report to the summary of an engine."""

    def keep(engine: str, report: Report) -> None:
        request.config.stash.setdefault(REPORTS, {}).setdefault(engine, []).append(report)

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for engine, reports in config.stash.get(REPORTS, {}).items():
        total = Report()
        for report in reports:
            total.passed += report.passed
            total.failed += report.failed
        passed = sum(total.passed.values())
        failed = sum(count for kind, count in total.failed.items() if kind in ASSERTIONS)
        terminalreporter.write_line(f"{engine}: {passed} of {passed + failed} assertions ({total})")
