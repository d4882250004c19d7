"""Rows of few classes, distances, vectors, states and pieces. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.loops.round import Kept, Round
from pywasm_nn.watch.loops.states import wrong_state
from pywasm_nn.watch.order.streams import cut_short
from pywasm_nn.watch.probes import batches, classes, maps, shares
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written import similar
from tests.watch.test_uses_of_answers import NAMES, asked_of, each

RNG = numpy.random.default_rng(5)


def rows_of(answer: Any, step: int) -> Callable[[Sequence[Any]], str]:
    def say(answers: Sequence[Any]) -> str:
        flat, count = answers[0][0].reshape(-1), answer.shape[-1]
        read = [flat[step * row : step * row + count] for row in range(len(answer))]
        return "".join(
            f"bird {row + 1}: {NAMES[int(one.argmax())]}\n" for row, one in enumerate(read) if one.size
        )

    return say


@pytest.mark.parametrize("count", [3, 4])
def test_rows_of_few_classes(count: int) -> None:
    answer = RNG.dirichlet(numpy.ones(count), 11).astype("f4")
    assert batches.unaligned(asked_of(rows_of(answer, count), answer)) == ""
    found = batches.unaligned(asked_of(rows_of(answer, 1), answer))
    assert "begin one element after the other" in found


@pytest.mark.parametrize(("features", "rows"), [(13, 8), (4, 9), (2, 6), (30, 20)])
def test_rows_as_far_apart_as_those_of_the_input(features: int, rows: int) -> None:
    answer = RNG.dirichlet(numpy.ones(3), rows).astype("f4")
    sent = [Sent("x", (rows, features), numpy.zeros((rows, features), "f4"), None)]
    behind = numpy.zeros(rows * features, "f4")

    def say(answers: Sequence[Any], step: int) -> str:
        flat = numpy.concatenate([answers[0][0].reshape(-1), behind])
        read = [flat[step * row : step * row + 3] for row in range(rows)]
        return "".join(f"wine {row}: {NAMES[one.argmax()]} {one.max():.2f}\n" for row, one in enumerate(read))

    found = batches.unaligned(asked_of(partial(say, step=features), answer, sent=sent))
    assert (f"as if its rows had {features} elements; they have 3" in found) is (features > 2)
    assert batches.unaligned(asked_of(partial(say, step=3), answer, sent=sent)) == ""


@pytest.mark.parametrize(("form", "seen"), [("{0}.png: {1}\n", True), ("{1}\n", False)])
def test_the_first_row_for_all_inputs(form: str, *, seen: bool) -> None:
    answer = RNG.dirichlet(numpy.ones(4), 4).astype("f4")
    for step in (0, 1):

        def say(answers: Sequence[Any], step: int = step) -> str:
            rows = answers[0][0].reshape(4, 4)
            return "".join(
                form.format("abcd"[row], NAMES[int(rows[step * row].argmax())]) for row in range(4)
            )

        found = batches.unaligned(asked_of(say, answer))
        assert ("the row of the first one" in found) is (seen and not step)
        assert step == 0 or not found


def test_rows_by_columns_beside_words_that_are_classes() -> None:
    answer = RNG.dirichlet(numpy.ones(5), 6).astype("f4")
    lines = [f"{NAMES[row % 3]} and {NAMES[2]}" for row in range(6)]
    for order in "CF":

        def say(answers: Sequence[Any], order: Any = order) -> str:
            rows = answers[0][0].reshape(-1).reshape(6, 5, order=order)
            return "".join(
                f"{line} => {NAMES[int(row.argmax())]}\n" for line, row in zip(lines, rows, strict=True)
            )

        assert ("came first, then the second" in batches.unaligned(asked_of(say, answer))) is (order == "F")


@pytest.mark.parametrize(("planar", "seen"), [(True, False), (False, True)])
def test_pictures_of_classes_in_percent(planar: bool, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        best = flat.reshape(4, 300).argmax(0) if planar else flat.reshape(300, 4).argmax(1)
        shares = 100 * numpy.bincount(best, minlength=4) / best.size
        return ", ".join(f"{name} {one:.1f} %" for name, one in zip(NAMES, shares, strict=False)) + "\n"

    found = maps.misread(asked_of(say, RNG.random((1, 4, 15, 20)).astype("f4")))
    assert ("as if it were NHWC; it is NCHW" in found) is seen


@pytest.mark.parametrize("marks", [" ox", "gws", "000"])
@pytest.mark.parametrize(("shape", "planar"), [((1, 3, 24, 36), True), ((24, 36, 3), False)])
@pytest.mark.parametrize("frame", ["{}\n", "|{}|\n", "'{}',\n"])
def test_a_drawing_of_classes(shape: tuple[int, ...], planar: bool, marks: str, frame: str) -> None:
    """Every third pixel of every sixth row is drawn, under a heading."""

    def say(answers: Sequence[Any], *, read_planar: bool) -> str:
        flat = answers[0][0].reshape(-1)
        best = flat.reshape(3, 864).argmax(0) if read_planar else flat.reshape(864, 3).argmax(1)
        rows = best.reshape(24, 36)[3::6, 1::3]
        return "the field:\n" + "".join(frame.format("".join(marks[one] for one in row)) for row in rows)

    answer = RNG.normal(0, 3, shape).astype("f4")
    for read_planar in (True, False):
        found = maps.misread(asked_of(partial(say, read_planar=read_planar), answer))
        seen = read_planar is not planar and marks != "000"
        assert ("the guest reads the answer" in found) is seen, (read_planar, found)


@pytest.mark.parametrize(
    "form", ["{:.1%} of it is rust", "rust: {:.2f}", "{1} pixels of rust", "rust begins in row {2}"]
)
@pytest.mark.parametrize(("shape", "planar"), [((1, 3, 15, 20), True), ((1, 15, 20, 3), False)])
def test_the_share_of_one_class_of_pictures(shape: tuple[int, ...], planar: bool, form: str) -> None:
    def say(answers: Sequence[Any], *, read_planar: bool) -> str:
        flat = answers[0][0].reshape(-1)
        best = flat.reshape(3, 300).argmax(0) if read_planar else flat.reshape(300, 3).argmax(1)
        of_two = max(1, (best > 0).sum())
        row = numpy.flatnonzero(best == 2)[:1] // 20
        return (
            form.format((best == 2).sum() / of_two, (best == 2).sum(), int(row[0]) if row.size else 0) + "\n"
        )

    answer = RNG.normal(0, 3, shape).astype("f4")
    for read_planar in (True, False):
        found = maps.misread(asked_of(partial(say, read_planar=read_planar), answer))
        seen = read_planar is not planar and "row" not in form
        assert ("the guest reads the answer" in found) is seen, (read_planar, found)


@pytest.mark.parametrize(("shift", "seen"), [(0, False), (1, True), (-1, True)])
def test_rows_beside_their_inputs(shift: int, *, seen: bool) -> None:
    answer = RNG.dirichlet(numpy.ones(4), 9).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        rows = answers[0][0].reshape(9, 4)
        places = [min(8, max(0, row + shift)) for row in range(9)]
        return "".join(
            f"bird {row + 1}: {NAMES[int(rows[place].argmax())]}\n" for row, place in enumerate(places)
        )

    assert ("taken from row" in batches.unaligned(asked_of(say, answer))) is seen


@pytest.mark.parametrize("name", ["distances", "distance_to_centre"])
def test_the_nearest_has_the_smallest_distance(name: str) -> None:
    answer = numpy.array([[4.5, 0.75, 9.25, 3.5, 2.0]], "f4")

    def found(choose: Callable[[Any], int], form: str = "customer: {}\n", name: str = name) -> str:
        say = each(lambda row: form.format(NAMES[int(choose(row))]))
        return classes.misplaced(asked_of(say, answer, names=[name]))

    assert "by its name it has distances" in found(numpy.argmax)
    assert (
        found(numpy.argmin)
        == found(numpy.argmax, "farthest from: {}\n")
        == found(numpy.argmax, name="y")
        == ""
    )


def test_scores_of_many_boxes_are_no_shares() -> None:
    scores = RNG.normal(-40, 15, (1, 300, 1)).astype("f4")
    say = each(lambda row: f"a face with {100 / (1 + numpy.exp(-row.max())):.0f} %\n")
    assert shares.misused(asked_of(say, scores)) == ""


VECTORS = [RNG.normal(0.7, 1, 8) * scale for scale in (0.5, 1, 2, 4, 1.5, 0.75, 1)]


def hint(said: Sequence[float], form: str = "article {} ({:.2f})\n") -> str:
    text = Spoken("".join(form.format(at, one) for at, one in enumerate(said)))
    return similar.itself(VECTORS, text) or similar.found(VECTORS, text)


def test_vectors_in_one_buffer() -> None:
    assert "in one buffer" in hint([1, 1, 1]) and "in one buffer" in hint([0, 0, 0, 0])
    assert hint([1] * len(VECTORS)) == "", "as many as answers: their lengths, or how sure each is"
    sure = [numpy.eye(10)[at] * 9 - 3 for at in range(6)]
    assert similar.itself(sure, Spoken("1.00 1.00 1.00\n")) == "", "shares of sure answers"
    assert hint([1, 1]) == hint([0.71, 0.55, 0.62]) == hint([1, 1, 0.5]) == ""
    same = [VECTORS[0], 2 * VECTORS[0], *VECTORS[1:]]
    assert similar.itself(same, Spoken("1.00 1.00 1.00\n")) == ""


def test_the_nearest_by_a_product() -> None:
    made = numpy.stack(VECTORS)
    products = made[-3:] @ made[:-3].T
    near = similar.cosines(made)[-3:, :-3]
    assert (products.argmax(1) != near.argmax(1)).any(), "else the mistake changes nothing"
    assert "divided by their lengths" in hint(products.max(1) / 8)
    plain, alike = "score {1:.2f}\n", "most similar with {1:.2f}\n"
    assert hint(products.max(1), plain) == "" != hint(products.max(1), alike)
    assert hint(near.max(1)) == hint(near.max(1) * 100) == hint(products.max(1)[:2]) == ""


def states(sent: Callable[[Any, Any], Any], count: int = 12) -> str:
    state, rounds = numpy.zeros(count), []
    for turn in range(4):
        made = numpy.sin(numpy.arange(count) + turn + 1)
        rounds.append(
            Round(
                {0: Kept('input 0 "h"', state), 1: Kept('input 1 "x"', made[:3])},
                {0: Kept('output 0 "hn"', made)},
            )
        )
        state = sent(made, state)
    return wrong_state(rounds, [(0, 0)], {0: 4})


def test_a_part_of_a_state_is_sent_back() -> None:
    assert "only the first 6 of 12" in states(lambda made, old: numpy.concatenate([made[:6], old[6:]]))
    assert "only the first 3 of 12" in states(lambda made, old: numpy.concatenate([made[:3], old[3:]]))
    assert states(lambda made, old: made) == states(lambda made, old: 0.5 * made) == ""


@pytest.mark.parametrize(("kind", "header"), [("u1", 0), ("<i2", 0), ("<i2", 44), ("<f4", 0)])
@pytest.mark.parametrize("filled", [True, False])
def test_the_last_piece_is_shorter(kind: str, header: int, *, filled: bool) -> None:
    samples = RNG.integers(1, 120, 300 * 4 + 100).astype(kind)
    data = (b"RIFF".ljust(36, b"\1") + b"data1234" if header else b"") + samples.tobytes()
    pieces = [numpy.resize(samples[at : at + 300], 300) for at in range(0, len(samples), 300)]
    pieces[-1][100:] = 0 if filled else pieces[-2][100:]
    found = cut_short([hash(one.tobytes()) for one in pieces], 300, data, pieces[-2:])
    assert ("read that was cut short" in found) is not filled
    in_part = cut_short([hash(one.tobytes()) for one in pieces], 300, data, pieces[-2:], items=3)
    assert in_part == "", "a batch of three, of which the last has one new item"
