"""Differences of a file's numbers that are kept without their sign. Each mistake has right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.watch.series.ran_over import ran_over, series_in

KINDS = {"u1": 8, "<u2": 16, ">u2": 16, "<u4": 32}


def walk(seed: int, bits: int, count: int = 60) -> Any:
    """Numbers that go up and down a little."""
    steps = numpy.random.default_rng(seed).integers(-9, 10, count)
    return 2 ** (bits - 1) - 30 + numpy.cumsum(steps)


def differences(way: str, window: Any) -> Any:
    """What a program makes of a window that has one number more."""
    return {
        "next": window[1:] - window[:-1],
        "before": window[:-1] - window[1:],
        "first": window[1:] - window[0],
        "constant": window[1:] - window.max(),
    }[way]


def said(sent: Any, numbers: Any, kind: str) -> str:
    """What is said of an input, made of the numbers of a file of a kind, or of a table."""
    text = b"level\n" + b"".join(b"%d\n" % one for one in numbers.tolist())
    data = text if kind == "csv" else bytes(numbers.astype(kind).tobytes())
    return ran_over(numpy.asarray(sent, "f4").reshape(1, -1), [("levels", data)])[1]


@given(
    st.integers(0, 99),
    st.sampled_from([*KINDS, "csv"]),
    st.sampled_from(["next", "before", "first", "constant"]),
    st.integers(0, 40),
    st.integers(10, 18),
    st.sampled_from([1.0, 100.0, 256.0]),
)
def test_differences_without_a_sign(
    seed: int, kind: str, way: str, start: int, count: int, by: float
) -> None:
    bits = KINDS.get(kind, 16)
    numbers = walk(seed, bits)
    right = differences(way, numbers[start : start + count + 1])
    wrong = right % 2**bits
    assert said(right / by, numbers, kind) == ""
    assert said(abs(right) / by, numbers, kind) == ""
    assert said(wrong.astype("f4") / by, numpy.roll(numbers[::-1], 7) * 3 % 251, kind) == "", "another file"
    if right.min() < 0 and len({*right.tolist()}) > 2 and bits < 32:
        assert f"{right.min():,} became {right.min() + 2**bits:,}" in said(wrong / by, numbers, kind)
    elif right.min() < 0 and len({*wrong.astype("f4").tolist()}) > 3:
        assert f"in {bits} bits" in said(wrong / by, numbers, kind) or by > 1


def test_lines_and_channels() -> None:
    """Lines of a table, and records of two channels in turns."""
    table = walk(3, 16, 60).reshape(6, 10)
    text = "\n".join(" ".join(map(str, line)) for line in table.tolist()).encode()
    wrong = numpy.diff(table[2]) % 65536
    assert "kept in 16 bits" in ran_over(wrong.astype("f4"), [("a.txt", text)])[1]
    both = numpy.stack([walk(4, 16), walk(5, 16)], axis=1).astype("<u2")
    wrong = numpy.diff(both[5:25, 1].astype(int)) % 65536
    assert "kept in 16 bits" in ran_over(wrong.astype("f4"), [("a.bin", both.tobytes())])[1]


@pytest.mark.parametrize("kind", ["<u2", "csv"])
def test_differences_that_were_scaled_then(kind: str) -> None:
    numbers = walk(8, 16)
    right = numpy.diff(numbers[10:30])
    for own, seen in ((right % 65536, True), (right, False)):
        sent = (own - own.mean()) / own.std()
        assert ("scaled then" in said(sent, numbers, kind)) is seen


def test_counters_that_go_round() -> None:
    """A counter of 16 bits that begins again is right, and so are bytes that are no differences."""
    ticks = (65500 + 7 * numpy.arange(60) + numpy.arange(60) ** 2) % 65536
    sent = numpy.diff(ticks[:20]) % 65536
    assert said(sent, ticks, "<u2") == ""
    bytes_ = numpy.random.default_rng(9).integers(0, 256, 200)
    assert said(bytes_[:40], bytes_, "u1") == said(numpy.diff(bytes_[:40]) % 256, bytes_, "u1") == ""
    flags = numpy.random.default_rng(9).integers(0, 2, 200)
    assert said(255 * flags[:40], flags, "u1") == said(255 * flags[:40], 255 * flags, "u1") == ""


def test_of_several_places_the_likely_one_is_said() -> None:
    """Differences of 32 bits below 0 are all alike as f32; those from line to line are far larger."""
    numbers = numpy.concatenate([walk(1, 16, 9) + 3000, walk(2, 16, 9), [40000, 30000, 40001, 29000] * 6])
    sent = numpy.diff(numpy.array([20, 24, 23, 29, 28])) % 2**32
    numbers = numpy.concatenate([[9000, 9004, 8000, 8006, 7000], numbers, [20, 24, 23, 29, 28], numbers])
    assert "-1 became" in said(sent, numbers, "<u4")


@pytest.mark.parametrize("size", range(9))
def test_files_of_less_than_a_number(size: int) -> None:
    assert all(len(one) * one.itemsize <= 8 * size for one in series_in(b"\x07" * size))
