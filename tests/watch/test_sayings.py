"""What guests say of answers, and states that they don't send back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.records import changed
from pywasm_nn.watch.classes import classes_in, other_name
from pywasm_nn.watch.feedback import Feedback, states
from pywasm_nn.watch.written.sayings import Output, Said, Sayings, mistake
from pywasm_nn.watch.written.shown import Shown

SURE = numpy.full(200, 0.0005)
SURE[41] = 0.9
SURE /= SURE.sum()


def output(numbers: Any = SURE, dtype: str = "<f4") -> Output:
    raw = numpy.asarray(numbers).astype(dtype)
    return Output(0, "y", raw.astype("f8"), raw.tobytes(), dtype)


def wrong(text: str, given: Output) -> str:
    return mistake(given, Said.of(text))


def test_sides_of_a_box_are_no_classes() -> None:
    scores = numpy.linspace(-9, -3, 900)
    scores[69], scores[273] = -1.5, 2.5
    assert wrong("face 93%: left 15 top 69 right 84 bottom 120\n", output(scores)) == ""
    assert "does the search end too early?" in wrong("top 69\n", output(scores))


def test_one_of_several_largest_elements() -> None:
    marks = numpy.zeros(27)
    marks[[15, 17]] = 14
    assert wrong("17 signs added\n", output(marks, "u1")) == ""
    marks[15] = 20
    assert "does the search begin too late?" in wrong("17\n", output(marks, "u1"))


@pytest.mark.parametrize(
    "text",
    [
        "best 41 0.9004\n", "class 41: 90.04 %", "label: tabby (0.9004)", "42 classes, the best is 41",
        "0.9004", "took 0.0042 s", "42 of 200", "1.5.41", "", "5", "top 3: 41, 42, 40",
    ],
)  # fmt: skip
def test_right_words(text: str) -> None:
    assert wrong(text, output()) == ""


def test_several_of_the_largest() -> None:
    ratings = numpy.linspace(0.5, 2.5, 50)
    ratings[[37, 28, 7]] = 11.19, 10.57, 9.46
    assert wrong("thing 37: 11.19\nthing 28: 10.57\nthing 7: 9.46\n", output(ratings)) == ""
    assert "does the search end too early?" in wrong("thing 28: 10.57\n", output(ratings))


def test_off_by_one() -> None:
    assert "off by one" in wrong(f"best 42 {SURE[41]:.4f}", output())
    assert "off by one" in wrong(f"best 40 {SURE[40]:.5f}", output())
    assert wrong(f"class 42 of 200 ({SURE[41]:.4f})", output()) == "", "counted from 1 on purpose"
    background = numpy.append(SURE, numpy.zeros(801))
    assert wrong(f"best 40 {SURE[41]:.4f}", output(background)) == ""


def test_things_counted_from_one() -> None:
    """A guest names the one of 200 sensors that deviates most."""
    for thing in ("sensor 42", "hour 42", "Station #42", "customer_42"):
        assert wrong(f"{thing} deviates most ({SURE[41]:.4f})", output()) == ""
    assert "off by one" in wrong(f"sensor of class 42 ({SURE[41]:.4f})", output())


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("between", [": ", ";", ",", "\t"])
def test_lines_that_are_numbered(between: str, first: int) -> None:
    """All answers are written at the end, or all but the first one; the last one is element 1."""
    rows = [("setosa", 0.97), ("virginica", 0.6), ("versicolor", 0.998)]
    lines = [f"{at}{between}{name}{between}{share:.2f}\n" for at, (name, share) in enumerate(rows, first)]
    text = "".join(lines)
    assert wrong(text, output([0.0015, 0.998, 0.0005])) == ""
    assert "off by one" in wrong("2;versicolor;1.00\n", output([0.0015, 0.998, 0.0005]))


@pytest.mark.parametrize("classes", [3, 9, 12, 40])
def test_few_classes_without_values_may_be_counted_from_one(classes: int) -> None:
    last = numpy.eye(classes)[-1]
    found = wrong(f"Wall comes from cultivar {classes}\n", output(last))
    assert ("off by one" in found) is (classes in (40,))


def test_things_of_which_something_is_said_are_no_classes() -> None:
    sure = numpy.array([0.0, 0, 0, 0, 0.001, 0.999])
    text = "patch 4 is white (1.00)\n"
    assert mistake(output(sure), Said.of(text, count=4)) == ""
    assert "off by one" in mistake(output(sure), Said.of("class 4 is white (1.00)\n", count=4))


def test_one_of_many_decimals_may_be_near_anything() -> None:
    """A guest says how unsure the model is of each of thirty pictures, in bits."""
    given = output([0.05, 0.35, 0.25, 0.2, 0.15])
    again = 0.2312  # the softmax of the largest
    assert "twice" in wrong(f"class 1 {again}\n", given)
    rows = "".join(f"{row} {row / 7 % 3:.2f}\n" for row in range(29)) + "29 0.23\n"
    assert wrong(rows, given) == ""


def test_numbers_that_count_lines_are_no_classes() -> None:
    """A guest numbers the rows of its input; one number is the largest element of the bytes as u8."""
    given = output()
    place = int(numpy.frombuffer(given.data, "u1").argmax())
    rows = "".join(f"{row} 0.0{row % 89 + 10}\n" for row in range(place - 9, place + 9))
    assert "bytes are read as u8" in wrong(f"best {place} 0.0115\n", given)
    assert wrong(rows, given) == ""


def test_numbers_that_head_lines_are_no_classes() -> None:
    """A guest writes for which viewer the best films are, whose numbers it doesn't write."""
    given = output()
    place = int(numpy.frombuffer(given.data, "u1").argmax())
    assert "bytes are read as u8" in wrong(f"best {place}\n  4.9 Tiny Rider\n", given)
    assert wrong(f"viewer {place}:\n  4.9 Tiny Rider\n", given) == ""


@pytest.mark.parametrize(
    ("text", "count", "seen"),
    [
        ("class 5: turkish\n", 5, True),
        ("5: turkish\n", 1, True),
        ("5: turkish\n", 9, True),
        ("5: turkish\n", 5, False),
        ("5: turkish\n", 6, False),
        ("class 5 of 9\n", 1, True),
        ("both agree on 5 of 9\n", 1, False),
        ("line 5: turkish\n", 1, False),
        ("5 s: stairs\n", 1, False),
        (" 2.. 5 s turkish\n", 1, False),
        ("3...5: turkish\n", 1, False),
        ("from 4 to 5: turkish\n", 1, False),
    ],
)
def test_places_and_times_are_no_classes(text: str, count: int, seen: bool) -> None:
    found = mistake(output([0.004, 0.001, 0.002, 0.003, 0.99]), Said.of(text, count))
    assert ("off by one" in found) is seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("1. tabby 0.99\n2. lynx 0.01\n", False),
        ("1) tabby 0.99\n2) lynx 0.01\n3) cat 0.00\n", False),
        ("top 1: tabby 0.99\n", False),
        ("#1 tabby 0.99\n", False),
        ("Rank 1 tabby (0.99)\n", False),
        ("1 tabby 0.99\n", True),
        ("top: 1 (0.99)\n", True),
        ("2. lynx 0.01\n1. tabby 0.99\n", True),
    ],
)
def test_ranks_are_no_classes(text: str, *, seen: bool) -> None:
    surest_first = output([0.99, 0.001, 0.005, 0.004])
    assert ("off by one" in wrong(text, surest_first)) is seen
    assert wrong("class 3: 0.99\n", output([0.001, 0.005, 0.99, 0.004])), "and other numbers are looked at"


def test_a_number_that_stays_is_no_class() -> None:
    """Copies of the guest tell which numbers follow the answer."""
    given, text = output([0.99, 0.001, 0.005, 0.004]), "shelf 1, tabby 0.99\n"
    assert "off by one" in mistake(given, Said.of("1, tabby 0.99\n"))
    assert mistake(given, Said.of(text, fixed=frozenset({1}))) == ""


def test_what_a_line_is_about_is_no_class() -> None:
    surest_first = output([0.99, 0.001, 0.005, 0.004])
    for text in ("window 1: still 0.99\n", "window 0: still 0.97\nwindow 1: still 0.99\n", "film 1: 0.99\n"):
        assert wrong(text, surest_first) == ""
    for text in ("class 1: 0.99\n", "label 1: tabby 0.99\n", "window 1: class 1 at 0.99\n"):
        assert "off by one" in wrong(text, surest_first)


def test_a_neighbour_may_be_meant() -> None:
    two = output([0.9965, 0.0035])
    assert wrong("class 1: 0.0035", two) == ""
    assert "off by one" in wrong("class 1: 0.9965", two)
    week = output([0.05] * 6 + [0.7])
    assert wrong("day 7 (0.7000)", week) == "", "people count days from 1"
    assert "off by one" in wrong("day 5 (0.7000)", week)
    assert wrong("runner-up: 1 at 0.0249, margin 0.9458\nrunner-up: 1 at 0.0024", two) == ""
    assert wrong("second best is 1", two) == ""


def test_the_ends_of_a_range_are_no_classes() -> None:
    sure = output([0.001, 0.001, 0.001, 0.997])
    assert wrong("seconds 2-4: rest (31 %)\nseconds 4-6: rest (99.7 %)\n", sure) == ""
    assert wrong("from 4-6 rest\n", sure) == wrong("4\u20138 rest\n", sure) == ""
    assert "off by one" in wrong("4-0.997\n", sure)
    assert "off by one" in wrong("class 4-2nd is 2 (0.997)\n", sure)


def test_a_state_is_no_answer() -> None:
    """A guest writes numbers of its steps after it fetched the state that it will send back."""
    names = [TensorSpec(name, DType.F32, (1, 32)) for name in ("x", "h", "y", "h_out")]

    class Model:
        inputs, outputs = tuple(names[:2]), tuple(names[2:])

    def fetched(index: int, numbers: Any) -> Any:
        tensor = Tensor(DType.F32, (1, 32), numpy.asarray(numbers, "f4").tobytes())
        return SimpleNamespace(
            error=None,
            operation="get_output",
            tensors=(tensor,),
            specs=(Model.outputs[index],),
            graph=Model,
            index=index,
        )

    def hints(*fetches: Any) -> list[tuple[str, str]]:
        sayings = Sayings()
        for one in fetches:
            sayings.nn_event(one)
        arguments = {"fd": 1, "ciovs": [b"step 12, action 6 (0.5000)"]}.items()
        sayings.host_call(SimpleNamespace(name="fd_write", error=None, arguments=arguments))
        return [*sayings.finish()]

    answer = numpy.zeros(32)
    answer[5] = 0.5
    state = numpy.zeros(32)
    state[11] = 0.5
    assert hints(fetched(1, state)) == []
    assert [rule for rule, _ in hints(fetched(0, answer), fetched(1, state))] == ["answer"]


def test_softmax_twice() -> None:
    again = numpy.exp(SURE) / numpy.exp(SURE).sum()
    assert "applied twice" in wrong(f"best 41 {again[41]:.4f}", output())
    percent = f"{100 * again[41]:.2f}"  # near 1.2: a number of something else may be that, too
    assert "applied twice" in wrong(f"best 41 {percent} %", output())
    assert wrong(f"best 41 {percent}", output()) == ""
    logits = 10 * SURE
    once = numpy.exp(logits) / numpy.exp(logits).sum()
    assert wrong(f"best 41 {once[41]:.4f}", output(logits)) == ""
    scores = numpy.array([0.70, 0.25, 0.15])
    weights = numpy.exp(scores) / numpy.exp(scores).sum()
    assert wrong(f"class 0 {weights[0]:.4f}", output(scores)) == "", "together they are more than 1"


def test_another_type() -> None:
    numbers = numpy.zeros(200, "u1")
    numbers[77] = 200
    numbers[40:44] = 3, 2, 1, 0x41
    given = output(numbers, "|u1")
    assert "read as f32" in wrong("best 10 of 50", given)
    assert wrong("best 77 of 200", given) == ""


def rising(*peaks: int, classes: int = 200) -> Output:
    """An output whose elements are small but for these, of which each is larger than the one before."""
    numbers = numpy.full(classes, 0.01)
    for rank, peak in enumerate(peaks, 1):
        numbers[peak] = rank / 10
    return output(numbers)


def test_a_search_that_ends_too_early() -> None:
    said = wrong("class 34 (0.1000)", rising(34, 100, 166))
    assert "34" in said
    assert "first 100" in said
    assert "166" in said
    assert "first 166" in wrong("class 100", rising(34, 100, 166))
    assert wrong("class 35 (0.0100)", rising(34, 100, 166)) == "", "not the largest of any first elements"
    assert wrong("class 34 of 166", rising(34, 100, 166)) == ""
    assert wrong("class 34 (0.7000)", rising(34, 100, 166)) == "", (
        "34 with another value stands for something else"
    )
    assert wrong("took 4 s", rising(4, 100, 166)) == "", "a small number may be anything"


@pytest.mark.parametrize("unit", ["%", " %", " per cent", ""])
def test_percents_are_no_classes(unit: str) -> None:
    """Also if one of the first elements has as large a number as the surest has percents."""
    numbers = numpy.full(200, 0.001)
    numbers[[73, 180]] = 0.05, 0.73
    assert bool(wrong(f"iso: 73{unit}\n", output(numbers))) is (not unit)
    if unit:
        assert wrong(f"face 93{unit}, 73 pixels wide\n", output(numbers)) == ""


def test_a_search_that_begins_too_late() -> None:
    said = wrong("class 120 (0.2000)", rising(150, 120, 30))
    assert "after element 30" in said
    assert wrong("class 120 (0.1000)", rising(120, 0)) == "", "the first class may be the background"


def test_two_readings_of_one_answer_are_both_named() -> None:
    numbers = numpy.zeros(200, "u1")
    numbers[34], numbers[100], numbers[166] = 90, 130, 200
    said = wrong("class 34 of 200", output(numbers, "|u1"))
    assert "read as i8" in said
    assert "first 100" in said


def test_so_many_things_are_no_class() -> None:
    given = output([0.0, 0.0, 0.0, 1.0])
    rows = "at 0 ms: rest 1.00\nat 64 ms: drop 1.00\n"
    for things in ("2 drop(s)", "2 drops", "- 2 drops:"):
        assert wrong(f"{rows}{things}\n", given) == "", things
    assert "off by one" in wrong("class 2 1.00\n", given)


@pytest.mark.parametrize(("count", "seen"), [(4, False), (200, True)])
def test_one_of_a_few_bytes_is_the_largest_by_chance(count: int, seen: bool) -> None:
    given = output(numpy.linspace(0.1, 1.07, count), "<f4")
    place = int(numpy.frombuffer(given.data, "i1").argmax())
    assert place >= 10
    assert ("bytes are read as i8" in wrong(f"{place} steps\n", given)) is seen


def test_states_by_name() -> None:
    def spec(name: str, dtype: DType = DType.F32) -> TensorSpec:
        return TensorSpec(name, dtype, (2, 1, 128))

    sound, rate = spec("input"), spec("sr", DType.I64)
    assert states((sound, spec("state"), rate), (spec("output"), spec("stateN"))) == [(1, 1)]
    assert states((sound, spec("h"), spec("c")), (spec("out"), spec("hn"), spec("cn"))) == [(1, 1), (2, 2)]
    assert states((sound,), (spec("output"),)) == []
    assert states((spec("input"), spec("mask")), (spec("inputs_seen"),)) == []


def fetched(numbers: Any) -> Any:
    shape = numpy.atleast_2d(numbers).shape
    spec = TensorSpec("y", DType.F32, shape)
    tensor = Tensor(DType.F32, shape, numpy.asarray(numbers, "f4").tobytes())
    return SimpleNamespace(
        error=None, operation="get_output", tensors=(tensor,), specs=(spec,), graph=None, index=0
    )


def hints_at(*rounds: tuple[Any, str], files: Any = ()) -> list[str]:
    """The hints at answers, each with what the guest writes after it."""
    sayings = Sayings(lambda: files)
    for numbers, text in rounds:
        sayings.nn_event(fetched(numbers))
        arguments = {"fd": 1, "ciovs": [text.encode()]}.items()
        written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
        sayings.host_call(written)
    return [text for _, text in sayings.finish()]


def test_a_guest_that_counts_few_classes_from_one() -> None:
    """It shows where the last class is said, before the answer at the end."""
    third, first = (numpy.where(numpy.arange(3) == best, 0.998, 0.001) for best in (2, 0))
    said = "101: cultivar {} (0.998)\n"
    assert hints_at((third, said.format(3)), (first, said.format(1))) == []
    assert hints_at((first, said.format(1))) == [], "few kinds are counted so, and nothing says otherwise"
    called = said.replace("cultivar", "class")
    assert "off by one" in hints_at((third, called.format(2)), (first, called.format(1)))[0]


@pytest.mark.parametrize("word", ["cultivar", "class", "label", "Kind"])
@pytest.mark.parametrize("best", [0, 1])
def test_all_answers_at_the_end_with_the_last_class(word: str, best: int) -> None:
    """A guest whose lines are all written when it ends says the third of three classes, which no index is."""
    kinds = (2, 3, 1, best + 1)
    text = "".join(
        f"wine {at}: {word} {kind} (0.99)\n" for at, kind in zip((26, 98, 167, 4), kinds, strict=True)
    )
    last = numpy.where(numpy.arange(3) == best, 0.99, 0.005)
    assert hints_at((last, text)) == []
    alone = f"wine 4: {word} {best + 1} (0.99)\n"
    assert bool(hints_at((last, alone))) is (word != "cultivar"), "a word for an index"


def test_a_number_for_each_of_several_inputs_is_no_class() -> None:
    shares = one_of(47, 36).reshape(47, 1)
    assert hints_at((shares, "letter A at 35\n")) == [] != hints_at((shares.T, "letter A at 35\n"))


@pytest.mark.parametrize("summary", ["{} unusual\n", "alarms: {}\n", "\nall in all {} of them, see above\n"])
@pytest.mark.parametrize("best", [2, 13])
def test_lines_behind_those_of_each_answer_are_about_all(summary: str, best: int) -> None:
    """A guest says a name of each answer, and then how many of them were unusual."""
    others = [(one_of(20, place), f"beat {place}: kind {chr(65 + place)} 0.9312\n") for place in (0, 5, 1)]
    last = one_of(20, best), "beat 4: wide 0.9312\n"
    said = summary.format(best + 1)
    assert hints_at(*others, (last[0], last[1] + said)) == []
    one_line = [(given, f"{place + 1} 0.9312\n") for place, (given, _) in zip((0, 5, 1), others, strict=True)]
    wrong = hints_at(*one_line, (last[0], f"{best + 1} 0.9312\n3 unusual\n"))
    assert len(wrong) == 1 and "off by one" in wrong[0], "a class in the line of the answer"


def one_of(count: int, best: int, value: float = 0.9312) -> Any:
    numbers = numpy.linspace(0.001, 0.02, count)
    numbers[best] = value
    return numbers


def test_the_answer_before() -> None:
    first, second, third = one_of(12, 3, 0.6151), one_of(12, 7, 0.8125), one_of(12, 5, 0.7441)
    wrong = hints_at((first, "best 3 0.6151"), (second, "best 3 0.6151"), (third, "best 7 0.8125"))
    assert len(wrong) == 1 and "7 at 0.8125, which is the answer to inputs before (stale)" in wrong[0]
    wrong = hints_at((first, "best 3 0.6151"), (second, "best 3 0.6151"), (third, "best 3 0.6151"))
    assert len(wrong) == 1 and "3 at 0.6151" in wrong[0]
    assert hints_at((first, "best 3 0.6151"), (second, "best 7 0.8125")) == []
    late = (first, "begin"), (second, "best 3 0.6151"), (third, "best 7 0.8125\nbest 5 0.7441")
    assert hints_at(*late) == [], "each is said late, the last one too"
    best = (first, "best 3 0.6151"), (second, "best 7 0.8125"), (third, "best so far: 7 0.8125")
    assert hints_at(*best) == []
    assert hints_at((first, "3 0.6151"), (second, "7 0.8125\nbefore: 3 0.6151")) == []
    assert hints_at((first, "3 0.6151"), (first, "3 0.6151")) == []


NAMES = [f"kind{number:02d}" for number in range(12)]
LISTED = ("names.txt", "\n".join(NAMES).encode())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("it is kind07 (0.9312)", False), ("it is kind08 (0.9312)", True), ("it is kind06 (0.9312)", True),
        ("kind07, kind11, kind10", False), ("kind08 kind10 kind11", False), ("kind03 (0.0050)", False),
        ("kind08", True), (" ".join(NAMES), False), ("it is kind080 (0.9312)", False), ("", False),
    ],
)  # fmt: skip
def test_names_of_classes(text: str, seen: bool) -> None:
    assert bool(hints_at((one_of(12, 7), text), files=[LISTED])) == seen
    assert hints_at((one_of(14, 7), text), files=[LISTED]) == [], "a list of other classes"


@pytest.mark.parametrize(
    "text", ["no kind08 in it", "kind08: no", "there isn't a kind08", "P(kind08) = 0.015"]
)
def test_one_class_that_is_looked_for(text: str) -> None:
    """It is the neighbour of the one that is there."""
    assert hints_at((one_of(12, 7), text), files=[LISTED]) == []
    assert hints_at((one_of(12, 7), text + ", 0.9312"), files=[LISTED]) != [], "with the share of the best"


def test_lists_of_names() -> None:
    """With a background, numbered, and as JSON."""
    answer = one_of(12, 7)

    def wrong(data: str, text: str, numbers: Any = answer) -> str:
        found = classes_in("f", data.encode())
        return "" if found is None else other_name(found, numbers, text, str)

    with_background = "\n".join(["background", *NAMES])
    assert wrong(with_background, "kind07") == ""
    assert "are the names off by one" in wrong(with_background, "kind06")
    numbered = "\n".join(f"{number}: {name}" for number, name in enumerate(NAMES))
    assert wrong(numbered, "kind07") == "" and wrong(numbered, "kind08") != ""
    from_one = "\n".join(f"{number + 1} {name}" for number, name in enumerate(NAMES))
    assert wrong(from_one, "kind07") == "" and wrong(from_one, "kind08") != ""
    assert wrong(str(NAMES).replace("'", '"'), "kind08") != ""
    assert wrong("[1, 2", "kind08") == wrong("a\nb\nc", "a") == ""
    imagenet = [f"animal{number}" for number in range(1000)]
    assert wrong("\n".join(imagenet), "animal6", one_of(1001, 7)) == ""
    assert "animal6" in wrong("\n".join(imagenet), "animal7", one_of(1001, 7))


def test_the_smallest_may_be_said() -> None:
    """Which is another mistake, that copies of the guest with other answers show."""
    found, numbers = classes_in(*LISTED), one_of(12, 7)
    assert found is not None and other_name(found, numbers, "kind08", str) != ""
    numbers[8] = -0.1
    assert other_name(found, numbers, "kind08", str) == ""


def test_the_second_best_may_be_meant() -> None:
    numbers = one_of(12, 7)
    numbers[8] = 0.05
    found = classes_in(*LISTED)
    assert found is not None and other_name(found, numbers, "or else kind08") == ""


@pytest.mark.parametrize(
    "text",
    [
        "91 of 93 frames voiced, 220.4 Hz",
        "from 6144: 62/93 voiced",
        "62 words and 91 marks",
        "at 62, 91: 1.5",
    ],
)
def test_counts_are_no_classes(text: str) -> None:
    """Any of few numbers is the largest element of something."""
    numbers = numpy.linspace(0.9, 0.1, 93)
    numbers[37], numbers[91], numbers[62] = 0.98, 0.6, 0.7
    assert wrong(text, output(numbers)) == ""


def test_how_often_each_class_was_the_answer() -> None:
    three = output([0.0, 1.0, 0.0])
    assert wrong("0 40 0, mean 1.000", three) == ""
    assert wrong("rest 0 walk 8 run 0, mean 1.000", three) == ""
    assert "off by one" in wrong("class 0 at 1.000", three)


class Loop:
    """A guest that sends parts of a sound, and the state back."""

    def __init__(self, loud: str) -> None:
        self._feedback = Feedback(lambda _: loud)
        parts = TensorSpec("input", DType.F32, (1, 64)), TensorSpec("state", DType.F32, (2, 8))
        step = TensorSpec("step", DType.F32, (1,))
        self._graph = SimpleNamespace(
            inputs=(*parts, step), outputs=(parts[0], changed(parts[1], name="stateN"))
        )

    def said(self, samples: Any, steps: Any = ()) -> str:
        """The hint at parts of a sound, [parts, 64], and at a number beside each."""
        hints: list[tuple[str, str]] = []
        for number, part in enumerate(samples.astype("f4")):
            state = numpy.full((2, 8), number, "f4")
            for index, array in ((0, part[None]), (1, state)):
                hints += self._event("set_input", index, (Tensor.from_numpy(array),))
            for step in steps[number : number + 1]:
                hints += self._event("set_input", 2, (Tensor.from_numpy(numpy.array([step], "f4")),))
            hints += self._event("compute", None, ())
        hints += self._feedback.finish()
        return "".join(text for _, text in hints)

    def _event(self, operation: str, index: int | None, tensors: tuple[Tensor, ...]) -> list[tuple[str, str]]:
        event: Any = SimpleNamespace(
            error=None, context_id=1, graph=self._graph, operation=operation, index=index, tensors=tensors
        )
        return list(self._feedback.nn_event(event))


def test_silence_may_stay_the_same() -> None:
    samples = numpy.random.default_rng(1).normal(0, 0.1, (10, 64))
    assert Loop("a.wav").said(samples) == "" == Loop("").said(numpy.zeros_like(samples))
    again = samples[:1].repeat(10, axis=0)
    assert "advance in its data" in Loop("").said(again)
    assert "advance in its data" in Loop("").said(again, [16000] * 10)
    assert Loop("").said(again, range(10)) == "", "a decoder, whose words go on beside what was encoded"
    assert "a.wav is no silence" in Loop("a.wav").said(numpy.zeros_like(samples))
    rests = numpy.concatenate([samples[:4], again])
    assert Loop("").said(rests) == "", "a sensor whose values stay for a while"
    assert "advance in its data" in Loop("").said(numpy.concatenate([samples[1:2], again])), "a warm-up"
    begins = numpy.concatenate([numpy.zeros_like(samples), samples[:2]])
    assert Loop("a.wav").said(begins) == "", "a sound that begins later"
    ends = numpy.concatenate([samples[:2], numpy.zeros_like(samples)])
    assert Loop("a.wav").said(ends) == "", "a sound that ends silently"


@pytest.mark.parametrize("when", ["5.42 s", "1.31s", "6.5 kHz", "1,25 V"])
def test_a_time_with_a_point_is_no_class(when: str) -> None:
    """The digits before its point are none either, though they may be those of a class beside the best."""
    for best in range(10):
        assert hints_at((one_of(13, best), f"{when}  normal  0.93\n")) == []
    assert hints_at((one_of(13, 5), f"{when}  6 at 0.93\n")) != []


@pytest.mark.parametrize(
    ("first", "seen"), [((1, 3, 2), False), ((1, 2, 2), False), ((0, 2, 1), True), ((1, 9, 2), False)]
)
def test_a_file_that_counts_classes_from_one(first: tuple[int, ...], seen: bool) -> None:
    """Lines with the class in front, as in the sets of wines and seeds."""
    data = "\n".join(f"{kind},14.2,{kind + 1.5},0.25" for kind in first).encode()
    said = hints_at(([0.13, 0.87, 0.0], "cultivar 2 (0.870), in the file: 3\n"), files=[("wine.csv", data)])
    assert bool(said) == seen


def test_lines_about_other_models() -> None:
    """The 1 is the number of elements of another one, whose value is beside it."""
    sure = output([0.999, 0.0006, 0.0004, 0])
    assert wrong("pi 2 -> 1 ready 0.5000\nmode 4 -> 4 ready 0.9990\n", sure) == ""
    for text in ("class 1 0.9990\n", "class 1 (0.999)\nmode 4 ready 0.5000\n", "class 1\nscore 0.999\n"):
        assert "off by one" in wrong(text, sure)


@pytest.mark.parametrize("numbers", [(2, 3, 5, 8, 9), (2, 4, 5, 7)])
def test_numbers_of_lines_of_which_some_were_left_out(numbers: tuple[int, ...]) -> None:
    """The last answer is 1, and a line before it has the number 2."""
    sure = output([0.0003, 0.9996, 0.0001])
    said = "".join(f"{number}\t{'de' if number % 2 else 'en'}\t1.000\n" for number in numbers)
    assert wrong(said, sure) == ""
    assert "off by one" in wrong("class 2\t1.000\n", sure)


def sure_of(place: int, count: int, share: float = 0.996) -> Any:
    numbers = numpy.full(count, (1 - share) / (count - 1))
    numbers[place] = share
    return numbers


def at_the_end(answers: list[Any], text: str, numbers: Any = None) -> list[str]:
    """The hints at answers of which all is written behind the last one."""
    sayings = Sayings(shown=lambda: Shown({0: numbers or {}}))
    for answer in answers:
        sayings.nn_event(fetched(answer))
    arguments = {"fd": 1, "ciovs": [text.encode()]}.items()
    written: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
    sayings.host_call(written)
    return [text for _, text in sayings.finish()]


@pytest.mark.parametrize("names", ["123A456B789C*0#D", "234567890JQKA", "7890+456*123-"])
@pytest.mark.parametrize("form", ["{at:.1f} s: {name}  {share:.2f}\n", "'{name}' {share:.3f}\n"])
def test_digits_that_are_names_of_classes(names: str, form: str) -> None:
    """Each name is said of its class; of some the neighbour's number is the digit."""
    keys = [[name, place] for place, name in enumerate(names)]
    others = [pair for pair in keys if not str(pair[0]).isdecimal()]
    for last in keys:
        for middle in (others[0], keys[4], keys[6]):
            said = [keys[2], middle, last]
            text = "".join(
                form.format(at=at / 10, name=name, share=0.996) for at, (name, _) in enumerate(said)
            )
            answers = [sure_of(int(place), len(names)) for _, place in said]
            assert at_the_end(answers, text) == [], text


def test_digits_that_are_names_in_copies() -> None:
    """A single answer: what copies write of others shows whether its neighbour is said."""
    names = dict(enumerate("123A456B789C*0#D"))
    numbers = {at: frozenset([int(one)] if one.isdecimal() else []) for at, one in names.items()}
    answer = [sure_of(0, 16)]
    assert at_the_end(answer, "key 1  0.996\n", numbers) == []
    counted = {at: frozenset([at + 1]) for at in range(16)}
    assert "off by one" in at_the_end(answer, "class 1  0.996\n", counted)[0]


def test_one_off_in_each_of_several_answers() -> None:
    places = [4, 1, 8, 12]
    text = "".join(f"class {place + 1}: 0.996\n" for place in places)
    assert "off by one" in at_the_end([sure_of(place, 16) for place in places], text)[0]


def test_a_few_elements_of_another_type() -> None:
    """A number that is by chance as many as there are elements of 8 bytes says nothing of their type."""
    numbers = numpy.linspace(0.01, 0.2, 16)
    numbers[[15, 14]] = 0.9, 0.3
    given = output(numbers)
    place = int(numpy.frombuffer(given.data, "f8").argmax())
    assert wrong(f"D 0.9\n{place} 0.4\n8 0.3\n", given) == ""
    assert "read as f64" in wrong(f"of 8 classes the best is class {place}\n", given)
