"""Hostile components end in errors of ours, in bounded time and memory, each in a process of its own."""

from __future__ import annotations

import pytest

from tests.attempts.nursery import Nursery

from .binaries import BINARIES
from .calls import CALLS
from .harness import Hostile

pytest.importorskip("resource")
pytest.importorskip("wasmtime")
ALL = [*BINARIES, *CALLS]


@pytest.mark.parametrize(
    ("hostile", "engine"),
    [pytest.param(each, engine, id=f"{each.name}-{engine}") for each in ALL for engine in each.engines],
)
def test_hostile_component_is_refused(hostile: Hostile, engine: str, nursery: Nursery) -> None:
    assert not hostile.run(engine, nursery).wrong


def test_hostile_components_are_many() -> None:
    assert len({each.name for each in ALL}) == len(ALL) >= 40
