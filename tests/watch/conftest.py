"""Tests of hints have time: a slow machine, or a process whose copies take long to make, changes no hint."""

from __future__ import annotations

import pytest

from pywasm_nn.watch.probes import following


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of a guest have ten seconds, not half of one."""
    monkeypatch.setattr(following, "LEAST", following.MOST)
