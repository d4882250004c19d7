"""Right programs that once got a hint about what they make of an answer, each beside a mistaken twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import (
    begun,
    classes,
    formulas,
    labelled,
    nearest,
    nearest_rows,
    restored,
    thresholds,
    whether,
)
from pywasm_nn.watch.probes.asked import Asked, Given, Sent
from pywasm_nn.watch.probes.copies import Reply
from tests.watch.test_uses_of_answers import NO_MEMORY, asked_of, each

RNG = numpy.random.default_rng(35)
NAMES = ["oak", "elm", "ash", "yew", "fir", "lime", "plane"]


def row(*elements: float) -> Any:
    return numpy.array([elements], "f4")


# The smallest


@pytest.mark.parametrize(
    ("form", "name", "answer", "seen"),
    [
        ("class {}\n", "y", row(0.1, 0.2, 0.05, 0.4, 0.25), True),
        ("least likely: class {}\n", "y", row(0.1, 0.2, 0.05, 0.4, 0.25), False),
        ("take route {}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), True),
        ("take route {}\n", "cost", row(-3.2, 1.1, 0.4, 2.5, -1), False),
        ("state {}\n", "energies", row(-3.2, 1.1, 0.4, 2.5, -1), False),
    ],
)
def test_the_smallest_is_looked_for(form: str, name: str, answer: Any, *, seen: bool) -> None:
    """Such as of costs and energies, which may be less than 0."""
    found = classes.misplaced(asked_of(each(lambda y: form.format(int(y.argmin()))), answer, names=[name]))
    assert ("the smallest element and not the largest" in found) is seen
    assert seen or not found


APART = [
    ("nearest: item {}\n", True),
    ("odd one out: item {}\n", False),
    ("farthest from the query: item {}\n", False),
    ("the most distant: {}\n", False),
    ("next, for variety: item {}\n", False),
]


def least_like(vectors: Sequence[Any], form: str) -> str:
    *others, last = (one.astype("f8") / numpy.linalg.norm(one) for one in vectors)
    return form.format(int(numpy.argmin([one @ last for one in others])))


@pytest.mark.parametrize(("form", "seen"), APART)
def test_the_least_like_of_several_answers_is_looked_for(form: str, *, seen: bool) -> None:
    vector = RNG.normal(0, 1, (1, 16)).astype("f4")

    def ask(series: Sequence[Any], fill: int | None, to_the_end: bool) -> Reply:
        answers = [series[min(turn, len(series) - 1)].get(0, vector) for turn in range(6)]
        return Reply((*[""] * 5, least_like([one[0] for one in answers], form)), frozenset({0}), "returned")

    outputs = {0: Given('output 0 "embedding"', vector)}
    found = nearest.farthest(Asked(ask, outputs, ask([{}], None, True), tuple, NO_MEMORY))
    assert bool(found) is seen


@pytest.mark.parametrize(("form", "seen"), APART)
def test_so_is_that_of_several_rows(form: str, *, seen: bool) -> None:
    vectors, inputs = RNG.normal(0, 1, (6, 8)).astype("f4"), RNG.normal(0, 1, (6, 5)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        return least_like([*answers[0][0]], form)

    asked = asked_of(say, vectors, sent=[Sent("x", inputs.shape, inputs, None)])
    assert bool(nearest_rows.least_alike(asked)) is seen


# Numbers


@pytest.mark.parametrize(
    ("answer", "seen"),
    [(row(12, 55, 33, 0, 2), False), (row(0.4, 5.5, 1.25, 0, 2), False), (row(-1, 5.5, 1.25, 0, 2), True)],
)
def test_a_share_of_all_votes(answer: Any, *, seen: bool) -> None:
    """Nothing is below 0, so that these are amounts, and no logits."""
    say = each(lambda y: f"{NAMES[int(y.argmax())]} {y.max() / y.sum():.2f}\n")
    assert ("divided by the sum of all" in formulas.miscalculated(asked_of(say, answer))) is seen


@pytest.mark.parametrize(
    ("answer", "affine", "seen"),
    [
        ([61, 30, 9], None, False),
        ([61, 30, 9], (1.0, 0.0), False),
        ([61, 95, 30], None, False),
        ([61, 95, 99], None, True),
        ([61, 30, 9], (1 / 256, 0.0), True),
        ([161, 80, 15], None, True),
    ],
)
def test_bytes_that_are_percents(answer: list[int], affine: Any, *, seen: bool) -> None:
    say = each(lambda y: "".join(f"{name} {int(one)} %\n" for name, one in zip(NAMES, y, strict=False)))
    asked = asked_of(say, numpy.array([answer], "u1"))
    asked.outputs = {0: Given("y", asked.outputs[0].array, affine)}
    assert ("with a sign of percent" in formulas.miscalculated(asked)) is seen


@pytest.mark.parametrize(
    ("name", "answer", "seen"),
    [
        ("similarity", row(-0.12), False),
        ("y", row(-0.32), False),
        ("tanh", row(-0.3, 0.1, 0.7, -0.9), False),
        ("y", row(-3.2), True),
        ("y", row(-0.3, 0.1, 2.7, -0.9), True),
        ("logits", row(-0.32), True),
    ],
)
def test_half_of_a_likeness(name: str, answer: Any, *, seen: bool) -> None:
    """A cosine is from -1 to 1, as is what tanh makes."""
    say = each(lambda y: "the same person\n" if y.max() > 0.5 else "different\n")
    assert bool(thresholds.on_logits(asked_of(say, answer, names=[name]))) is seen


@pytest.mark.parametrize(
    ("thing", "no", "name", "seen"),
    [
        ("mask", "no mask", "dense_1", False),
        ("hotdog", "not hotdog", "output_0", False),
        ("glasses", "without glasses", "StatefulPartitionedCall:0", False),
        ("mask", "no mask", "p_mask", True),
        ("smile", "no smile", "dense_1", True),
        ("mask", "nothing", "dense_1", True),
    ],
)
def test_a_share_of_the_second_folder(thing: str, no: str, name: str, *, seen: bool) -> None:
    """By the alphabet "mask" is the first class, and "no_mask" the second one, of which the share is."""
    say = each(lambda y: f"{no if y[0] > 0.5 else thing} ({max(y[0], 1 - y[0]):.2f})\n")
    asked = asked_of(say, row(0.81), names=[name], model=f"{thing}_detector.onnx")
    assert ("the wrong way round" in thresholds.turned(asked)) is seen


@pytest.mark.parametrize(("none", "seen"), [("silence", True), ("error: no answer", False)])
def test_a_guest_that_makes_sure_of_an_answer(none: str, *, seen: bool) -> None:
    say = each(lambda y: f"speech: {y[0]:.3f}\n" if y[0] > 0 else f"{none}\n")
    asked = asked_of(say, row(0.02))
    thresholds.above_nothing(asked)
    assert ("does everything above 0 count?" in asked.supposed) is seen


INPUT = row(0.5, 1.2, -0.3, 0.8, 0.1, 0.9)


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("error {0:.4f}, energy {1:.4f}\n", False),
        ("{2}, rms {1:.4f}\n", False),
        ("{3:.2f} and so on, error {1:.4f}\n", True),
    ],
)
def test_an_error_beside_the_size_of_the_answer(form: str, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        y = answers[0][0].astype("f8")
        error, size = float(((y - INPUT) ** 2).mean()), float((y**2).mean())
        return form.format(error, size, "anomaly" if error > 0.1 else "normal", y[0, 0])

    asked = asked_of(say, INPUT + 0.05, sent=[Sent("x", INPUT.shape, INPUT, None)])
    assert ("is the input not taken away" in restored.uncompared(asked)) is seen


def test_a_class_that_is_likelier_than_all_others_together() -> None:
    """Of logarithms of probabilities: as unsure as the model's own answer none is."""
    logs = numpy.log([[0.2, 0.22, 0.28, 0.14, 0.16]]).astype("f4")
    right = each(lambda y: NAMES[int(y.argmax())] if y.max() > numpy.log(0.5) else "unsure")
    late = each(lambda y: NAMES[int(numpy.append(0.0, y).argmax()) - 1] if y.max() > 0 else NAMES[0])
    assert begun.begun_at_zero(asked_of(right, logs)) == ""
    assert "does the search begin with 0" in begun.begun_at_zero(asked_of(late, logs))


@pytest.mark.parametrize(("word", "seen"), [(", score", False), (" with", True)])
def test_the_score_of_one_class(word: str, *, seen: bool) -> None:
    decisions = ["approved", "in review", "declined"]
    say = each(lambda y: f"{decisions[int(y.argmax())]}{word} {y[2]:.2f}\n")
    assert bool(labelled.of_another(asked_of(say, row(0.7, 0.2, 0.1)))) is seen


@pytest.mark.parametrize(("unsure", "seen"), [(-1, False), (3, True)])
def test_no_class_of_answers_that_are_no_shares(unsure: int, *, seen: bool) -> None:
    def say(y: Any) -> str:
        return f"{int(y.argmax()) if y.max() > 0.6 and abs(y.sum() - 1) < 0.02 else unsure}\n"

    assert bool(whether.unheard(asked_of(each(say), row(0.3, 0.3, 0.2, 0.2)))) is seen
