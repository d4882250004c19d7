"""Classes that guests say by names of their own, and where they say yes. Each mistake has right twins."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.watch.probes import thresholds
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.choosing import mischosen
from pywasm_nn.watch.probes.classes import misplaced, signed
from tests.watch import test_uses_of_answers as uses
from tests.watch.test_boxes import asked_of
from tests.watch.test_probes import hints

NAMES = ["stop", "yield", "no entry", "mandatory", "priority"]
ANSWER = numpy.array([0.1, 3.2, -0.4, 0.7, -1.5])
Say = Callable[[Any], str]


def best(count: int = 5, names: Sequence[str] = tuple(NAMES), shape: str = "this is {0}\n") -> Say:
    def say(answer: Any) -> str:
        place = int(answer[:count].argmax())
        return shape.format(names[place], answer[place])

    return say


def shares(*, with_names: bool) -> Say:
    def say(answer: Any) -> str:
        order = answer.argsort()[::-1]
        said = [f"{NAMES[one if with_names else place]} {answer[one]:.2f}" for place, one in enumerate(order)]
        return f"frame 1: {', '.join(said)}\n"

    return say


def chosen(say: Say, answer: Any = ANSWER) -> str:
    return mischosen(asked_of([("scores", answer)], lambda arrays: say(arrays[0])))


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (best(), ""),
        (best(shape="this is {0} ({1:.2f})\n"), ""),
        (best(4), "however large class 4 of 5"),
        (best(3, shape="this is {0} at {1:.2f}\n"), "however large classes 3 to 4 of 5"),
        (best(names=["cat", "dog", "cat", "dog", "dog"]), ""),
        (best(names=["cat", "dog", "fox", "cat", "fox"]), ""),
        (best(2), ""),
        (lambda answer: f"class {answer.argmax()}\n", ""),
        (lambda answer: f"at most {answer.max():.2f}\n", ""),
        (lambda answer: "stop\n" if answer[0] > 0 else "go\n", ""),
        (shares(with_names=True), ""),
        (shares(with_names=False), "and the names not with them?"),
        (lambda answer: "top: {:.2f} {:.2f} {:.2f}\n".format(*sorted(answer)[::-1]), ""),
    ],
)
def test_names_of_its_own(say: Say, said: str) -> None:
    found = chosen(say, numpy.array([0.1, 0.5, 0.05, 0.3, 0.05]))
    assert (said in found) if said else found == ""


def test_some_of_a_batch_are_written() -> None:
    """The answer has a number for each input, of which the guest writes those until the evening."""

    def say(computes: Any) -> str:
        levels = computes[0][0].reshape(-1)
        hours = range(len(levels) - 5)
        return "".join(f"{hour}:00 {'day' if levels[hour] > -0.2 else 'night'}\n" for hour in hours)

    levels = numpy.linspace(-1, 1, 24).astype("f4")[:, None]
    for rows, said in ((24, ""), (1, "does the search end too early?")):
        asked = uses.asked_of(say, levels, sent=[Sent("angles", (rows, 3), None, None)])
        assert mischosen(asked).endswith(said) and bool(mischosen(asked)) is bool(said)


def test_points_of_which_some_are_looked_at() -> None:
    """Not the last ones, nor most others: they are no classes."""

    def say(answer: Any) -> str:
        eyes = answer[[1, 2, 41, 60, 91]]
        return "asleep\n" if eyes.max() == eyes.min() else "left\n" if eyes.argmax() % 2 else "right\n"

    assert chosen(say, numpy.linspace(0.2, 0.4, 120)) == ""
    assert "however large classes 100 to 119 of 120" in chosen(
        best(100, [f"name{chr(97 + one % 26)}{chr(97 + one // 26)}" for one in range(120)]),
        numpy.linspace(0.2, 0.4, 120),
    )


def drawn(seed: int, count: int, lengths: int = 10) -> Say:
    """A guest that draws names by their shares, and takes the last one for what is left."""

    def say(answer: Any) -> str:
        draws = numpy.random.default_rng(seed).uniform(0, 1, lengths)
        places = [int((numpy.cumsum(answer)[: count - 1] <= one).sum()) for one in draws]
        return "MS " + "".join(chr(97 + place) for place in places) + "\n"

    return say


@pytest.mark.parametrize("lengths", [1, 2, 10])
def test_names_that_are_drawn(lengths: int) -> None:
    """The last one is looked at, as what is left by the others, also if the largest share is small."""
    for seed in range(25):
        shares = numpy.random.default_rng(seed).dirichlet(numpy.ones(27))
        assert chosen(drawn(seed, 27, lengths), shares) == ""
        letters = [f"ship {chr(97 + one)}" for one in range(27)]
        assert "however large class 26 of 27" in chosen(best(26, letters), shares)


def test_what_differs_from_labels_is_no_name() -> None:
    """Another model's answers count, too: only the first three of five are ever the largest product."""
    labels = (0, 1, 1, 1, 2, 2)
    others = numpy.hstack([numpy.eye(3)[[*labels]] + 0.2, numpy.full((len(labels), 2), 1e-4)])

    def say(answer: Any) -> str:
        pairs = zip((answer * others).argmax(1), labels, strict=True)
        return "".join(f"{label} is taken for {one}\n" for one, label in pairs if one != label) + "done\n"

    assert chosen(say, numpy.array([0.3, 0.2, 0.2, 0.2, 0.1])) == ""


@pytest.mark.parametrize("kind", ["i8", "u8", "i1"])
def test_whole_numbers(kind: str) -> None:
    asked = asked_of([("counts", numpy.array([1, 5, 2, 3, 4]))], lambda arrays: best(4)(arrays[0]), kind)
    assert "however large class 4 of 5" in mischosen(asked)


MASK = numpy.clip(numpy.random.default_rng(2).normal(0.5, 0.6, (16, 16)), 0, 1)


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (lambda mask: f"{100 * (mask > 0.5).mean():.1f} %\n", ""),
        (lambda mask: f"{100 * (mask > 0).mean():.1f} %\n", "does everything above 0 count"),
        (lambda mask: f"{100 * (mask > 127).mean():.1f} %\n", ""),
        (lambda mask: f"mean {mask.mean():.3f}\n", ""),
        (lambda mask: "done\n", ""),
        (lambda mask: f"{mask.shape[0]} rows\n", ""),
        (lambda mask: f"{1 + mask.any()} rounds, then to {mask.argmax()}\n", ""),
    ],
)
def test_thresholds_of_a_mask(say: Say, said: str) -> None:
    found = thresholds.of_shares(asked_of([("mask", MASK)], lambda arrays: say(arrays[0])))
    assert (said in found) if said else found == ""
    decided = numpy.where(MASK > 0.5, 1.0, numpy.where(MASK > 0, 0.001, 0.0))
    for parts in ([("height", MASK + 0.1)], [("shares", MASK.reshape(-1))], [("cells", decided)]):
        assert thresholds.of_shares(asked_of(parts, lambda arrays: say(arrays[0]))) == ""


def sounding(level: float, axis: int, form: str) -> Say:
    """A guest that says what is above a level anywhere."""

    def say(shares: Any) -> str:
        found = numpy.flatnonzero((shares > level).any(axis=axis))
        return "".join(form.format(one, (shares > level).mean()) for one in found) + f"{len(found)} in all\n"

    return say


@pytest.mark.parametrize("form", ["note {}\n", "{} for {:.2f} s\n", ""])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_threshold_below_all_shares(axis: int, form: str) -> None:
    """Everything is said to be there, though shares differ; a higher level, one among them, or a name for
    each row are no such mistake."""
    grid = numpy.random.default_rng(4).uniform(0.08, 0.15, (40, 12))
    grid[3:20, 4] = grid[9, 2:5] = 0.7

    def found(say: Say, answer: Any = grid) -> str:
        return thresholds.below_all(asked_of([("notes", answer)], lambda arrays: say(arrays[0])))

    assert "is it too low?" in found(sounding(0.05, axis, form))
    assert found(sounding(0.05, axis, form), grid - 0.079) == "", "some are lower"
    for level in (0.2, 0.3, 0.5, 0.9):
        assert found(sounding(level, axis, form)) == ""
    assert found(sounding(0.05, axis, form), numpy.full((40, 12), 0.9)) == "", "there is everything"
    assert found(sounding(0.05, axis, form), grid * 20) == "", "no shares"


@pytest.mark.parametrize(
    "say",
    [
        lambda shares: "".join(f"row {at}: {one.max():.2f}\n" for at, one in enumerate(shares)),
        lambda shares: f"{len(shares)} rows, mean {shares.mean():.2f}\n",
        lambda shares: (
            f"class {shares[0].argmax()} in {len(shares)} rows\n" if shares.max() > 0 else "none\n"
        ),
        lambda shares: f"{100 * (shares > shares.mean()).mean():.0f} %\n",
        lambda shares: "100 % done\n",
    ],
)
def test_all_rows_that_are_said_rightly(say: Say) -> None:
    grid = numpy.random.default_rng(5).uniform(0.02, 0.2, (9, 8))
    grid[:, 1] = 0.8
    assert thresholds.below_all(asked_of([("y", grid)], lambda arrays: say(arrays[0]))) == ""


@pytest.mark.parametrize(("low", "high", "seen"), [(-0.12, 1.2, False), (-6.0, 5.0, True), (0.0, 1.0, False)])
def test_thresholds_of_many_scores(low: float, high: float, seen: bool) -> None:
    """Scores that a model makes nearly 0 or 1 may be a little less or more."""
    grid = numpy.random.default_rng(3).uniform(low, high, (8, 8))
    asked = asked_of([("grid", grid)], lambda arrays: f"{int((arrays[0] > 0.5).sum())} pills\n")
    assert ("they are logits" in thresholds.on_logits(asked)) is seen


@pytest.mark.parametrize("odd", [numpy.nan, numpy.inf])
def test_an_answer_that_is_no_number_has_no_threshold(odd: float) -> None:
    grid = numpy.random.default_rng(3).uniform(-6, 5, (8, 8))
    grid[2, 3] = odd
    asked = asked_of([("grid", grid)], lambda arrays: f"{int((arrays[0] > 0.5).sum())} pills\n")
    assert thresholds.on_logits(asked) == ""


@pytest.mark.parametrize(
    ("name", "form", "seen"),
    [
        ("y", "{}\n", True),
        ("y", "{} ({:.2f})\n", True),
        ("y", "{}: {:+.1f} m\n", False),
        ("y", "{}, by {:.2f} celsius\n", False),
        ("tide_delta", "{}\n", False),
        ("logit", "{}: {:.2f} m away\n", True),
        ("logit", "{} (logit {:.2f})\n", False),
    ],
)
def test_half_of_a_unit_as_a_threshold(name: str, form: str, *, seen: bool) -> None:
    """A change may be less than 0, and a guest may ask whether it is more than half a metre."""

    def say(arrays: Sequence[Any]) -> str:
        value = float(arrays[0][0, 0])
        return form.format("flood" if value > 0.5 else "all is well", value)

    asked = asked_of([(name, numpy.array([[-0.83]]))], say)
    assert ("they are logits" in thresholds.on_logits(asked)) is seen


MANY = """(loop $again
  (drop (call $compute (i32.load (i32.const 8))))
  (drop (call $get (i32.load (i32.const 8)) (i32.const 0) (i32.const 65536) (i32.const 64) (i32.const 12)))
  (local.set $one (i32.add (local.get $one) {yes}))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $again (i32.lt_u (local.get $i) (i32.const 60))))
(call $decimal (local.get $one))"""
SHARE = "(f32.load (i32.const 65536))"


@pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")
@pytest.mark.parametrize(
    ("yes", "said"),
    [
        (f"(f32.gt {SHARE} (f32.const 0.5))", ""),
        (f"(f32.gt {SHARE} (f32.const 50))", "is a share compared with percents?"),
        (f"(i32.trunc_f32_s {SHARE})", "is a share made a whole number"),
        ("(i32.const 1)", ""),
    ],
)
def test_many_answers_and_one_count(yes: str, said: str, tmp_path: Path) -> None:
    with mock.patch.object(thresholds, "PROBABLE", re.compile("y")):
        text, found = hints(tmp_path, numpy.array([[0.8]], "<f4"), MANY.format(yes=yes))
    assert text.strip().isdecimal()
    assert (said in found) if said else "share" not in found
    if said:
        named = hints(tmp_path, numpy.array([[0.8]], "<f4"), MANY.format(yes=yes))[1]
        assert "share" not in named, "only where its name says so"


@pytest.mark.parametrize(("kind", "seen"), [("u1", False), ("i1", True)])
def test_bytes_as_signed(kind: str, seen: bool) -> None:
    def say(arrays: Sequence[Any]) -> str:
        return f"{arrays[0].astype('u1').view(kind).argmax()}\n"

    asked = asked_of([("scores", numpy.array([3, 9, 40, 2, 11, 30]))], say, "u1")
    assert ("read as signed" in signed(asked, 0, asked.outputs[0])) is seen


BIRDS = [
    f"{kind} {of}" for kind in ("small", "large", "grey", "pied") for of in ("owl", "jay", "kite", "teal")
]


def ranked(count: int, form: str, *, with_names: bool) -> Say:
    def say(answer: Any) -> str:
        order = answer.astype("f8").argsort()[::-1]
        lines = [
            (BIRDS[one if with_names else at], answer[one], at + 1) for at, one in enumerate(order[:count])
        ]
        return "".join(form.format(*line) for line in lines)

    return say


@pytest.mark.parametrize("kind", ["u1", "f4"])
@pytest.mark.parametrize(
    ("say", "seen"),
    [
        (ranked(3, "{2}. {0} {1:.2f}\n", with_names=False), True),
        (ranked(5, "{0}: {1:.3f}, ", with_names=False), True),
        (ranked(3, "{2}. {0} {1:.2f}\n", with_names=True), False),
        (ranked(3, "{2}. {1:.2f}\n", with_names=True), False),
        (lambda row: "".join(f"{BIRDS[at]} {row[at]:.2f}\n" for at in range(4)), False),
        (lambda row: f"of {BIRDS[0]}, {BIRDS[1]} ... the surest has {row.max():.2f}\n", False),
    ],
)
def test_sorted_without_their_names(say: Say, kind: str, *, seen: bool) -> None:
    answer = numpy.random.default_rng(8).permutation(16).astype("f8")
    answer = answer * 15 if kind == "u1" else answer / answer.sum()
    asked = uses.asked_of(
        uses.each(say), answer[None].astype(kind), files=[("birds.txt", "\n".join(BIRDS).encode())]
    )
    assert ("and their classes not with them?" in misplaced(asked)) is seen


WORDS = ("pump", "worn bearing", "leak", "fan", "siren")


@pytest.mark.parametrize(
    ("names", "form", "seen"),
    [
        (WORDS, "{0}. {1} {2:.3f}\n", True),
        (WORDS, "#{0} {1} ({2:.2f})\n", True),
        (WORDS, "{1}: {2:.3f}\n", False),
        (("best", "second", "third", "fourth"), "{0}. {1} {2:.3f}\n", False),
        (("score",) * 5, "{0}. {1} {2:.3f}\n", False),
        (WORDS, "{0}. {2:.3f}\n", False),
    ],
)
@pytest.mark.parametrize("with_names", [True, False])
def test_ranks_beside_names_that_nothing_lists(
    names: Sequence[str], form: str, with_names: bool, *, seen: bool
) -> None:
    """Compilers leave no table of the names where only the first ones are ever said."""

    def say(answer: Any) -> str:
        order = answer.argsort()[::-1][:3]
        places = order if with_names and names is WORDS else range(3)
        said = [form.format(at + 1, names[one], answer[order[at]]) for at, one in enumerate(places)]
        return "".join(said)

    answer = numpy.array([[0.07, 0.02, 0.2, 0.7, 0.01]], "f4")
    hint = misplaced(uses.asked_of(uses.each(say), answer))
    assert ("were the elements sorted" in hint) is (seen and not with_names)


@pytest.mark.parametrize("kind", ["u1", "f4"])
@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("#{rank}  bird {0:3}  {1:5.2f}\n", True),
        ("{rank}. {0}: {1:.3f}\n", True),
        ("class {0}: {1:.0f} of 255\n", True),
        ("label={0} p={1:.3f}\n", True),
        ("  type {0} with {1:.4f}\n", True),
        ("guess {0}: {1:.3f}\n", False),
        ("{0}: {1:.3f}\n", False),
        ("{rank}: {1:.3f}\n", False),
        ("score {0}: {1:.3f}\n", False),
        ("{rank}. score {0}: {1:.3f}\n", False),
    ],
)
@pytest.mark.parametrize("lines", [3, 5])
def test_sorted_without_their_numbers(form: str, kind: str, lines: int, *, seen: bool) -> None:
    """The number behind a class's word, or beside a rank, is no rank."""

    def guest(*, with_numbers: bool) -> str:
        def say(answer: Any) -> str:
            order = answer.argsort()[::-1][:lines]
            values = answer[order] * (255 if kind == "f4" and "255" in form else 1)
            numbers = order if with_numbers else range(lines)
            said = zip(range(1, lines + 1), numbers, values, strict=True)
            return "the best:\n" + "".join(form.format(at, value, rank=rank) for rank, at, value in said)

        answer = 0.5 ** numpy.random.default_rng(lines).permutation(40)
        answer = answer * 240 if kind == "u1" else answer / answer.sum()
        return misplaced(uses.asked_of(uses.each(say), answer[None].astype(kind)))

    assert ("and their classes not with them?" in guest(with_numbers=False)) is seen
    assert "and their classes not with them?" not in guest(with_numbers=True)


def test_ranks_of_longer_lists() -> None:
    """Of most lists the last lines have nothing."""

    def say(answer: Any) -> str:
        best = sorted(answer)[::-1]
        return "".join(f"{at + 1}. {WORDS[at]} {best[at]:.3f}\n" for at in range(5))

    answer = numpy.array([[0.07, 0.02, 0.2, 0.7, 0.01, 0.0]], "f4")
    assert "were the elements sorted" in misplaced(uses.asked_of(uses.each(say), answer))
