"""Pictures that were turned on purpose because their file has them turned, and ones turned by mistake."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin.resizing import TURNS
from pywasm_nn.watch.whatif.sureness import Answer, every_answer
from pywasm_nn.watch.whatif.turned_back import (
    HALF_TURN,
    MOST_ASKED,
    Compared,
    Held,
    Round,
    TurnedBack,
    asked_back,
    words_of,
)
from tests.watch.test_false_alarms import reads
from tests.watch.test_origin import ppm
from tests.watch.whatif_models import encoded, picture, planar, recogniser

ORDER = numpy.random.default_rng(34)
SELF_INVERSE = ["upside down", HALF_TURN, "rows and columns swapped"]


def judged(path: Any, pictures: list[Any], turn: str, *, is_right: bool, name: str = "a.raw") -> str:
    """The hint about pictures that a model knows, sent to it upright as they should be, or turned."""
    path.write_bytes(recogniser([*pictures, *(picture(900 + at) for at in range(6))], "unit"))
    back, said = TurnedBack(), ""
    with NN(backends={"onnx": "numpy"}).load(path) as loaded:

        def ask(rounds: list[Round]) -> str:
            held = back.asked(1)
            assert held is not None
            return back.answered(1, asked_back(loaded.graph, rounds, held, 0.01))

        for upright in pictures:
            sent = planar(encoded(upright if is_right else TURNS[turn](upright), "unit"))
            if not back.holds(1, Held(0, name, turn, "hint"), None):
                said = "hint"
            if back.asked(1) is None:
                continue
            answers = every_answer(loaded.outputs, [Tensor.from_numpy(loaded.compute({"x": sent})["y"])])
            event = NNEvent("compute", "", 0.0, None, None, 1, 1, None, None, (), ())
            rounds = back.take(1, Round(event, [Tensor.from_numpy(sent)], loaded.outputs, answers))
            said = said or (ask(rounds) if rounds else "")
        for _, rounds in back.rest():
            said = said or ask(rounds)
    return said or "".join(back.finish())


@pytest.mark.parametrize("turn", SELF_INVERSE)
@pytest.mark.parametrize("count", [1, 2, 4, MOST_ASKED + 2])
def test_the_model_knows_which_side_is_up(turn: str, count: int, tmp_path: Any) -> None:
    pictures = [picture(100 * count + at) for at in range(count)]
    assert judged(tmp_path / "m.onnx", pictures, turn, is_right=True) == ""
    assert judged(tmp_path / "m.onnx", pictures, turn, is_right=False) == "hint"
    named = "columns upside.raw"
    assert judged(tmp_path / "m.onnx", pictures, turn, is_right=False, name=named) == "hint"


@pytest.mark.parametrize("turn", SELF_INVERSE)
def test_pictures_without_an_upper_side(turn: str, tmp_path: Any) -> None:
    """Nobody sees whether a tile of one colour, or of rings, is turned."""
    row, column = abs(numpy.mgrid[:32, :32] - 15.5)
    rings = [numpy.hypot(row, column) * width % 1 for width in (0.07, 0.11, 0.23)]
    pictures = [(255 * one[..., None] * [1, 0.7, 0.4]).astype("u1") for one in rings]
    assert judged(tmp_path / "m.onnx", pictures, turn, is_right=False) == ""


def unclear(seed: int, count: int) -> list[Compared]:
    """Answers of a model that is as sure of pictures in one way as in the other."""
    random = numpy.random.default_rng(seed)
    answers = [Answer(at, 0.99, 10, float(random.uniform(5, 9))) for at in range(2 * count)]
    return [Compared(*pair) for pair in zip(answers[:count], answers[count:], strict=True)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("name", "turn", "begins", "is_meant"),
    [
        ("a.raw", HALF_TURN, [0, 8, 16], False),
        ("a.raw", HALF_TURN, [40, 32, 24], True),
        ("a.raw", "upside down", [40, 32, 24], False),  # as a bitmap is read by mistake
        ("upside.raw", HALF_TURN, [0, 8, 16], True),
        ("night.cols", "rows and columns swapped", [0, 8, 16], True),
        ("night.cols", "rows and columns exchanged", [0, 8, 16], True),
        ("protocol.raw", "rows and columns swapped", [0, 8, 16], True),  # some nets want it so
        ("night.cols", HALF_TURN, [0, 8, 16], False),
    ],
)
def test_what_says_so_where_the_model_does_not(
    seed: int, name: str, turn: str, begins: list[int], is_meant: bool
) -> None:
    back, said = TurnedBack(), ""
    for row, one in zip(begins, unclear(seed, len(begins)), strict=True):
        assert back.holds(1, Held(0, name, turn, "hint"), row)
        said = said or back.answered(1, [one])
    assert (said or "".join(back.finish())) == ("" if is_meant else "hint")


def test_a_model_that_says_nothing() -> None:
    back = TurnedBack()
    back.holds(1, Held(0, "upside.raw", HALF_TURN, "hint"), None)
    assert back.answered(1, []) == "hint"
    assert not back.holds(1, Held(0, "upside.raw", HALF_TURN, "hint"), None), "the next one is said at once"


@pytest.mark.parametrize("turn", ["rows and columns swapped", "rows and columns exchanged"])
def test_columns_for_a_model_that_says_nothing(turn: str) -> None:
    """Nets that came from MATLAB want them, and say places, maps or depths, of which none is surer."""
    back = TurnedBack()
    back.holds(1, Held(0, "street.ppm", turn, "hint"), None)
    assert back.answered(1, []) == ""
    assert back.holds(1, Held(0, "street.ppm", turn, "hint"), None), "nor is the next one said"


def given(*outputs: Any) -> tuple[list[TensorSpec], list[Tensor]]:
    tensors = [Tensor.from_numpy(numpy.asarray(one, "f4")) for one in outputs]
    return [TensorSpec("y", one.dtype, one.shape) for one in tensors], tensors


def words(*outputs: Any) -> list[Answer]:
    return words_of(*given(*outputs))


def test_the_word_of_a_model_with_several_outputs() -> None:
    corners, points = ORDER.normal(0, 0.2, (3, 4)), ORDER.random((3, 10))
    shares = [[0.02, 0.98], [0.9, 0.1], [0.4, 0.6]]
    assert [(one.place, round(one.sure, 2)) for one in words(corners, points, shares)] == [
        (1, 0.98), (0, 0.9), (1, 0.6)
    ]  # fmt: skip
    assert words(corners, points) == []
    assert words(points, shares, shares) == [], "which of them is asked?"
    boxes, scores = ORDER.normal(0, 1, (1, 200, 4)), ORDER.random((1, 200, 1)) * 0.7
    scores[0, 77] = 0.8
    (surest,) = words(boxes, scores)
    assert round(surest.sure, 2) == 0.8 and round(surest.margin, 2) == 1.39
    for turn, surer in [("upside down", True), (HALF_TURN, True), ("rows and columns swapped", False)]:
        held = Held(0, "a.bmp", turn, "hint")
        assert held.has_to_be_surer(*given(boxes, scores)) == surer
        assert not held.has_to_be_surer(*given([[0.1, 0.9]]))


@pytest.mark.parametrize("turn", [HALF_TURN, "upside down"])
@pytest.mark.parametrize(
    ("sent", "back", "is_meant"),
    [
        ([0.93], [0.73], True),  # a camera that stands upside down
        ([0.73], [0.93], False),
        ([0.999], [0.999], False),  # text is found as surely there
        ([0.99], [0.97], False),
        ([0.8], [0.75], False),
        ([0.9, 0.8, 0.95], [0.5, 0.7, 0.3], True),
        ([0.9, 0.2, 0.95], [0.5, 0.9, 0.6], False),
    ],
)
def test_only_a_surer_detection_says_that_a_turn_is_meant(
    turn: str, sent: list[float], back: list[float], is_meant: bool
) -> None:
    def found(share: float) -> Answer:
        scores = ORDER.random((1, 200, 1)) * 0.1
        scores[0, 77] = share
        (one,) = words(ORDER.normal(0, 1, (1, 200, 4)), scores)
        return one

    kept = TurnedBack()
    kept.holds(1, Held(0, "upside.bmp", turn, "hint"), None)
    compared = [Compared(found(a), found(b), True) for a, b in zip(sent, back, strict=True)]
    assert (kept.answered(1, compared) or "".join(kept.finish())) == ("" if is_meant else "hint")


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("turn", ["rows and columns swapped", "rows and columns exchanged"])
def test_what_the_surest_face_says(turn: str, is_right: bool) -> None:
    (one,) = words(ORDER.random((1, 4)), ORDER.random((1, 10)), [[1e-6, 1 - 1e-6]])
    (other,) = words(ORDER.random((1, 4)), ORDER.random((1, 10)), [[0.9, 0.1]])
    back = TurnedBack()
    back.holds(1, Held(0, "faces.bmp", turn, "hint"), None)
    found = back.answered(1, [Compared(one, other) if is_right else Compared(other, one)])
    assert (found or "".join(back.finish())) == ("" if is_right else "hint")


def said(data: bytes, name: str, *sent: Any) -> list[str]:
    """The hints of a guest that reads a file and sends arrays to a model."""
    evidence, lines = Evidence(), []
    for read in reads(data, name, 5):
        evidence.host_call(read)
    for array in sent:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(array, "f4"))
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        lines += evidence.nn_event(event, ())
    return [text for rule, text in [*lines, *evidence.finish()] if rule is not None]


@pytest.mark.parametrize("side", [12, 16, 48])
def test_a_picture_that_is_sent_as_it_is_afterwards(side: int) -> None:
    shown = picture(side, side, side)
    own, turned = planar(shown / 255), planar(shown[::-1] / 255)
    assert len(said(ppm(shown), "a.ppm", turned)) == 1
    assert said(ppm(shown), "a.ppm", turned, own) == said(ppm(shown), "a.ppm", own, turned) == []


def moved(pixels: Any, by: int) -> Any:
    """Columns moved to the right, or left, with zeros where none come from."""
    made = numpy.roll(pixels, by, axis=-1)
    made[..., slice(0, by) if by > 0 else slice(by, None)] = 0
    return made


@pytest.mark.parametrize("by", [1, -1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_columns_that_are_shifted_on_purpose(seed: int, by: int) -> None:
    """Copies of a picture in a text, beside which it is sent as it is, first or last."""
    lines = numpy.random.default_rng(seed).integers(0, 17, (8, 8))
    data = "".join(" ".join(map(str, line)) + "\n" for line in lines.tolist()).encode()
    own = lines[None, None] / 16
    alone = said(data, "one.txt", moved(own, by))
    assert [text for text in alone if "the columns are shifted by" in text] == alone != []
    assert said(data, "one.txt", own, moved(own, by)) == said(data, "one.txt", moved(own, by), own) == []


def test_columns_of_other_lines_that_are_shifted() -> None:
    """A window that is sent as it is says nothing of the next one, which is shifted."""
    lines = numpy.random.default_rng(5).integers(0, 99, (16, 8))
    data = "".join(" ".join(map(str, line)) + "\n" for line in lines.tolist()).encode()
    first, second = (part[None, None] / 99 for part in (lines[:8], lines[8:]))
    assert len(said(data, "windows.txt", first, moved(second, 1))) == 1
