"""Pictures of files that begin with blue, sent in the files' own order, to models of either order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.changes.encodings import MEANS, RAW, SIGNED, UNIT
from pywasm_nn.watch.whatif import blue as asking
from pywasm_nn.watch.whatif.blue import Blue, Blues, Compared, blue_of
from pywasm_nn.watch.whatif.sureness import Answer, answer_of
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_origin import scene

SHAPE = (1, 3, 36, 36)
COLOURED = scene(5, 36, 36) * numpy.array([0.9, 0.6, 0.2])
GREY = numpy.repeat(scene(5, 36, 36).mean(axis=2, keepdims=True), 3, axis=2)


def origin(name: str = "a.bmp", pixels: Any = COLOURED, **more: Any) -> Any:
    source = SimpleNamespace(name=name, array=pixels, top=255, is_picture=True)
    return SimpleNamespace(**{"source": source, "wrong": "", "order": "BGR", "encoding": UNIT} | more)


def test_what_is_asked_about() -> None:
    assert blue_of(2, origin(), "") == Blue(2, "a.bmp")
    assert blue_of(0, origin("B.TGA", encoding=SIGNED), "") == Blue(0, "B.TGA")
    assert blue_of(0, origin(), "BGR") is None, "the model says so"
    assert blue_of(0, origin("a.png"), "") == Blue(0, "a.png"), "somebody exchanged the colours"
    for other in (
        origin(pixels=GREY),
        origin(order="RGB"),
        origin(wrong="it is upside down"),
        *(origin(encoding=one) for one in (RAW, MEANS, None)),
    ):
        assert blue_of(0, other, "") is None


def model(wanted: Any, classes: int) -> bytes:
    """A model that knows colours: class 2 is red, or goes by weights, and others are sure of nothing."""
    weights = numpy.zeros((3, classes), "f4")
    weights[:, 2] = {"RGB": (4, 0, -4), "BGR": (-4, 0, 4)}.get(wanted, wanted)
    nodes = [
        node("GlobalAveragePool", ["x"], ["m"]),
        node("Flatten", ["m"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    numbers = {"w": weights, "b": numpy.zeros(classes, "f4")}
    return Model(nodes, {"x": ("float32", list(SHAPE))}, {"y": ("float32", [1, classes])}, numbers).data()


@pytest.mark.parametrize(
    ("wanted", "classes", "seen"), [("RGB", 6, True), ("BGR", 6, False), ("RGB", 3, False)]
)
def test_the_model_is_asked(wanted: str, classes: int, seen: bool, tmp_path: Any) -> None:
    (tmp_path / "m.onnx").write_bytes(model(wanted, classes))
    array = numpy.ascontiguousarray(COLOURED[..., ::-1].transpose(2, 0, 1)[None] / 255, "f4")
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        sent = answer_of(loaded.outputs, [Tensor.from_numpy(loaded.compute({"x": array})["y"])])
        said = (
            Blues().red_first(1, loaded.graph, [Tensor.from_numpy(array)], Blue(0, "a.bmp"), sent, 0.001)
            or ""
        )
    assert said.startswith('input 0 "x": the pixels of a.bmp begin with blue, and were sent so (BGR)') is seen
    assert bool(said) is seen and (not seen or "with red first (RGB) the answer is 2 at " in said)


@pytest.mark.parametrize(
    ("name", "then", "seen"), [("a.bmp", 0.4, True), ("a.ppm", 0.4, False), ("a.ppm", 0.3, True)]
)
def test_a_file_that_begins_with_red(name: str, then: float, seen: bool, monkeypatch: Any) -> None:
    """Its colours were exchanged by somebody, so that more has to speak against that."""
    monkeypatch.setattr(asking, "compared", lambda *_: sure(0.51, then))
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    said = Blues().red_first(1, graph, [], Blue(0, name), None, 0.01) or ""
    assert bool(said) is seen
    assert not seen or ("begin with blue" in said) is name.endswith("bmp")


@pytest.mark.parametrize(("colours", "seen"), [((4, 0, -4), True), ((2, 4, -6), False)])
def test_orders_that_no_model_wants(colours: Any, seen: bool, tmp_path: Any) -> None:
    """A model that is surer of a picture with green first, too, doubts the picture and not the order."""
    (tmp_path / "m.onnx").write_bytes(model(colours, 6))
    given = [
        Tensor.from_numpy(numpy.ascontiguousarray(COLOURED[..., ::-1].transpose(2, 0, 1)[None] / 255, "f4"))
    ]
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        sent = Answer(0, 0.2, 6)
        said = Blues().red_first(1, loaded.graph, given, Blue(0, "a.bmp"), sent, 0.001)
    assert bool(said) is seen


def sure(first: float, then: float) -> Compared:
    """Three views, of which a model is about so sure with red first, and as sent."""
    reds, owns = ([Answer(4, one + 0.01 * at, 9) for at in range(3)] for one in (first, then))
    return Compared((*reds,), (*owns,))


@pytest.mark.parametrize(
    ("pictures", "seen"),
    [
        ([sure(0.36, 0.35), sure(0.7, 0.5)], 2),
        ([sure(0.36, 0.35), None, sure(0.7, 0.5)], 3),
        ([sure(0.6, 0.4)], 1),
        ([sure(0.36, 0.35), sure(0.36, 0.35), sure(0.37, 0.35)], 0),
        ([sure(0.34, 0.36), sure(0.7, 0.5)], 0),
        ([sure(0.36, 0.35), sure(0.5, 0.52), sure(0.9, 0.4)], 0),
        ([sure(0.36, 0.35), *[None] * 2, sure(0.7, 0.4)], 0),
    ],
)
def test_several_pictures(pictures: list[Any], seen: int, monkeypatch: Any) -> None:
    """Of one picture a model is hardly surer, of the next one it is; the third is the last that is asked."""
    found = iter(pictures)
    monkeypatch.setattr(asking, "compared", lambda *_: next(found))
    blues, first = Blues(), Blue(0, "a.bmp")
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    said = []
    for at in range(1, len(pictures) + 1):
        if at > 1 and blues.blue(1) is None:
            break
        if text := blues.red_first(1, graph, [], first, None, 0.01):
            said.append((at, "those of the next picture" in text))
    assert said == ([(seen, seen > 1)] if seen else [])


def viewed(red: float, margin: float, own: float, owns: tuple[int, ...], margin_as_sent: float) -> Compared:
    """Views of which a model is so sure with red first, and as sent, where they get these classes."""
    return Compared(
        (Answer(4, red, 9, margin),) * len(owns),
        tuple(Answer(place, own, 9, margin_as_sent) for place in owns),
    )


@pytest.mark.parametrize(
    ("found", "seen"),
    [
        (viewed(0.999, 7.0, 0.75, (1, 1, 1, 1), 1.1), True),
        (viewed(0.99, 5.0, 0.75, (1, 2, 1, 1), 1.1), True),
        (viewed(0.999, 7.0, 0.75, (4, 4, 4, 4), 1.1), False),
        (viewed(0.999, 7.0, 0.97, (1, 1, 1, 1), 1.1), False),
        (viewed(0.96, 7.0, 0.75, (1, 1, 1, 1), 1.1), False),
        (viewed(0.999, 4.0, 0.75, (1, 1, 1, 1), 1.1), False),
        (viewed(1.0, 70.0, 0.75, (1, 1, 1, 1), 1.1), False),
        (viewed(0.75, 1.1, 0.999, (1, 1, 1, 1), 7.0), False),
    ],
)
@pytest.mark.parametrize("name", ["a.ppm", "standard input"])
def test_one_picture_of_any_file(name: str, found: Compared, seen: bool, monkeypatch: Any) -> None:
    """It decides alone if with red first the model is certain of each view, and as sent of none."""
    monkeypatch.setattr(asking, "compared", lambda *_: found)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    said = Blues().red_first(1, graph, [], Blue(0, name), found.owns[0], 0.01) or ""
    assert bool(said) is seen
    assert not seen or f"{name} was sent with blue first (BGR)" in said


def test_a_small_picture_is_moved_too() -> None:
    pixels = numpy.arange(2 * 16 * 16 * 3).reshape(2, 16, 16, 3)
    assert len({one.tobytes() for one in asking.views(pixels)}) == 4


@pytest.mark.parametrize(("classes", "seen"), [(9, True), (3, False)])
def test_of_few_classes_a_model_has_to_be_certain(classes: int, seen: bool) -> None:
    def many(found: Compared) -> Compared:
        reds = tuple(Answer(one.place, one.sure, classes, one.margin) for one in found.reds)
        return Compared(reds, found.owns)

    assert asking.are_surer([many(sure(0.6, 0.3))]) is seen
    assert many(viewed(0.999, 7.0, 0.75, (1, 1, 1, 1), 1.1)).is_certain
