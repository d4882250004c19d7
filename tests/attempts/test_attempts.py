"""Every attempt fails: a third of them always, on one engine; all of them on both among the slow tests.

All take some ten minutes of processor time, most of it Python's start and imports in a process for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from .all import ATTEMPTS, SLOW
from .harness import Attempt, run

SHARE = 3
"""One attempt of so many always runs, chosen by its name."""


def cases() -> Iterator[Any]:
    """Each attempt with each of its engines."""
    for attempt in (*ATTEMPTS, *SLOW):
        chosen = crc32(attempt.name.encode())
        first = chosen // SHARE % len(attempt.engines)
        for number, engine in enumerate(attempt.engines):
            slow = attempt in SLOW or number != first or bool(chosen % SHARE)
            yield pytest.param(
                attempt, engine, id=f"{attempt.name}-{engine}", marks=[pytest.mark.slow] * slow
            )


@pytest.mark.parametrize(("attempt", "engine"), list(cases()))
def test_attempt_fails(attempt: Attempt, engine: str) -> None:
    outcome = run(attempt, engine)
    assert not outcome.wrong
