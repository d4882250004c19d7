"""Parts of a picture by the names of classes, without the background at their beginning, and right twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.backgrounds import misnamed
from pywasm_nn.watch.whatif.views import View, seen
from tests.watch.test_uses_of_answers import asked_of

SIDE = 24
THINGS = ["road", "kerb", "marking"]
FORMS = ["{}: {:.1f} %\n", "{:12} {:6.2f}%\n", "{} covers {:.0f} percent\n"]


def answer(kinds: Any, *, planar: bool) -> Any:
    """Scores by which pixels are of these classes of four."""
    scores = numpy.random.default_rng(6).random((4, SIDE, SIDE)).astype("f4")
    scores[kinds, *numpy.mgrid[:SIDE, :SIDE]] += 2
    return scores[None] if planar else scores.transpose(1, 2, 0)[None]


KINDS = numpy.random.default_rng(7).choice(4, (SIDE, SIDE), p=[0.6, 0.25, 0.1, 0.05])


def hint(
    names: Sequence[str],
    form: str = FORMS[0],
    *,
    empty: int = 0,
    planar: bool = True,
    kinds: Any = KINDS,
    least: float = 0.0,
) -> str:
    """The hint about a guest that writes which part of a picture each class covers. Most of an empty picture
    is class `empty` by the model."""
    count = "{:.0f}" if "pixels" in form else ""

    def say(answers: Sequence[Any]) -> str:
        best = answers[0][0][0].argmax(axis=0 if planar else 2)
        parts = [float((best == one).mean()) for one in range(4)]
        by = 100.0 if not count else float(best.size)
        pairs = [pair for pair in zip(names, parts, strict=False) if pair[1] >= least]
        lines = (form.format(name, by * part) for name, part in pairs)
        return "a frame\n" + "".join(lines)

    def answer_to(view: View) -> Mapping[int, Any]:
        assert view.level in (0.0, 0.5, 1.0)
        mostly = numpy.where(numpy.arange(SIDE)[:, None] + numpy.zeros(SIDE) < 20, empty, 1)
        return {0: answer(mostly.astype(int), planar=planar)}

    asked = asked_of(say, answer(kinds, planar=planar))
    asked.answer_to = answer_to
    return misnamed(asked)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("form", [*FORMS, "{}: {:.0f} pixels\n"])
@pytest.mark.parametrize("last", ["background", "Back ground", "bg", ""])
def test_names_without_the_background(last: str, form: str, planar: bool) -> None:
    names = [*THINGS, *filter(None, [last])]
    assert "is class 0 the background" in hint(names, form, planar=planar)
    assert hint(names, form, planar=planar, empty=3) == "", "it is the last class"
    assert hint(names, form, planar=planar, kinds=KINDS * 0) == "", "one class is all that there is"
    for right in (["background", *THINGS], ["other", *THINGS], ["background", *THINGS[:-1]]):
        assert hint(right, form, planar=planar) == ""


@pytest.mark.parametrize(
    "names", [["sky", "road", "car", "void"], [*THINGS, "other"], THINGS[:2], THINGS[:1]]
)
def test_names_that_say_nothing_of_a_background(names: Sequence[str]) -> None:
    assert hint(names) == ""


def test_small_parts_that_are_left_out() -> None:
    """A guest that leaves out what is small, or not there, has a name for the last class all the same."""
    for kinds, least in ((KINDS, 0.08), (KINDS % 3, 0.001)):
        assert hint(["water", "tree", "rock", "sand"], kinds=kinds, least=least) == ""


@pytest.mark.parametrize("first", ["other", "unknown", "no change", "Empty"])
def test_a_first_class_that_is_nothing_in_particular(first: str) -> None:
    assert hint([first, "road", "kerb"]) == hint([first, "road", "kerb", "bg"]) == ""


def test_parts_that_are_others() -> None:
    for form in ("{}: 5 {:.1f}\n", "{0}\n", "{0}: 0.4\n", "{0}: {1:.1f}7 %\n"):
        assert hint(THINGS, form) == hint([*THINGS, "background"], form) == ""


@pytest.mark.parametrize("shape", [(1, 1), (1, 896, 1), (2, 3, 4, 5), (1, 4, 64), (9,)])
def test_answers_that_are_no_pictures(shape: tuple[int, ...]) -> None:
    assert (
        misnamed(asked_of(lambda answers: f"road: {answers[0][0].mean():.2f}\n", numpy.ones(shape, "f4")))
        == ""
    )


def test_nothing_of_a_picture() -> None:
    pixels = numpy.random.default_rng(1).integers(10, 250, (1, 3, 8, 8), "u1")
    pixels[0, 0, 0, :2] = 10, 250
    for level, value in ((0.0, 10), (0.5, 130), (1.0, 250)):
        made = seen(Tensor.from_numpy(pixels), View(level=level))
        assert made.shape == pixels.shape and made.dtype == pixels.dtype and (made == value).all()
