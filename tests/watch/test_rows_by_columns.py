"""Batches of windows and vectors that were filled column by column, and batches as they are to be."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.rows_by_columns import rows_by_columns


def rows(count: int, width: int, seed: int = 1) -> Any:
    return (800 * numpy.random.default_rng(seed).normal(size=(count, width))).round()


def text(lines: Any) -> bytes:
    return "\n".join(" ".join(f"{one:g}" for one in line) for line in lines).encode()


@pytest.mark.parametrize("kind", ["text", "<f4", "<f8", "<i2"])
@pytest.mark.parametrize(("count", "width"), [(2, 16), (3, 32), (5, 128), (12, 20), (20, 12)])
def test_rows_that_were_filled_by_columns(kind: str, count: int, width: int) -> None:
    lines = rows(count, width)
    files = [("vectors", text(lines) if kind == "text" else lines.astype(kind).tobytes())]
    scaled = (lines - lines.mean(1, keepdims=True)) / lines.std(1, keepdims=True)
    for right in (lines, lines / 4096, scaled):
        wrong = numpy.ascontiguousarray(right.T).reshape(count, width)
        for shape in ((count, width), (count, 1, width), (count, width, 1)):
            found = rows_by_columns(wrong.astype("f4").reshape(shape), files)
            assert "sent column by column" in found[1]
            assert rows_by_columns(right.astype("f4").reshape(shape), files) == ("", "")
    for other in (lines.T, lines[::-1], lines[:, ::-1], rows(count, width, 2)):
        assert rows_by_columns(numpy.ascontiguousarray(other).astype("f4"), files) == ("", "")


def test_few_numbers_are_exact() -> None:
    lines = rows(4, 6)
    files = [("table", text(lines))]
    wrong = numpy.ascontiguousarray(lines.T).reshape(4, 6).astype("f4")
    assert "column by column" in rows_by_columns(wrong, files)[1]
    assert rows_by_columns(wrong / 7, files) == ("", ""), "few scaled numbers are like others by chance"
    even = numpy.ones((4, 6), "f4")
    assert rows_by_columns(even, [("even", even.tobytes())]) == ("", "")


@pytest.mark.parametrize("silence", [b"\x80" * 4000, b"\x80" * 2000 + b"\x7f\x80" * 1000])
def test_a_state_is_not_looked_for_in_silence(silence: bytes) -> None:
    """As f64, samples that are nearly all the same differ by less than floats can say."""
    rng = numpy.random.default_rng(4)
    talk = rng.integers(90, 170, 3000).astype("u1").tobytes()
    for _ in range(4):
        state = rng.normal(0, 0.25, (2, 1, 128)).astype("f4")
        assert rows_by_columns(state, [("talk.u8", talk[:-1] + silence)]) == ("", "")


def test_bytes_of_samples_are_no_numbers_of_eight_bytes() -> None:
    """Read so, they differ by rounding alone, and are a line over anything."""
    numbers = numpy.full(400, -2.9374e-306)
    numbers[[90, 250]] = numpy.nextafter(numbers[90], [0, -1])
    state = rows(2, 128).clip(-900, 900) / 900
    state[state == state.max()], state[state == state.min()] = 0.9, -0.9
    for own in (state, state**9):
        assert rows_by_columns(own.astype("f4"), [("a.u8", numbers.tobytes())]) == ("", "")
