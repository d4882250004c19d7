"""Guests that say how many boxes there are, with and without suppression, of several kinds of answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.counted_anchors import middles_of
from pywasm_nn.watch.probes.kept_boxes import shared, uncounted
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(32)
MIDDLES = numpy.stack(numpy.meshgrid(numpy.arange(8, 312, 16), numpy.arange(8, 232, 16)), -1).reshape(-1, 2)
THINGS = numpy.array([[56.0, 40], [200, 56], [104, 168], [264, 184]])


def rows(beside: float) -> tuple[Any, Any]:
    """Corners and scores of rows; those that are so near to a thing see it, too."""
    near = numpy.hypot(*(MIDDLES[:, None] - THINGS).transpose(2, 0, 1))
    thing, far = near.argmin(1), near.min(1)
    sees = far < beside
    middles = numpy.where(sees[:, None], THINGS[thing], MIDDLES) + RNG.normal(0, 0.5, MIDDLES.shape)
    scores = numpy.where(sees, 0.95 - far / 400, 0.02) + 0.001 * RNG.random(len(sees))
    return numpy.concatenate([middles - 15, middles + 15], 1), scores


def guest(boxes: Callable[[Any], Any], scores: Callable[[Any], Any], form: str, *, keeps_all: bool) -> Any:
    def say(answers: Sequence[Any]) -> str:
        own, corners = scores(answers[0]), boxes(answers[0])
        kept: list[int] = []
        for at in numpy.argsort(-own, kind="stable"):
            if own[at] > 0.5 and (keeps_all or not (shared(corners[[at, *kept]])[0, 1:] > 0.4).any()):
                kept.append(int(at))
        return form.format(len(kept)) + "".join("at {:.0f} {:.0f}\n".format(*corners[at]) for at in kept[:2])

    return say


def answers(kind: str, beside: float) -> tuple[list[Any], Any, Any]:
    """Outputs, and how their boxes and scores are read."""
    corners, scores = rows(beside)
    if kind == "middles":
        table = [(corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2], scores[:, None]]
        made = numpy.concatenate(table, 1)[None].astype("f4")

        def boxes(all_: Any) -> Any:
            one = all_[0][0]
            return numpy.concatenate([one[:, :2] - one[:, 2:4] / 2, one[:, :2] + one[:, 2:4] / 2], 1)

        return [made], boxes, lambda all_: all_[0][0][:, 4]
    outputs = [numpy.stack([1 - scores, scores], 1)[None].astype("f4"), (corners / 320)[None].astype("f4")]
    return outputs, lambda all_: 320 * all_[1][0], lambda all_: all_[0][0][:, 1]


@pytest.mark.parametrize("kind", ["middles", "background"])
@pytest.mark.parametrize("form", ["{} faces\n", "picture.ppm: {} object(s) in 12 ms\n"])
def test_counted_without_suppression(kind: str, form: str) -> None:
    for beside, keeps_all, seen in ((30.0, True, True), (30.0, False, False), (12.0, True, False)):
        outputs, boxes, scores = answers(kind, beside)
        asked = asked_of(guest(boxes, scores, form, keeps_all=keeps_all), *outputs, names=("scores", "boxes"))
        assert ("suppression missing" in uncounted(asked)) is seen
    outputs, boxes, scores = answers(kind, 30.0)
    candidates = guest(boxes, scores, form.replace("{}", "{} candidates,"), keeps_all=True)
    assert uncounted(asked_of(candidates, *outputs, names=("scores", "boxes"))) == ""


KINDS = ("square", "circle", "triangle")
SEEN = numpy.array([1, 0, 1, 2])
"""Which kind each of the things is."""


def counting(form: str, *, keeps_all: bool, least: float = 0.5) -> Any:
    """A guest that counts the boxes of each kind."""

    def say(answers: Sequence[Any]) -> str:
        middles, scores = (one[0] for one in answers[0])
        corners = numpy.concatenate(
            [middles[:, :2] - middles[:, 2:] / 2, middles[:, :2] + middles[:, 2:] / 2], 1
        )
        counts = [0, 0, 0]
        for kind in range(3):
            kept: list[int] = []
            for at in numpy.argsort(-scores[:, kind], kind="stable"):
                is_new = keeps_all or not (shared(corners[[at, *kept]])[0, 1:] > 0.4).any()
                if scores[at, kind] > least and is_new:
                    kept.append(int(at))
            counts[kind] = len(kept)
        return form.format(*counts, sum(counts))

    return say


@pytest.mark.parametrize(
    "form", ["{} square(s), {} circle(s), {} triangle(s)\n", "{3} shapes\n", "squares: {}\n"]
)
def test_few_boxes_of_each_kind(form: str) -> None:
    """Of which the model gives a thing twice, surely or hardly; rows without a thing have no box at all."""
    near = numpy.hypot(*(MIDDLES[:, None] - THINGS).transpose(2, 0, 1))
    for doubt, keeps_all, seen in ((0.9, True, True), (0.9, False, False), (0.3, True, False)):
        boxes = numpy.concatenate([MIDDLES - 60, RNG.normal(0, 2, MIDDLES.shape)], 1)
        scores = 0.01 * RNG.random((len(MIDDLES), 3))
        for thing, kind in enumerate(SEEN):
            first, second = numpy.argsort(near[:, thing], kind="stable")[:2]
            boxes[[first, second]] = [[*THINGS[thing], 30, 30], [*THINGS[thing] + 0.4, 29.5, 30]]
            scores[[first, second], kind] = 0.97 - 0.01 * thing, doubt
        answer = [one[None].astype("f4") for one in (boxes, scores)]
        say = counting(form, keeps_all=keeps_all)
        found = uncounted(asked_of(say, *answer, names=("boxes", "scores")))
        assert ("suppression missing" in found) is seen


SIDE = 192
CELLS = middles_of(((8, 2), (16, 6)), (SIDE, SIDE))
FACES = numpy.array([[60.0, 70], [130, 100]])


def by_cells(beside: float) -> list[Any]:
    """Boxes relative to cells, and logits, of which most are far below 0."""
    near = numpy.hypot(*(CELLS[:, None] - FACES).transpose(2, 0, 1))
    sees = near.min(1) < beside
    boxes = RNG.normal(0, 6, (len(CELLS), 8))
    boxes[:, 2:4] = 20 + RNG.random((len(CELLS), 2))
    boxes[sees, :2] = (FACES[near.argmin(1)] - CELLS)[sees] + RNG.normal(0, 0.3, (sees.sum(), 2))
    logits = numpy.where(sees, 2.6 - near.min(1) / 50, -120.0)
    return [boxes[None].astype("f4"), logits[None, :, None].astype("f4")]


def decoding(form: str, *, keeps_all: bool) -> Any:
    """A guest that keeps all boxes that it is sure of. Its own mark for those that it has seen is -100."""

    def say(answers: Sequence[Any]) -> str:
        boxes, logits = answers[0][0][0], answers[0][1][0, :, 0]
        middles = CELLS + boxes[:, :2]
        corners = numpy.concatenate([middles - boxes[:, 2:4] / 2, middles + boxes[:, 2:4] / 2], 1)
        order = [int(at) for at in numpy.argsort(-logits, kind="stable") if logits[at] > numpy.log(4)]
        kept: list[int] = []
        for at in order:
            if keeps_all or not (shared(corners[[at, *kept]])[0, 1:] > 0.3).any():
                kept.append(at)
        if logits.max() < -100:  # all are marked
            return "1 face\n"
        lines = ("left {:.2f} top {:.2f} right {:.2f} bottom {:.2f}\n", corners[kept] / SIDE)
        return form.format(len(kept), len(order)) + "".join(lines[0].format(*box) for box in lines[1])

    return say


@pytest.mark.parametrize("form", ["{} faces\n", "faces: {} ({} boxes)\n"])
def test_boxes_relative_to_cells(form: str) -> None:
    """A score that is hardly enough, and the guest's count of all boxes beside that of those it keeps."""
    sent = [Sent("picture", (1, SIDE, SIDE, 3), None, None)]
    for keeps_all in (True, False):
        say = decoding(form, keeps_all=keeps_all)
        asked = asked_of(say, *by_cells(14.0), names=("boxes", "scores"), sent=sent)
        assert ("suppression missing" in uncounted(asked)) is keeps_all
