"""Sliding windows whose older samples never move. Mistakes, and twins without one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series

COUNT, ROUNDS = 48, 7


def recorded(channels: int) -> Any:
    """Whole numbers, [samples, channels], that go on smoothly."""
    numbers = numpy.random.default_rng(channels)
    time = numpy.arange(COUNT * ROUNDS)[:, None]
    made = 3000 * numpy.sin(time / numbers.uniform(4, 11, channels)) + numbers.normal(
        0, 90, (len(time), channels)
    )
    return numpy.rint(made)


def files(rows: Any) -> list[tuple[str, bytes]]:
    """A recording as raw numbers, and as a table."""
    text = "\n".join(",".join(f"{one:g}" for one in row) for row in rows)
    return [("band.i16", rows.astype("<i2").tobytes()), ("band.csv", text.encode())]


def slid(rows: Any, step: int, *, is_moved: bool) -> list[Any]:
    """Windows to which so many samples come in each round."""
    window = rows[:COUNT].copy()
    made = [window.copy()]
    for start in range(COUNT, COUNT * (ROUNDS - 1), step):
        if is_moved:
            window[:-step] = window[step:].copy()
        window[-step:] = rows[start : start + step]
        made.append(window.copy())
    return made


def said_of(windows: list[Any], file: tuple[str, bytes], *, are_planes: bool) -> list[str]:
    series = Series(lambda: [file])
    shaped = [(one.T if are_planes else one) / 8192 for one in windows]
    tensors = [Tensor.from_numpy(numpy.ascontiguousarray(one[None].astype("f4"))) for one in shaped]
    return [said for one in tensors for said in series.set("x", one, "x")]


@pytest.mark.parametrize("are_planes", [True, False])
@pytest.mark.parametrize(("channels", "step"), [(3, 24), (3, 12), (6, 36), (1, 12)])
def test_older_samples_that_stay(channels: int, step: int, are_planes: bool) -> None:
    rows = recorded(channels)
    for file in files(rows):
        wrong = said_of(slid(rows, step, is_moved=False), file, are_planes=are_planes)
        assert len(wrong) == 1 and f"the first {COUNT - step} of its {COUNT} samples are those" in wrong[0]
        assert "to be moved to the front" in wrong[0]
        right = said_of(slid(rows, step, is_moved=True), file, are_planes=are_planes)
        assert not any("moved to the front" in one for one in right)


def test_a_part_that_stays_on_purpose() -> None:
    rows = recorded(3)
    for file in files(rows):
        windows = slid(rows, 24, is_moved=False)
        for one in windows:
            one[:24] = rows[-24:]  # what is normal, of another place
        assert not any("moved to" in one for one in said_of(windows, file, are_planes=True))
    single = recorded(1)
    for file in files(single):
        halves = slid(single, 24, is_moved=False)
        assert not any("moved to" in one for one in said_of(halves, file, are_planes=True)), "two halves"
        same = [single[:COUNT]] * 6
        assert not any("moved to" in one for one in said_of(same, file, are_planes=True))
