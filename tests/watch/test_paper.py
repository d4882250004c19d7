"""Dark ink on white paper, sent to models that were trained on bright ink on black, and to others."""

from __future__ import annotations

from collections.abc import Sequence
from time import sleep
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.backend import Graph
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.whatif import WhatIf, several
from pywasm_nn.watch.whatif.paper import all_on_paper, are_surer, of_ink, on_paper, paper_of
from pywasm_nn.watch.whatif.several import Several
from pywasm_nn.watch.whatif.sureness import Answer, answer_of, answers_of
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_several import asked

SIDE = 20
ROW, COLUMN = numpy.mgrid[:SIDE, :SIDE]
INSIDE = (ROW > 3) & (ROW < 16)
SHAPES = numpy.stack(
    [
        INSIDE & (abs(COLUMN - 9) < 2),
        (abs(ROW - 9) < 2) & (COLUMN > 3) & (COLUMN < 16),
        INSIDE & (abs(ROW - COLUMN) < 3),
        INSIDE & (abs(ROW + COLUMN - 19) < 3),
        abs(numpy.hypot(ROW - 9.5, COLUMN - 9.5) - 5) < 1.5,
    ]
).astype("f8")
ASIDE = ((0, 0), (0, 1), (1, 0), (0, -1))
WIDE = numpy.stack([sum(numpy.roll(one, by, (0, 1)) for by in ASIDE) for one in SHAPES])


def model(
    *, on_black: bool, shape: Sequence[int | str], pull: float = 0.08, bias_of_4: float = -5.0
) -> bytes:
    """A model that knows strokes a pixel aside, too, and takes a white ground, or a black one, for 4, by a
    `pull` of each pixel."""
    weights = WIDE.reshape(len(WIDE), -1) / WIDE.sum(axis=(1, 2))[:, None]
    weights = 40 * (weights - weights.mean(axis=0))
    weights[4] += pull
    bias = numpy.array([0, 0, 0, 0, bias_of_4])
    if not on_black:
        weights, bias = -weights, bias + weights.sum(axis=1)
    nodes = [
        node("Flatten", ["x"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    numbers = {"w": weights.T.astype("f4"), "b": bias.astype("f4")}
    return Model(nodes, {"x": ("float32", [*shape])}, {"y": ("float32", [shape[0], 5])}, numbers).data()


def hint(tmp_path: Any, number: int, *, on_black: bool, sent_on_black: bool, shape: tuple[int, ...]) -> str:
    (tmp_path / "m.onnx").write_bytes(model(on_black=on_black, shape=shape))
    ink = SHAPES[number] if sent_on_black else 1 - SHAPES[number]
    tensor = Tensor.from_numpy(ink.reshape(shape).astype("f4"))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        given = loaded.compute({"x": tensor.numpy()})["y"]
        sent = answer_of(loaded.outputs, [Tensor.from_numpy(given)])
        assert sent is not None and (sent.place == number) is (on_black is sent_on_black)
        return on_paper(loaded.graph, [tensor], sent, 0.001) or ""


@pytest.mark.parametrize("shape", [(1, 1, SIDE, SIDE), (1, SIDE, SIDE, 1), (1, SIDE * SIDE)])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_ink_on_white_paper(number: int, shape: tuple[int, ...], tmp_path: Any) -> None:
    found = hint(tmp_path, number, on_black=True, sent_on_black=False, shape=shape)
    assert f"with black and white swapped the answer is {number} at " in found
    assert "and the model says the same of white paper without ink" in found
    for on_black in (True, False):
        assert hint(tmp_path, number, on_black=on_black, sent_on_black=on_black, shape=shape) == ""


def firmer(tmp_path: Any, ink: Any, *, on_black: bool) -> str:
    shape = (1, 1, SIDE, SIDE)
    (tmp_path / "m.onnx").write_bytes(model(on_black=on_black, shape=shape, pull=0.005, bias_of_4=-1.0))
    tensor = Tensor.from_numpy(ink.reshape(shape).astype("f4"))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        given = loaded.compute({"x": tensor.numpy()})["y"]
        sent = answer_of(loaded.outputs, [Tensor.from_numpy(given)])
        return on_paper(loaded.graph, [tensor], sent, 0.001) or ""


def test_paper_that_gets_another_answer_than_without_ink(tmp_path: Any) -> None:
    """The model is far surer of the swapped picture, and of what was sent no more than of random orders."""
    said = firmer(tmp_path, 1 - SHAPES[3], on_black=True)
    assert "with black and white swapped the answer is 3 at 1.00; as sent it is 2" in said
    assert "is as sure of its elements in random orders, which show nothing" in said
    for ink in SHAPES:
        assert firmer(tmp_path, ink, on_black=True) == firmer(tmp_path, 1 - ink, on_black=False) == ""


def test_pictures_that_are_no_paper() -> None:
    paper = 1 - SHAPES[0]
    assert paper_of(Tensor.from_numpy(paper[None].astype("f4"))) is not None
    for other in (SHAPES[0], paper[:, : SIDE // 2], numpy.stack([paper] * 3), paper * 0 + 1, COLUMN / SIDE):
        assert paper_of(Tensor.from_numpy(numpy.ascontiguousarray(other[None].astype("f4")))) is None


@pytest.mark.parametrize(("side", "seen"), [(16, True), (24, True), (40, False)])
def test_strokes_that_reach_the_border(side: int, seen: bool) -> None:
    """A small square picture is often cut out right around its strokes, and a large one is a photograph."""
    paper = numpy.ones((side, side), "f4")
    paper[:, side // 4 : side // 4 + side * 9 // 20] = 0
    for shape in ((1, 1, side, side), (1, side, side, 1)):
        assert (paper_of(Tensor.from_numpy(paper.reshape(shape))) is not None) is seen
    paper[side // 4 : side // 2] = 0
    assert paper_of(Tensor.from_numpy(paper[None])) is None


@pytest.mark.parametrize("on_black", [True, False])
def test_several_pictures_on_white_paper(on_black: bool, tmp_path: Any) -> None:
    """Of each alone nothing may be known: of others in random orders the model may say something else."""
    shape = (1, 1, SIDE, SIDE)
    data = model(on_black=on_black, shape=shape)
    sent = [(1 - one if on_black else one).reshape(shape).astype("f4") for one in SHAPES[:4]]
    found = asked(tmp_path, data, sent)
    if on_black:
        assert (
            "all 3 pictures get the answer 4, which the model says of white paper without ink, too" in found
        )
        assert "with black and white swapped they get 0, 1, 2" in found
    else:
        assert "the answer 4, which the model says of black without ink, too" in found
        assert "they get 0, 1, 2: does it want dark ink on white" in found
    assert asked(tmp_path, data, [1 - one for one in sent]) == ""


def test_several_papers_in_one_dimension(tmp_path: Any) -> None:
    shape = (1, SIDE * SIDE)
    paper = [(1 - one).reshape(shape).astype("f4") for one in SHAPES[:4]]
    found = asked(tmp_path, model(on_black=True, shape=shape), paper)
    assert "with black and white swapped they get 0, 1, 2: does it want bright ink on black" in found
    found = asked(tmp_path, of_strokes(on_black=True, shape=shape), paper)
    assert "pictures are dark ink on white paper; with black and white swapped the answers are" in found
    for on_black, sent in ((True, [1 - one for one in paper]), (False, paper)):
        for known in (model(on_black=on_black, shape=shape), of_strokes(on_black=on_black, shape=shape)):
            assert asked(tmp_path, known, sent) == ""
    counts = [numpy.random.default_rng(seed).poisson(0.2, shape).astype("f4") for seed in range(4)]
    assert asked(tmp_path, model(on_black=True, shape=shape), counts) == "", "no pictures"


@pytest.mark.parametrize("on_black", [True, False])
def test_most_pictures_on_a_wrong_ground(on_black: bool, tmp_path: Any) -> None:
    """One of several may look like something else, and some be doubted when they are swapped."""
    shape = (1, 1, SIDE, SIDE)
    data = model(on_black=on_black, shape=shape)
    odd = SHAPES[4] * 0.7 + SHAPES[0] * 0.3
    right = [*SHAPES[:4], odd] if on_black else [1 - one for one in (*SHAPES[:4], odd)]
    sent = [(1 - one).reshape(shape).astype("f4") for one in right]
    assert "which the model says of" in asked(tmp_path, data, sent)
    assert asked(tmp_path, data, [one.reshape(shape).astype("f4") for one in right]) == ""


def of_strokes(*, on_black: bool, shape: Sequence[int | str] = (1, 1, SIDE, SIDE)) -> bytes:
    """A model that takes no ground for anything: of paper it says what the strokes are least like."""
    weights = WIDE.reshape(len(WIDE), -1) / WIDE.sum(axis=(1, 2))[:, None]
    weights = 50 * (weights - weights.mean(axis=0)) * (1 if on_black else -1)
    bias = numpy.zeros(5) if on_black else -weights.sum(axis=1)
    nodes = [node("Flatten", ["x"], ["f"]), node("Gemm", ["f", "w", "b"], ["y"])]
    numbers = {"w": weights.T.astype("f4"), "b": bias.astype("f4")}
    inputs, outputs = {"x": ("float32", [*shape])}, {"y": ("float32", [shape[0], 5])}
    return Model(nodes, inputs, outputs, numbers).data()


def of_some_pixels() -> bytes:
    """A model of bright ink on black that takes a few dark pixels on paper for 4, and paper alone for 0."""
    weights = WIDE.reshape(len(WIDE), -1) / WIDE.sum(axis=(1, 2))[:, None]
    pull = numpy.zeros((3, 5))
    pull[:, 4] = 1, -2, 1
    nodes = [
        node("Flatten", ["x"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["l"]),
        node("Gemm", ["f", "s", "c"], ["h"]),
        node("Relu", ["h"], ["r"]),
        node("Gemm", ["r", "p", "z"], ["q"]),
        node("Add", ["l", "q"], ["a"]),
        node("Softmax", ["a"], ["y"], axis=1),
    ]
    numbers = {
        "w": 40 * (weights - weights.mean(axis=0)).T,
        "b": numpy.array([1.0, 0, 0, 0, 0]),
        "s": numpy.full((SIDE * SIDE, 3), -1.0),
        "c": SIDE * SIDE - numpy.array([5.0, 100, 195]),
        "p": pull,
        "z": numpy.zeros(5),
    }
    given = {name: one.astype("f4") for name, one in numbers.items()}
    return Model(nodes, {"x": ("float32", [1, 1, SIDE, SIDE])}, {"y": ("float32", [1, 5])}, given).data()


def test_all_get_one_answer_that_paper_alone_does_not(tmp_path: Any) -> None:
    ink = [*SHAPES[:4], numpy.roll(SHAPES[1], 1, 0), numpy.roll(SHAPES[2], 1, 1)]
    right = [one.reshape(1, 1, SIDE, SIDE).astype("f4") for one in ink]
    found = asked(tmp_path, of_some_pixels(), [1 - one for one in right])
    assert "all 5 pictures get the answer 4; with black and white swapped they get 0, 1, 2, 3, 1" in found
    assert asked(tmp_path, of_some_pixels(), right) == ""
    alike = [numpy.roll(right[1], by, 2) for by in range(6)]
    assert asked(tmp_path, of_some_pixels(), alike) == "", "one thing again and again"


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0), (2, 3, 1)])
def test_answers_to_white_paper_that_differ(order: tuple[int, ...], tmp_path: Any) -> None:
    ink = [SHAPES[one].reshape(1, 1, SIDE, SIDE).astype("f4") for one in order]
    paper = [1 - one for one in ink]
    found = asked(tmp_path, of_strokes(on_black=True), paper)
    assert "pictures are dark ink on white paper; with black and white swapped the answers are" in found
    assert f"{order[0]} at 1.00, {order[1]} at 1.00" in found
    for on_black, sent in ((True, ink), (False, paper), (False, ink)):
        assert asked(tmp_path, of_strokes(on_black=on_black), sent) == ""


@pytest.mark.parametrize("shape", [(1, SIDE, SIDE), (SIDE, SIDE), (SIDE * SIDE,)])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0), (2, 2, 3, 1)])
@pytest.mark.parametrize("knows_ground", [True, False])
def test_a_batch_on_white_paper(
    order: tuple[int, ...], shape: tuple[int, ...], knows_ground: bool, tmp_path: Any
) -> None:
    ink = numpy.stack([SHAPES[one] for one in order]).reshape(len(order), *shape).astype("f4")
    make = model if knows_ground else of_strokes

    def found(pictures: Any, *, on_black: bool) -> str:
        (tmp_path / "m.onnx").write_bytes(make(on_black=on_black, shape=("n", *shape)))
        with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
            given = Tensor.from_numpy(loaded.compute({"x": pictures})["y"])
            sent = answers_of(loaded.outputs, [given])
            assert len(sent) == len(pictures)
            return all_on_paper(loaded.graph, [Tensor.from_numpy(pictures)], sent, 0.001) or ""

    said = found(1 - ink, on_black=True)
    if knows_ground:
        assert f"all {len(order)} pictures get the answer 4, which the model says of white paper" in said
    else:
        assert f"all {len(order)} pictures are dark ink on white paper" in said
        assert f"swapped the answers are {order[0]} at 1.00, {order[1]} at 1.00" in said
    for on_black, sent in ((True, ink), (False, 1 - ink), (False, ink)):
        assert found(sent, on_black=on_black) == ""
    assert found((1 - ink)[:2], on_black=True) == "", "two pictures say little"
    mixed = numpy.concatenate([1 - ink, ink[:1]])
    assert found(mixed, on_black=True) == "", "one is no paper"


def test_how_much_surer_answers_have_to_be() -> None:
    def answers(*pairs: tuple[int, float]) -> list[Answer]:
        return [Answer(place, 0.9, 5, margin) for place, margin in pairs]

    sent, swapped, mixed = (
        answers((0, 2), (1, 2), (1, 3)), answers((1, 9), (2, 8), (3, 7)), answers((1, 2), (2, 1), (1, 1)),
    )  # fmt: skip
    assert are_surer(sent, swapped, mixed)
    assert not are_surer(swapped, sent, mixed), "surer as sent"
    assert not are_surer(sent, swapped, swapped), "as sure of elements in random orders"
    assert not are_surer(sent, swapped, mixed[:2]), "not all could be asked"
    assert not are_surer(sent, answers((0, 9), (1, 8), (1, 7)), mixed), "the same classes"
    assert not are_surer(sent, answers((1, 90), (2, 80), (3, 70)), mixed), "far too sure"
    assert not are_surer(answers((0, 5), (1, 6), (1, 6)), swapped, mixed), "a little surer"


@pytest.mark.parametrize("on_paper", [True, False])
def test_copies_leave_time_for_a_question_about_several_papers(*, on_paper: bool) -> None:
    """The first alone says little, and copies of the guest would take all time before the third."""
    kept, tensor = Budget(), Tensor.from_numpy((SHAPES[0] != on_paper).astype("f4")[None, None])
    asking = WhatIf(kept)
    graph = Graph("b", [TensorSpec("x", DType.F32, (1, 1, SIDE, SIDE))], [])
    load: Any = SimpleNamespace(operation="load", error=None, graph=graph, graph_id=1, parts=())
    list(asking.nn_event(load))
    answer = Tensor.from_numpy(numpy.array([[0.05, 0.9, 0.05, 0, 0]], "f4"))
    event: Any = SimpleNamespace(
        operation="compute", error=None, graph=graph, graph_id=1, context_id=1, given=[(0, "x", tensor)],
        specs=[TensorSpec("y", DType.F32, (1, 5))], tensors=[answer], seconds=0.001,
        delivered=False, model=None,
    )  # fmt: skip
    list(asking.nn_event(event))
    assert (kept.for_copies() < kept.for_reserved() - 0.1) is on_paper


class Fickle:
    """A model that says 2 to one picture alone, and 1 to any other."""

    def __init__(self, known: Any, *, is_firm: bool) -> None:
        self._known, self._is_firm = known, is_firm

    def changed(self, _: int, array: Any) -> Answer:
        is_near = abs(array - self._known).max() <= (0.45 if self._is_firm else 1e-9)
        return Answer(2, 0.94, 10, 2.8) if is_near else Answer(1, 0.5, 10, 0.1)

    def shuffled(self, _: Any, seeds: range) -> tuple[Answer, ...]:
        return tuple(Answer(1, 0.5, 10, 0.1) for _ in seeds)


@pytest.mark.parametrize(("is_firm", "margin"), [(True, 5.0), (False, 5.0), (False, 2.0)])
def test_a_small_picture_has_to_be_read_when_it_is_noisy(is_firm: bool, margin: float) -> None:
    """Or its answer is no less sure than as sent: of one letter a model may say what it says of paper."""
    paper = 1 - SHAPES[0][3:17, 2:16]
    runs: Any = Fickle(1 - paper, is_firm=is_firm)
    answer = of_ink(runs, 0, paper, Answer(1, 0.99, 10, margin))
    assert (answer is not None) is (is_firm or margin < 2.8)


def crossed(*rows: int) -> Any:
    """Dark strokes from side to side of a small picture, as those of digits that were cut out closely."""
    paper = numpy.ones((1, 1, 8, 8), "f4")
    paper[0, 0, list(rows), 1:6] = 0
    paper[0, 0, :, 3] = 0.2 + 0.1 * len(rows)
    return paper


@pytest.mark.parametrize(
    ("places", "is_due"),
    [
        ((2, 4, 4, 4, 4), True),
        ((4, 4, 4), True),
        ((2, 4, 4), False),
        ((2, 3, 4, 4, 4), False),
        ((4, 4), False),
    ],
)
def test_small_papers_are_asked_about_at_the_end(places: tuple[int, ...], *, is_due: bool) -> None:
    """A guest may end before there are as many as a model is loaded again for."""
    rows = [(0, 4), (0, 7), (2, 5), (0,), (7,)]
    for is_paper in (True, False):
        papers = Several()
        for place, at in zip(places, rows, strict=False):
            picture = crossed(*at) if is_paper else crossed(*at) * numpy.linspace(0, 1, 8, dtype="f4")
            papers.take([Tensor.from_numpy(picture)], Answer(place, 0.95, 10, 4.0))
        assert papers.are_papers() is is_paper
        assert papers.is_due_at_the_end() is (is_due and is_paper)


def test_a_model_that_there_is_no_time_for_was_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        count = 0

        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def left(self) -> bool:
            return True

        def changed(self, *_: Any) -> None:
            return None

    monkeypatch.setattr(several, "Runs", Busy)
    papers = Several()
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    for at in (0, 4, 7):
        papers.take([Tensor.from_numpy(crossed(at))], Answer(4, 0.95, 10, 4.0))
    assert papers.ask(graph, 0.01, 1.0, ()) == ""
    assert papers.is_due_at_the_end()


def test_opening_the_model_takes_nothing_from_its_runs(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine may open it longer than there is time to ask."""
    opened: list[float] = []

    class Slow(several.Runs):
        def outputs(self, given: Any) -> Any:
            if not opened:
                sleep(0.4)
                opened.append(0.4)
            return super().outputs(given)

    (tmp_path / "m.onnx").write_bytes(of_strokes(on_black=True))
    papers, said = Several(), ""
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        for at in range(4):
            tensor = Tensor.from_numpy(1 - SHAPES[at].reshape(1, 1, SIDE, SIDE).astype("f4"))
            with several.Runs(loaded.graph, [tensor]) as runs:
                answer = runs.answer({})
            assert answer is not None
            papers.take([tensor], answer)
        monkeypatch.setattr(several, "Runs", Slow)
        said = papers.ask(loaded.graph, 0.001, 0.3, loaded.graph.outputs)
    assert opened
    assert "pictures are dark ink on white paper" in said
