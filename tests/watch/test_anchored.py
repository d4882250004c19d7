"""Detectors with anchors: the background's score, corners as middles, and offsets without variances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.anchored import as_corners, as_middles, unvaried
from pywasm_nn.watch.probes.of_nothing import background, sparse
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(27)
PRIORS = numpy.stack(numpy.meshgrid(numpy.arange(4, 96, 8), numpy.arange(4, 64, 8)), -1).reshape(-1, 2)
SIZE = 16.0
THINGS = ((30.0, 22.0, 14.0, 18.0), (70.0, 44.0, 20.0, 12.0))


def scores() -> Any:
    near = [numpy.hypot(*(PRIORS - thing[:2]).T) for thing in THINGS]
    face = numpy.exp(-numpy.minimum(*near) / 40).clip(0, 0.99)
    face = numpy.where(numpy.minimum(*near) < 9, face, 0.01 + 0.001 * RNG.random(len(PRIORS)))
    return numpy.stack([1 - face, face], 1)[None].astype("f4")


SCORES = scores()


def offsets() -> Any:
    """Offsets to anchors by variances of 0.1 and 0.2, as if each row saw the thing that is nearest."""
    made = []
    for prior in PRIORS:
        thing = min(THINGS, key=lambda one: abs(prior - one[:2]).sum())
        moved = (numpy.array(thing[:2]) - prior) / SIZE / 0.1
        made.append([*moved, *(numpy.log(numpy.array(thing[2:]) / SIZE) / 0.2)])
    noise = RNG.normal(0, 0.05, (len(made), 4))
    return (numpy.array(made) + noise)[None].astype("f4")


def corners() -> Any:
    made = numpy.concatenate([PRIORS - SIZE / 2, PRIORS + SIZE / 2], axis=1) / numpy.array([96, 64] * 2)
    return made[None].astype("f4")


def guest(box: Callable[[Any, Any], Sequence[float]], column: int, *, best: bool) -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        boxes, shares = answers[0][0][0], answers[0][1][0]
        found = [at for at in range(len(boxes)) if shares[at, column] > 0.5]
        found = [int(shares[:, column].argmax())] if best else found[:20]
        lines = ["{:.1f},{:.1f} to {:.1f},{:.1f}\n".format(*box(boxes[at], PRIORS[at])) for at in found]
        return f"{len(lines)} faces\n" + "".join(lines)

    return say


def by(place: float, size: float) -> Callable[[Any, Any], Sequence[float]]:
    def box(row: Any, prior: Any) -> Sequence[float]:
        middle, sides = prior + row[:2] * place * SIZE, SIZE * numpy.exp(row[2:] * size)
        return (*(middle - sides / 2), *(middle + sides / 2))

    return box


def asked(say: Callable[..., str], boxes: Any) -> Any:
    return asked_of(say, boxes, SCORES)


@pytest.mark.parametrize("best", [True, False])
def test_the_score_of_the_background(best: bool) -> None:
    for column, wrong in ((0, True), (1, False)):
        said = background(asked(guest(by(0.1, 0.2), column, best=best), offsets()))
        assert ("score of the background" in said) is wrong


@pytest.mark.parametrize("most", [3, 60])
def test_the_number_of_boxes_by_the_background(most: int) -> None:
    """A guest that says no more than how many boxes there are, and at most so many."""

    def counting(column: int) -> Callable[..., str]:
        return lambda answers: f"faces: {min(most, int((answers[0][1][0][:, column] > 0.4).sum()))}\n"

    def average(answers: Sequence[Any]) -> str:
        return f"nobody here: {answers[0][1][0][:, 0].mean():.4f}\n"

    def objects(answers: Sequence[Any]) -> str:
        boxes, shares = answers[0][0][0], answers[0][1][0]
        found = boxes[1 - shares[:, 0] > 0.4]
        return f"{len(found)} things\n" + "".join(
            "{:.3f} {:.3f} {:.3f} {:.3f}\n".format(*one) for one in found
        )

    for say, wrong in ((counting(0), True), (counting(1), False), (average, False), (objects, False)):
        assert ("score of the background" in background(asked(say, offsets()))) is wrong
    outputs = asked(average, offsets()).outputs
    assert asked(counting(0), offsets()).said(sparse(outputs)) == "faces: 0\n"


def test_corners_as_middles() -> None:
    size = numpy.array([96, 64])

    def half(row: Any, _: Any) -> Sequence[float]:
        return (*((row[:2] - row[2:] / 2) * size), *((row[:2] + row[2:] / 2) * size))

    def plain(row: Any, _: Any) -> Sequence[float]:
        return (*(row[:2] * size), *(row[2:] * size))

    assert "they are two corners" in as_middles(asked(guest(half, 1, best=False), corners()))
    assert as_middles(asked(guest(plain, 1, best=False), corners())) == ""
    assert as_middles(asked(guest(by(0.1, 0.2), 1, best=False), offsets())) == ""


@pytest.mark.parametrize("is_half", [True, False])
def test_corners_as_middles_in_rows_with_scores(is_half: bool) -> None:
    rows = numpy.concatenate([corners()[0] * 96, SCORES[0, :, 1:], RNG.integers(0, 3, (96, 1))], 1)

    def say(answers: Sequence[Any]) -> str:
        lines = []
        for row in answers[0][0][0]:
            first = row[:2] - row[2:4] / 2 if is_half else row[:2]
            last = row[:2] + row[2:4] / 2 if is_half else row[2:4]
            lines += ["{:.0f},{:.0f} - {:.0f},{:.0f}\n".format(*first, *last)] if row[4] > 0.5 else []
        return "".join(lines) or "none\n"

    found = as_middles(asked_of(say, rows[None].astype("f4")))
    assert ("they are two corners" in found) is is_half


@pytest.mark.parametrize("form", ["{:.0f},{:.0f} to {:.0f},{:.0f}\n", "({:.0f}, {:.0f})-({:.0f}, {:.0f})\n"])
def test_middles_as_corners(form: str) -> None:
    middles = numpy.concatenate([PRIORS, numpy.full((96, 2), SIZE)], 1)
    rows = numpy.concatenate([middles, SCORES[0, :, 1:]], 1)[None].astype("f4")

    def guest_of(half: float, form: str) -> Callable[..., str]:
        def say(answers: Sequence[Any]) -> str:
            kept = [row for row in answers[0][0][0] if row[4] > 0.5]
            ends = [(row[:2] - half * row[2:4], row[2:4] + half * (2 * row[:2] - row[2:4])) for row in kept]
            return "".join(form.format(*one, *other) for one, other in ends) or "none\n"

        return say

    assert "they are a middle, a width" in as_corners(asked_of(guest_of(0, form), rows))
    assert as_corners(asked_of(guest_of(0.5, form), rows)) == ""
    assert as_corners(asked_of(guest_of(0, "at {:.0f},{:.0f}, {:.0f} x {:.0f}\n"), rows)) == ""


@pytest.mark.parametrize("best", [True, False])
def test_variances(best: bool) -> None:
    said = unvaried(asked(guest(by(1, 1), 1, best=best), offsets()))
    assert "offsets not multiplied by the variances" in said
    assert unvaried(asked(guest(by(0.1, 0.2), 1, best=best), offsets())) == ""
