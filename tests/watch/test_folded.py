"""Final letters that were sent as those elsewhere in a word."""

from pathlib import Path

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.watch.whatif.folded import FOLDED, folded, unfolded
from tests.watch.test_backwards import tagger

TEXTS = ["שלום עולם טוב לכולם", "καλός φίλος και λόγος"]


def numbers_of(text: str, *, fold: bool) -> list[int]:
    base = min(map(ord, (one for one in text if one != " "))) - 3
    return [0 if one == " " else ord(FOLDED.get(one, one) if fold else one) - base for one in text]


@pytest.mark.parametrize("text", TEXTS)
def test_letters_that_leave_a_number_free(text: str) -> None:
    made, letters = unfolded(text, numbers_of(text, fold=True))
    assert letters and {*letters} <= {*FOLDED} and made == numbers_of(text, fold=False)
    assert unfolded(text, numbers_of(text, fold=False)) == ([], [])
    close = sorted({FOLDED.get(one, one) for one in text})  # an alphabet without final letters
    assert unfolded(text, [close.index(FOLDED.get(one, one)) for one in text]) == ([], [])


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("knows", [True, False])
def test_the_model_decides(text: str, knows: bool, tmp_path: Path) -> None:
    sent = numbers_of(text, fold=True)
    data = tagger(len(sent), is_surer_of=numbers_of(text, fold=not knows), steep=5)
    (tmp_path / "m.onnx").write_bytes(data)
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": numpy.array([sent], "f4")})
        found = folded(model.graph, given, [("a.txt", text.encode())], 0.01)
    assert (found is not None and "have numbers as in Unicode" in found) is knows


@pytest.mark.parametrize("text", TEXTS)
def test_letters_that_are_folded_on_purpose(text: str, tmp_path: Path) -> None:
    """What a model says of a number that it never saw is chance: it may be surer of that than of the right
    one, and so of another one."""
    sent, own = numbers_of(text, fold=True), numbers_of(text, fold=False)
    wanted = [two - 1 if one != two else one for one, two in zip(sent, own, strict=True)]
    (tmp_path / "m.onnx").write_bytes(tagger(len(sent), is_surer_of=wanted))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": numpy.array([sent], "f4")})
        assert folded(model.graph, given, [("a.txt", text.encode())], 0.01) is None
