"""Numbers that a guest makes of answers: scaled back, out of logarithms, by a temperature, as errors, in a
unit. Each mistake has right twins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.amounts import Amounts
from pywasm_nn.watch.amounts.scales import named_scales, of_output
from pywasm_nn.watch.origin.comparing import softmax

Files = dict[str, bytes]
Round = tuple[Any, Any, str]
"""An input, the answer, and what is written of it."""
ORDER = numpy.random.default_rng(19)


def hint(rounds: Sequence[Round], name: str, files: Files | None = None, *, late: bool = True) -> str:
    amounts = Amounts(lambda: [*(files or {}).items()])
    said: list[Any] = []

    def tell(operation: str, array: Any, *, what: str = "x") -> None:
        tensors = (Tensor.from_numpy(numpy.asarray(array, "f4")),)
        more = {
            "error": None,
            "context_id": 0,
            "index": 0,
            "model": None,
            "specs": (SimpleNamespace(name=what),),
        }
        event: Any = SimpleNamespace(operation=operation, tensors=tensors, given=(), delivered=False, **more)
        said.extend(amounts.nn_event(event))

    def write(text: str) -> None:
        arguments = (("fd", 1), ("ciovs", [text.encode()]))
        event: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments, result=0)
        amounts.host_call(event)

    for given, answer, text in rounds:
        tell("set_input", [given])
        tell("compute", [0.0])
        tell("get_output", [answer], what=name)
        write("" if late else text)
    write("".join(text for *_, text in rounds) if late else "")
    return "; ".join(text for _, text in [*said, *amounts.finish()])


LEVELS = [-1.37, 0.442, 2.31, 0.9, -0.25]
SCALES = {
    "scaler.csv": b"name,mean,std\nsun,153.05,198.6\nload,299.91,85.81\n",
    "scaler.json": b'{"sun": {"mean": 153.05, "std": 198.6}, "load": {"std": 85.81, "mean": 299.91}}',
    "lists.json": b'{"features": ["sun", "load"], "mean": [153.05, 299.91], "scale": [198.6, 85.81]}',
    "scaler.ini": b"sun_mean = 153.05\nsun_std = 198.6\nload_mean = 299.91\nload_std = 85.81\n",
    "target.json": b'{"target_mean": 299.91, "target_std": 85.81}',
}


def forecasts(formula: Callable[[float], float], form: str = "{0}: {1:.2f} kW (was 3.5)\n") -> list[Round]:
    return [([1.0, 2.0], [one], form.format(at, formula(one))) for at, one in enumerate(LEVELS)]


@pytest.mark.parametrize("file", SCALES)
@pytest.mark.parametrize("late", [True, False])
def test_an_answer_in_the_scale_of_a_file(file: str, late: bool) -> None:
    files = {file: SCALES[file]}
    assert "as the model gives it, scaled" in hint(forecasts(lambda y: y), "next_load", files, late=late)
    assert "without the mean" in hint(forecasts(lambda y: y * 85.81), "next_load", files, late=late)
    assert "exchanged" in hint(forecasts(lambda y: y * 299.91 + 85.81), "next_load", files)
    right = forecasts(lambda y: y * 85.81 + 299.91)
    assert hint(right, "next_load", files, late=late) == ""
    assert hint(forecasts(lambda y: y, "scaled {1:.2f}\n"), "next_load", files) == ""
    if file != "target.json":
        assert "numbers of sun" in hint(forecasts(lambda y: y * 198.6 + 153.05), "next_load", files)
        assert hint(forecasts(lambda y: y), "speed", files) == "", "whose scale is in no file"


OF_TARGETS = {
    "house-target.txt": b"mean 299.91\nstd 85.81\n",
    "target_scaler.json": b'{"std": 85.81, "mean": 299.91}',
    "y.norm.txt": b"mean=299.91, std=85.81",
    "y.txt": b"299.91 85.81\n",
}


@pytest.mark.parametrize("file", OF_TARGETS)
def test_a_file_that_is_named_after_the_target(file: str) -> None:
    files = {file: OF_TARGETS[file]}
    assert "as the model gives it, scaled" in hint(forecasts(lambda y: y), "dense_3", files)
    assert "without the mean" in hint(forecasts(lambda y: y * 85.81), "dense_3", files)
    assert hint(forecasts(lambda y: y * 85.81 + 299.91), "dense_3", files) == ""
    assert hint(forecasts(lambda y: 300 + 90 * y), "dense_3", files) == "", "another formula"
    others = {"scaler.txt": OF_TARGETS[file], file: OF_TARGETS[file] + b" 3.5", "labels.txt": b"299.91 85.81"}
    for name, data in others.items():
        assert hint(forecasts(lambda y: y), "dense_3", {name: data}) == "", "nothing says whose these are"


def test_the_scale_that_an_output_asks_for() -> None:
    scales = named_scales(
        [("a.csv", b"name;min;max\nrain;0;40\nwind;2;12\n"), ("b.txt", b"rain 3 4\nfog 1 2 3\n")]
    )
    assert [(one.name, one.centre, one.width) for one in scales] == [("rain", 0, 40), ("wind", 2, 10)]
    assert of_output("rainTomorrow", "m", scales) == scales[0]
    assert of_output("snow", "m", scales) is None
    assert (
        named_scales([("a.json", b"{"), ("b.json", b'[{"name": "x", "mean": 1, "std": 2}]')])[0].name == "x"
    )


def test_a_model_that_brings_its_answers_back_itself() -> None:
    rounds = [([1.0, 2.0], [300 + 90 * one], f"{300 + 90 * one:.1f}\n") for one in LEVELS]
    assert hint(rounds, "next_load", {"scaler.csv": SCALES["scaler.csv"]}) == ""


def test_several_answers_and_scales_by_their_place() -> None:
    files = {
        "day.csv": b"hour,sun,load\n1,2,3\n2,3,4\n3,4,5\n",
        "scaler.txt": b"2 153.05 299.91\n1 198.6 85.81\n",
    }
    for formula, seen in ((lambda y: y * 85.81 + 299.91, False), (lambda y: y * 198.6 + 153.05, True)):
        text = " ".join(f"{formula(one):.1f}" for one in LEVELS)
        assert ("numbers of sun" in hint([([1.0, 2.0], LEVELS, text + "\n")], "load", files)) == seen


@pytest.mark.parametrize(
    ("name", "base"),
    [("log_price", math.e), ("log10_price", 10), ("log2_size", 2), ("logprice", math.e), ("log10dose", 10)],
)
def test_powers_of_another_base(name: str, base: float) -> None:
    logs = [[4.125], [10.25], [3.5]]
    for other in (math.e, 10, 2):
        said = hint([([1.0], one, f"{other ** one[0]:.0f}\n") for one in logs], name)
        assert ("to its power" in said) == (other != base)
    assert hint([([1.0], one, f"{10 ** one[0]:.0f}\n") for one in logs], "log_prob") == ""
    assert (
        hint([([1.0], [3 + one], f"{10 ** (3 + one):.0f}\n") for one in (0.2, 0.7, 1.9)], "log_price") == ""
    )


@pytest.mark.parametrize("far", [-1e38, 1e38, 400.0])
@pytest.mark.parametrize("first", [4.125, math.nan])
def test_numbers_whose_powers_are_no_floats(first: float, far: float) -> None:
    assert hint([([1.0], [one], f"{one:.3g}\n") for one in (first, far, 3.5)], "log_price") == ""


def test_errors_with_their_signs() -> None:
    rows = [(own, own + ORDER.normal(0, 0.4, 6)) for own in ORDER.normal(0, 1, (6, 6))]
    rows = [(numpy.float32(own), numpy.float32(answer)) for own, answer in rows]

    def said(formula: Callable[[Any], float], word: str = "error") -> str:
        return hint(
            [(own, answer, f"{word} {formula(answer - own):.4f}\n") for own, answer in rows], "rebuilt"
        )

    assert "cancel out" in said(lambda apart: apart.mean())
    assert "cancel out" in said(lambda apart: -apart.sum())
    assert said(lambda apart: apart.mean(), "bias") == ""
    for right in (
        lambda apart: (apart**2).mean(),
        lambda apart: abs(apart).sum(),
        lambda apart: abs(apart).max(),
    ):
        assert said(right) == ""


@pytest.mark.parametrize("files", [{}, {"settings.json": b'{"top_k": 3, "temperature": 0.5}'}])
def test_shares_at_another_temperature(files: Files) -> None:
    logits = numpy.array([[0.3, -1.2, 2.1, 0.9, -0.4], [1.5, 0.2, -0.7, 1.1, -2.0]], "f4")
    head = "" if files else "at temperature 0.5: "

    def said(row: Any) -> str:
        return hint([([1.0], logits, f"{head}{said_of(row)}\n")], "logits", files)

    assert "times the temperature" in said(logits[1] * 0.5)
    assert "at temperature 1" in said(logits[1])
    assert said(logits[1] / 0.5) == ""
    weather = "temperature 2.5: {0}\ntemperature 1.5: {0}\n".format(said_of(logits[1]))
    assert hint([([1.0], logits, weather)], "logits", {"a.csv": b"hour,temperature\n2,3\n"}) == ""


def said_of(row: Any) -> str:
    return " ".join(f"{one:.3f}" for one in numpy.sort(softmax(row))[::-1][:3])


@pytest.mark.parametrize(
    ("file", "unit", "seen"),
    [
        ("tide_cm.txt", "m", True),
        ("tide_cm.txt", "cm", False),
        ("tide_m.txt", "m", False),
        ("tide_cm.txt", "s", False),
    ],
)
def test_numbers_in_the_unit_of_a_file(file: str, unit: str, seen: bool) -> None:
    depths = [87.4, 79.8, 70.7, 60.3, 51.2, 44.4]
    lines = "".join(f"{one}\n" for one in depths).encode()
    rounds = [([one], [one / 9 - 2], f"{one / 9 - 2:.3f} {unit}\n") for one in depths]
    assert ("in cm by its name" in hint(rounds, "y", {file: lines})) == seen
    converted = [([one / 100], [one / 9], f"{one / 9:.3f} {unit}\n") for one in depths]
    assert hint(converted, "y", {file: lines}) == ""


@pytest.mark.parametrize(
    "form",
    [
        "temperature 1.8, humid 0.4: {}\n",  # a sensor's
        "temperature 0.5: plain {}, calibrated 0.888\n",  # those before the temperature beside the one after
    ],
)
def test_shares_beside_a_temperature_that_are_right(form: str) -> None:
    logits = numpy.array([0.3, -1.2, 2.1, 0.9, -0.4], "f4")
    assert hint([([1.0], logits, form.format(said_of(logits)))], "logits") == ""


def test_a_temperature_that_was_measured() -> None:
    logits = numpy.array([0.3, -1.2, 2.1, 0.9, -0.4], "f4")
    text = f"temperature 1.75: {said_of(logits)}\n"
    assert hint([([0.5, 1.75], logits, text)], "logits") == ""
    assert "at temperature 1" in hint([([0.5, 2.75], logits, text)], "logits")


def test_fold_changes_are_powers_of_two() -> None:
    for name, seen in (("log_fold_change", False), ("logfc", False), ("log_price", True)):
        rounds = [([1.0], [one], f"{2**one:.4f}\n") for one in (1.125, 2.25, 0.5)]
        assert ("to its power" in hint(rounds, name)) is seen


@pytest.mark.parametrize(
    "text", ["residual mean {:.4f}\n", "brightness goes {:.4f}\n", "net {:.4f}, error\n"]
)
def test_means_of_differences_that_are_meant(text: str) -> None:
    rows = [(own, own + ORDER.normal(0, 0.4, 6)) for own in ORDER.normal(0, 1, (6, 6))]
    rows = [(numpy.float32(own), numpy.float32(answer)) for own, answer in rows]
    rounds = [(own, answer, text.format((answer - own).mean())) for own, answer in rows]
    assert hint(rounds, "rebuilt") == ""


def test_how_far_an_answer_is_from_its_mean() -> None:
    files = {"scaler.csv": SCALES["scaler.csv"]}
    rounds = forecasts(lambda y: y * 85.81, "{0}: {1:+.2f} kW above usual\n")
    assert hint(rounds, "next_load", files) == ""


def test_a_unit_that_the_output_is_named_after_is_right() -> None:
    """What takes one unit may well give another."""
    seconds = [87.4, 79.8, 70.7, 60.3, 51.2, 44.4]
    for file, name, unit in (("elapsed_s.csv", "y", "min"), ("gap_cm.csv", "height_m", "m")):
        lines = "".join(f"{one}\n" for one in seconds).encode()
        rounds = [([one], [one / 9], f"{one / 9:.3f} {unit}\n") for one in seconds]
        assert hint(rounds, name, {file: lines}) == ""
