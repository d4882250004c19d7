"""Every attempt fails: a few of each class always, on one engine; all, on both, among the slow tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from .all import CLASSES
from .harness import Attempt, run
from .nursery import Nursery

SHARE = 30
"""Of each class of attacks one attempt of so many always runs, and at least one: the first of those that may
take least time."""


def cases() -> Iterator[Any]:
    """Each attempt with each of its engines."""
    for class_ in CLASSES:
        attempts = class_.ATTEMPTS
        groups = (attempts[start : start + SHARE] for start in range(0, len(attempts), SHARE))
        for group in groups:
            chosen = min(group, key=lambda attempt: attempt.cpu)
            for attempt in group:
                always = attempt.engines[crc32(attempt.name.encode()) % len(attempt.engines)]
                for engine in attempt.engines:
                    yield case(attempt, engine, slow=attempt is not chosen or engine != always)
        for attempt in getattr(class_, "SLOW", ()):
            for engine in attempt.engines:
                yield case(attempt, engine, slow=True)


def case(attempt: Attempt, engine: str, *, slow: bool) -> Any:
    marks = [pytest.mark.slow] * slow
    if attempt.lacks:
        marks.append(pytest.mark.skip(reason=attempt.lacks))
    return pytest.param(attempt, engine, id=f"{attempt.name}-{engine}", marks=marks)


@pytest.mark.parametrize(("attempt", "engine"), list(cases()))
def test_attempt_fails(attempt: Attempt, engine: str, nursery: Nursery) -> None:
    outcome = run(attempt, engine, nursery)
    assert not outcome.wrong
