"""Texts that guests make of rows of letters (CTC): mistakes, and the right text."""

from __future__ import annotations

from itertools import groupby
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.recognised import Recognised

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz-."
STEPS = [0, 33, 33, 0, 15, 22, 0, 22, 25, 25, 25, 0, 0, 3, 3, 0, 12, 0, 0, 7]
"""Classes, of which 0 is the blank."""


def answer(blank: int = 0, classes: int = len(LETTERS) + 1) -> Any:
    made = numpy.random.default_rng(4).uniform(0, 0.3, (1, len(STEPS), classes)).astype("f4")
    for step, one in enumerate(STEPS):
        made[0, step, one if blank == 0 else one - 1 if one else blank] = 0.9
    return made


def told(array: Any, text: str, *, listed: str | None = LETTERS) -> str:
    files = [("letters.txt", "\n".join(listed).encode())] if listed else []
    rule = Recognised(lambda: files)
    spec = SimpleNamespace(name="y")
    event: Any = SimpleNamespace(
        error=None, operation="compute", tensors=(Tensor.from_numpy(array),), specs=(spec,)
    )
    rule.nn_event(event)
    arguments = (("fd", 1), ("ciovs", [f"text: {text} (0.91)\n".encode()]))
    rule.host_call(SimpleNamespace(name="fd_write", error=None, arguments=arguments))  # type: ignore[arg-type]
    return "; ".join(text for _, text in rule.finish())


def letters(classes: Any, *, by: int = 1, merged: bool = True) -> str:
    kept = [one for one, _ in groupby(classes)] if merged else classes
    return "".join(LETTERS[one - by] for one in kept if one and 0 <= one - by < len(LETTERS))


def strided(length: int) -> str:
    flat = answer().reshape(-1)
    return letters(flat[: flat.size // length * length].reshape(-1, length).argmax(axis=1).tolist())


def crossed() -> str:
    """By the largest element of each row as if rows and columns were exchanged."""
    flat = answer().reshape(-1)
    return letters([int(flat[step :: len(STEPS)].argmax()) for step in range(len(STEPS))])


RIGHT = letters(STEPS)
CASES = {
    RIGHT: "",
    letters(STEPS, merged=False): "are not merged",
    letters([one for one in STEPS if one]): "blanks are taken away before",
    letters(STEPS, by=0): "the letter behind its own",
    letters(STEPS, by=2): "the letter before its own",
    strided(len(LETTERS)): f"had {len(LETTERS)} elements; they have {len(LETTERS) + 1}",
    strided(len(LETTERS) + 2): f"had {len(LETTERS) + 2} elements",
    crossed(): "along the wrong axis",
    "another text": "",
}


@pytest.mark.parametrize("text", CASES)
def test_letters(text: str) -> None:
    said = CASES[text]
    found = told(answer(), text)
    assert (said in found and f'rightly read it is "{RIGHT}"' in found) if said else found == ""
    assert told(answer(), text, listed=None) == "", "nothing says the letters"


def test_other_blanks() -> None:
    assert told(answer(len(LETTERS)), RIGHT) == ""
    assert "are not merged" in told(answer(len(LETTERS)), letters(STEPS, merged=False))
    listed = "~" + LETTERS
    assert told(answer(), RIGHT, listed=listed) == "", "the list begins with the blank"
    assert "are not merged" in told(answer(), letters(STEPS, merged=False), listed=listed)
    assert told(answer()[:, :, None], letters(STEPS, merged=False)) == "", "a map"


def test_few_letters_that_lie_beside_others_by_chance() -> None:
    """Each cell of a picture is a character of a short list; by another reading it is the one beside."""
    shades = " .:-=+*#%@"
    made = numpy.full((1, 24, len(shades) + 1), 0.1, "f4")
    made[0, range(24), [0, 8, 9, 0, 8, 9, 0, 8] * 3] = 0.9
    rows = "%@%@%@%@"
    assert told(made, f"{rows}\n{rows}", listed=shades) == ""


def test_letters_that_are_missing() -> None:
    """A guest in C writes (null) for a letter that it doesn't have, and others nothing, or a space."""
    short = LETTERS[: max(STEPS) - 1]
    text = "".join(short[one] if one < len(short) else "?" for one, _ in groupby(STEPS) if one)
    assert text.count("?") == 1
    for instead in ("(null)", "undefined", " ", ""):
        found = told(answer(classes=len(short) + 2), text.replace("?", instead), listed=short)
        assert "the letter behind its own" in found, instead


def steps(text: str, blank: int, first: int) -> list[int]:
    """Classes that give a text, some of them several times."""
    path = [blank]
    for at, letter in enumerate(text):
        own = len(WORDS) + first if letter == " " else WORDS.index(letter) + first
        path += [blank] * (at > 0 and text[at - 1] == letter) + [own] * (1 + at % 3) + [blank] * (at % 2)
    return path


WORDS = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(("blank", "first", "classes"), [(0, 1, 28), (27, 0, 28), (0, 1, 27), (26, 0, 27)])
@pytest.mark.parametrize("text", ["hello", "bookkeeper", "see all of it"])
def test_words(blank: int, first: int, classes: int, text: str) -> None:
    text = text if classes == 28 else text.replace(" ", "")
    path = steps(text, blank, first)
    array = numpy.eye(classes, dtype="f4")[path][None]
    assert told(array, text, listed=WORDS) == told(array, text.replace(" ", ""), listed=WORDS) == ""
    kept = "".join(f"{WORDS} "[one - first] for one in path if one != blank)
    assert "are not merged" in told(array, kept, listed=WORDS)
    single = "".join(one for at, one in enumerate(kept) if at == 0 or kept[at - 1] != one)
    assert "blanks are taken away before" in told(array, single, listed=WORDS)
    assert told(array, "something else", listed=WORDS) == told(array, kept, listed="ab") == ""


@pytest.mark.parametrize("words", ["bookkeeper wool", "three small trees"])
def test_memory_behind_the_list(words: str) -> None:
    """In C++ a letter that the list doesn't have is whatever lies there, for as long as no 0 follows."""
    array = numpy.eye(28, dtype="f4")[steps(words, 0, 1)][None]
    memory = " \ufffd6Z??u:~k#\n" * 8
    wrong = memory.join("".join(WORDS[WORDS.index(one) + 1] for one in word) for word in words.split())
    found = told(array, wrong, listed=WORDS)
    assert "the letter behind its own" in found and f'rightly read it is "{words}"' in found
    assert told(array, memory.join(words.split()), listed=WORDS) == ""
    assert told(array, wrong.replace(memory, 40 * memory), listed=WORDS) == "", "far apart"
    assert told(array, memory.join(wrong), listed=WORDS) == "", "of single letters it may be chance"


def test_a_blank_that_is_written() -> None:
    array = numpy.eye(27, dtype="f4")[steps("money", 26, 0)][None]
    assert told(array, "money", listed=WORDS + "_") == ""
    assert "class 26, is written as a letter" in told(array, "_mo_ne_y", listed=WORDS + "_")


SPACED = LETTERS[:-1] + " "
STOPS = [0, 30, 12, 0, 38, 38, 0, 25, 12, 0, 0, 38, 38, 38, 0, 7, 0, 0, 29, 3]
"""These classes say spaces at several steps in a row."""


def spelt(text: str) -> str:
    made = numpy.random.default_rng(5).uniform(0, 0.3, (len(STOPS), len(SPACED) + 1)).astype("f4")
    made[range(len(STOPS)), STOPS] = 0.9
    return told(made, text, listed=SPACED)


def test_spaces_alone_that_are_not_merged() -> None:
    assert "with 3 spaces more than the answer has" in spelt("tb  ob   6s2")
    for right in ("tb ob 6s2", "tbob6s2", "tb ob 6s2; tb  ob   6s2", "tb_ob_6s2", "tb     ob     6s2"):
        assert spelt(right) == ""
