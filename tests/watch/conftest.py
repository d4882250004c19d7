"""Tests of hints have time: a slow machine, or a process whose copies take long to make, changes no hint."""

from __future__ import annotations

import pytest

from pywasm_nn.watch import budget
from pywasm_nn.watch.probes import following

TIMES = 10
"""What tests get of the seconds that users wait."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches, questions and copies of a guest end by their work, not by the clock."""
    monkeypatch.setattr(following, "LEAST", following.MOST)
    monkeypatch.setattr(budget, "SEARCHING", TIMES * budget.SEARCHING)
    monkeypatch.setattr(budget, "ASKING", TIMES * budget.ASKING)
