"""A short run of every fuzz target; the long one is `python -m tests.fuzz --count 200000`, see `.ci/full`."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..conftest import examples
from .targets import SECONDS, TARGETS, time_limit


@pytest.mark.parametrize("name", TARGETS)
@examples(200)
@given(seed=st.integers(0, 1 << 32))
def test_hostile_input_gives_documented_errors(name: str, seed: int) -> None:
    target = TARGETS[name]
    data = target.input(Random(seed))
    with time_limit(SECONDS):
        assert target.feed(data)
