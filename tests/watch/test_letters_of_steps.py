"""Texts that are written of the steps of a model."""

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.letters_of_steps import LettersOfSteps

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LIST = ("letters.txt", "\n".join(LETTERS).encode() + b"\n")


def steps(text: str, blank: int, first: int) -> list[int]:
    """Classes that give a text, some of them several times."""
    path = [blank]
    for at, letter in enumerate(text):
        own = len(LETTERS) + first if letter == " " else LETTERS.index(letter) + first
        path += [blank] * (at > 0 and text[at - 1] == letter) + [own] * (1 + at % 3) + [blank] * (at % 2)
    return path


def said(path: list[int], text: str, classes: int, *files: tuple[str, bytes]) -> str:
    rule = LettersOfSteps(lambda: files or (LIST,))
    logits = numpy.eye(classes, dtype="f4")[path][None]
    tensor = Tensor.from_numpy(logits)
    spec = TensorSpec("probs", tensor.dtype, tensor.shape)
    rule.nn_event(NNEvent("compute", "", 0.0, None, None, 1, 1, None, None, (spec,), (tensor,)))
    arguments = (("fd", 1), ("ciovs", [f"text: {text}\n".encode()]), ("nwritten", 1))
    call: Any = SimpleNamespace(name="fd_write", arguments=arguments, error=None, result=0)
    rule.host_call(call)
    return "".join(text for _, text in rule.finish())


def joined(path: list[int], blank: int, first: int) -> str:
    """A letter for each step that is no blank."""
    return "".join(f"{LETTERS} "[one - first] for one in path if one != blank)


@pytest.mark.parametrize(("blank", "first", "classes"), [(0, 1, 28), (27, 0, 28), (0, 1, 27), (26, 0, 27)])
@pytest.mark.parametrize("text", ["hello", "bookkeeper", "see all of it"])
def test_letters(blank: int, first: int, classes: int, text: str) -> None:
    text = text if classes == 28 else text.replace(" ", "")
    path = steps(text, blank, first)
    assert said(path, text, classes) == said(path, text.replace(" ", ""), classes) == ""
    kept = joined(path, blank, first)
    assert (
        f"was kept: it is one letter, unless a blank is between; as it is meant the text is {text!r}"
        in said(path, kept, classes)
    )
    single = "".join(one for at, one in enumerate(kept) if at == 0 or kept[at - 1] != one)
    assert "a letter that is double lost one" in said(path, single, classes)
    assert said(path, "something else", classes) == said(path, kept, classes, ("n.txt", b"a\nb\n")) == ""


@pytest.mark.parametrize("by", [1, -1])
def test_a_blank_that_is_no_line(by: int) -> None:
    path = steps("money", 0, 1)
    text = "".join(chr(ord(one) + by) for one in "money")
    side = "late" if by == 1 else "early"
    assert f"letters are one place {side} in letters.txt" in said(path, text, 27)
    assert said(path, text, 27, ("other.txt", b"\n".join([b"?"] * 26))) == ""
