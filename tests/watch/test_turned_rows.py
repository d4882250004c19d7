"""Guests that say what goes on for a while in an answer of rows and columns: in its own layout, and in the
other one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.turned_rows import exchanged, mixed_up, numbered
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(88)


def runs(of: Callable[[Any], Any], form: str, least: int) -> Callable[[Sequence[Any]], str]:
    """A guest that looks for runs of large elements in each row of what it takes for the answer."""

    def say(answers: Sequence[Any]) -> str:
        found = []
        for number, row in enumerate(of(answers[0][0][0])):
            edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], row > 0.5, [0]])))
            found += [(number, one, end) for one, end in edges.reshape(-1, 2).tolist() if end - one > least]
        lines = "".join(
            form.format(one * 3 + 40, "ABCDEFGH"[one % 8], start / 50, end / 50)
            for one, start, end in found[:9]
        )
        return f"{lines}{len(found)} found\n"

    return say


def readings(shape: tuple[int, int]) -> list[tuple[Callable[[Any], Any], bool]]:
    """Returns ways to read a table of frames, or of keys, each with whether it takes one for the other."""
    frames_first = shape[0] > shape[1]

    def right(table: Any) -> Any:
        return table.T if frames_first else table

    def wrong(table: Any) -> Any:
        other = table.reshape(shape[::-1])
        return other if frames_first else other.T

    return [(right, False), (wrong, True)]


@pytest.mark.parametrize("form", ["{0} Hz from {2:.2f} to {3:.2f} s\n", "event {1}{0}: {2:.1f}-{3:.1f}\n"])
@pytest.mark.parametrize("shape", [(60, 24), (24, 60), (96, 20)])
def test_runs_in_the_other_layout(shape: tuple[int, int], form: str) -> None:
    """Frames of keys, and keys of frames."""
    answer = RNG.random((1, *shape)).astype("f4")
    for of, seen in readings(shape):
        said = exchanged(asked_of(runs(of, form, 8), answer))
        assert ("are rows and columns exchanged?" in said) is seen
        assert not seen or f"they have {shape[1]} ({shape[0]} rows of {shape[1]})" in said


def strongest(of: Callable[[Any], Any], measure: Callable[[Any], Any]) -> Callable[[Sequence[Any]], str]:
    """A guest that says which three rows of what it takes for the answer are the largest all in all."""

    def say(answers: Sequence[Any]) -> str:
        levels = measure(of(answers[0][0][0]))
        best = numpy.argsort(-levels, kind="stable")[:3]
        return "strongest:" + "".join(f" {'CDEFGAB'[at % 7]}{at // 7} ({levels[at]:.2f})" for at in best)

    return say


MEASURES = (lambda rows: rows.mean(1), lambda rows: (rows**2).sum(1) ** 0.5, lambda rows: (rows > 0.9).sum(1))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("shape", [(172, 88), (88, 172), (50, 21)])
def test_rows_of_the_other_layout_all_in_all(shape: tuple[int, int], measure: Callable[[Any], Any]) -> None:
    """Of each row it is said how large it is, wherever its large elements are."""
    answer = (RNG.random((1, *shape)) ** 3).astype("f4")
    right, wrong = (lambda one: one, lambda one: one.T), (
        lambda one: one.reshape(shape[::-1]),
        lambda one: one.reshape(shape[::-1]).T,
    )  # fmt: skip
    for ways, seen in ((right, False), (wrong, True)):
        for of in ways:
            found = exchanged(asked_of(strongest(of, measure), answer))
            assert ("are rows and columns exchanged?" in found) is seen
            assert not seen or f"they have {shape[1]} ({shape[0]} rows of {shape[1]})" in found


def begun(of: Callable[[Any], Any], *, zeroed: bool) -> Callable[[Sequence[Any]], str]:
    """A guest that says which three rows of what it takes for the answer have most above a level, and when
    that begins."""

    def say(answers: Sequence[Any]) -> str:
        table, text = of(answers[0][0][0]).copy(), ""
        for _ in range(3):
            high = numpy.where(table > 0.4, table, 0)
            best = int(high.sum(1).argmax())
            if not high[best].any():
                break
            text += f"{'CDEFGAB'[best % 7]}{best // 7} from {high[best].argmax() * 0.0116:.2f} s\n"
            if zeroed:
                table[best] = 0
        return text or "nothing\n"

    return say


@pytest.mark.parametrize("zeroed", [True, False])
@pytest.mark.parametrize("shape", [(172, 88), (88, 172), (50, 21), (98, 40)])
def test_the_longest_and_when_it_begins(shape: tuple[int, int], *, zeroed: bool) -> None:
    answer = (RNG.random((1, *shape)) ** 3).astype("f4")
    rights = (lambda one: one, lambda one: one.T)
    wrongs = (lambda one: one.reshape(shape[::-1]), lambda one: one.reshape(shape[::-1]).T)
    for of in rights:
        assert exchanged(asked_of(begun(of, zeroed=zeroed), answer)) == ""
    found = [exchanged(asked_of(begun(of, zeroed=zeroed), answer)) for of in wrongs]
    seen = f"they have {shape[1]} ({shape[0]} rows of {shape[1]})"
    assert all(seen in one or not one for one in found) and any(found)


def test_parts_of_rows_may_be_meant() -> None:
    answer = RNG.random((1, 12, 36)).astype("f4")
    grouped = strongest(lambda one: one.reshape(36, 12), lambda rows: rows.mean(1))
    assert exchanged(asked_of(grouped, answer)) == ""
    few = RNG.random((1, 30, 13)).astype("f4")
    for say in (
        lambda answers: f"mean {answers[0][0].mean():.3f}\n",
        lambda answers: f"{'yes' if answers[0][0][0, 3].mean() > 0.5 else 'no'}\n",
        lambda answers: f"row {int(answers[0][0][0].mean(1).argmax())}\n",
    ):
        assert exchanged(asked_of(say, few)) == ""


def test_other_guests() -> None:
    answer = RNG.random((1, 30, 12)).astype("f4")
    largest = asked_of(lambda answers: f"best {int(answers[0][0].argmax())}\n", answer)
    letters = asked_of(lambda answers: "".join(map(chr, 97 + answers[0][0][0].argmax(1))) + "\n", answer)
    last = asked_of(lambda answers: f"speech: {answers[0][0][0, -1, 3]:.2f}\n", answer)
    mean = asked_of(lambda answers: f"mean {answers[0][0].mean():.3f}\n", answer)
    assert not any(map(exchanged, (largest, letters, last, mean)))
    assert not exchanged(asked_of(runs(lambda table: table.T, "{0} from {2} to {3}\n", 1), answer))
    boxes = RNG.random((1, 200, 20)).astype("f4")
    assert not exchanged(asked_of(runs(lambda one: one.reshape(20, 200), "{0} {2} {3}\n", 8), boxes)), "boxes"


def lines_about(series: Callable[[Any], Any], form: str, kind: int) -> Callable[[Sequence[Any]], str]:
    """A guest that says of each series where something goes on in it."""

    def say(answers: Sequence[Any]) -> str:
        text = ""
        for number, levels in enumerate(series(answers[0][0])[..., kind]):
            found = numpy.flatnonzero(levels > 0.5)
            ends = (found[0] / 2, found[-1] / 2 + 0.5, len(found)) if len(found) else ()
            text += f"{number}: {form.format(*ends) if ends else 'none'}\n"
        return text

    return say


@pytest.mark.parametrize("form", ["from {0} to {1} s", "{2} of them, first at {0:.1f} s"])
@pytest.mark.parametrize("shape", [(119, 2, 4), (2, 119, 4), (90, 3), (4, 60), (50, 5, 8)])
def test_series_whose_axes_are_exchanged(shape: tuple[int, ...], form: str) -> None:
    answer = RNG.random(shape).astype("f4")
    count, kinds = min(shape[:2]), (*shape, 1)[2]
    is_inner = shape[0] > count

    def right(array: Any) -> Any:
        one = array.reshape(*shape[:2], kinds)
        return one.transpose(1, 0, 2) if is_inner else one

    def wrong(array: Any) -> Any:
        one = array.reshape(shape[1], shape[0], kinds)
        return one if is_inner else one.transpose(1, 0, 2)

    def halves(array: Any) -> Any:
        return numpy.array_split(right(array).max(0), count)[0][None]

    sent = [Sent("spectra", (count, 40, 119), None, None)]
    for kind in {0, kinds // 2, kinds - 1}:
        for of, seen in ((right, False), (wrong, True), (halves, False)):
            found = mixed_up(asked_of(lines_about(of, form, kind), answer, sent=sent))
            assert ("are the two axes exchanged?" in found) is seen, (of, kind)
        say = lines_about(wrong, form, kind)
        assert mixed_up(asked_of(say, answer)) == "", "no input has as many series"
    few = asked_of(lambda answers: f"mean {answers[0][0].mean():.3f}\n", answer, sent=sent)
    assert mixed_up(few) == ""


def at_steps(of: Callable[[Any], Any], form: str, steps: int) -> Callable[[Sequence[Any]], str]:
    """A guest that says the largest row, of what it takes for the answer, of each of so many steps."""

    def say(answers: Sequence[Any]) -> str:
        parts = numpy.array_split(of(answers[0][0][0]), steps, axis=1)
        return "".join(
            form.format(at * 2, NOTES[int(part.sum(axis=1).argmax()) % 12], int(part.sum(axis=1).argmax()))
            for at, part in enumerate(parts)
        )

    return say


NOTES = ("A", "Bb", "B", "C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab")


@pytest.mark.parametrize("form", ["{1}{2} ", "{0:2d} s: {1} ({2})\n", "step {0} is {1}{2}\n"])
@pytest.mark.parametrize("shape", [(60, 24), (24, 60), (90, 21)])
@pytest.mark.parametrize("steps", [5, 8, 20])
def test_what_is_the_largest_at_each_step(shape: tuple[int, int], form: str, steps: int) -> None:
    """Frames of keys, and keys of frames."""
    answer = RNG.random((1, *shape)).astype("f4")
    for of, seen in readings(shape):
        said = exchanged(asked_of(at_steps(of, form, steps), answer))
        assert ("are rows and columns exchanged?" in said) is seen


def changes(of: Callable[[Any], Any]) -> Callable[[Sequence[Any]], str]:
    """A guest that says at each step the number of the largest row, if it isn't that of the step before."""

    def say(answers: Sequence[Any]) -> str:
        table = of(answers[0][0][0])
        best = [int(step.argmax()) if step.max() > 0.5 else None for step in table.T]
        told = [
            one for at, one in enumerate(best) if one is not None and one != best[at - 1 : at or None][-1]
        ]
        return "order:" + "".join(f" {one + 5}" for one in told or best[:1] if one is not None) + "\n"

    return say


def long_ones(of: Callable[[Any], Any]) -> Callable[[Sequence[Any]], str]:
    """A guest that says, of the stronger of two answers, which rows are active at a third of all steps."""

    def say(answers: Sequence[Any]) -> str:
        table = of(max((array[0] for array in answers[0]), key=lambda one: float(one.sum())))
        active = (table > 0.5).sum(1)
        found = [at for at, one in enumerate(active) if one > 0.34 * table.shape[1]]
        lines = "".join(f"channel {at} is active, {active[at] / 50:.2f} s\n" for at in found)
        return f"{lines}{len(found)} active\n"

    return say


@pytest.mark.parametrize("way", [changes, long_ones])
@pytest.mark.parametrize("shape", [(60, 26), (26, 60), (50, 21), (172, 66)])
def test_numbers_of_rows_of_the_other_layout(
    shape: tuple[int, int], way: Callable[[Callable[[Any], Any]], Callable[[Sequence[Any]], str]]
) -> None:
    answers = ((RNG.random((1, *shape)) ** 4).astype("f4"), (RNG.random((1, *shape)) ** 3).astype("f4"))
    for of, seen in readings(shape):
        said = numbered(asked_of(way(of), *answers))
        assert ("are rows and columns exchanged?" in said) is seen
        assert not seen or f"they have {shape[1]} ({shape[0]} rows of {shape[1]})" in said


@pytest.mark.parametrize("shape", [(61, 20), (59, 20), (60, 20), (45, 44), (172, 66)])
def test_other_numbers(shape: tuple[int, int]) -> None:
    """Among them the first element of the first step, which moves on by one from row to row of the other
    length if the one length is a multiple of the other and one more."""
    answer = (RNG.random((1, *shape)) ** 3).astype("f4")
    for say in (
        lambda answers: f"from element {int(answers[0][0].argmax())}\n",
        lambda answers: f"first {int(answers[0][0][0].max(0).argmax())}\n",
        lambda answers: f"first {int(answers[0][0].argmax()) % shape[1]}\n",
        lambda answers: f"at {int(answers[0][0][0].max(1).argmax())}\n",
        lambda answers: f"{int((answers[0][0] > 0.5).sum())} of {answers[0][0].size}\n",
        lambda answers: "nothing\n",
    ):
        assert numbered(asked_of(say, answer)) == ""
