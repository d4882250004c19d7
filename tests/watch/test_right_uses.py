"""Right programs that once got a hint about what they make of an answer, each beside a mistaken twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import (
    alike,
    anchored,
    begun,
    behind_by_one,
    boards,
    cells,
    choosing,
    classes,
    exchanged,
    formulas,
    heatmaps,
    labelled,
    letters,
    nearest,
    nearest_rows,
    of_the_best,
    ordered,
    restored,
    scored,
    sequences,
    series,
    shares,
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
        ("take route {}\n", "scores", row(-3.2, 1.1, 0.4, 2.5, -1), True),
        ("take route {}\n", "cost", row(-3.2, 1.1, 0.4, 2.5, -1), False),
        ("the coldest is day {}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), False),
        ("class {} is ruled out\n", "y", row(0.1, 0.2, 0.05, 0.4, 0.25), False),
        ("{}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), True),
        ("best: {}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), True),
        ("trough at {}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), False),
        ("sell asset {}\n", "returns", row(-3.2, 1.1, 0.4, 2.5, -1), False),
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
        ("similarity", row(-3.2), True),
        ("rain_mm", row(-0.06), False),
        ("value", row(-0.2), False),
        ("expected_gain", row(-2.2), False),
        ("y", row(-0.3, 0.1, 2.7, -0.9), True),
        ("y", row(-0.5, 0, 3, -1.25), False),  # a filter of whole numbers
        ("logits", row(-0.5, 0, 3, -1.25), True),
        ("logits", row(-0.32), True),
    ],
)
def test_half_of_a_likeness(name: str, answer: Any, *, seen: bool) -> None:
    """A cosine is from -1 to 1, as is what tanh makes."""
    say = each(lambda y: "the same person\n" if y.max() > 0.5 else "different\n")
    assert bool(thresholds.on_logits(asked_of(say, answer, names=[name]))) is seen


@pytest.mark.parametrize(("last", "seen"), [(0.5, True), (0.482, False), (0.5125, False)])
def test_an_answer_is_compared_with_the_number_before(last: float, *, seen: bool) -> None:
    """The last measurement may be near one half by chance."""
    say = each(lambda row: f"it gets {'warmer' if row[0] > last else 'colder'}\n")
    assert bool(thresholds.on_logits(asked_of(say, numpy.array([[-0.54]], "f4")))) is seen


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


@pytest.mark.parametrize(
    ("form", "seen"), [("{} {:.0f} %\n", True), ("{} {:.0f} % of what chance gives\n", False)]
)
def test_how_many_times_as_likely_as_by_chance(form: str, *, seen: bool) -> None:
    say = each(lambda y: form.format(NAMES[int(y.argmax())], 500 * y.max()))
    assert (
        "is the sum of 5 answers" in shares.misused(asked_of(say, row(0.1, 0.2, 0.15, 0.3, 0.25)))
    ) is seen


# Several answers


@pytest.mark.parametrize(
    ("word", "seen"), [("average", True), ("moving average", False), ("smoothed, on average", False)]
)
def test_a_mean_in_which_the_last_answers_count_for_more(word: str, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        mean = answers[0][0].reshape(-1).astype("f8")
        for answer in answers[1:]:
            mean = (mean + answer[0].reshape(-1)) / 2
        return f"{word} of oak: {100 * mean[0]:.1f} %\n"

    found = series.out_of_turn(asked_of(say, row(0.7, 0.2, 0.1), computes=6))
    assert ("counts for a half of the mean" in found) is seen


CAME = [3.1, 3.4, 2.9, 3.3, 3.8, 3.0]


@pytest.mark.parametrize(
    ("form", "seen"),
    [("hour {0}: actual {1}, forecast {2:.2f}\n", False), ("hour {0}: {2:.2f}\n", True)],
)
def test_forecasts_beside_what_came(form: str, *, seen: bool) -> None:
    """Nothing is known yet of what comes after the last one."""

    def say(answers: Sequence[Any]) -> str:
        forecasts = [0.0, *(float(answer[0].reshape(-1)[0]) for answer in answers)]
        return "".join(form.format(at, *pair) for at, pair in enumerate(zip(CAME, forecasts, strict=False)))

    found = series.out_of_turn(asked_of(say, row(3.2), computes=6))
    assert ("is each line written before its answer was fetched?" in found) is seen


@pytest.mark.parametrize(
    ("form", "seen"), [("mean absolute error {:.4f}\n", False), ("level {:.4f}\n", True)]
)
def test_errors_of_forecasts(form: str, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        forecasts = [float(answer[0].reshape(-1)[0]) for answer in answers]
        return form.format(sum(abs(one - then) for one, then in zip(forecasts, CAME[1:], strict=False)))

    table = "a,b,c,load\n" + "".join(f"{at}.5,{7 - at}.25,{2 * at}.75,{one}\n" for at, one in enumerate(CAME))
    line = row(2.5, 5.25, 4.75)
    sent = [Sent("x", line.shape, line, None)]
    files = [("load.csv", table.encode())]
    asked = asked_of(say, row(3.2), computes=6, files=files, sent=sent, round_=1)
    assert ("is each answer used in the round after its own" in behind_by_one.behind_by_one(asked)) is seen


@pytest.mark.parametrize(("form", "seen"), [("frame {}: track 1, a {}\n", False), ("frame {}: a {}\n", True)])
def test_a_track_keeps_the_name_of_its_surest_answer(form: str, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        said, sure, name = "", 0.0, ""
        for at, answer in enumerate(answers):
            if answer[0].max() > sure:
                sure, name = float(answer[0].max()), NAMES[int(answer[0].argmax())]
            said += form.format(at, name)
        return said

    found = series.out_of_turn(asked_of(say, row(0.1, 0.8, 0.1), computes=6))
    assert ("was the best one so far not forgotten" in found) is seen


# Classes and their names

DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.mark.parametrize(
    ("file", "seen"),
    [("clip_5.wav", False), ("5.wav", False), ("5_theo_12.wav", True), ("five_02.wav", True)],
)
def test_the_fifth_file_isn_t_named_after_a_digit(file: str, *, seen: bool) -> None:
    say = each(lambda y: f"{sorted(DIGITS)[int(y.argmax())]}\n")
    answer = 0.01 + 0.9 * numpy.eye(10, dtype="f4")[[5]]
    assert bool(ordered.disordered(asked_of(say, answer, files=[(file, b"RIFF")]))) is seen


@pytest.mark.parametrize(
    ("word", "count", "seen"),
    [
        ("class", 20, True),
        ("topic", 20, False),
        ("peak in {} h", 24, False),
        ("lane", 16, False),
        ("chromosome", 22, False),
        ("key", 88, False),
    ],
)
def test_things_that_are_counted_from_one(word: str, count: int, *, seen: bool) -> None:
    form = word if "{" in word else f"{word} {{}}"
    say = each(lambda y: form.format(int(y.argmax()) + 1) + f" ({y.max():.2f})\n")
    answer = 0.005 + 0.9 * numpy.eye(count, dtype="f4")[[5]]
    assert ("is the index off by one?" in classes.misplaced(asked_of(say, answer))) is seen


@pytest.mark.parametrize(
    ("last", "seen"), [("_background_noise_", False), ("unknown", False), ("right", True)]
)
@pytest.mark.parametrize("form", ["{}\n", "keyword {}\n"])
def test_a_last_class_that_stands_for_nothing(form: str, last: str, *, seen: bool) -> None:
    words = ["yes", "no", "up", "down", "left", "stop", last]
    files = [("labels.txt", "\n".join(words).encode())]

    def say(y: Any) -> str:
        best = int(y[:-1].argmax())
        return form.format(best if "keyword" in form else words[best])

    asked = asked_of(each(say), row(0.1, 0.6, 0.05, 0.05, 0.1, 0.05, 0.05), files=files)
    found = classes.misplaced(asked) or choosing.mischosen(asked)
    assert ("does the search end too early?" in found) is seen


@pytest.mark.parametrize("are_places", [True, False])
@pytest.mark.parametrize("form", ["{}\n", "from token {}\n"])
def test_a_part_of_a_text_never_begins_in_its_padding(form: str, *, are_places: bool) -> None:
    tokens = numpy.array([2, 45, 56, 67, 78, 3, 0, 0], "i8")
    sent = [Sent("ids", (1, 8 if are_places else 4), tokens[: 8 if are_places else 4], None)]

    def say(y: Any) -> str:
        at = int(y[:7].argmax())
        return form.format(at if "token" in form else NAMES[at])

    asked = asked_of(each(say), row(0.1, 2.1, -0.3, 0.2, 1.5, -1, -2, -2.5), names=["start"], sent=sent)
    found = classes.misplaced(asked) or choosing.mischosen(asked)
    assert ("does the search end too early?" in found) is not are_places


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("policy: square {0} is taken, plays {1}\n", False),
        ("policy: square {0}\n", True),
    ],
)
def test_a_square_that_is_said_to_be_taken(form: str, *, seen: bool) -> None:
    board = numpy.zeros((1, 2, 3, 3), "f4")
    board[0, [0, 1, 0, 1], [0, 1, 2, 0], [0, 1, 2, 2]] = 1
    marks = board[0].any(axis=0).reshape(-1)

    def say(y: Any) -> str:
        best, free = int(y.argmax()), int(numpy.where(marks, -9, y).argmax())
        plain = f"policy: square {best}\n"
        return form.format(best, free) if marks[best] else plain

    answer = 0.03 + 0.7 * numpy.eye(9, dtype="f4")[[4]] + 0.1 * numpy.eye(9, dtype="f4")[[5]]
    found = boards.taken(asked_of(each(say), answer, sent=[Sent("board", board.shape, board, None)]))
    assert bool(found) is seen


@pytest.mark.parametrize(("least", "seen"), [(0.0, True), (12.0, False)])
def test_a_margin_that_logits_must_have(least: float, *, seen: bool) -> None:
    """A share of exactly 1 needs a larger one: a guest that cuts shares says nothing of smaller ones."""

    def say(y: Any) -> str:
        first, second = numpy.sort(y.astype("f8"))[:-3:-1]
        share = numpy.float32(1 / (1 + numpy.exp(second - first)))
        is_sure = first - second > least if least else int(share) == 1
        return f"{NAMES[int(y.argmax())] if is_sure else 'unsure'}\n"

    assert ("cut to a whole number" in shares.misused(asked_of(each(say), row(3, 9, -4, 1)))) is seen


@pytest.mark.parametrize(("word", "seen"), [("share", True), ("of the budget:", False), ("buy", False)])
def test_something_is_split_among_the_best(word: str, *, seen: bool) -> None:
    def say(y: Any) -> str:
        best = numpy.argsort(-y)[:3]
        return "".join(f"{word} {NAMES[at]} {100 * y[at] / y[best].sum():.1f} %\n" for at in best)

    answer = row(0.1, 0.33, 0.15, 0.05, 0.22, 0.08, 0.07)
    assert bool(of_the_best.divided(asked_of(each(say), answer))) is seen


@pytest.mark.parametrize("likely", [True, False])
def test_inputs_that_are_compared_by_one_class(*, likely: bool) -> None:
    """Which of four pictures is likeliest of the first class, which all of them have."""
    logits = numpy.array([[4, 1], [2.5, 0.5], [3.2, 0], [1.5, 0.2]], "f4") if likely else None
    logits = numpy.array([[4, 1], [0.5, 2.5], [3.2, 0], [1.5, 2.2]], "f4") if logits is None else logits

    def say(answers: Sequence[Any]) -> str:
        powers = numpy.exp(answers[0][0].astype("f8"))
        shares, best = powers / powers.sum(axis=0), answers[0][0].argmax(axis=1)
        return "".join(
            f"picture {at}: {one[to]:.3f}\n" for at, (one, to) in enumerate(zip(shares, best, strict=True))
        )

    asked = asked_of(say, logits, sent=[Sent("x", (4, 3, 8, 8), None, None)])
    assert ("along the wrong axis" in alike.misplaced(asked)) is not likely


# Places, letters and boxes


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("picture 128x128: ({}, {})\n", True),
        ("input 128x128, output 32x32: ({}, {})\n", False),
        ("input 128x128, peak of the heatmap at {}, {}\n", False),
    ],
)
def test_a_place_in_a_map_of_which_the_size_is_said(form: str, *, seen: bool) -> None:
    answer = numpy.full((1, 1, 32, 32), 0.01, "f4")
    answer[0, 0, 7, 12] = 0.9
    say = each(lambda y: form.format(*divmod(int(y.argmax()), 32)[::-1]))
    asked = asked_of(say, answer, sent=[Sent("x", (1, 3, 128, 128), None, None)])
    assert ("are they not multiplied by 4" in cells.unscaled(asked)) is seen


LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_"


@pytest.mark.parametrize(("text", "seen"), [("AB12C____", False), ("_AB_1_2__", True)])
def test_a_letter_at_each_place(text: str, *, seen: bool) -> None:
    """Padding stands behind the last letter, and blanks between any: there letters that repeat are merged."""
    answer = numpy.full((1, 9, 37), 0.001, "f4")
    answer[0, range(9), [LETTERS.index(one) for one in text]] = 0.95

    def say(answers: Sequence[Any]) -> str:
        return "".join(LETTERS[at] for at in answers[0][0][0].argmax(axis=1)).replace("_", "") + "\n"

    found = sequences.misread(asked_of(say, answer))
    assert ("letters that repeat have to be merged" in found) is seen
    assert seen or not found


@pytest.mark.parametrize(("beside", "seen"), [(0.02, False), (0.7, True)])
def test_peaks_that_the_model_has_kept(beside: float, *, seen: bool) -> None:
    scores, sizes = numpy.zeros((1, 1, 16, 16), "f4"), RNG.uniform(3, 6, (1, 2, 16, 16)).astype("f4")
    scores[0, 0, [4, 9], [5, 11]] = 0.9, 0.8
    scores[0, 0, 4, 6] = beside

    def say(answers: Sequence[Any]) -> str:
        map_, sides = answers[0][0][0, 0], answers[0][1][0]
        found = [
            (8 * at, 8 * to, *(8 * sides[:, at, to]), map_[at, to])
            for at, to in numpy.argwhere(map_ > 0.5).tolist()
        ]
        return "".join("box {1} {0} {2:.1f} {3:.1f} score {4:.2f}\n".format(*one) for one in found)

    sent = [Sent("x", (1, 3, 128, 128), None, None)]
    found = heatmaps.unsuppressed(asked_of(say, scores, sizes, names=("scores", "sizes"), sent=sent))
    assert bool(found) is seen


@pytest.mark.parametrize("are_corners", [False, True])
def test_sizes_beside_offsets_are_no_corners(*, are_corners: bool) -> None:
    """Offsets of anchors are small, so that widths beside them are nearly always larger."""
    places, first = RNG.uniform(0, 1, (128, 2)), RNG.uniform(-0.3, 0.3, (128, 2))
    scores = numpy.tile(numpy.array([0.99, 0.01], "f4"), (1, 128, 1))
    scores[0, 40] = 0.1, 0.9
    rows = numpy.concatenate([first + 0.4 * are_corners, RNG.uniform(0.75, 0.95, (128, 2))], axis=1)

    def say(answers: Sequence[Any]) -> str:
        sure = numpy.flatnonzero(answers[0][1][0][:, 1] > 0.5).tolist()
        boxes = answers[0][0][0].astype("f8")
        starts = [boxes[at, :2] + places[at] * (not are_corners) - boxes[at, 2:] / 2 for at in sure]
        return "".join(
            "box {:.3f} {:.3f} {:.3f} {:.3f}\n".format(*start, *boxes[at, 2:])
            for at, start in zip(sure, starts, strict=True)
        )

    asked = asked_of(say, rows[None].astype("f4"), scores, names=("boxes", "scores"))
    assert ("they are two corners" in anchored.as_middles(asked)) is are_corners


@pytest.mark.parametrize(("word", "seen"), [("score", True), ("margin", False), ("strength", False)])
def test_a_margin_beside_a_box(word: str, *, seen: bool) -> None:
    boxes, scores = RNG.uniform(10, 90, (1, 96, 4)).astype("f4"), RNG.normal(-6, 2, (1, 96, 1)).astype("f4")
    scores[0, [40, 71], 0] = 2.4, 1.7

    def say(answers: Sequence[Any]) -> str:
        rows, margins = answers[0][0][0], answers[0][1][0, :, 0]
        sure = numpy.argsort(-margins)[: int((margins > 0).sum())]
        return "".join(
            "{:.0f} {:.0f} {:.0f} {:.0f}".format(*rows[at]) + f" {word} {margins[at]:.3f}\n" for at in sure
        )

    assert bool(scored.unsquashed(asked_of(say, boxes, scores, names=("boxes", "scores")))) is seen


# What is said on purpose


@pytest.mark.parametrize(
    ("form", "seen"),
    [("left {:.2f} right {:.2f}\n", True), ("in the mirror: left {:.2f} right {:.2f}\n", False)],
)
def test_left_in_a_mirror(form: str, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        return form.format(*(one.item() for one in answers[0][::-1]))

    found = exchanged.exchanged(asked_of(say, row(0.3), row(0.6), names=("left", "right")))
    assert ("are the two outputs exchanged?" in found) is seen


@pytest.mark.parametrize(("goes_round", "seen"), [(True, False), (False, True)])
def test_the_next_of_those_that_sit_round_a_table(*, goes_round: bool, seen: bool) -> None:
    names = NAMES[:5]

    def say(y: Any) -> str:
        at = int(y.argmax()) + 1
        return f"pass to {names[at % 5 if goes_round else min(at, 4)]}\n"

    files = [("seats.txt", "\n".join(names).encode())]
    found = classes.misplaced(asked_of(each(say), row(0.1, 0.2, 0.4, 0.2, 0.1), files=files))
    assert ("the name beside its own" in found) is seen


@pytest.mark.parametrize(("by", "seen"), [(9, False), (0, True), (8, True), (11, False), (4, False)])
def test_notes_of_an_instrument_that_is_tuned_otherwise(by: int, *, seen: bool) -> None:
    say = each(lambda y: f"note {letters.NAMES[(int(y.argmax()) + by) % 12]}\n")
    answer = 0.01 + 0.1 * numpy.eye(88, dtype="f4")[[40]]
    assert ("begin at the wrong one" in letters.mispitched(asked_of(say, answer))) is seen


@pytest.mark.parametrize("counts", [False, True])
def test_a_map_that_is_made_brighter(*, counts: bool) -> None:
    """Of a map without anything in it nothing can be."""
    answer = numpy.linspace(0, 0.999, 1024, dtype="f4").reshape(1, 1, 32, 32)

    def say(answers: Sequence[Any]) -> str:
        high = answers[0][0] > 0
        return (
            (f"{int(high.sum())} pixels\n" if counts else "a map of 32 x 32\n") if high.any() else "nothing\n"
        )

    assert ("does everything above 0 count" in thresholds.of_shares(asked_of(say, answer))) is counts
