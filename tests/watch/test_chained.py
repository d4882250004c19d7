"""Answers that are the input of another model, and windows that begin with a part of the one before. Each
mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.order.chained import Chained
from pywasm_nn.watch.order.joined import Joined, at_sample
from tests.watch.test_origin import wav

ORDER = numpy.random.default_rng(29)


def hint(steps: Sequence[tuple[str, int, Any]], name: str = "x") -> str:
    """Returns what is said of operations of contexts that send an input of this name."""
    chained = Chained()
    for operation, context, array in steps:
        tensors = (Tensor.from_numpy(numpy.ascontiguousarray(array, "f4")),)
        more = {"error": None, "context_id": context, "index": 0, "specs": (SimpleNamespace(name=name),)}
        event: Any = SimpleNamespace(operation=operation, tensors=tensors, **more)
        chained.nn_event(event)
    return "; ".join(text for _, text in chained.finish())


ANSWERS = ORDER.normal(0, 1, (8, 1, 1, 32))


@pytest.mark.parametrize(
    ("places", "seen"), [([5, 4, 3, 2], True), ([2, 3, 4, 5], False), ([0, 0, 0, 0], False)]
)
def test_answers_in_the_reversed_order(places: list[int], seen: bool) -> None:
    told = [("get_output", 1, one) for one in ANSWERS]
    assert (
        "the last one first" in hint([*told, ("set_input", 2, ANSWERS[places].reshape(1, 4, 32))])
    ) == seen
    assert hint([*told, ("set_input", 1, ANSWERS[places].reshape(1, 4, 32))]) == "", "its own state"


@pytest.mark.parametrize("is_first", [True, False])
def test_answers_in_both_orders(is_first: bool) -> None:
    """A series is read forwards and backwards, by two models or by one that says so."""
    told = [("get_output", 1, one) for one in ANSWERS]
    ways = [
        ("set_input", 2, ANSWERS[2:6].reshape(1, 4, 32)),
        ("set_input", 3, ANSWERS[5:1:-1].reshape(1, 4, 32)),
    ]
    assert hint([*told, *(ways if is_first else ways[::-1])]) == ""
    assert hint([*told, ways[1]], "embeddings_bwd") == hint([*told, ways[1]], "reversed") == ""
    assert "the last one first" in hint([*told, ways[1]])


@pytest.mark.parametrize("scale", [1.0, 0.1])
@pytest.mark.parametrize(
    ("step", "count", "seen"), [(1, 11, True), (8, 11, False), (1, 81, False), (1, 6, False)]
)
def test_windows_of_an_answer_that_are_too_near(scale: float, step: int, count: int, seen: bool) -> None:
    rows = ORDER.normal(0, 1, (100, 8))
    windows = [("set_input", 1, rows[None, at * step :][:, :20] * scale + 2) for at in range(count)]
    assert ("began 1 apart" in hint([("get_output", 0, rows[None, None]), *windows])) == seen


SAMPLES = ORDER.integers(-9000, 9000, 4000).astype("<i2")


@pytest.mark.parametrize("scale", [32768, 32767, 1])
@pytest.mark.parametrize(("behind", "seen"), [(64, False), (512, True), (0, True)])
def test_the_wrong_end_of_the_window_before(scale: int, behind: int, seen: bool) -> None:
    joined, found = Joined(lambda: [("speech.wav", wav(SAMPLES, 16000))]), []
    for start in range(1024, 3072, 512):
        parts = SAMPLES[start - behind : start - behind + 64], SAMPLES[start : start + 512]
        found += [*joined.set("x", Tensor.from_numpy(numpy.concatenate(parts)[None].astype("f4") / scale))]
    assert len(found) == seen
    assert not seen or f"first 64 elements are samples {2048 - behind:,}" in found[0]


@pytest.mark.parametrize(("step", "count", "seen"), [(10, 9, True), (400, 9, False), (200, 17, False)])
def test_windows_of_a_sound_that_are_too_near(step: int, count: int, seen: bool) -> None:
    joined = Joined(lambda: [("speech.wav", wav(SAMPLES, 16000))])
    for at in range(count):
        part = SAMPLES[at * step : at * step + 800].astype("f4") / 32768
        assert [*joined.set("x", Tensor.from_numpy(part[None]))] == []
    assert ("take up all" in "".join(text for _, text in joined.finish())) == seen


KEY, PAUSE, WINDOW, KEYS = 800, 400, 480, 9


def keys(noise: float) -> Any:
    """Tones with pauses between them, which are silent or hold some noise."""
    at = numpy.arange(KEY)
    tones = [numpy.sin(at * ORDER.uniform(0.3, 1.2)) + 0.02 * ORDER.normal(size=KEY) for _ in range(KEYS)]
    pauses = noise * ORDER.normal(size=(KEYS, PAUSE))
    return (6000 * numpy.concatenate([*numpy.hstack([numpy.stack(tones), pauses])])).astype("<i2")


def begins(step: int, first: int, count: int = KEYS) -> list[int]:
    return [first + step * at for at in range(count)]


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    ("starts", "seen"),
    [
        (begins(600, 80), True),
        (begins(1200, 160), False),
        (begins(600, 80, 17), False),  # all of the sound, at half the distance
        (begins(600, 80, 6), False),  # those of a part of it
        (begins(1200, 160, 5), False),
        (begins(600, 700), False),  # which would be pauses
    ],
)
def test_places_of_samples_that_were_taken_as_bytes(starts: list[int], seen: bool, noise: float) -> None:
    samples = keys(noise)
    joined = Joined(lambda: [("keys.wav", wav(samples, 8000))])
    for start in starts:
        part = samples[start : start + WINDOW].astype("f4") / 32768
        assert [*joined.set("x", Tensor.from_numpy(part[None]))] == []
    assert ("multiplied by the size of a sample" in "".join(text for _, text in joined.finish())) is seen


def test_windows_of_a_sound_without_pauses() -> None:
    joined = Joined(lambda: [("speech.wav", wav(SAMPLES, 16000))])
    for start in begins(200, 10, 9):
        part = SAMPLES[start : start + 150].astype("f4") / 32768
        assert [*joined.set("x", Tensor.from_numpy(part[None]))] == []
    assert not [*joined.finish()], "somebody may look at the first half alone"


def test_samples_that_lie_nowhere_in_a_sound() -> None:
    body = numpy.arange(1, 9, dtype="<i2").tobytes()
    assert at_sample(body, numpy.array([3, 4], "<i2").tobytes()) == 2
    assert at_sample(body, b"\x07\x07") == -1, "this did not end"
    assert at_sample(body, body[3:7]) == -1, "between two samples"
