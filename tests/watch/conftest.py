"""Tests of hints have time: a slow machine, or a process whose copies take long to make, changes no hint.
Mistakes in the search for hints, which users are only told of, fail tests."""

from __future__ import annotations

import pytest

from pywasm_nn.watch import budget, evidence, trace

TIMES = 40
"""What tests get of the seconds that users wait."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches, questions and copies of a guest end by their work, not by the clock."""
    monkeypatch.setattr(budget, "FLOOR", TIMES * budget.FLOOR)
    monkeypatch.setattr(budget, "SHORT", TIMES * budget.SHORT)


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in the search for hints is raised."""

    def raised(error: Exception, what: str) -> str:
        raise error

    for module in (trace, evidence):
        monkeypatch.setattr(module, "failure", raised)
