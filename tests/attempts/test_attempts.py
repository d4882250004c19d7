"""Every attempt fails: on one engine each time, and among the slow tests on the other, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from .all import ATTEMPTS, SLOW
from .harness import Attempt, run


def cases() -> Iterator[Any]:
    """Each attempt with each of its engines."""
    for attempt in (*ATTEMPTS, *SLOW):
        first = crc32(attempt.name.encode()) % len(attempt.engines)
        for number, engine in enumerate(attempt.engines):
            slow = attempt in SLOW or number != first
            yield pytest.param(
                attempt, engine, id=f"{attempt.name}-{engine}", marks=[pytest.mark.slow] * slow
            )


@pytest.mark.parametrize(("attempt", "engine"), cases())
def test_attempt_fails(attempt: Attempt, engine: str) -> None:
    outcome = run(attempt, engine)
    assert not outcome.wrong
