"""Boxes that guests write: corners that are none, and which of several are kept. Each mistake has right
twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.memory import Memory
from pywasm_nn.watch.probes.asked import Asked, Given, Sent
from pywasm_nn.watch.probes.cells import exchanged
from pywasm_nn.watch.probes.copies import Reply
from pywasm_nn.watch.probes.rows import misplaced
from pywasm_nn.watch.probes.suppression import boxes_of, misjudged
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.boxes import inverted, negative
from pywasm_nn.watch.written.misread import Fetched, Round

NO_MEMORY: Memory = None  # type: ignore[assignment] # it isn't looked at
RNG = numpy.random.default_rng(3)
CENTRES = numpy.concatenate([RNG.uniform(0.3, 0.9, (12, 2)), RNG.uniform(0.1, 0.25, (12, 2))], axis=1)
CORNERS = numpy.concatenate([CENTRES[:, :2] - 0.1, CENTRES[:, :2] + 0.1], axis=1)


def said_of(rows: Any, text: str) -> str:
    output = Fetched('output 0 "boxes"', rows[None], b"", "<f4")
    return inverted(Round((output,), (), Spoken(text)))


def lines(rows: Any, shape: str) -> str:
    return "".join(shape.format(*(200 * row).round().astype(int)) for row in rows)


@pytest.mark.parametrize(
    ("rows", "shape", "seen"),
    [
        (CENTRES, "cat 0.90 at {},{} to {},{}\n", True),
        (CENTRES, "({}, {}) - ({}, {})\n", True),
        (CENTRES, "x1 {} y1 {} x2 {} y2 {}\n", True),
        (CENTRES, "left: {}, top: {}, right: {}, bottom: {}\n", True),
        (CENTRES, "cat 0.90 at {},{} {} x {}\n", False),
        (CENTRES, "x {} y {} w {} h {}\n", False),
        (CENTRES, "at {},{} - {}x{}\n", False),
        (CENTRES, "{} -{} -{} {}\n", False),
        (CORNERS, "cat 0.90 at {},{} to {},{}\n", False),
        (CENTRES[:1], "cat 0.90 at {},{} to {},{}\n", False),
    ],
)
def test_corners(rows: Any, shape: str, seen: bool) -> None:
    assert ("centre, width and height" in said_of(rows, lines(rows, shape))) is seen


def test_ends_of_lines_are_no_corners() -> None:
    ends = RNG.random((40, 4))
    assert said_of(ends, lines(ends, "{},{} to {},{}\n")) == ""
    assert said_of(CENTRES, lines(CENTRES, "line from {},{} to {},{}\n")) == ""


@pytest.mark.parametrize("far", [0.02, 0.1])
def test_points_that_are_followed_are_no_corners(far: float) -> None:
    """Each row says where a point was, and where it is."""
    was = RNG.random((40, 2))
    rows = numpy.concatenate([was, was + RNG.normal(0, far, was.shape)], axis=1)
    assert said_of(rows, lines(rows, "corner ({}, {}) -> ({}, {})\n")) == ""


def test_corners_that_lie_right() -> None:
    right = numpy.concatenate(
        [CENTRES[:, :2] - CENTRES[:, 2:] / 2, CENTRES[:, :2] + CENTRES[:, 2:] / 2], axis=1
    )
    assert said_of(CENTRES, lines(right, "{},{} to {},{}\n")) == ""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("face 0.93 at 70.4 66.2, 16.5 x -1.3\n", True),
        ("x 3 y 4 width: -12 height: 8\n", True),
        ("face 0.93 at -2 -3, 16.5 x 1.3\n", False),
        ("from -4 to 8, mean 1 by -1e3x\n", False),
        ("the shape is -1 x 3 x 224 x 224\n", False),
        ("21.50 is adjusted by -0.41; 21.50 by -0.41\n", False),
        ("2.50 x -1.20 = -3.00\n", False),
    ],
)
def test_sizes_below_0(text: str, seen: bool) -> None:
    for rows in (CENTRES, CENTRES[0]):
        output = Fetched('output 0 "boxes"', rows, b"", "<f4")
        assert bool(negative(Round((output,), (), Spoken(text)))) is (seen and rows.ndim > 1)


# Which boxes are kept

SCORES = numpy.full((12, 3), 0.02)
SCORES[[2, 3, 6, 7, 8, 9], [1, 1, 0, 0, 2, 2]] = 0.9, 0.8, 0.95, 0.7, 0.6, 0.75
NEAR = CENTRES.copy()
NEAR[[3, 7, 9]] = NEAR[[2, 6, 8]] + 0.004


def kept(boxes: Any, scores: Any, best: Callable[..., int] | None) -> list[tuple[int, int]]:
    """The boxes that a guest keeps: none near one that it has chosen before, or all (`best` is None)."""
    found = [(int(row), int(kind)) for row, kind in numpy.argwhere(scores > 0.5)]
    if best is None:
        return found
    chosen: list[tuple[int, int]] = []
    for row, kind in sorted(found, key=lambda one: best(0, -scores[one])):
        others = [one for one, other in chosen if other == kind]
        if not any(abs(boxes[row] - boxes[one]).max() < 0.05 for one in others):
            chosen.append((row, kind))
    return chosen


def hint(best: Callable[..., int] | None, before: str = "", *, one_output: bool = False) -> str:
    def reply(arrays: Sequence[Any]) -> Reply:
        whole = numpy.concatenate(arrays, axis=1) if len(arrays) > 1 else arrays[0]
        boxes, scores = whole[:, :4], whole[:, 4:]
        said = [
            "{} {:.2f} at {:.0f},{:.0f} {:.0f} x {:.0f}\n".format(
                kind, scores[row, kind], *(400 * boxes[row])
            )
            for row, kind in kept(boxes, scores, best)
        ]
        return Reply((before + f"{len(said)} things\n" + "".join(said),), frozenset(outputs), "exit")

    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        return reply([series[-1].get(index, one.array)[0] for index, one in outputs.items()])

    parts = [("boxes", NEAR), ("scores", SCORES)]
    if one_output:
        parts = [("detections", numpy.concatenate([NEAR, SCORES], axis=1))]
    outputs = {
        index: Given(f'output {index} "{name}"', array[None].astype("f4"))
        for index, (name, array) in enumerate(parts)
    }
    control = reply([one.array[0] for one in outputs.values()])
    return misjudged(Asked(ask, outputs, control, tuple, NO_MEMORY))


def surest(zero: float, score: float) -> Any:
    return score


def least_sure(zero: float, score: float) -> Any:
    return -score


@pytest.mark.parametrize("one_output", [False, True])
def test_the_surest_box_is_kept(one_output: bool) -> None:
    assert hint(surest, one_output=one_output) == ""
    assert "keeps the one with the smaller score" in hint(least_sure, one_output=one_output)
    assert "is non-maximum suppression missing?" in hint(None, one_output=one_output)


def test_rows_of_shares_are_letters_and_no_boxes() -> None:
    letters = numpy.random.default_rng(2).dirichlet(numpy.ones(90), 20).astype("f4")

    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        return Reply(("",), frozenset({0}), "exit")

    for rows, seen in ((letters[None], False), (3 * letters[None], True)):
        asked = Asked(ask, {0: Given('output 0 "y"', rows)}, ask([], None), tuple, NO_MEMORY)
        assert (boxes_of(asked) is not None) is seen


@pytest.mark.parametrize(("batch", "seen"), [(1, True), (12, False)])
def test_rows_for_the_inputs_of_a_batch_are_no_boxes(batch: int, seen: bool) -> None:
    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        return Reply(("",), frozenset({0}), "exit")

    rows = numpy.concatenate([NEAR, SCORES], axis=1).astype("f4")
    asked = Asked(
        ask, {0: Given('output 0 "y"', rows)}, ask([], None), tuple, NO_MEMORY,
        sent=[Sent("x", (batch, 64), None, None)],
    )  # fmt: skip
    assert (boxes_of(asked) is not None) is seen


@pytest.mark.parametrize(("picture", "seen"), [((1, 3, 40, 100), False), ((1, 3, 80, 200), True)])
def test_a_map_as_large_as_the_picture_has_no_boxes(picture: Sequence[int], seen: bool) -> None:
    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        return Reply(("",), frozenset({0}), "exit")

    rows = RNG.random((1, 1, 40, 100)).astype("f4")
    sent = [Sent("x", tuple(picture), None, None)]
    asked = Asked(ask, {0: Given('output 0 "y"', rows)}, ask([], None), tuple, NO_MEMORY, sent=sent)
    assert (boxes_of(asked) is not None) is seen


def test_candidates_are_all_written_on_purpose() -> None:
    assert hint(None, "before suppression:\n") == ""


# Where they are read

Say = Callable[[Sequence[Any]], str]


def asked_of(parts: list[tuple[str, Any]], say: Say, kind: str = "f4") -> Asked:
    """A guest that says this of its outputs."""
    outputs = {
        index: Given(f'output {index} "{name}"', array[None].astype(kind))
        for index, (name, array) in enumerate(parts)
    }

    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        arrays = [series[-1].get(index, one.array)[0] for index, one in outputs.items()]
        return Reply((say(arrays),), frozenset(outputs), "exit")

    control = ask([{}], None)
    assert control is not None
    return Asked(ask, outputs, control, tuple, NO_MEMORY)


def surest_box(distance: int) -> Say:
    def say(arrays: Sequence[Any]) -> str:
        boxes, scores = arrays
        best = int(scores.max(axis=1).argmax())
        box = boxes.reshape(-1)[distance * best :][:4]
        return "{:.2f} at {:.1f},{:.1f} {:.1f} x {:.1f}\n".format(scores[best].max(), *(400 * box))

    return say


@pytest.mark.parametrize(("distance", "seen"), [(6, False), (4, True), (5, True), (7, True)])
def test_a_box_is_read_in_the_row_of_its_score(distance: int, seen: bool) -> None:
    boxes = numpy.concatenate([NEAR, RNG.random((12, 2))], axis=1)
    found = misplaced(asked_of([("boxes", boxes), ("scores", SCORES)], surest_box(distance)))
    assert (f"but on element {6 * distance}" in found) is seen
    assert seen or not found


def test_scores_alone() -> None:
    parts = [("boxes", NEAR), ("scores", SCORES)]
    assert misplaced(asked_of(parts, lambda arrays: f"{arrays[1].max():.2f}\n")) == ""


HEAT = RNG.random((20, 30)) / 9
HEAT[7, 12] = 0.9


@pytest.mark.parametrize(("height", "width", "seen"), [(20, 30, False), (30, 20, True), (20, 29, False)])
def test_rows_of_a_map(height: int, width: int, seen: bool) -> None:
    def say(arrays: Sequence[Any]) -> str:
        place = int(arrays[0].argmax())
        row, column = divmod(place, width) if not seen else divmod(place, 20)
        size = arrays[1].reshape(-1)[place]
        return f"{arrays[0].max():.2f} at {4 * column} {4 * row}, {30 * size:.1f} wide\n"

    found = exchanged(asked_of([("heat", HEAT), ("size", RNG.random((20, 30)))], say))
    assert ("as if its rows had 20 elements; they have 30" in found) is seen
    assert seen or not found
