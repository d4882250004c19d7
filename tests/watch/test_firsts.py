"""What a model does with pixels first of all, and which range it wants therefore."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.changes.encodings import HALF, MEANS, RAW, SIGNED, STANDARD, UNIT, Encoding, encoded
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.sent.declared import Declared
from pywasm_nn.watch.sent.firsts import unwanted
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_origin import scene

ORDER = numpy.random.default_rng(1)
SHAPE = [1, 3, 32, 32]
WEIGHTS = ORDER.normal(0, 0.2, (16, 3, 3, 3)) + ORDER.normal(0, 0.2, (16, 1, 1, 1))


def model(steps: list[tuple[str, Any]], trained: Encoding | None = None, contrast: float = 1) -> bytes:
    """A model that begins with operations on numbers of its own; its first layer may be normalised by the
    mean and variance of what it saw of some pictures, with more contrast than scenes have."""
    nodes, constants, name = [], {"w": WEIGHTS.astype("f4")}, "x"
    for number, (op, value) in enumerate(steps):
        constants[f"c{number}"] = numpy.asarray(value, "f4").reshape(1, -1, 1, 1)
        nodes.append(node(op, [name, f"c{number}"], [f"s{number}"]))
        name = f"s{number}"
    nodes.append(node("Conv", [name, "w"], ["y" if trained is None else "v"]))
    if trained is not None:
        scenes = [128 + contrast * (scene(seed, 40, 40) - 128.0) for seed in range(8)]
        seen = numpy.concatenate([after(one, trained) for one in scenes])
        names = ["v", "g", "h", "m", "s"]
        ones, zeros = numpy.ones(16), numpy.zeros(16)
        numbers = (ones, zeros, seen.mean(axis=0), seen.var(axis=0))
        constants |= {key: one.astype("f4") for key, one in zip(names[1:], numbers, strict=True)}
        nodes.append(node("BatchNormalization", names, ["y"]))
    return Model(nodes, {"x": ("float32", SHAPE)}, {"y": ("float32", [1, 16, 30, 30])}, constants).data()


def after(pixels: Any, encoding: Encoding) -> Any:
    """What the first layer makes of a picture, [places, filters]."""
    own = encoded(pixels, encoding, None)
    patches = numpy.lib.stride_tricks.sliding_window_view(own, (3, 3), (0, 1)).reshape(-1, 27)
    return patches @ WEIGHTS.reshape(16, 27).T


def said(data: bytes, sent: Encoding) -> str:
    found = facts([data]).firsts.get(0)
    return "" if found is None else unwanted(found, sent)


MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
SCALED: dict[str, tuple[list[tuple[str, Any]], Encoding]] = {
    "ImageNet's, undone": ([("Mul", DEVIATION / 0.5), ("Add", (MEAN - 0.5) / 0.5)], STANDARD),
    "ImageNet's, of 0..1": ([("Sub", MEAN), ("Div", DEVIATION)], UNIT),
    "ImageNet's, of 0..255": ([("Sub", 255 * MEAN), ("Mul", 1 / 255 / DEVIATION)], RAW),
    "divided by 255": ([("Div", [255.0])], RAW),
    "to -1..1": ([("Mul", [1 / 127.5]), ("Sub", [1.0])], RAW),
    "0..1 to -1..1": ([("Mul", [2.0]), ("Sub", [1.0])], UNIT),
}


@pytest.mark.parametrize("name", SCALED)
def test_a_scale_of_the_models_own(name: str) -> None:
    steps, wanted = SCALED[name]
    assert said(model(steps), wanted) == ""
    for other in (UNIT, SIGNED, STANDARD, RAW):
        if other is not wanted:
            text = said(model(steps), other)
            assert f"of pixels {wanted.said}; sent were pixels {other.said}" in text


@pytest.mark.parametrize("steps", [[], [("Mul", [2.0])], [("Add", [0.1])], [("Mul", [0.3, 0.4, 0.5])]])
@pytest.mark.parametrize("sent", [UNIT, SIGNED, STANDARD, RAW, MEANS, HALF])
def test_other_numbers_say_nothing(steps: list[tuple[str, Any]], sent: Encoding) -> None:
    assert said(model(steps), sent) == ""


@pytest.mark.parametrize("trained", [UNIT, SIGNED, STANDARD, RAW])
def test_what_the_first_layer_saw(trained: Encoding) -> None:
    data = model([], trained)
    assert said(data, trained) == ""
    assert sum(bool(said(data, sent)) for sent in (UNIT, SIGNED, STANDARD, RAW)) >= 2
    for sent in (UNIT, SIGNED, STANDARD, RAW):
        assert said(data, sent) == "" or "the model's first layer was trained on" in said(data, sent)


def test_ranges_that_are_nearly_the_same() -> None:
    """Models that were trained with ImageNet's numbers are given -1..1 by many programs, and know that."""
    data = model([], STANDARD, contrast=1.6)
    assert said(data, SIGNED) == ""
    for sent in (UNIT, RAW):
        assert "of pixels by ImageNet's mean and deviation" in said(data, sent)


def test_text_from_0_to_1_for_a_model_of_minus_1_to_1() -> None:
    text = said(model([], SIGNED), UNIT)
    assert "as of pixels from -1 to 1; sent were pixels from 0 to 1" in text


def test_broken_models_say_nothing_or_the_same() -> None:
    data = model(SCALED["to -1..1"][0], SIGNED)
    for end in range(0, len(data), 1 + len(data) // 80):
        facts([data[:end]])


@pytest.mark.parametrize(("kind", "seen"), [("f4", True), ("u1", False)])
def test_bytes_are_in_their_own_range(kind: str, seen: bool) -> None:
    """An origin that was found in a wider range says nothing of bytes against the model."""
    declared, found = Declared(), SimpleNamespace(encoding=UNIT, wrong="", order="")
    declared.loaded(cast(Any, SimpleNamespace(graph_id=0, parts=())), facts([model([("Div", [255.0])])]))
    tensor = Tensor.from_numpy(scene(1, 32, 32).transpose(2, 0, 1)[None].astype(kind))
    said = declared.against(0, 0, "images", tensor, cast(Any, found))
    assert ("sent were pixels from 0 to 1" in said) is seen
