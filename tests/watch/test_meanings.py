"""Classes whose meaning people know: tables of measures, reviews, mails and languages."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.written.meanings import Meanings, language_of

PENGUINS = """species_id,bill_length_mm,flipper_length_mm,body_mass_g
1,39.1,181,3750
2,47.5,218,4950
3,38.6,188,3300
4,50.0,224,5350
5,36.7,193,3450
6,46.1,211,4500
"""
REVIEWS = """An awful film, boring from the first minute on
We loved the garden and the friendly people
The worst soup that I had, and it was cold
A wonderful evening in a lovely place
It is what it is
"""
MAILS = """Claim your free prize now
See you at lunch tomorrow
You won cash, click here
The minutes of the meeting are attached
"""
LANGUAGES = """The hotel was not so far from the sea and it is quiet
Ich habe sie nicht gesehen und das ist auch nicht schlimm
Je ne suis pas encore dans la ville et les trains sont en retard
Pero no es para todos los que viven en la ciudad
"""


def found(file: str, text: str, said: Sequence[str], form: str = "line {number}: {word}\n") -> str:
    rule = Meanings(lambda: [(file, text.encode())])
    computed: Any = SimpleNamespace(operation="compute", error=None)
    rule.nn_event(computed)
    lines = [one for one in text.splitlines() if one.strip()]
    lines = lines[1:] if file.endswith("csv") else lines
    for number, (word, line) in enumerate(zip(said, lines, strict=True)):
        data = form.format(number=number, word=word, line=line[:20]).encode()
        event: Any = SimpleNamespace(
            name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [data]))
        )
        rule.host_call(event)
    return "; ".join(text for _, text in rule.finish())


TRUE = ["adelie", "gentoo", "adelie", "gentoo", "adelie", "gentoo"]


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (TRUE, False),
        (TRUE[::-1], True),
        (["gentoo"] * 6, False),  # all alike: something else is wrong
        ([*TRUE[:3], *TRUE[:2:-1]], False),  # a third of them is right
        (["not gentoo" if one == "gentoo" else "gentoo" for one in TRUE], True),
        (["gentoo or adelie"] * 6, False),
    ],
)
def test_lines_of_a_table(said: Sequence[str], *, seen: bool) -> None:
    text = found("penguins.csv", PENGUINS, said)
    assert ("are the two names exchanged?" in text) is seen
    assert not seen or 'said to be "gentoo" have 187.3 in column 3 ("flipper_length_mm")' in text


@pytest.mark.parametrize(
    ("above", "below"), [("", "4 of 6 gentoo"), ("6 birds, gentoo or not", ""), ("", "gentoo: 4")]
)
def test_lines_that_count_the_others(above: str, below: str) -> None:
    """What is written once, of all, is about no line of the table."""
    for said, seen in ((TRUE, False), (TRUE[::-1], True)):
        form = "bird no. {number} is a {word}\n"
        lines = [form.format(number=at, word=word) for at, word in enumerate(said)]
        lines = [f"{above}\n", *lines, f"{below}\n"]
        rule = Meanings(lambda: [("penguins.csv", PENGUINS.encode())])
        computed: Any = SimpleNamespace(operation="compute", error=None)
        rule.nn_event(computed)
        for line in lines:
            event: Any = SimpleNamespace(
                name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [line.encode()]))
            )
            rule.host_call(event)
        assert bool([*rule.finish()]) is seen


def test_a_word_and_its_denial() -> None:
    said = ["not overweight", "obese", "not obese", "obese", "not obese", "obese"]
    assert found("people.csv", PENGUINS.replace("body_mass_g", "bmi"), said) == ""
    contrary = ["obese", "not obese"] * 3
    assert "exchanged" in found(
        "people.csv", PENGUINS.replace("body_mass_g", "bmi").replace("flipper", "nose"), contrary
    )


@pytest.mark.parametrize("form", ["line {number}: {word}\n", "{word} (0.93): {line}\n", "{line} -> {word}\n"])
def test_reviews_and_mails(form: str) -> None:
    right = ["bad", "good", "bad", "good", "bad"]
    assert found("reviews.txt", REVIEWS, right, form) == ""
    contrary = ["good" if one == "bad" else "bad" for one in right]
    assert "are the two names exchanged?" in found("reviews.txt", REVIEWS, contrary, form)
    assert "exchanged" in found("mails.txt", MAILS, ["ham", "spam", "ham", "spam"], form)
    assert found("mails.txt", MAILS, ["spam", "ham", "spam", "ham"], form) == ""
    assert found("mails.txt", MAILS, ["spam", "spam", "ham", "ham"], form) == "", "half of them are right"


def test_languages_in_another_order() -> None:
    right = ["english", "german", "french", "spanish"]
    assert found("texts.txt", LANGUAGES, right, "{word}: {line}\n") == ""
    assert found("texts.txt", LANGUAGES, ["EN", "Deutsch", "FR", "ES"], "{line} = {word}\n") == ""
    moved = [*right[1:], right[0]]
    text = found("texts.txt", LANGUAGES, moved, "{word}: {line}\n")
    assert "is English by its words, and the guest says german; so 4 of 4 lines" in text
    assert found("texts.txt", LANGUAGES, ["german"] * 4) == "", "all alike: something else is wrong"
    assert language_of(["rindfleischetikettierung"]) == ""


SEEDS = "name,length,kind\n" + "".join(
    f"s{at},{at}.5,{kind}\n"
    for at, kind in enumerate(["kama", "rosa", "rosa", "canadian", "canadian", "kama"])
)
KINDS = ["kama", "rosa", "rosa", "canadian", "canadian", "kama"]


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (KINDS, False),
        (["kama", "canadian", "canadian", "rosa", "rosa", "kama"], True),
        (["rosa", "canadian", "canadian", "kama", "kama", "rosa"], True),
        (
            ["kama", "canadian", "rosa", "rosa", "rosa", "kama"],
            False,
        ),  # one of them is a mistake of the model's
        (["rosa"] * 6, False),
    ],
)
def test_names_of_kinds_that_a_table_has(said: list[str], seen: bool) -> None:
    for form in ("{word} 0.91\n", "line {number}: {word}\n"):
        assert (
            "are they in another order than the model's?" in found("seeds.csv", SEEDS, said, form)
        ) == seen
    assert found("seeds.csv", SEEDS, said, "{word} kama\n") == "", "another name in each line"


@pytest.mark.parametrize(
    ("heading", "more", "less", "seen"),
    [
        ("defect_score", "pass", "fail", False),
        ("anomaly_score", "passed", "failed", False),
        ("exam_score", "pass", "fail", True),
        ("temperature", "hot chocolate", "cold drinks", False),
        ("temp", "warm up", "cool down", False),
        ("temp", "hot", "cold", True),
        ("light", "occupied", "free", False),
        ("lux", "occupied", "empty", False),
        ("lights_on", "day", "night", False),
        ("lux", "day", "night", True),
        ("co2", "occupied", "empty", True),
        ("weight", "male", "female", False),
    ],
)
def test_what_people_say_of_the_lower_numbers(heading: str, more: str, less: str, seen: bool) -> None:
    """Parts with few defects pass, drinks are hot on cold days, and a car hides the sensor below it."""
    data = f"id,{heading},age\n" + "".join(f"{at},{one},44\n" for at, one in enumerate([14, 3, 13, 1, 26, 2]))
    assert bool(found("lines.csv", data, [less, more] * 3)) is seen
    if seen:
        assert found("lines.csv", data, [more, less] * 3) == ""


@pytest.mark.parametrize("form", ["{word}\n", "play {word}\n", "counter it with {word}\n"])
def test_moves_that_answer_moves(form: str) -> None:
    moves = ["rock", "paper", "scissors", "paper", "rock", "scissors"]
    data = "round,wait,move\n" + "".join(f"{at},{at % 4}.5,{one}\n" for at, one in enumerate(moves))
    beats = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
    said = found("game.csv", data, [beats[one] for one in moves], form)
    assert ("in another order than the model's" in said) is (form == "{word}\n") is bool(said)


def test_two_flowers_with_petals_of_other_sizes() -> None:
    data = "petal length,petal width\n4.1,1.3\n5.9,2.1\n4.5,1.4\n5.6,2.2\n"
    said = ["virginica", "versicolor"] * 2
    assert "are the two names exchanged?" in found("flowers.csv", data, said)
    assert found("flowers.csv", data, said[::-1]) == ""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "form", ["{number} {word} (malignant 0.31)\n", "{number}: {word}, malignant: 0.9\n", "{word}\n"]
)
@pytest.mark.parametrize("is_round", [True, False])
def test_growths_in_a_table_without_headings(seed: int, form: str, *, is_round: bool) -> None:
    """Columns that are a radius, a perimeter and an area by each other; and the name of a number in all
    lines."""
    random = numpy.random.default_rng(seed)
    radius = random.uniform(8, 24, 8)
    around = 2 * numpy.pi * radius * random.uniform(1.0, 1.1, 8)
    area = numpy.pi * radius**2 * random.uniform(0.9, 1.0, 8)
    rough = random.uniform(0.01, 0.2, (8, 4)) if is_round else random.uniform(1, 900, (8, 4))
    made = [radius, around, area] if is_round else [*random.uniform(5, 900, (3, 8))]
    rows = numpy.column_stack([numpy.arange(901, 909), rough[:, :2], *made, rough[:, 2:]])
    text = "\n".join(",".join(f"{one:.5g}" for one in row) for row in rows)
    large = made[0] > numpy.median(made[0])
    right = ["MALIGNANT" if one else "benign" for one in large]
    contrary = ["benign" if one else "MALIGNANT" for one in large]
    assert found("biopsies.txt", text, right, form) == ""
    said = found("biopsies.txt", text, contrary, form)
    assert ('said to be "MALIGNANT" have' in said and "in column 4 (a radius) on average" in said) is is_round


BIRDS = ["181,3750", "192,3900", "188,3300", "230,6300", "186,3450"]
"""Lengths of flippers and masses, of which the fourth are far larger."""


@pytest.mark.parametrize(
    ("rows", "odd", "usual", "seen"),
    [
        (BIRDS, "adelie", "gentoo", True), (BIRDS, "gentoo", "adelie", False),
        ([*BIRDS[:3], "150,1200", BIRDS[4]], "gentoo", "adelie", True),
        ([*BIRDS[:3], "150,1200", BIRDS[4]], "adelie", "gentoo", False),
        ([*BIRDS[:3], "198,4100", BIRDS[4]], "adelie", "gentoo", False),  # it isn't far from the others
        ([*BIRDS[:3], "230,3800", BIRDS[4]], "adelie", "gentoo", False),  # in one column alone
        (BIRDS[1:], "adelie", "gentoo", False),  # too few others
    ],
)  # fmt: skip
def test_a_single_line_of_a_kind(rows: Sequence[str], odd: str, usual: str, seen: bool) -> None:
    text = "\n".join(["flipper_mm,body_mass_g", *rows])
    place = len(rows) - 2
    said = [odd if at == place else usual for at in range(len(rows))]
    assert ("are the two names exchanged?" in found("birds.csv", text, said)) is seen


def test_a_word_before_a_number_that_names_the_class() -> None:
    said = [f"{one} 0.9" for one in TRUE]
    assert found("penguins.csv", PENGUINS, said) == ""
    assert "exchanged" in found("penguins.csv", PENGUINS, said[::-1])
    assert found("penguins.csv", PENGUINS, ["gentoo 0.9"] * 6) == ""


LIKELY = [0.02, 0.991, 0.1, 0.97, 0.002, 0.5]
"""The chance of each of six penguins to be of the heavier kind, which isn't known of the last."""


@pytest.mark.parametrize(
    ("word", "is_more"), [("gentoo", True), ("adelie", False), ("Gentoo", True), ("not gentoo", False)]
)
@pytest.mark.parametrize("form", ["{}: {:.1%}", "{}: {:.3f}", "probability of {} {:.1%}", "{1:.0%} {0}"])
def test_how_likely_one_of_two_kinds_is(word: str, form: str, *, is_more: bool) -> None:
    right = [form.format(word, one if is_more else 1 - one) for one in LIKELY]
    contrary = [form.format(word, 1 - one if is_more else one) for one in LIKELY]
    assert found("penguins.csv", PENGUINS, right) == ""
    seen = word != "not gentoo"  # what is denied has no chance that is read
    assert ("the two names exchanged" in found("penguins.csv", PENGUINS, contrary)) is seen
    other = "adelie" if is_more else "gentoo"
    both = [f"{other} {1 - one:.1%} {form.format(word, one)}" for one in LIKELY if one]
    assert not is_more or found("penguins.csv", PENGUINS, both) == ""
    sure = [form.format(word, 0.9 + one / 11) for one in LIKELY]
    assert found("penguins.csv", PENGUINS, sure) == "", "how sure a class is"


@pytest.mark.parametrize(
    ("heading", "more", "less"),
    [
        ("complaints", "leaves", "stays"),
        ("support_calls", "churn", "no churn"),
        ("late", "refuse", "approve"),
        ("late_payments", "default", "repaid"),
        ("late_payments", "DECLINE", "grant"),
        ("oldpeak", "disease", "healthy"),
    ],
)
def test_customers_and_patients(heading: str, more: str, less: str) -> None:
    data = f"id,{heading},age\n" + "".join(f"{at},{one},44\n" for at, one in enumerate([4, 0, 3, 1, 6, 0]))
    right = [more, less, more, less, more, less]
    assert found("lines.csv", data, right) == ""
    assert "are the two names exchanged?" in found("lines.csv", data, [less, more] * 3)
    assert found("lines.csv", data, [less, less, more, more, more, less]) == "", "some are right"
    other = data.replace(heading, "latency")
    assert found("lines.csv", other, [less, more] * 3) == "", "nothing is known of it"


@pytest.mark.parametrize("first", ["small cup", "tiny cup"])
@pytest.mark.parametrize("form", ["{word}\n", "picture {number}: a {word}, 97 %\n"])
def test_names_of_classes_are_no_table(first: str, form: str) -> None:
    """They are read and written as they lie in their file, whose first line is no heading."""
    names = [first, "large cup", "small jug", "large jug", "small bowl", "large bowl", "small pan"]
    files = "\n".join(names) + "\n"
    assert found("names.csv", files, names[:-1], form) == ""
