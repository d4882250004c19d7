"""Questions about the files that lie beside the one that a guest sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget, always
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.facts import picture_of
from pywasm_nn.watch.origin import decoded, heard, traced
from pywasm_nn.watch.origin.siblings import siblings
from pywasm_nn.watch.sent.files_beside import files_beside
from pywasm_nn.watch.whatif import beside
from pywasm_nn.watch.whatif.beside import asked_beside
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn
from tests.watch.test_origin import ppm, wav
from tests.watch.whatif_models import encoded, picture, planar, recogniser, untrained

PICTURES = [picture(seed) for seed in range(8)]
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
UNIT, SIGNED = "with pixels from 0 to 1", "with pixels from -1 to 1"


def files(folder: Path, pictures: Any = PICTURES) -> None:
    for at, one in enumerate(pictures):
        (folder / f"{'abcdefgh'[at]}.ppm").write_bytes(ppm(one))


def named(name: str, count: int) -> Depicted | None:
    return Depicted(name, ("abcdefgh".index(name[0]),)) if count == 8 else None


def nameless(_name: str, _count: int) -> Depicted | None:
    return None


def said(
    folder: Path,
    sent: Any,
    graph: Any,
    shows: Callable[[str, int], Depicted | None] = nameless,
    late: list[Callable[[], str]] | None = None,
) -> str:
    """What is said if b.ppm was sent so."""
    source = decoded("b.ppm", (folder / "b.ppm").read_bytes())
    assert source is not None
    found = traced(sent, source)
    if found is None or found.wrong:
        return ""
    tensor = Tensor.from_numpy(sent)
    known = files_beside(0, found, tensor, folder / "b.ppm", Budget(), shows)
    assert known is not None
    specs = graph.outputs if graph is not GRAPH else ()
    return asked_beside(graph, [tensor], known, specs, 0.001, 10.0, [] if late is None else late)


KNOWN = 5.0


class Knows(StandIn):
    """Is sure of pictures [n, 3, height, width] in one encoding, and says the same of all others."""

    def __init__(self, known: list[Any], apart: float = 0.02) -> None:
        self._known, self._apart = known, apart

    def changed(self, _: int, array: Any) -> Answer:
        for place, one in enumerate(self._known):
            if one.shape == array.shape and abs(one - array).max() < self._apart:
                return Answer(place, 0.97, 8, KNOWN)
        return Answer(0, 0.95, 8, 3.0)


class Hesitates(Knows):
    """Says something of other elements, too, and is sure of some of them."""

    def changed(self, index: int, array: Any) -> Answer:
        answer = super().changed(index, array)
        if answer.margin == KNOWN:
            return Answer(answer.place, 1.0, 8, self.margin)
        bright = int(array[0, 0].mean() * 1e5)
        return Answer(bright % 5, 0.97 if bright % 2 else 0.6, 8, 2.0)

    margin = 20.0


@pytest.mark.parametrize(("margin", "seen"), [(20.0, True), (7.0, False), (40.0, False)])
def test_an_order_of_channels(
    margin: float, seen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elements are as large as before, so that a far larger margin is no work of theirs."""
    files(tmp_path)
    oracle = Hesitates([planar(encoded(one, "unit")) for one in PICTURES])
    oracle.margin = margin
    monkeypatch.setattr(beside, "Runs", oracle)
    monkeypatch.setattr(beside, "is_varied", lambda _: False)
    text = said(tmp_path, planar(encoded(PICTURES[1][..., ::-1], "unit")), GRAPH)
    assert ("with the channels reversed the surest class of 8 pictures" in text) is seen is bool(text)
    assert said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH) == ""


@pytest.mark.parametrize(("places", "seen"), [([3, 1, 4, 0], True), ([3, 3, 4, 3], False)])
def test_an_order_in_which_fewer_things_are_told_apart(places: list[int], seen: bool) -> None:
    """A model is often far surer of colours that it never saw, but says the same of many of them."""
    own = beside.Way("", tuple(Answer(place, 0.8, 6, 2.0) for place in (0, 1, 2, 3)))
    other = beside.Way("with the channels reversed", tuple(Answer(place, 1.0, 6, 12.0) for place in places))
    assert bool(beside.surer(own, [other], "pictures")) is seen


@pytest.mark.parametrize(("shows", "words"), [(named, "8 of 8 pictures"), (nameless, "8 different sure")])
@pytest.mark.parametrize("wanted", ["signed", "imagenet"])
def test_a_range(
    wanted: str, shows: Any, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path)
    monkeypatch.setattr(beside, "Runs", Knows([planar(encoded(one, wanted)) for one in PICTURES]))
    text = said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH, shows)
    way = SIGNED if wanted == "signed" else "with pixels by ImageNet's mean and deviation"
    assert f"{way} (they were sent from 0 to 1)" in text and words in text
    assert said(tmp_path, planar(encoded(PICTURES[1], wanted)), GRAPH, shows) == ""


class Half(Knows):
    """Is right about pictures in one encoding, and about half of those in another, far too surely."""

    def changed(self, index: int, array: Any) -> Answer:
        answer = super().changed(index, array)
        if answer.margin == KNOWN or array.max() < 30:
            return answer
        place = int(numpy.argmin([abs(array / 255 - one).max() for one in self._known]))
        return Answer(place // 2 * 2, 1.0, 8, self.margin)

    margin = 100.0


@pytest.mark.parametrize(("margin", "is_said"), [(100.0, True), (20.0, False)])
def test_half_of_the_answers_are_right_by_chance(
    margin: float, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path)
    oracle = Half([planar(encoded(one, "unit")) for one in PICTURES])
    oracle.margin = margin
    monkeypatch.setattr(beside, "Runs", oracle)
    text = said(tmp_path, planar(encoded(PICTURES[1], "raw")), GRAPH, named)
    assert (f"{UNIT} (they were sent from 0 to 255) 8 of 8" in text and "sent 4" in text) == is_said


class SomeAnyway(Knows):
    """Knows pictures in one order of channels, and in the other one the first few of every four."""

    few = 2

    def changed(self, index: int, array: Any) -> Answer:
        answer = super().changed(index, array)
        other = super().changed(index, array[:, ::-1])
        is_other = answer.margin != KNOWN == other.margin
        return other if is_other and other.place % 4 not in range(1, 5 - self.few) else answer


@pytest.mark.parametrize(("few", "is_said"), [(2, True), (3, False)])
def test_half_of_the_pictures_are_right_in_any_order(
    few: int, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grey and green things are the same in either order."""
    files(tmp_path)
    oracle = SomeAnyway([planar(encoded(one, "unit")) for one in PICTURES])
    oracle.few = few
    monkeypatch.setattr(beside, "Runs", oracle)
    monkeypatch.setattr(beside, "is_varied", lambda _: False)
    text = said(tmp_path, planar(encoded(PICTURES[1][..., ::-1], "unit")), GRAPH, named)
    assert ("with the channels reversed 8 of 8" in text and "sent 4" in text) == is_said
    assert said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH, named) == ""


class OfColours(Knows):
    """Says of other colours another thing, as surely: of so many pictures that of the next one."""

    wrong = 8

    def changed(self, index: int, array: Any) -> Answer:
        own, other = (super(OfColours, self).changed(index, one) for one in (array, array[:, ::-1]))
        if own.margin == KNOWN or other.margin != KNOWN:
            return own
        return Answer((other.place + ((other.place - 1) % 8 < self.wrong)) % 8, 0.97, 8, KNOWN)


@pytest.mark.parametrize(
    ("wrong", "shows", "is_said"),
    [(8, named, True), (4, named, True), (3, named, False), (0, named, False), (8, nameless, False)],
)
def test_names_belie_sure_answers(
    wrong: int, shows: Any, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model is as sure of things whose colours are those of others; a few others it may get wrong."""
    files(tmp_path)
    oracle = OfColours([planar(encoded(one, "unit")) for one in PICTURES])
    oracle.wrong = wrong
    monkeypatch.setattr(beside, "Runs", oracle)
    text = said(tmp_path, planar(encoded(PICTURES[1][..., ::-1], "unit")), GRAPH, shows)
    assert ("with the channels reversed 8 of 8" in text) is is_said is bool(text)
    assert said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH, shows) == ""


class Doubts(Knows):
    """Is sure of larger elements, and says nearly the same of the first few as they were sent, in doubt."""

    same = 8

    def changed(self, index: int, array: Any) -> Answer:
        answer = super().changed(index, array)
        if answer.margin == KNOWN:
            return answer
        near = [
            abs((one - one.mean()) / one.std() - (array - array.mean()) / array.std()).mean()
            for one in self._known
        ]
        place = int(numpy.argmin(near))
        is_same = min(near) < 0.5 and place < self.same
        return Answer(place if is_same else 7, 0.6, 8, 1.0)


@pytest.mark.parametrize(("same", "is_said"), [(8, False), (6, False), (3, True), (0, True)])
def test_larger_elements_make_a_model_surer_of_the_same(
    same: int, is_said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digit's network that is in doubt is right all the same."""
    files(tmp_path)
    oracle = Doubts([planar(encoded(one, "imagenet")) for one in PICTURES])
    oracle.same = same
    monkeypatch.setattr(beside, "Runs", oracle)
    text = said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH)
    assert ("ImageNet's mean and deviation" in text and "8 different sure answers" in text) is is_said
    assert bool(text) is is_said


@pytest.mark.parametrize("wanted", ["signed", "imagenet"])
def test_names_that_are_read_last(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the numbers of each colour go with it, where an order is wrong."""
    files(tmp_path)
    oracle = Knows([planar(encoded(one, wanted)) for one in PICTURES[:3] * 3][:8])
    monkeypatch.setattr(beside, "Runs", oracle)
    known: list[str] = []
    late: list[Callable[[], str]] = []

    def shows(name: str, count: int) -> Depicted | None:
        return Depicted(name, (min("abcdefgh".index(name[0]), 3),)) if known and name[0] in "abc" else None

    sent = planar(encoded(PICTURES[1], wanted)[..., ::-1])
    assert said(tmp_path, sent, GRAPH, shows, late) == "" and late
    assert late[0]() == ""
    known.append("now")
    assert "with the channels reversed 3 of 3" in late[0]()


@pytest.mark.parametrize(
    ("runs", "plan"), [(1000, (8, 9)), (40, (6, 3)), (20, (4, 3)), (18, (4, 2)), (15, (0, 0))]
)
def test_as_many_questions_as_there_is_time_for(runs: int, plan: tuple[int, int]) -> None:
    assert beside.planned(runs, 7) == plan


def test_too_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(tmp_path, PICTURES[:3])
    monkeypatch.setattr(beside, "Runs", Knows([planar(encoded(one, "signed")) for one in PICTURES]))
    assert said(tmp_path, planar(encoded(PICTURES[1], "unit")), GRAPH, named) == ""


def test_elements_that_make_a_model_too_sure(tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "m.onnx").write_bytes(recogniser(PICTURES, "unit", is_linear=False))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        text = said(tmp_path, planar(encoded(PICTURES[1], "raw")), model.graph)
        assert f"{UNIT} (they were sent from 0 to 255)" in text
        assert said(tmp_path, planar(encoded(PICTURES[1], "unit")), model.graph, named) == ""


@pytest.mark.parametrize("kind", ["unit", "signed", "raw", "imagenet"])
def test_models_that_are_right(kind: str, tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "m.onnx").write_bytes(recogniser(PICTURES, kind))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        for shows in (named, nameless):
            assert said(tmp_path, planar(encoded(PICTURES[1], kind)), model.graph, shows) == ""


def test_networks_that_were_never_trained(tmp_path: Path) -> None:
    tried = 0
    for seed in range(12):
        model, shape = untrained(seed)
        if shape[1] != 3:
            continue
        pictures = [picture(seed + at, *shape[-2:]) for at in range(8)]
        files(tmp_path, pictures)
        (tmp_path / "m.onnx").write_bytes(model)
        with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
            for kind in ("unit", "raw"):
                assert said(tmp_path, planar(encoded(pictures[1], kind)), loaded.graph) == "", (seed, kind)
        tried += 1
    assert tried >= 8


@pytest.mark.parametrize("is_inverted", [False, True])
def test_pictures_are_prepared_as_the_one_that_was_sent(is_inverted: bool, tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "note.txt").write_bytes(b"none")
    source = decoded("b.ppm", (tmp_path / "b.ppm").read_bytes())
    sent = planar((255.0 - PICTURES[1]) / 255 if is_inverted else PICTURES[1] / 255.0)
    assert source is not None
    found, shape = traced(sent, source), picture_of(sent.shape)
    assert found is not None and shape is not None
    own = 255.0 * sent[0].transpose(1, 2, 0)
    made = dict(siblings(found, tmp_path / "b.ppm", own, shape, always))
    assert sorted(made) == [f"{one}.ppm" for one in "acdefgh"]
    assert abs(made["a.ppm"] - (255.0 - PICTURES[0] if is_inverted else PICTURES[0])).max() < 1
    assert siblings(found, tmp_path / "b.ppm", own[::-1], shape, always) == []


@pytest.mark.parametrize(("bright", "seen"), [(8, True), (1, False)])
def test_black_and_white(bright: int, seen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawing in black on white beside those in white on black is an exception."""
    drawn = [255 - (one[..., :1] // 3).repeat(3, axis=2) for one in PICTURES]
    kept = [one if at < bright else 255 - one for at, one in enumerate([drawn[1], *drawn[2:], drawn[0]])]
    for name, one in zip("bcdefgha", kept, strict=True):
        (tmp_path / f"{name}.pgm").write_bytes(ppm(one[..., :1]))
    known = [planar(1 - one[..., :1] / 255) for one in drawn]
    monkeypatch.setattr(beside, "Runs", Knows(known))
    source = decoded("b.pgm", (tmp_path / "b.pgm").read_bytes())
    sent = planar(drawn[1][..., :1] / 255)
    assert source is not None
    found, tensor = traced(sent, source), Tensor.from_numpy(sent)
    assert found is not None
    asked = files_beside(0, found, tensor, tmp_path / "b.pgm", Budget(), named)
    assert asked is not None
    text = asked_beside(GRAPH, [tensor], asked, (), 0.001, 10.0, [])
    assert ("with black and white swapped 8 of 8 pictures" in text) is bool(text) is seen


def test_a_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = numpy.random.default_rng(5)
    sounds = [
        (
            9000 * numpy.sin(order.uniform(0.01, 0.2) * numpy.arange(4000)) * order.uniform(0.5, 1, 4000)
        ).astype("i2")
        for _ in range(8)
    ]
    for at, one in enumerate(sounds):
        (tmp_path / f"{'abcdefgh'[at]}.wav").write_bytes(wav(one, 16000))
    known = [(one.reshape(-1, 2).mean(axis=1) / 32768).astype("f4")[None] for one in sounds]
    monkeypatch.setattr(beside, "Runs", Knows(known, 1e-3))
    for sent, seen in ((sounds[1][:2000], True), (known[1][0] * 32768, False)):
        tensor = Tensor.from_numpy((sent / 32768).astype("f4")[None])
        source = decoded("b.wav", (tmp_path / "b.wav").read_bytes())
        assert source is not None
        found = heard(tensor.numpy(), source)
        kept = found and files_beside(0, found, tensor, tmp_path / "b.wav", Budget(), named)
        text = asked_beside(GRAPH, [tensor], kept, (), 0.001, 10.0, []) if kept else ""
        assert ("at 8,000 Hz (samples at 16,000 Hz were sent as they are) 8 of 8 sounds" in text) is seen


@pytest.mark.parametrize(
    ("said", "sure", "seen"),
    [
        ("at 16,000 Hz (samples at 8,000 Hz were sent as they are)", 0.96, False),
        ("at 16,000 Hz (samples at 8,000 Hz were sent as they are)", 0.999, True),
        ("with pixels from 0 to 1 (they were sent from 0 to 255)", 0.96, True),
    ],
)
def test_a_rate_at_which_a_model_is_less_sure_than_as_sent(said: str, sure: float, seen: bool) -> None:
    sent = beside.Way("as sent", tuple(Answer(at % 2, 0.998, 5, 6.0) for at in range(6)))
    other = beside.Way(said, tuple(Answer(at % 5, sure, 5, 5.0) for at in range(6)))
    assert (beside.most_varied(sent, [other]) is other) is seen


@pytest.mark.parametrize(
    ("numbers", "step", "margin"),
    [([0, 1], 0.0, 103.62), ([0, 1], 1 / 512, 6.24), ([-2, 5, 3], 0.0, 2.0), ([0.2, 0.8], 0.0, 1.386)],
)
def test_how_far_an_answer_is_ahead(numbers: list[float], step: float, margin: float) -> None:
    found = chosen(numpy.array(numbers), step)
    assert found is not None and found.margin == pytest.approx(margin, abs=0.01)


@pytest.mark.parametrize("is_linear", [False, True])
def test_a_linear_model_of_whole_pixels(is_linear: bool, tmp_path: Path) -> None:
    """It is as sure of all files as their elements are large, and says the same of smaller ones."""
    files(tmp_path)
    (tmp_path / "m.onnx").write_bytes(recogniser(PICTURES, "unit", is_linear=is_linear))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        text = said(tmp_path, planar(encoded(PICTURES[1], "raw")), model.graph)
    assert ("as of elements that are far too large" in text) is (not is_linear) is bool(text)
