"""Every attempt fails: a sixth of them always, on one engine; all of them on both among the slow tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from .all import ATTEMPTS, SLOW
from .harness import Attempt, run
from .nursery import Nursery

SHARE = 6
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
def test_attempt_fails(attempt: Attempt, engine: str, nursery: Nursery) -> None:
    outcome = run(attempt, engine, nursery)
    assert not outcome.wrong
