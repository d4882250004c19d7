"""Letters and digits that a guest counts in another order than the model, by names of files."""

from __future__ import annotations

from string import ascii_uppercase, digits
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.signs import Signs

PLATE = "KA07WXB"
RIGHT, WRONG = digits + ascii_uppercase, ascii_uppercase + digits


def hint(answer: Any, text: str, file: str, *, arguments: tuple[str, ...] = ()) -> str:
    signs = Signs(lambda: [(file, b"")] if file else [], ("guest.wasm", *arguments))
    spec, tensor = SimpleNamespace(name="letters"), Tensor.from_numpy(answer.astype("f4"))
    event: Any = SimpleNamespace(operation="compute", error=None, specs=[spec], tensors=[tensor])
    signs.nn_event(event)
    call: Any = SimpleNamespace(
        name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [text.encode()]))
    )
    signs.host_call(call)
    return "".join(said for _, said in signs.finish())


def answer_of(classes: list[int], count: int) -> Any:
    return numpy.eye(count)[classes][None]


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (WRONG, "which counts classes A to Z, then 0 to 9; counted 0 to 9, then A to Z it is"),
        (RIGHT, ""),
        (WRONG.lower(), "a to z, then 0 to 9"),
        (RIGHT[::-1], ""),
    ],
)
def test_plates(read: str, words: str) -> None:
    classes = [RIGHT.index(one) for one in PLATE]
    said = "".join(read[one] for one in classes)
    for file, arguments in (("plates/ka07wxb.png", ()), ("", ("data/KA07WXB.jpg",))):
        found = hint(answer_of(classes, 36), f"{file}: {said}\n", file, arguments=arguments)
        assert words in found and bool(words) == bool(found)
    assert hint(answer_of(classes, 36), f"{said}\n", "plates/front.png") == ""


@pytest.mark.parametrize("blank", [0, 36])
def test_steps_with_a_blank(blank: int) -> None:
    first = 0 if blank else 1
    classes = [blank]
    for one in PLATE:
        classes += [RIGHT.index(one) + first] * 2 + [blank]
    for order, words in ((RIGHT, ""), (WRONG, "counted 0 to 9, then A to Z it is")):
        said = "".join(order[RIGHT.index(one)] for one in PLATE)
        found = hint(answer_of(classes, 37), f"it says {said}\n", "img/ka07wxb_01.png")
        assert words in found and bool(words) == bool(found)
