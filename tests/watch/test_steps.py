"""Windows of samples that are too near to each other, or all the same. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.origin import Source, heard
from pywasm_nn.watch.sent.steps import Steps
from pywasm_nn.watch.series.apart import Apart

SAMPLES = numpy.random.default_rng(5).normal(0, 0.2, (1006, 2)).astype("f4")


def hint(
    starts: Sequence[int], *, size: int = 100, rate: int = 16000, channels: int = 1, measured: bool = False
) -> str:
    """What is said of windows that begin at these samples."""
    array = SAMPLES[:, 0] if channels == 1 else SAMPLES
    source, steps = Source("a", array, "samples", rate=rate, width=3), Steps(lambda: measured)
    for number, start in enumerate(starts):
        tensor = Tensor.from_numpy(SAMPLES[None, start : start + size, channels - 1] * 2 - 1)
        steps.set("x", tensor)
        if number < 2:  # later ones are not looked for
            found = heard(tensor.numpy(), source)
            assert found is not None and found.span is not None
            steps.found("x", tensor, found)
    return "; ".join(steps.finish())


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        (range(10), "10 windows of 100 began 1 apart"),
        (range(0, 250, 25), "as many windows take up all if they begin 100 apart"),
        (range(0, 1000, 100), ""),
        (range(0, 901, 50), ""),
        (range(0, 200, 50), ""),
        ((0, 1, 2, 3, 4, 500, 501, 502, 503, 504), ""),
    ],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_windows_too_near_to_each_other(starts: Sequence[int], words: str, channels: int) -> None:
    said = hint(starts, channels=channels)
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize(
    ("starts", "rate", "seen"),
    [
        ((6,) * 5, 0, True),
        ((6,) * 4, 0, False),
        ((6,) * 5, 16000, False),
        ((6, 206, 406, 606, 806), 0, False),
    ],
)
def test_one_window_in_all_rounds(starts: Sequence[int], rate: int, seen: bool) -> None:
    assert ("sent in all 5 rounds" in hint(starts, size=200, rate=rate)) is seen
    assert hint(starts, size=200, rate=rate, measured=True) == "", "to see how long it takes"


OTHERS = numpy.random.default_rng(6).normal(0, 0.3, 10000).astype("f4")


def hint_behind(times: int, count: int, size: int, *, moves_by: int = 0) -> str:
    """What is said of windows so many times their length apart, of which those that don't lie in the sound
    are other memory."""
    steps, source = Steps(), Source("a", SAMPLES[:, 0], "samples", rate=16000, width=3)
    for number in range(count):
        start = number * times * size + number * moves_by
        window = SAMPLES[start : start + size, 0]
        rest = OTHERS[number * size :][: size - len(window)]
        tensor = Tensor.from_numpy(numpy.concatenate([window, rest])[None])
        steps.set("x", tensor)
        if number == 0:
            found = heard(tensor.numpy(), source)
            assert found is not None
            steps.found("x", tensor, found)
    return "; ".join(steps.finish())


@pytest.mark.parametrize("size", [64, 100, 201])
@pytest.mark.parametrize("times", [2, 4])
def test_windows_by_bytes_reach_behind_the_end(times: int, size: int) -> None:
    """A number of bytes is added to a pointer to samples in as many rounds as the sound has windows."""
    all_ = len(SAMPLES) // size
    if 2 * times <= all_:
        assert f"{times} times their length" in hint_behind(times, all_, size)
    assert hint_behind(times, all_ - 1, size) == "", "it may stop where it wants"
    assert hint_behind(times, -(-all_ // times), size) == "", "some are passed over on purpose"
    assert hint_behind(1, all_, size) == "" == hint_behind(3, all_, size)
    assert hint_behind(times, all_, size, moves_by=7) == ""


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize(("times", "seen"), [(4, True), (8, True), (1, False), (3, False)])
def test_rows_of_floats_by_bytes(kind: str, times: int, seen: bool) -> None:
    """The same of rows of a file that are sent as they are."""
    rows, apart = numpy.random.default_rng(7).normal(size=(24, 6)).astype(kind), Apart()
    files = [("rows.f32", rows.tobytes())]
    for number in range(24):
        at = number * times
        row = rows[at] if at < len(rows) else OTHERS[number:][:6].astype(kind)
        apart.set("x", row)
    assert ("behind the end" in apart.said(files)) is seen


@pytest.mark.parametrize(
    ("step", "count", "seen"),
    [(40, 9, True), (10, 9, True), (80, 9, True), (160, 9, False), (80, 17, False), (40, 5, False)],
)
def test_steps_that_are_counted_in_something_else(step: int, count: int, seen: bool) -> None:
    """Frames of 4 channels, 40 in each window; in place of values, frames, bytes or elements of another size
    are counted. All windows that overlap, and the first few, are right."""
    numbers, apart = numpy.random.default_rng(8).normal(size=9 * 160).astype("f4"), Apart()
    for at in range(0, step * count, step):
        apart.set("x", numbers[at : at + 160].reshape(1, 40, 4))
    said = apart.said([("other.f32", bytes(640)), ("walk.f32", numbers.tobytes())])
    assert (f"each {4 * step} bytes behind the one before" in said) is seen is bool(said)
