"""Windows of raw files and of tables of several columns in the opposite order, and windows as they lie
there."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.backwards import backwards


def log(channels: int, seed: int = 1) -> Any:
    numbers = numpy.random.default_rng(seed)
    at = numpy.arange(300)[:, None] / (9 + numpy.arange(channels))
    return (900 * (numpy.sin(at) + 0.2 * numbers.normal(size=(300, channels)).cumsum(axis=0))).round()


def file(rows: Any, kind: str) -> list[tuple[str, bytes]]:
    if kind != "text":
        return [("day.raw", b"\1\2\3\4\5\6" * (kind != "<f8") + rows.astype(kind).tobytes())]
    lines = (
        f"{at // 60:02d}:{at % 60:02d}," + ",".join(f"{one:g}" for one in row) for at, row in enumerate(rows)
    )
    return [("day.csv", "\n".join(lines).encode())]


@pytest.mark.parametrize("kind", ["<i2", "<f4", "<f8", "<i4", "text"])
@pytest.mark.parametrize("channels", [1, 2, 3, 6])
@pytest.mark.parametrize("start", [0, 101, 236])
def test_the_last_sample_first(kind: str, channels: int, start: int) -> None:
    rows = log(channels)
    files = file(rows, kind)
    window = rows[start : start + 64]
    level = (window - window.mean(0)) / window.std(0)
    for right in (window, window / 4096, level):
        for turn in (False, True):
            plain, back = (numpy.ascontiguousarray(one.T if turn else one)[None].astype("f4")
                           for one in (right, right[::-1]))  # fmt: skip
            assert backwards(plain, files) == ("", "")
            seen = kind != "text" or channels > 1
            assert ("the opposite order" in backwards(back, files)[1]) is seen


def test_what_is_no_window_from_the_end() -> None:
    rows = log(3)
    files = file(rows, "<i2")
    other = log(3, 2)[:64][::-1]
    assert backwards(other[None].astype("f4"), files) == ("", "")
    mirrored = numpy.concatenate([rows[:150], rows[149::-1]])
    assert backwards(mirrored[200:264][None].astype("f4"), file(mirrored, "<i2")) == ("", "")
    assert backwards(rows[:64, ::-1][None].astype("f4"), files) == ("", ""), "channels in another order"
    untimed = "\n".join(",".join(f"{one:g}" for one in row) for row in rows).encode()
    assert backwards(rows[:64][::-1][None].astype("f4"), [("day.csv", untimed)]) == ("", "")
    even = numpy.full((64, 3), 5.0)
    assert backwards(even[None].astype("f4"), file(even, "<f4")) == ("", "")
    times = [f"2026-03-{31 - at:02d},{','.join(f'{one:g}' for one in rows[at])}" for at in range(31)]
    newest_first = [("day.csv", "\n".join(times).encode())]
    assert backwards(rows[:24][::-1][None].astype("f4"), newest_first) == ("", "")
