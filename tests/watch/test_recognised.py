"""Texts that guests make of rows of letters (CTC): mistakes, and the right text."""

from __future__ import annotations

from itertools import groupby
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.recognised import Recognised

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
        error=None, operation="get_output", tensors=(Tensor.from_numpy(array),), specs=(spec,), index=0
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


RIGHT = letters(STEPS)
CASES = {
    RIGHT: "",
    letters(STEPS, merged=False): "are not merged",
    letters([one for one in STEPS if one]): "blanks are taken away before",
    letters(STEPS, by=0): "the letter behind its own",
    letters(STEPS, by=2): "the letter before its own",
    strided(len(LETTERS)): f"had {len(LETTERS)} elements; they have {len(LETTERS) + 1}",
    strided(len(LETTERS) + 2): f"had {len(LETTERS) + 2} elements",
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
