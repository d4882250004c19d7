"""Every attempt fails, on both engines."""

from __future__ import annotations

import pytest

from .all import ATTEMPTS
from .harness import Attempt, run


@pytest.mark.parametrize(
    ("attempt", "engine"),
    [
        pytest.param(attempt, engine, id=f"{attempt.name}-{engine}")
        for attempt in ATTEMPTS
        for engine in attempt.engines
    ],
)
def test_attempt_fails(attempt: Attempt, engine: str) -> None:
    outcome = run(attempt, engine)
    assert not outcome.wrong
