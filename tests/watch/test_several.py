"""Questions about several pictures together, and what models say of channels by their own numbers."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.formulas import DEVIATION, MEAN
from pywasm_nn.watch.sent.firsts import order_of
from pywasm_nn.watch.whatif import several
from pywasm_nn.watch.whatif.asking import Runs
from pywasm_nn.watch.whatif.several import Several
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_origin import ppm, scene
from tests.watch.whatif_models import encoded, picture, planar, untrained

KNOWN = [picture(seed) for seed in range(6)]
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])


def asked(tmp_path: Path, model: bytes, sent: list[Any]) -> str:
    """What speaks for a change of all pictures that were sent."""
    (tmp_path / "m.onnx").write_bytes(model)
    together, said = Several(), ""
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        for array in sent:
            tensors = [Tensor.from_numpy(array)]
            with Runs(loaded.graph, tensors) as runs:
                answer = runs.answer({})
            if answer is not None and together.take(tensors, answer):
                said = said or together.ask(loaded.graph, 0.01, 5.0, loaded.graph.outputs)
    return said


class Oracle(StandIn):
    """Stands for the runs of a model that knows pictures: it is sure of these, and of no others. `otherwise`
    is what it says to elements in a random order, and `margin` that of sure answers."""

    def __init__(self, known: list[Any], otherwise: Answer, margin: float = 4.0) -> None:
        self._known = {one.astype("f4").round(3).tobytes(): place for place, one in enumerate(known, 1)}
        self._otherwise, self._margin = otherwise, margin

    def changed(self, _: int, array: Any) -> Answer:
        place = self._known.get(array.astype("f4").round(3).tobytes())
        return Answer(0, 0.6, 10, 0.4) if place is None else Answer(place, 0.97, 10, self._margin)

    def shuffled(self, _: Any, seeds: range) -> tuple[Answer, ...]:
        return (self._otherwise,) * len(seeds)


FLIPPED = {
    "with the channels reversed": lambda one: one[..., ::-1],
    "with rows and columns exchanged": lambda one: one.swapaxes(1, 2),
}
UNSURE, SURE, ANOTHER = Answer(0, 0.4), Answer(0, 1.0), Answer(5, 1.0)


@pytest.mark.parametrize("words", FLIPPED)
@pytest.mark.parametrize(
    ("count", "otherwise", "seen"),
    [(1, UNSURE, False), (2, UNSURE, True), (4, UNSURE, True), (4, SURE, True)],
)
def test_several_pictures(
    words: str, count: int, otherwise: Answer, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model says to anything else may be sure, if it is always the same."""
    known = [one[None] for one in KNOWN[1:]]
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, otherwise))
    for sent, seen_now in ((known, False), ([FLIPPED[words](one) for one in known], seen)):
        asked, said = Several(), ""
        for array in sent[:count]:
            tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
            if asked.take([tensor], oracle.changed(0, tensor.numpy())):
                said = said or asked.ask(GRAPH, 0.1, 1.0, ())
        assert (words in said) is bool(said) is seen_now


class Doubting(Oracle):
    """The same of a model that is so sure of pictures upside down."""

    upside_down = 0.4

    def changed(self, index: int, array: Any) -> Answer:
        answer = super().changed(index, array)
        if not answer.place and super().changed(index, array[:, ::-1]).place:
            return Answer(7, self.upside_down, 10, 0.4)
        return answer


@pytest.mark.parametrize("words", FLIPPED)
@pytest.mark.parametrize(("upside_down", "seen"), [(0.4, True), (0.95, False)])
def test_pictures_that_a_model_does_not_know(
    words: str, upside_down: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of noisy or pale ones it is unsure as sent, and about as sure in any other way."""
    known = [one[None] for one in KNOWN[1:]]
    monkeypatch.setattr(several, "Runs", oracle := Doubting(known, UNSURE))
    oracle.upside_down = upside_down
    asked, said = Several(), ""
    for one in known[:3]:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(FLIPPED[words](one)))
        if asked.take([tensor], oracle.changed(0, tensor.numpy())):
            said = said or asked.ask(GRAPH, 0.1, 1.0, ())
    assert (words in said) is bool(said) is seen


@pytest.mark.parametrize(
    ("otherwise", "seen"), [(UNSURE, True), (SURE, False), (Answer(2, 0.7), True), (ANOTHER, False)]
)
def test_a_range(otherwise: Answer, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger numbers make any network sure, also of elements in random orders."""
    known = [planar(2.0 * one / 255 - 1) for one in KNOWN]
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, otherwise))
    asked, said = Several(), ""
    for one in KNOWN[1:4]:
        tensor = Tensor.from_numpy(planar(one / 255.0))
        if asked.take([tensor], oracle.changed(0, tensor.numpy())):
            said = said or asked.ask(GRAPH, 0.1, 1.0, ())
    assert ("with pixels from -1 to 1 (they look as if sent from 0 to 1)" in said) is bool(said) is seen


class ByColours(Oracle):
    """A model that says the same of a picture's elements in a random order, so sure."""

    def __init__(self, known: list[Any], mixed: float) -> None:
        super().__init__(known, UNSURE)
        self._mixed = mixed

    def changed(self, index: int, array: Any) -> Answer:
        found = super().changed(index, array)
        return Answer(found.place, 0.999, 10, 7.0) if found.place else found

    def shuffled(self, change: Any, seeds: range) -> tuple[Answer, ...]:
        return (Answer(self.changed(0, change.array).place, self._mixed),) * len(seeds)


@pytest.mark.parametrize(("mixed", "seen"), [(0.72, True), (0.99, False)])
def test_colours_alone_say_what_it_is_with_doubts(
    mixed: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same numbers in their places a model has hardly any doubt; larger ones make it sure, too."""
    pictures = [planar(one / 255.0) for one in KNOWN[1:5]]
    raised = [planar(2.0 * one / 255 - 1) for one in KNOWN[1:5]]
    for known, words in ((pictures, "with the channels reversed"), (raised, "with pixels from -1 to 1")):
        sent = [one[:, ::-1] for one in pictures] if known is pictures else pictures
        monkeypatch.setattr(several, "Runs", oracle := ByColours(known, mixed))
        asked, said = Several(), ""
        for one in sent:
            tensor = Tensor.from_numpy(numpy.ascontiguousarray(one))
            if asked.take([tensor], oracle.changed(0, tensor.numpy())):
                said = said or asked.ask(GRAPH, 0.1, 1.0, ())
        assert (words in said) is bool(said) is (seen and known is pictures)


def test_black_and_white_in_the_range_as_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paper that isn't quite white, and ink that isn't quite black, are so in the inverse, too."""
    mean, deviation = 0.1307, 0.3081
    drawn = [40 + planar(one)[:, :1] // 2 for one in KNOWN]
    known, sent = ([(p / 255 - mean) / deviation for p in own] for own in (drawn, [255 - p for p in drawn]))
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, UNSURE))
    asked, said = Several(), ""
    for one in sent[1:4]:
        tensor = Tensor.from_numpy(one.astype("f4"))
        if asked.take([tensor], oracle.changed(0, tensor.numpy())):
            said = said or asked.ask(GRAPH, 0.1, 1.0, ())
    assert "with black and white swapped" in said


def test_networks_that_were_never_trained(tmp_path: Path) -> None:
    tried = 0
    for seed in range(6):
        model, shape = untrained(seed)
        pictures = [picture(seed + at, *shape[-2:])[..., : shape[1]] for at in range(3)]
        assert asked(tmp_path, model, [planar(encoded(one, "unit")) for one in pictures]) == "", seed
        tried += 1
    assert tried == 6


def ir(*layers: tuple[str, str]) -> bytes:
    """The XML of an OpenVINO model with these layers: types, and what stands in them."""
    text = "".join(
        f'<layer id="{n}" name="l" type="{kind}" version="opset1">{body}</layer>'
        for n, (kind, body) in enumerate(layers)
    )
    return f'<?xml version="1.0"?><net name="n" version="11"><layers>{text}</layers></net>'.encode()


PARAMETER = ("Parameter", '<data shape="1,32,32,3" element_type="u8" />')


def constant(at: int, count: int = 3) -> tuple[str, str]:
    return ("Const", f'<data element_type="f32" shape="1, 1, 1, {count}" offset="{at}" size="{4 * count}" />')


@pytest.mark.parametrize(
    ("means", "order"),
    [
        ((104.0, 117.0, 123.0), "BGR"), ((123.675, 116.28, 103.53), "RGB"),
        ((103.939, 116.779, 123.68), "BGR"),
        ((0.485, 0.456, 0.406), "RGB"), ((10.0, 20.0, 30.0), ""), ((127.5, 127.5, 127.5), ""),
    ],
)  # fmt: skip
def test_means_inside_a_model(means: tuple[float, ...], order: str) -> None:
    xml = ir(PARAMETER, ("Convert", ""), constant(4), ("Subtract", ""), ("Convolution", ""))
    found = facts([xml, b"none" + pack("<3f", *means)]).firsts
    assert found[0].shift == pytest.approx([-one for one in means])
    assert order_of(found[0]) == order


def test_models_without_means() -> None:
    weights = pack("<6f", *range(1, 7))
    for layers in (
        (PARAMETER, ("Convolution", ""), constant(0), ("Subtract", "")),
        (PARAMETER, PARAMETER, constant(0), ("Subtract", "")),
        (PARAMETER, constant(0, 5), ("Subtract", "")),
        (PARAMETER, constant(400), ("Subtract", "")),
    ):
        assert facts([ir(*layers), weights]).firsts == {}
    assert facts([b"no model", weights]).firsts == {}
    assert order_of(None) == ""


def test_broken_filters_leave_the_means_in_a_model() -> None:
    xml = ir(PARAMETER, constant(0), ("Subtract", ""), ("Convolution", ""))
    whole, broken = (facts([one, pack("<3f", 1, 2, 3)]) for one in (xml, xml.replace(b'1, 3"', b'1, 7"')))
    assert broken.firsts == whole.firsts != {}
    assert broken.filters == {}


@pytest.mark.parametrize("first", [0, None])
def test_two_normalisations(first: int | None) -> None:
    photo = scene(6, 64, 64)
    mean, deviation = numpy.array(MEAN), numpy.array(DEVIATION)
    once = (photo / 255 - (mean if first is None else mean[first])) / (
        deviation if first is None else deviation[first]
    )
    source = decoded("a.ppm", ppm(photo))
    assert source is not None
    found = traced(((once - mean) / deviation).astype("f4").transpose(2, 0, 1)[None], source)
    assert found is not None and "normalised twice" in found.wrong


def test_a_mirrored_picture_is_the_whole_one() -> None:
    photo = scene(7, 96, 96)
    at = numpy.arange(36) * 96 // 36
    source = decoded("a.ppm", ppm(photo))
    assert source is not None
    found = traced((photo[at][:, at][:, ::-1] / 255).astype("f4")[None], source)
    assert found is not None and "resized to 36 x 36, mirrored, nearest pixel" in str(found)


@pytest.mark.parametrize("way", [("unit", "standard", "unit", "standard"), ("unit", "standard", "standard")])
def test_whole_preparations_that_are_done_twice(way: tuple[str, ...]) -> None:
    made: Any = scene(6, 64, 64).astype("f8")
    for step in way:
        made = made / 255 if step == "unit" else (made - numpy.array(MEAN)) / numpy.array(DEVIATION)
    source = decoded("a.ppm", ppm(scene(6, 64, 64)))
    assert source is not None
    found = traced(made.astype("f4").transpose(2, 0, 1)[None], source)
    assert found is not None and "normalised twice by ImageNet's mean and deviation" in found.wrong


@pytest.mark.parametrize(("margin", "named", "seen"), [(20, 3, True), (5, 3, False), (20, 4, False)])
def test_one_picture_that_is_named(
    margin: float, named: int, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A far surer answer that its file is named after: another one may be so by chance."""
    known = [one[None] for one in KNOWN[1:]]
    noise = Answer(8, 1.0, 10, 30)
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, noise, margin))
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(known[2][..., ::-1]))
    asked, file = Several(), Depicted("flower.ppm", (named,))
    assert asked.take([tensor], oracle.changed(0, tensor.numpy()), lambda: file)
    said = asked.ask(GRAPH, 0.1, 1.0, ())
    assert ("with the channels reversed the answer is 3 at 0.97, which is what flower.ppm" in said) is seen
    assert bool(said) is seen
