"""Servers of the tests' own, closed at the end of each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .oip_server import Stand


@pytest.fixture
def stands() -> Iterator[list[Stand]]:
    started: list[Stand] = []
    yield started
    for stand in started:
        stand.close()


@pytest.fixture
def stand(stands: list[Stand]) -> Stand:
    stands.append(Stand())
    return stands[0]
