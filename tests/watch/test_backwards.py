"""Letters that were sent from the last one to the first one, whatever numbers they have."""

from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.watch.whatif.backwards import backwards, turned
from tests.nn.backends.onnx_writer import Model, node

HEBREW = "ירושלים היא עיר הבירה"
ENGLISH = "the rain has gone and the reeds are green again"


def numbers_of(text: str) -> list[int]:
    """Any number for each letter."""
    order = numpy.random.default_rng(3).permutation(len({*text})) + 2
    known = dict(zip(sorted({*text}), order.tolist(), strict=True))
    return [known[one] for one in text]


def tagger(length: int, *, is_surer_of: Sequence[int], steep: float = 1) -> bytes:
    """A model that is sure of each letter if its number is this one, and the less the farther it is from
    that."""
    nodes = [
        node("Sub", ["x", "known"], ["d"]),
        node("Mul", ["d", "d"], ["q"]),
        node("Mul", ["q", "steep"], ["e"]),
        node("Sub", ["far", "e"], ["g"]),
        node("Relu", ["g"], ["f"]),
        node("Concat", ["f", "zero"], ["y"], axis=0),
        node("Transpose", ["y"], ["z"], perm=[1, 0]),
    ]
    constants = {
        "known": numpy.array([is_surer_of], "f4"),
        "steep": numpy.array([steep], "f4"),
        "far": numpy.full((1, length), 6, "f4"),
        "zero": numpy.zeros((1, length), "f4"),
    }
    shapes = {"x": ("float32", [1, length])}, {"z": ("float32", [length, 2])}
    return Model(nodes, *shapes, constants).data()


@pytest.mark.parametrize("around", [([], []), ([1], [1]), ([1], [1, 0, 0, 0, 0])])
@pytest.mark.parametrize("text", [HEBREW, ENGLISH])
def test_where_a_text_lies_backwards(text: str, around: tuple[list[int], list[int]]) -> None:
    files = [("a.txt", f"a first line\n{text}\n".encode())]
    before, behind = around
    row = [*before, *numbers_of(text)[::-1], *behind]
    assert turned(row, files) == (text, len(before))
    assert turned([*before, *numbers_of(text), *behind], files) == ("", 0)
    assert turned([*before, *sorted(numbers_of(text)), *behind], files) == ("", 0)


@pytest.mark.parametrize(
    ("text", "knows_turned", "is_said"),
    [(HEBREW, True, False), (HEBREW, False, True), (ENGLISH, True, False), (ENGLISH, False, True)],
)
def test_the_model_decides(text: str, knows_turned: bool, is_said: bool, tmp_path: Path) -> None:
    own = numbers_of(text)
    (tmp_path / "m.onnx").write_bytes(tagger(len(own), is_surer_of=own[::-1] if knows_turned else own))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": numpy.array([own[::-1]], "f4")})
        found = backwards(model.graph, given, [("a.txt", text.encode())], 0.01)
    assert (found is not None and "lie backwards" in found) is is_said


def test_a_model_that_is_surer_of_any_order(tmp_path: Path) -> None:
    """It reads from the end on, and doubts this text: of its letters in a random order it is surer, too."""
    own = numbers_of(ENGLISH)
    mixed = numpy.random.default_rng(0).permutation(own[::-1]).tolist()
    known = ((numpy.array(own) + mixed) / 2).tolist()
    (tmp_path / "m.onnx").write_bytes(tagger(len(own), is_surer_of=known, steep=0.3))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": numpy.array([own[::-1]], "f4")})
        assert backwards(model.graph, given, [("a.txt", ENGLISH.encode())], 0.01) is None
