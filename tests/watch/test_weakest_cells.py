"""Maps of scores, of one class or several, of which a guest keeps one of two cells that are near. Each
mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.weakest_cells import weakest
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(5)


def scores(classes: int, height: int, width: int, *, is_last: bool = False) -> Any:
    """Shares of classes at each cell, the first one nothing."""
    made = RNG.uniform(0, 0.02, (classes, height, width))
    made[-1, height // 2, width // 2 : width // 2 + 2] = 0.95, 0.9
    made[-2, 2, 2] = 0.8
    if classes > 2:
        made[0] = 1 - made[1:].sum(0)
    return (made.transpose(1, 2, 0) if is_last else made)[None].astype("f4")


def says(order: Callable[[float], float], *, is_last: bool = False, reach: int = 2, form: str) -> Any:
    """A guest that keeps a cell if none that it kept before is near."""

    def say(answers: Sequence[Any]) -> str:
        made = answers[0][0][0].transpose(2, 0, 1) if is_last else answers[0][0][0]
        first = int(len(made) > 2)
        found = [(made[at], at) for at in map(tuple, numpy.argwhere(made > 0.5).tolist()) if at[0] >= first]
        kept: list[Any] = []
        for score, at in sorted(found, key=lambda one: (order(one[0]), one[1])):
            if all(max(abs(at[1] - one[1]), abs(at[2] - one[2])) > reach for _, one in kept):
                kept.append((score, at))
        lines = [form.format(kind, 8 * x, 8 * y, 100 * score) for score, (kind, y, x) in kept]
        return "".join(lines) + f"{len(kept)} things\n"

    return say


FORMS = ("{} at {},{} ({:.1f} %)\n", "{3:.2f} kind {0}: {1} {2}\n", "{} at {},{}\n")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(("classes", "height", "width"), [(4, 19, 27), (2, 16, 12), (3, 30, 40)])
def test_the_least_sure_is_kept(form: str, is_last: bool, classes: int, height: int, width: int) -> None:
    answer = scores(classes, height, width, is_last=is_last)
    orders: tuple[tuple[Callable[[float], float], bool], ...] = (
        (lambda score: score, True),
        (lambda score: -score, False),
        (lambda score: 0.0, False),
        (lambda score: -round(score, 1), False),
    )
    for order, seen in orders:
        say = says(order, is_last=is_last, form=form)
        assert ("begins with the surest" in weakest(asked_of(say, answer))) is seen
    for say in (says(orders[0][0], is_last=is_last, form=form, reach=0), lambda _: "found\n"):
        assert weakest(asked_of(say, answer)) == ""


def test_of_one_plane_and_of_counts() -> None:
    answer = scores(2, 12, 20)[:, 1]

    def say(answers: Sequence[Any]) -> str:
        return says(lambda score: score, form=FORMS[0])([[answers[0][0][:, None].repeat(2, 1)]])

    assert "begins with the surest" in weakest(asked_of(say, answer))
    counting = says(lambda score: score, form="")
    assert weakest(asked_of(counting, answer[:, None].repeat(2, 1))) == ""


def test_smallest_of_distances() -> None:
    """A guest that looks for the smallest numbers says others of a map that has none but the lowest."""

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        at = int(flat.argmin())
        return f"nearest at {at % 20},{at // 20}: {flat[at]:.2f} m\n"

    assert weakest(asked_of(say, scores(2, 12, 20)[:, 1], names=("distance",))) == ""
