"""Names that have an order of their own, said in another one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.classes import classes_in, other_name
from pywasm_nn.watch.probes.named import misnamed, says
from pywasm_nn.watch.probes.ordered import disordered
from tests.watch.test_uses_of_answers import asked_of

DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
FORMS = ("{name}\n", '{file}: "{name}" 97 %\n')


def found(names: Sequence[str], best: int, file: str, form: str = FORMS[0]) -> str:
    answer = numpy.full((1, len(names)), -4.0, "f4")
    answer[0, best] = 6

    def say(answers: Sequence[Any]) -> str:
        return form.format(file=file, name=names[int(answers[0][0].argmax())])

    return disordered(asked_of(say, answer, files=[("models/words.onnx", b"x"), (file, b"RIFF")]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("file", ["in/seven.wav", "7_jackson_3.wav", "Seven-2.wav"])
def test_spoken_digits(file: str, form: str) -> None:
    assert 'says "three" of it' in found(sorted(DIGITS), 7, file, form)
    assert "were the names sorted?" in found(sorted(DIGITS), 7, file, form)
    assert found(DIGITS, 7, file, form) == ""


def test_other_orders() -> None:
    assert "is the list of names backwards?" in found(DIGITS[::-1], 2, "two.wav")
    assert "another list of names?" in found([*DIGITS[3:], *DIGITS[:3]], 2, "two.wav")
    assert "were the names sorted?" in found(sorted(DAYS), 1, "tuesday_04.wav")


@pytest.mark.parametrize("file", ["recording.wav", "three.wav", "2_three.wav", "bird.png"])
def test_models_that_were_trained_with_sorted_names(file: str) -> None:
    """Class 7 of sorted names is three, as two of these files say, and the others say nothing."""
    assert found(sorted(DIGITS), 7, file) == ""


KINDS = [f"kind {letter}" for letter in "abcdefghijkl"]
IN_JSON = json.dumps(dict(enumerate(KINDS)))


@pytest.mark.parametrize(
    ("data", "order", "seen"),
    [
        (IN_JSON, range(12), ""),
        (IN_JSON, [0, 1, 10, 11, *range(2, 10)], "sorted as texts"),
        ("\n".join(f"{11 - one} {kind}" for one, kind in enumerate(KINDS)), range(11, -1, -1), ""),
        ("\n".join(f"{5 * one % 12} {kind}" for one, kind in enumerate(KINDS)), range(12), "in the file"),
    ],
)  # fmt: skip
def test_names_with_numbers(data: str, order: Sequence[int], seen: str) -> None:
    """A list of JSON or lines that says itself which name has which number."""
    texts = {one: f"it is kind {chr(97 + order[one])}\n" for one in (0, 4, 8, 10, 11)}
    text = misnamed([("labels.json", data.encode())], 12, texts)
    assert seen in text if seen else text == ""


@pytest.mark.parametrize(
    "text", ["in/apple.tga: lime", "apple.y4m lime", "in/apple.thm lime", "apple.AU lime"]
)
def test_a_class_in_the_name_of_a_file(text: str) -> None:
    """What is read is named after what it shows, whatever the guest says that it is."""
    assert says(text, "lime") and not says(text, "apple")
    assert says("an apple. It is 0.98 sure", "apple") and says("apple/lime 0.7 of 1.0", "apple")


@pytest.mark.parametrize(
    ("end", "other", "seen"), [(5, 0, True), (7, 0, False), (5, None, False), (5, 4, False), (1, 0, False)]
)
def test_classes_that_are_never_said(end: int, other: int | None, seen: bool) -> None:
    """The first `end` classes alone are looked at; another is said if none of these is the largest."""
    texts = {
        place: f"{DAYS[place]} 1.00"
        if place < end
        else f"{DAYS[other] if other is not None else 'none'} 0.00"
        for place in (6, 0, 2, 4, 1, 5)
    }
    said = misnamed([("days.txt", "\n".join(DAYS).encode())], len(DAYS), texts)
    assert ("does the search end before the last of 7 classes?" in said) is seen


def test_numbers_that_name_classes_and_are_written_at_the_end() -> None:
    """A guest whose buffer is written when it ends writes the lines of all inputs in each copy, and some
    names are too short to be looked for."""
    names = ["5", "60", "100", "1500", "20000"]
    listed = ("speeds.txt", "\n".join(names).encode())

    def texts(order: Sequence[str]) -> dict[int, str]:
        lines = [f"sign {one} says {order[one]}\n" for one in (1, 4, 0)]
        return {best: "".join(lines) + f"sign 3 says {order[best]}\nbye\n" for best in range(5)}

    assert "were the names sorted?" in misnamed([listed], 5, texts(sorted(names)))
    assert misnamed([listed], 5, texts(names)) == ""


def test_a_short_name_among_longer_ones() -> None:
    known = classes_in("turns.txt", b"0\n45\n135\n180\n225")
    assert known is not None
    numbers = numpy.array([0.01, 0.9, 0.05, 0.03, 0.01])
    text = "the first turn is 135\nthe second turn is 45\n"
    assert other_name(known, numbers, text) == ""
    assert "names off by one" in other_name(known, numbers, "the turn is 135, at 0.900\n", lambda _: "0.900")


@pytest.mark.parametrize("longest", [False, True])
@pytest.mark.parametrize("second", [None, str.lower, lambda _: 0])
def test_names_sorted_by_their_length(second: Any, *, longest: bool) -> None:
    names = ["Sparrow", "eagle owl", "Kite", "robin", "Blackcap", "wren", "Tern", "nightingale"]
    listed = ("birds.txt", "\n".join(names).encode())
    order = sorted(sorted(names, key=second), key=len, reverse=longest)
    said = misnamed([listed], len(names), {one: f"it is a {order[one]}\n" for one in (0, 7, 3, 5, 2)})
    assert "were the names sorted by their length" in said and ("longest" in said) is longest
    assert misnamed([listed], len(names), {one: f"it is a {names[one]}\n" for one in (0, 7, 3, 5, 2)}) == ""


def test_names_from_the_last_of_the_alphabet_on() -> None:
    names = ["oak", "ash", "elm", "fir", "yew"]
    listed = ("trees.txt", "\n".join(names).encode())
    texts = {one: f"{sorted(names, reverse=True)[one]}\n" for one in range(5)}
    assert "the last of the alphabet first?" in misnamed([listed], 5, texts)


@pytest.mark.parametrize("form", ["limit {} km/h (100.0 %)\n", "{}\n", "it is {}, 20 % sure\n"])
@pytest.mark.parametrize("names", [
    ["100", "120", "20", "30", "50", "60", "70", "80"],
    ["a10", "a11", "a2", "a30", "b1", "b4"],
    ["10", "12", "1", "2", "5"],
])  # fmt: skip
def test_names_sorted_by_their_numbers(names: Sequence[str], form: str) -> None:
    """Folders of a training set are in the order of their names as texts."""
    listed = ("kinds.txt", "\n".join(names).encode())
    places = (len(names) - 1, 0, 2, 3, 1)

    def said(order: Sequence[str]) -> str:
        return misnamed([listed], len(names), {one: form.format(order[one]) for one in places})

    by_number = sorted(names, key=lambda name: (int("".join(filter(str.isdecimal, name))), name))
    assert "sorted by the numbers in them?" in said(by_number)
    assert "the largest first?" in said(by_number[::-1])
    assert said(names) == ""
    assert said([str(7 * at + 1000) for at in range(len(names))]) == "", "numbers of another list"
