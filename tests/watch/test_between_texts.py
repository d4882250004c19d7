"""States that go on from one text to the next: mistakes, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif.between_texts import BetweenTexts

TEXTS = ["bebe mama abab bababa abba", "zorro zot oz otto zozo tot", "ama ab"]
"""Two texts with letters from the beginning of the alphabet, and one with others."""
ALPHABET = "abcdefghijklmnopqrstuvwxyz "
INPUTS = (TensorSpec("char", DType.I32, (1,)), TensorSpec("h", DType.F32, (1, 2)))
OUTPUTS = (TensorSpec("probs", DType.F32, (1, 2)), TensorSpec("h_new", DType.F32, (1, 2)))


class Reader:
    """A model that says in which half of the alphabet the letters of late are; it forgets slowly."""

    inputs, outputs = INPUTS, OUTPUTS

    def __init__(self, keeps: float = 0.93) -> None:
        self._keeps, self._given, self.made = keeps, dict[int, Any](), list[Tensor]()

    def opened(self) -> Reader:
        return self

    def close(self) -> None:
        pass

    def set_input(self, index: int, tensor: Tensor) -> None:
        self._given[index] = tensor.numpy().copy()

    def compute(self) -> None:
        letter = ALPHABET[int(self._given[0][0])]
        is_first, is_blank = letter < "n", letter == " "
        new = numpy.zeros(2) if is_blank else numpy.array([is_first, not is_first]) * 0.4
        state = self._keeps * self._given[1].astype("f8") + new
        shares = numpy.exp(state) / numpy.exp(state).sum()
        self.made = [Tensor.from_numpy(one.astype("f4").reshape(1, 2)) for one in (shares, state)]

    def output(self, index: int) -> Tensor:
        return self.made[index]


def event(operation: str, reader: Reader, index: int = 0, tensors: Any = ()) -> Any:
    more = {"error": None, "context_id": 1, "graph_id": 1, "given": (), "seconds": 0.001}
    specs = (INPUTS[index],) if operation == "set_input" else OUTPUTS
    return SimpleNamespace(
        operation=operation, graph=reader, index=index, specs=specs, tensors=tensors, **more
    )


def written(text: str) -> Any:
    arguments = [("fd", 1), ("ciovs", [text.encode()])]
    return SimpleNamespace(error=None, module="wasi_snapshot_preview1", name="fd_write", arguments=arguments)


def hint(
    texts: list[str],
    *,
    resets: bool = False,
    keeps: float = 0.93,
    form: str = "{0:.2f}  {1}",
    files: Any = (),
) -> str:
    """What is said of texts that are read letter by letter, and named in the lines that are written."""
    reader = Reader(keeps)
    rule = BetweenTexts(lambda: files, lambda _, question: question(Reader(keeps), 0.001, 1.0))
    state, said = numpy.zeros((1, 2), "f4"), ""
    for text in texts:
        state = numpy.zeros((1, 2), "f4") if resets else state
        for letter in (one for one in text.lower() if one in ALPHABET):
            for index, array in enumerate((numpy.array([ALPHABET.index(letter)], "i4"), state)):
                tensor = Tensor.from_numpy(array)
                reader.set_input(index, tensor)
                rule.nn_event(event("set_input", reader, index, (tensor,)))
            reader.compute()
            rule.nn_event(event("compute", reader, tensors=tuple(reader.made)))
            state = reader.made[1].numpy().copy()
        said += form.format(float(reader.made[0].numpy().max()), text) + "\n"
    rule.host_call(written(said))
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize("form", ["{0:.2f}  {1}", "{1}\t{0:.2f}", '"{1}" {0:.2f}'])
def test_a_state_that_goes_on(form: str) -> None:
    found = hint(TEXTS, form=form)
    assert 'the state "h" goes on through all 3 texts: of "ama ab"' in found
    assert "is the state to be set back before each?" in found
    assert hint(TEXTS, form=form, resets=True) == ""
    marked = ["Bebe mama, abab: bababa abba!", TEXTS[1], "Ama ab..."]
    assert "Ama ab" in hint(marked, form=form), "marks are not sent"


def test_what_the_texts_are() -> None:
    files: Any = (("texts.txt", "\n".join(TEXTS).encode()),)
    assert "through all 3 texts" in hint(TEXTS, form="{0:.2f}", files=files)
    assert hint(TEXTS, form="{0:.2f}") == "", "nobody knows where texts end"


def test_a_state_that_does_no_harm() -> None:
    assert hint(TEXTS, keeps=0.5) == "", "it is forgotten"
    assert hint([TEXTS[0], TEXTS[1], "oz tot"]) == "", "the answer is the same"
    assert hint(TEXTS[1:]) == "", "two texts are few"


def test_a_long_text_that_is_read_line_by_line() -> None:
    """A model that goes on with what it has read says something else of some line alone, but not of each."""
    assert 'of "ama ab"' in hint(TEXTS)
    assert hint([*TEXTS, "moon"]) == "", "alone it gets the same"
