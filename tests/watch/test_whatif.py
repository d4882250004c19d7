"""The level "whatif" and `nn whatif`: mistakes that a model knows better, and above all inputs without one.

The mistakes here are by the hand that wrote the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy
import pytest

from pywasm_nn import cli
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Backend, DType, Tensor, TensorSpec
from pywasm_nn.nn.backend import Context, Graph
from pywasm_nn.processes import available
from pywasm_nn.program import run
from pywasm_nn.records import changed
from pywasm_nn.watch import events
from pywasm_nn.watch.changes.arrangements import TURNED
from pywasm_nn.watch.changes.rereadings import is_garbage, reread
from pywasm_nn.watch.few import unwarned
from pywasm_nn.watch.trace import Trace
from pywasm_nn.watch.whatif import Outcome, ask
from pywasm_nn.watch.whatif.asking import RUNS, Asking, Change, Trial, changes, is_as_good, is_candidate
from pywasm_nn.watch.whatif.sureness import OVERSURE, Answer, answer_of, answers_of, is_far_surer
from tests.watch.test_hints import NO_PICTURES, PICTURES
from tests.watch.whatif_models import SIDE, encoded, picture, planar, recogniser, untrained

ROOT = Path(__file__).parents[2]
GUEST = ROOT / "tests" / "guests" / "raw_tensor.wasm"
BIRD = ROOT / ".." / "shared" / "models" / "bird-224x224x3.u8"
KNOWN = [picture(seed) for seed in range(12)]
NUMPY = {"onnx": "numpy"}


def asked(tmp_path: Path, model: bytes, array: Any, **more: Any) -> tuple[Outcome, str]:
    """What comes of asking, and the sentence."""
    (tmp_path / "m.onnx").write_bytes(model)
    with NN(backends=NUMPY).load(tmp_path / "m.onnx") as loaded:
        outcome = ask(loaded.graph, loaded.tensors({"x": array}), **more)
        return outcome, outcome.sentence(loaded.inputs) or ""


# Mistakes


@pytest.mark.parametrize("kind", ["unit", "signed", "imagenet", "raw"])
@pytest.mark.parametrize("number", [0, 5])
def test_the_right_input_is_left_alone(kind: str, number: int, tmp_path: Path) -> None:
    outcome, said = asked(tmp_path, recogniser(KNOWN, kind), planar(encoded(KNOWN[number], kind)))
    assert outcome.sent is not None and outcome.sent.answer is not None
    assert (outcome.sent.answer.place, said) == (number, "")


@pytest.mark.parametrize("is_upright", [True, False])
def test_a_picture_that_lies_as_in_its_file_is_not_turned(is_upright: bool, tmp_path: Path) -> None:
    array = planar(encoded(KNOWN[2].swapaxes(0, 1), "unit"))
    _, said = asked(tmp_path, recogniser(KNOWN, "unit"), array, known={0} if is_upright else ())
    assert said == "" if is_upright else f"{TURNED} the answer is 2" in said


@pytest.mark.parametrize(("kind", "chosen"), [("unit", False), ("raw", False), ("imagenet", True)])
def test_a_range_that_somebody_chose(kind: str, chosen: bool) -> None:
    """Of pixels by a mean and a deviation no other range is named unless the model doesn't know at all."""
    tensor = Tensor.from_numpy(planar(encoded(KNOWN[0], kind)))
    ranges = [
        one for one in changes(0, tensor, TensorSpec("x", tensor.dtype, tensor.shape)) if "pixels" in one.said
    ]
    assert {one.is_doubted for one in ranges} == {chosen}
    trial = Trial(ranges[0], Answer(1, 0.95))
    assert is_candidate(trial, Answer(6, 0.75)) is not chosen
    assert is_candidate(trial, Answer(6, 0.2))


MISTAKES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "divided by 255 twice": ("unit", lambda x: x / 255, "from 0 to 1"),
    "0..1 for 0..255": ("raw", lambda x: x / 255, "from 0 to 255"),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("number", [1, 4, 7])
def test_pixels_in_the_wrong_range(name: str, number: int, tmp_path: Path) -> None:
    kind, spoil, words = MISTAKES[name]
    outcome, said = asked(tmp_path, recogniser(KNOWN, kind), spoil(planar(encoded(KNOWN[number], kind))))
    assert words in said, said
    assert outcome.found is not None and outcome.found.answer is not None
    assert outcome.found.answer.place == number
    assert f"the answer is {number} at " in said and "; as sent it is " in said


@pytest.mark.parametrize("number", [1, 4])
def test_a_network_that_is_sure_of_everything_is_asked(number: int, tmp_path: Path) -> None:
    """Pixels up to 255 make one class as sure as can be, whatever the picture is."""
    model = recogniser(KNOWN, "unit", uneven=40)
    outcome, said = asked(tmp_path, model, 255 * planar(encoded(KNOWN[number], "unit")))
    assert outcome.sent is not None and outcome.sent.answer is not None
    assert outcome.sent.answer.sure == 1
    ranges = "with pixels from 0 to 1, or from -1 to 1 (they look as if sent from 0 to 255)"
    assert f"{ranges} the answer is {number} at " in said
    assert said.endswith("times as probable as the next one: elements are far too large")
    assert asked(tmp_path, model, planar(encoded(KNOWN[number], "unit")))[1] == ""


def test_ranges_with_the_same_answer_are_all_named() -> None:
    """The most usual one comes first, even if a wider one is a little surer."""
    said = "with pixels {} (they look as if sent from 0 to 255)"
    unit, signed = (Change(said.format(name), 0, None) for name in ("from 0 to 1", "from -1 to 1"))
    best = Trial(signed, Answer(7, 1.0, 10, 16.0))
    assert is_as_good(Trial(unit, Answer(7, 0.95, 10, 3.6)), best)
    assert not is_as_good(Trial(unit, Answer(4, 0.95, 10, 3.6)), best)
    assert not is_as_good(Trial(unit, Answer(7, 0.5, 10, 0.3)), best)
    assert not is_as_good(Trial(unit, Answer(7, 1.0, 10, OVERSURE)), best)
    assert not is_as_good(Trial(changed(unit, said="with the channels reversed"), best.answer), best)


class Stub:
    """A model that tells small numbers from large ones, and what they show from the same in random orders,
    unless it is `blind` to small ones. To `divided` ones it says the same as to large ones."""

    def __init__(self, *, blind: bool, divided: bool = False) -> None:
        self._small = Answer(5 if blind else 8, 0.2, 10, 0.1)
        self._divided = divided

    def left(self, reserved: int = 0) -> bool:
        return True

    def changed(self, index: int, array: Any) -> Answer:
        is_small = abs(array).max() < 9 and not (self._divided and array.min() >= 0)
        return Answer(5 if is_small else 7, 0.35, 10, 0.1)

    def shuffled(self, change: Change, seeds: range) -> tuple[Answer, ...]:
        return (self._small,) * len(seeds)


@pytest.mark.parametrize(
    ("kind", "model", "seen"),
    [
        ("raw", Stub(blind=False), True),
        ("raw", Stub(blind=True), False),
        ("raw", Stub(blind=False, divided=True), False),
        ("unit", Stub(blind=False), False),
    ],
)
def test_an_answer_in_all_ranges_of_small_numbers(kind: str, model: Stub, seen: bool) -> None:
    """Whole pixels get another one, though no answer is sure; a model of whole pixels is blind to others."""
    tensor = Tensor.from_numpy(planar(encoded(KNOWN[0], kind)))
    specs = [TensorSpec("x", tensor.dtype, tensor.shape)]
    sent = Answer(7 if kind == "raw" else 5, 0.4, 10, 0.2)
    asking = Asking(cast(Any, model), specs, [tensor], sent)
    assert asking.told_by_elements() is None and asking.is_open()
    asking.try_all()
    said = asking.outcome(1).sentence(specs) or ""
    assert bool(said) is seen
    assert not seen or "with pixels from 0 to 1, or from -1 to 1, or by ImageNet's mean and deviation" in said


class Turns:
    """A model that is sure of a picture with rows and columns exchanged, and so much of that upside down."""

    def __init__(self, right: Any, margin: float) -> None:
        self._right, self._margin = right, margin

    def left(self, reserved: int = 0) -> bool:
        return True

    def changed(self, index: int, array: Any) -> Answer:
        if (array == self._right).all():
            return Answer(4, 1.0, 10, 12.0)
        is_turned = any((array == numpy.flip(self._right, way)).all() for way in (2, (2, 3)))
        return Answer(5, 0.99, 10, self._margin) if is_turned else Answer(7, 0.5, 10, 0.5)

    def shuffled(self, change: Change, seeds: range) -> tuple[Answer, ...]:
        return (Answer(7, 0.6, 10, 0.9) if change.said == "as sent" else Answer(2, 0.3, 10, 0.2),) * len(
            seeds
        )


@pytest.mark.parametrize(("margin", "seen"), [(2.0, True), (11.0, False), (15.0, False)])
def test_a_model_that_is_sure_of_any_turn(margin: float, seen: bool) -> None:
    """As of noisy and pale digits, which it doesn't know: 9 of 540 were named."""
    right = planar(encoded(KNOWN[0], "unit"))
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(right.swapaxes(2, 3)))
    specs = [TensorSpec("x", tensor.dtype, tensor.shape)]
    asking = Asking(cast(Any, Turns(right, margin)), specs, [tensor], Answer(7, 0.8, 10, 1.3))
    assert asking.told_by_elements() is None and asking.is_open()
    asking.try_all()
    assert (TURNED in (asking.outcome(1).sentence(specs) or "")) is seen


@pytest.mark.parametrize("is_linear", [False, True])
@pytest.mark.parametrize("number", [1, 4, 7])
def test_answers_that_are_surer_than_training_makes_them(
    number: int, is_linear: bool, tmp_path: Path
) -> None:
    """The class may be the right one; the margin is that of elements fifty times as large. A linear model is
    as sure as its elements are large: scikit-learn's SGD, trained with whole pixels, has such margins."""
    model = recogniser(KNOWN, "imagenet", is_linear=is_linear)
    outcome, said = asked(tmp_path, model, planar(encoded(KNOWN[number], "raw")))
    assert outcome.sent is not None and outcome.sent.answer is not None
    assert outcome.sent.answer.place == number and outcome.sent.answer.margin >= OVERSURE
    if is_linear:
        assert said == ""
    else:
        assert "by ImageNet's mean and deviation" in said and said.endswith("elements are far too large")


def test_a_right_answer_that_is_hardly_sure(tmp_path: Path) -> None:
    many = [picture(seed) for seed in range(42)]
    outcome, said = asked(tmp_path, recogniser(many, "imagenet"), planar(encoded(many[3], "unit")))
    assert outcome.sent is not None and outcome.sent.answer is not None
    assert outcome.sent.answer.place == 3 and 0.4 < outcome.sent.answer.sure < 0.5
    assert (
        "by ImageNet's mean and deviation (they look as if sent from 0 to 1) the answer is 3 at 1.00" in said
    )
    _, said = asked(tmp_path, recogniser(many, "unit"), planar(0.22 * encoded(many[3], "unit") + 0.3))
    assert said == "", "a picture with little contrast"


def test_far_surer_answers() -> None:
    """Of probabilities near 1 margins tell which is surer, as far as training makes them."""
    one = Answer(3, 1.0, 10, 20.0)
    assert is_far_surer(one, Answer(9, 0.94, 10, 3.0))
    assert not is_far_surer(one, Answer(9, 1.0, 10, 9.0))
    assert not is_far_surer(Answer(3, 1.0, 10, 99.0), Answer(9, 0.94, 10, 3.0))
    assert not is_far_surer(Answer(3, 0.99, 10, 5.0), Answer(9, 0.5, 10, 0.1))


def photo(side: int = 224) -> Any:
    return picture(3, side, side)


def with_alpha(pixels: Any) -> Any:
    """The bytes of RGBA copied as if they were RGB."""
    rgba = numpy.concatenate([pixels, numpy.full((*pixels.shape[:2], 1), 255, "u1")], 2)
    return rgba.reshape(-1)[: pixels.size].reshape(pixels.shape)


def padded(by: int) -> Callable[[Any], Any]:
    """Rows with so many pixels after each, copied as if there were none."""

    def spoil(pixels: Any) -> Any:
        wide = numpy.pad(pixels, ((0, 0), (0, by), (0, 0)))
        return wide.reshape(-1)[: pixels.size].reshape(pixels.shape)

    return spoil


def as_bytes_of(dtype: str) -> Callable[[Any], Any]:
    """Elements written as another type into the buffer of f32."""

    def spoil(array: Any) -> Any:
        written = array.astype(dtype).tobytes()
        return numpy.frombuffer((written * 2)[: array.nbytes], "f4").reshape(array.shape)

    return spoil


BY_ELEMENTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = {
    "alpha": (with_alpha, lambda x: x, "4 bytes a pixel were taken for 3"),
    "2 pixels of padding": (padded(2), lambda x: x, "226 pixels apart"),
    "32 pixels of padding": (padded(32), lambda x: x, "256 pixels apart"),
    "f64": (lambda p: p, as_bytes_of("<f8"), "read as f64"),
    "f16": (lambda p: p, as_bytes_of("<f2"), "read as f16"),
    "big endian": (lambda p: p, lambda x: x.byteswap(), "bytes of each element reversed"),
}


@pytest.mark.parametrize("kind", ["unit", "signed", "imagenet", "raw"])
@pytest.mark.parametrize("channels_reversed", [False, True])
@pytest.mark.parametrize("name", BY_ELEMENTS)
def test_mistakes_of_which_the_elements_speak(name: str, channels_reversed: bool, kind: str) -> None:
    early, late, words = BY_ELEMENTS[name]
    pixels = early(photo())[..., :: -1 if channels_reversed else 1]
    for array in planar(encoded(pixels, kind)), encoded(pixels, kind)[None].astype("f4"):
        found = first_change(late(array))
        assert found is not None and found.certain and words in found.said, found


def ink(levels: int, size: int = 8) -> Any:
    """A digit: strokes of some levels on an empty ground."""
    row, column = numpy.mgrid[:size, :size]
    stroke = numpy.maximum(0, 1 - abs(numpy.hypot(row - size / 2, column - size / 2) - size / 4) / 1.5)
    return (stroke * levels).round()[None, None].astype("f4")


FEW_BITS = {
    "sixteenths": (as_bytes_of("<f8")(ink(16) / 16), True),
    "steps of -1 to 1": (as_bytes_of("<f8")(ink(16) / 8 - 1), True),
    "whole numbers": (as_bytes_of("<f8")(ink(16)), True),
    "f32": ((ink(16) / 16).astype("f4"), False),
    "counts in every second place": (numpy.repeat(ink(3)[..., None], 2, 4) * numpy.array([0, 1]), False),
    "halves": (numpy.repeat(ink(7)[..., None] / 2, 2, 4) * numpy.array([0, 1]), False),
    "heights": (numpy.linspace(1.5, 1.9, 32)[:, None] * numpy.array([0, 1]), False),
}


@pytest.mark.parametrize("name", FEW_BITS)
def test_doubles_with_few_bits(name: str) -> None:
    """Their lower halves are 0, as every second element of others may be."""
    array, seen = FEW_BITS[name]
    found = first_change(array.astype("f4"))
    assert (found is not None and "read as f64" in found.said) is seen, found


@pytest.mark.parametrize("kind", ["unit", "signed", "imagenet", "raw"])
@pytest.mark.parametrize("seed", range(8))
def test_pictures_say_nothing_of_themselves(seed: int, kind: str) -> None:
    pixels = picture(seed, 96, 120)
    for array in planar(encoded(pixels, kind)), encoded(pixels, kind)[None].astype("f4"):
        found = first_change(array)
        assert found is not None and not found.certain, found.said


@pytest.mark.parametrize("name", [*PICTURES, *NO_PICTURES])
def test_patterns_say_nothing_of_themselves(name: str) -> None:
    pixels = (PICTURES | NO_PICTURES)[name].astype("f4")
    for array in planar(pixels), pixels[None]:
        found = first_change(array)
        assert found is None or not found.certain, found.said


def test_rows_that_come_again_are_not_sheared() -> None:
    """Features of a steady tone, scaled by their mean and deviation: every fifth row is the same again. An
    outside tester's clean guest."""
    order = numpy.random.default_rng(2)
    five = order.normal(0, 1, (5, 10)) + numpy.eye(10)[0] * 6 * numpy.arange(-2, 3)[:, None]
    rows = numpy.tile(five, (20, 1)) + order.normal(0, 0.02, (100, 10))
    found = first_change(rows[None, None].astype("f4"))
    assert found is not None and not found.certain, found.said


@pytest.mark.parametrize("begins", [2, 37])
def test_rows_of_a_tone_that_rises_or_falls_are_not_sheared(begins: int) -> None:
    """Its peak moves by a band in two steps of time, so that rows are alike a band beside the second next."""
    times, bands = numpy.mgrid[:48, :40]
    peak = begins + times / 2 * (1 if begins < 20 else -1)
    rows = numpy.exp(-((bands - peak) ** 2) / 3) * 8 + numpy.random.default_rng(3).normal(0, 0.3, (48, 40))
    found = first_change(rows[None, None].astype("f4"))
    assert found is None or not found.certain, found.said


def test_a_photograph(tmp_path: Path) -> None:
    if not BIRD.is_file():
        pytest.skip("needs ../shared/models")
    bird = numpy.fromfile(BIRD, "u1").reshape(224, 224, 3)
    for kind in "unit", "imagenet":
        right = first_change(planar(encoded(bird, kind)))
        assert right is not None and not right.certain
        for early, late, words in BY_ELEMENTS.values():
            found = first_change(late(planar(encoded(early(bird), kind))))
            assert found is not None and found.certain and words in found.said


def first_change(array: Any) -> Any:
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
    return next(changes(0, tensor, TensorSpec("x", tensor.dtype, tensor.shape)), None)


def test_the_answer_is_compared(tmp_path: Path) -> None:
    known = [picture(seed, 64, 64) for seed in range(6)]
    outcome, said = asked(tmp_path, recogniser(known, "unit"), planar(encoded(with_alpha(known[2]), "unit")))
    assert outcome.found is not None and outcome.found.change.certain
    assert said.startswith('input 0 "x": without every fourth element, which is always 1 (4 bytes a pixel')


# No false alarm


def clean(seed: int, shape: tuple[int, ...]) -> Any:
    """An input as a guest without a mistake sends it."""
    order = numpy.random.default_rng(seed)
    _, channels, height, width = shape
    pixels = picture(seed, height, width)
    if seed % 7 == 0:
        pixels = order.integers(0, 256, pixels.shape).astype("u1")
    if seed % 7 == 1:
        column = numpy.arange(width)[None, :, None] * int(order.integers(1, 9))
        pixels = (pixels * 0 + column) % 256
    if channels == 1:
        pixels = pixels.mean(2, keepdims=True)
        return planar(encoded(pixels, str(order.choice(["unit", "signed", "raw"]))))
    return planar(encoded(pixels, str(order.choice(["unit", "signed", "imagenet", "raw"]))))


@pytest.mark.parametrize("block", range(8))
def test_networks_that_were_never_trained_get_no_hint(block: int, tmp_path: Path) -> None:
    tried = 0
    for seed in range(30 * block, 30 * block + 30):
        model, shape = untrained(seed)
        outcome, said = asked(tmp_path, model, clean(seed, shape))
        tried += bool(outcome.trials)
        assert said == "", f"seed {seed}: {said}"
        assert outcome.runs <= RUNS
    assert tried > 5, "nothing was asked"


@pytest.mark.parametrize("dtype", [d for d in DType if d not in (DType.STRING, DType.ANY)])
@pytest.mark.parametrize(
    "shape",
    [(), (0,), (1,), (3,), (64,), (1, 3, 16, 16), (1, 16, 16, 3), (2, 4, 9, 9), (60, 80, 3), (1, 1, 8, 8)],
)
def test_any_tensor_can_be_changed(dtype: DType, shape: tuple[int, ...]) -> None:
    order = numpy.random.default_rng(0)
    size = Tensor(dtype, shape, b"").size
    for data in order.bytes(size), bytes(size), bytes([1]) * size:
        data = bytes(byte & 1 for byte in data) if dtype is DType.BOOL else data
        tensor = Tensor(dtype, shape, data)
        spec = TensorSpec("x", dtype, shape, quantization=(0.5, 3))
        for change in changes(0, tensor, spec):
            assert change.array.shape == shape
            assert change.array.dtype.str == dtype.numpy_name
            assert change.array.tobytes() != data


@pytest.mark.parametrize(
    ("shape", "values", "answer"),
    [
        ((1, 3), [0.1, 0.7, 0.2], "1 at 0.70"),
        ((1, 3), [0.0, 10.0, 0.0], "1 at 1.00"),
        ((3,), [0.9, 0.8, 0.1], "0 at 0.90"),
        ((1, 1), [0.9], None),
        ((2, 2), [0.9, 0.1, 0.5, 0.5], None),
        ((1, 2), [float("nan"), 0.1], None),
        ((1, 0), [], None),
    ],
)
def test_how_sure_an_answer_is(shape: Any, values: list[float], answer: str | None) -> None:
    tensor = Tensor.from_numpy(numpy.array(values, "f4").reshape(shape))
    found = answer_of((TensorSpec("y", DType.F32, shape),), (tensor,))
    assert (None if found is None else str(found)) == answer
    assert answer_of((TensorSpec("y", DType.F32, shape),) * 2, (tensor, tensor)) is None


@pytest.mark.parametrize(
    ("declared", "seen"), [((None, 1), False), (("n", 1), False), ((3, 1), True), (None, True)]
)
def test_numbers_of_several_inputs_are_no_classes(declared: Any, seen: bool) -> None:
    tensor = Tensor.from_numpy(numpy.array([[0.1], [0.7], [0.2]], "f4"))
    assert (answer_of((TensorSpec("y", DType.F32, declared),), (tensor,)) is not None) is seen


@pytest.mark.parametrize("label", [numpy.array([2], "i8"), numpy.array([2], "i4")])
def test_the_class_may_stand_beside_its_shares(label: Any) -> None:
    """As scikit-learn's models have it."""
    shares = Tensor.from_numpy(numpy.array([[0.1, 0.2, 0.7]], "f4"))
    named = Tensor.from_numpy(label)
    specs = (TensorSpec("label", named.dtype, (1,)), TensorSpec("probabilities", DType.F32, (1, 3)))
    found = answer_of(specs, (named, shares))
    assert found is not None
    assert (found.place, round(found.sure, 3), found.classes) == (2, 0.7, 3)
    assert answer_of(specs[::-1], (shares, named)) == found
    assert answer_of(specs, (shares, shares)) is None
    assert [one.place for one in answers_of(specs, (named, shares))] == [2]


# What the guest gets


def told(*levels: str, model: bytes, array: Any, folder: Path, **more: Any) -> tuple[str, list[str]]:
    """What a guest writes that loads the model by its own bytes, and the hints about it."""
    (folder / "m.onnx").write_bytes(model)
    array.tofile(folder / "x.f32")
    trace = Trace(levels)
    shape = "x".join(map(str, array.shape))
    result = run(GUEST, ["/d/m.onnx", "/d/x.f32", shape], dirs={"/d": folder}, observer=trace, **more)
    assert result.exit_code == 0
    return result.stdout.decode(), [event.text for event in trace if isinstance(event, events.Hint)]


def test_a_guest_is_told_and_gets_the_same(tmp_path: Path) -> None:
    if reason := available():
        pytest.skip(reason)
    array = planar(encoded(KNOWN[3], "unit")) / 255
    model = recogniser(KNOWN, "unit")
    limits = Limits(tensor_total=array.nbytes + 4 * len(KNOWN), seconds=120.0)
    given: dict[str, Any] = {"model": model, "array": array, "folder": tmp_path, "limits": limits}
    nn = NN(backends=NUMPY)
    plain, hints = told("nn", nn=nn, **given)
    assert not any("as sent" in hint for hint in hints), "off unless it was asked for"
    out, hints = told("nn", "whatif", nn=nn, **given)
    assert out == plain
    assert [hint for hint in hints if "the answer is 3 at" in hint and "as sent" in hint]


class Counting(Backend):
    """A backend that counts its runs and answers by chance."""

    name = "counting"
    formats = ("counted",)

    def __init__(self) -> None:
        self.runs = 0

    def detect(self, data: Any) -> str | None:
        return "counted"

    def load(self, format: str, parts: Any, config: Any) -> Graph:
        return CountingGraph(self)


class CountingGraph(Graph):
    def __init__(self, backend: Counting) -> None:
        spec = TensorSpec("x", DType.F32, (1, 3, SIDE, SIDE))
        super().__init__(backend.name, [spec], [TensorSpec("y", DType.F32, (1, 10))])
        self.counting = backend

    def context(self) -> Context:
        return CountingContext(self)


class CountingContext(Context):
    graph: CountingGraph

    def run(self, inputs: Any) -> Any:
        self.graph.counting.runs += 1
        seed = int.from_bytes(bytes(inputs[0].view())[:64], "little") % (1 << 32)
        weights = numpy.random.default_rng(seed).dirichlet(numpy.full(10, 0.3))
        return [Tensor.from_numpy(weights[None].astype("f4"))]


@pytest.mark.parametrize("number", range(6))
def test_no_more_runs_than_promised(number: int, tmp_path: Path) -> None:
    backend = Counting()
    (tmp_path / "m.counted").write_bytes(b"counted")
    with NN(plugins=[backend]).load(tmp_path / "m.counted") as model:
        tensors = model.tensors({"x": planar(encoded(KNOWN[number], "unit"))})
        for every in False, True:
            backend.runs = 0
            outcome = ask(model.graph, tensors, every=every)
            assert 1 <= backend.runs == outcome.runs <= RUNS


def test_a_model_that_fails_when_asked_again_is_no_failure_of_the_guest(tmp_path: Path) -> None:
    class Once(Counting):
        formats = ("onnx",)

        def load(self, format: str, parts: Any, config: Any) -> Graph:
            return OnceGraph(self)

    class OnceGraph(CountingGraph):
        def context(self) -> Context:
            if self.counting.runs:
                raise RuntimeError("no second context")
            return super().context()

    array = planar(encoded(KNOWN[0], "unit"))
    nn = NN(plugins=[Once()], backends={"onnx": "counting"}, trust_guest_models=True)
    model = recogniser(KNOWN, "unit")
    out, _ = told("nn", "whatif", model=model, array=array, folder=tmp_path, nn=nn)
    assert len(out.splitlines()) == 5


def test_time_for_questions_is_not_the_guest_s() -> None:
    from time import monotonic

    from pywasm_nn.interpreter.runtime.deadline import OPEN, paused

    seen: list[float] = []

    def slow() -> None:
        [deadline] = OPEN.get()
        before = deadline.moment - monotonic()
        with paused():
            end = monotonic() + 0.3
            while monotonic() < end:
                assert not deadline.over
        seen.append(before - (deadline.moment - monotonic()))

    from pywasm_nn.api import Module

    text = '(module (import "a" "slow" (func $slow)) (func (export "f") (call $slow)))'
    with Module.from_text(text).instantiate(
        imports={"a": {"slow": slow}}, limits=Limits(seconds=60.0)
    ) as app:
        app.exports.f()
    assert seen[0] < 0.25


# The command


@pytest.fixture
def pywasm(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command line in an empty directory: exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> tuple[int, str, str]:
        code = cli.call([str(word) for word in words])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


def test_the_command(pywasm: Any, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(recogniser(KNOWN, "unit"))
    numpy.save("right.npy", planar(encoded(KNOWN[3], "unit")))
    numpy.save("wrong.npy", planar(encoded(KNOWN[3], "unit")) / 255)
    words = ["nn", "whatif", "--nn-backend", "onnx=numpy", "m.onnx"]
    code, out, _ = pywasm(*words, "right.npy")
    assert (code, out.splitlines()[-1]) == (0, "no change is far better")
    assert "as sent: 3 at" in out
    code, out, _ = pywasm(*words, "wrong.npy")
    assert code == 0
    assert out.splitlines()[-1].startswith('hint: input 0 "x": with pixels from 0 to 1')
    assert pywasm(*words)[0] == 2
    numpy.save("short.npy", numpy.zeros((1, 3, 4, 4), "f4"))
    code, _, err = pywasm(*words, "short.npy")
    assert code == 1 and "wants f32[1,3,32,32]" in err


def test_the_level(pywasm: Any, tmp_path: Path) -> None:
    if reason := available():
        pytest.skip(reason)
    (tmp_path / "m.onnx").write_bytes(recogniser(KNOWN, "unit"))
    (planar(encoded(KNOWN[3], "unit")) / 255).tofile("x.f32")
    words = ["--nn-backend", "onnx=numpy", "--dir", ".", GUEST, "m.onnx", "x.f32", f"1x3x{SIDE}x{SIDE}"]
    code, _, err = pywasm("run", "--trace=nn,whatif", *words)
    assert code == 0
    assert [line for line in err.splitlines() if line.startswith("hint") and "as sent it is" in line]
    assert "as sent" not in pywasm("run", "--trace=host,nn", *words)[2]


# What a model says of its input


FACE = ROOT / ".." / "shared" / "models" / "real" / "face_detection_short_range.tflite"


def test_metadata_of_a_tflite_model() -> None:
    if not FACE.is_file():
        pytest.skip("needs ../shared/models")
    from pywasm_nn.watch.hints.models import normalisation

    assert normalisation([FACE]) == {0: ((127.5,), (127.5,))}
    data = FACE.read_bytes()
    assert normalisation([data]) == {0: ((127.5,), (127.5,))}
    order = numpy.random.default_rng(0)
    for _ in range(300):  # damaged bytes are no metadata, or other numbers
        broken = bytearray(data)
        for place in order.integers(0, len(data), 40):
            broken[place] = int(order.integers(256))
        normalisation([bytes(broken)])
    for end in (8, 100, 1000, len(data) // 2, len(data) - 1000):
        normalisation([data[:end]])


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("signed", False), ("raw", True), ("unit", False), ("imagenet", True), ("twice", True),
        ("brighter", False),
    ],
)  # fmt: skip
def test_an_input_that_metadata_speaks_against(kind: str, seen: bool) -> None:
    from pywasm_nn.watch.changes.encodings import outside
    from pywasm_nn.watch.facts import picture_of

    pixels = numpy.array(picture(6, 64, 64))
    pixels[0, 0], pixels[0, 1] = 0, 255
    made = {
        "twice": lambda: encoded(pixels, "unit") / 255,
        "brighter": lambda: encoded(pixels, "signed") + 0.18,
    }
    array = planar(made.get(kind, lambda: encoded(pixels, kind))())
    shape = picture_of(array.shape)
    assert shape is not None
    text = outside(array, shape, (127.5,), (127.5,))
    assert (text is not None) is seen
    assert text is None or "wants (pixel - 127.5) / 127.5, from -1 to 1; sent were elements from" in text


def test_a_guest_is_told_what_the_metadata_wants(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    if not FACE.is_file():
        pytest.skip("needs ../shared/models")
    pixels = numpy.fromfile(FACE.with_name("face-128x128.rgb"), "u1").reshape(1, 128, 128, 3).astype("f4")
    for array, seen in ((pixels / 127.5 - 1, False), (pixels, True)):
        array.tofile(tmp_path / "x.f32")
        trace = Trace(["nn", "whatif"])
        dirs = {"/d": tmp_path, "/m": FACE.parent}
        run(GUEST, [f"/m/{FACE.name}", "/d/x.f32", "1x128x128x3"], dirs=dirs, observer=trace)
        hints = [event.text for event in trace if isinstance(event, events.Hint)]
        assert len([hint for hint in hints if "metadata wants" in hint]) == int(seen), hints


SPARSE = {
    "counts": numpy.eye(1, 4096, 7, dtype="f4").reshape(-1) * 3,
    "a mask": (numpy.arange(4096) % 37 == 0).astype("f4"),
    "an impulse": numpy.where(numpy.arange(4096) == 100, 0.7, 0).astype("f4"),
    "near silence": (numpy.sin(numpy.arange(4096) / 9) * 1e-9).astype("f4"),
}


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_and_tiny_numbers_are_no_other_type(kind: str) -> None:
    """An independent tester's clean guests: eleven of them got a hint."""
    assert list(reread(SPARSE[kind])) == []


def test_times_are_no_other_type() -> None:
    seconds = 1.7e9 + 60 * numpy.arange(450)
    assert list(reread(seconds.astype("f4"))) == []
    assert list(reread((1000 * seconds).astype("f4"))) == []


@pytest.mark.parametrize("type_", ["<f8", "<i4", "<i2", "<u1"])
def test_bytes_of_another_type_are_garbage(type_: str) -> None:
    random = numpy.random.default_rng(1)
    meant = random.integers(0, 200, 4096).astype(type_) + (random.random(4096) if type_ == "<f8" else 0)
    assert is_garbage(numpy.frombuffer(meant.astype(type_).tobytes(), "<f4"))


@pytest.mark.filterwarnings("error")
def test_odd_numbers_of_a_guest_warn_nobody() -> None:
    odd = numpy.array([3e38, -3e38, numpy.inf, numpy.nan, 1e-45] * 40, "f4")
    with unwarned():
        assert odd.mean() != 0 and numpy.isnan(odd.std())
        list(reread(odd))
