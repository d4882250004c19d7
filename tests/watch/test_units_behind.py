"""Guests that send the first of several windows, rows or frames in each round: an offset that is never
added. And guests that mean to send one input several times."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.loops import Standing
from tests.watch.test_loops import Guest

COUNT, SIZE = 7, 36
UNITS = (600 * numpy.random.default_rng(2).normal(size=(COUNT, SIZE)).cumsum(axis=1) / 6).round()
Way = Callable[[Any], Any]
AS_SENT: dict[str, Way] = {
    "as they are": lambda x: x,
    "scaled": lambda x: x / 4096,
    "by their own mean": lambda x: (x - x.mean()) / x.std(),
    "axis after axis": lambda x: x.reshape(12, 3).T / 1000,
    "time by time": lambda x: x.reshape(12, 3),
}


def said(
    inputs: list[Any],
    files: dict[str, bytes] | None = None,
    data: bytes = b"",
    line: str = "{}: calm 0.70\n",
) -> str:
    """What is said at the end of a guest that computes each input."""
    guest = Guest(1, ["y"], names="x")
    guest.standing = Standing(lambda: [*(files or {}).items()])
    segment = SimpleNamespace(init=data, mode=None)
    module: Any = SimpleNamespace(datas=[segment])
    guest.standing.attach(module)
    for number, one in enumerate(inputs):
        guest.computes([one[None].astype("f4")], [numpy.array([[0.7]], "f4")])
        guest.calls("fd_write", fd=1, ciovs=[line.format("abcdefghijklm"[number]).encode()])
    return "; ".join(text for _, text in guest.standing.finish())


def around(units: Any, kind: str) -> bytes:
    """Numbers among other data of a program."""
    rng = numpy.random.default_rng(3)
    other = rng.integers(0, 256, 400).astype("u1").tobytes()
    return other + units.astype(kind).tobytes() + b"%d windows\n\0\0" + other


@pytest.mark.parametrize("way", AS_SENT)
@pytest.mark.parametrize("kind", ["<i2", "<f4", "<f8", "<i4", ">i2"])
def test_the_first_of_a_file_in_all_rounds(kind: str, way: str) -> None:
    own = [AS_SENT[way](one) for one in UNITS]
    for begin in (b"", b"HEAD\1\2\3\4"):
        files = {"day.raw": begin + UNITS.astype(kind).tobytes()}
        assert "day.raw goes on with as many" in said([own[0]] * COUNT, files)
        assert said(own, files) == "", "each round sends its own"
        for count in (COUNT - 2, COUNT + 2):
            assert said([own[0]] * count, files) == "", "one input, a few times"
        assert said([own[0]] * COUNT, files, line="run {}: calm 0.70\n") == ""
        assert said([own[0]] * COUNT, files, line="{}: calm, 3.1 ms\n") == ""
        assert said([own[2]] * COUNT, files) == ""


@pytest.mark.parametrize("way", AS_SENT)
@pytest.mark.parametrize("kind", ["<i2", "<f4", "<f8"])
def test_the_first_of_the_programs_own(kind: str, way: str) -> None:
    own = [AS_SENT[way](one) for one in UNITS]
    data = around(UNITS, kind)
    assert "the program's data goes on with as many" in said([own[0]] * COUNT, data=data)
    assert said(own, data=data) == said([own[0]] * COUNT) == ""
    assert said([own[0]] * (COUNT - 2), data=data) == ""


def test_windows_that_overlap() -> None:
    numbers = UNITS.reshape(-1)
    windows = [numbers[at : at + SIZE] / 512 for at in range(0, len(numbers) - SIZE + 1, SIZE // 2)]
    files = {"day.raw": numbers.astype("<i2").tobytes()}
    assert "day.raw" in said([windows[0]] * len(windows), files)
    assert said(windows, files) == ""


def test_rows_of_a_table() -> None:
    rows = numpy.random.default_rng(5).uniform(0, 9, (6, 4)).round(2)
    text = "name,a,b,c,d\n" + "\n".join(f"n{at}," + ",".join(map(str, row)) for at, row in enumerate(rows))
    files = {"flowers.csv": text.encode()}
    assert "flowers.csv" in said([rows[0]] * 6, files)
    assert said([*rows], files) == said([rows[0]] * 4, files) == ""
    data = rows.astype("<f4").tobytes()
    assert "the program's data" in said([rows[0]] * 6, data=data)
    assert said([rows[0]] * 5, data=data) == said([*rows], data=data) == ""


def test_frames_of_bytes_and_a_second_input() -> None:
    frames = numpy.random.default_rng(6).integers(0, 256, (4, 10, 12, 3)).astype("u1")
    files = [("camera.rgb", frames.tobytes())]
    module: Any = SimpleNamespace(datas=[])

    def of(order: list[int]) -> str:
        guest = Guest(2, ["y"], names="x rate")
        guest.standing = Standing(lambda: files)
        guest.standing.attach(module)
        for at in order:
            guest.computes([frames[at][None], numpy.array([[1, 2, 5]], "i8")], [numpy.array([[0.7]], "f4")])
            guest.calls("fd_write", fd=1, ciovs=[b"cat 0.70\n"])
        return "; ".join(text for _, text in guest.standing.finish())

    assert "camera.rgb goes on with as many" in of([0, 0, 0, 0])
    assert of([0, 1, 2, 3]) == of([0, 0, 0]) == of([2, 2, 2, 2]) == ""


@pytest.mark.parametrize(
    ("times", "line", "seen"),
    [
        ([0.0, 1.28, 2.56, 3.84], "{:.2f} s: walking 0.98\n", True),
        ([0.0, 0.33, 0.67, 1.0], "at {:.2f} seconds: walking 0.98\n", True),
        ([0.31, 0.42, 0.29, 0.35], "{:.2f} s: walking 0.98\n", False),
        ([0.0, 1.28, 2.56, 3.84], "took {:.2f} s: walking 0.98\n", False),
        ([0.0, 1.28, 2.56, 3.84], "{:.2f} mV: walking 0.98\n", False),
    ],
)
def test_times_that_go_on(times: list[float], line: str, seen: bool) -> None:
    guest = Guest(1, ["y"], names="x")
    guest.standing = Standing()
    module: Any = SimpleNamespace(datas=[])
    guest.standing.attach(module)
    for time in times:
        guest.computes([UNITS[0][None].astype("f4")], [numpy.array([[0.7]], "f4")])
        guest.calls("fd_write", fd=1, ciovs=[line.format(time).encode()])
    assert ("times that go on" in "".join(text for _, text in guest.standing.finish())) is seen
