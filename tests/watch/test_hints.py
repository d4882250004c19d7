"""Rules of hints: what they see, and above all what they don't."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.nn import NN, DType, GraphConfig, NamedModel, Target, Tensor, TensorSpec
from pywasm_nn.nn.formats import KNOWN
from pywasm_nn.program import run
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.facts import Answer, Compute, Input, Load, Missing
from pywasm_nn.watch.hints import places, use, values
from pywasm_nn.watch.hints.models import scaled_inside
from pywasm_nn.watch.surroundings import Surroundings
from pywasm_nn.watch.tensors import described
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node

ROOT = Path(__file__).parents[2]
SHARED_MODELS = ROOT / ".." / "shared" / "models"
GUESTS = ROOT / "tests" / "guests"
SIDE = 64
ROW, COLUMN = numpy.mgrid[:SIDE, :SIDE]


def given(array: Any, name: str = "x", index: int = 0, **more: Any) -> Input:
    """The facts about an input."""
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
    spec, numbers = TensorSpec(name, tensor.dtype, tensor.shape), tensor.numbers()
    return Input(index, spec, described(spec, tensor), numbers, ramp=values.is_ramp(numbers), **more)


def answer(array: Sequence[float], *inputs: Input) -> Answer:
    tensor = Tensor.from_numpy(numpy.array([array], "f4"))
    return Answer(0, described(TensorSpec("y", tensor.dtype, None), tensor, top=True), inputs)


def test_a_number_for_each_of_several_inputs_is_no_choice() -> None:
    prices = numpy.array([[210.0, 90, 120, 480, 300]], "f4")
    for array in (prices, prices.T):
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
        told = described(TensorSpec("y", tensor.dtype, None), tensor, top=True)
        assert values.saturated(Answer(0, told, ())) is (len(array) == 1)


def landscape(seed: int = 0) -> Any:
    """A picture with rows, columns and channels, such as a camera could have taken: soft, with edges."""
    order = numpy.random.default_rng(seed)
    sky = numpy.where(20 + 6 * numpy.sin(COLUMN / 9) > ROW, 1.0, 0.3)
    channels = [
        sky * weight + 0.2 * numpy.sin(ROW / 11 + weight) + 0.15 * numpy.cos(COLUMN / 7 - weight)
        for weight in (0.4, 0.7, 1.0)
    ]
    return numpy.stack(channels, 2) + order.normal(0, 0.01, (SIDE, SIDE, 3))


def grey(plane: Any) -> Any:
    return numpy.repeat(numpy.asarray(plane, "f8")[..., None], 3, 2)


PICTURES = {
    "landscape": landscape(),
    "grey": grey(numpy.sin(COLUMN / 5) + numpy.cos(ROW / 7)),
    "diagonal": numpy.stack([COLUMN, ROW, COLUMN + ROW], 2),
    "board": grey((COLUMN // 8 + ROW // 8) % 2),
}
NO_PICTURES = {
    "noise": numpy.random.default_rng(1).random((SIDE, SIDE, 3)),
    "across": grey(COLUMN),
    "down": grey(ROW),
    "one colour": numpy.tile([10.0, 200.0, 90.0], (SIDE, SIDE, 1)),
    "black": numpy.zeros((SIDE, SIDE, 3)),
} | {
    f"{step} mod {modulus}": (numpy.arange(SIDE * SIDE * 3) * step % modulus).reshape(SIDE, SIDE, 3)
    for step in (1, 7, 31, 37, 85, 89, 97, 171)
    for modulus in (13, 251, 255, 256)
}


@pytest.mark.parametrize("dtype", ["f4", "u1", "f2"])
@pytest.mark.parametrize("name", [*PICTURES, *NO_PICTURES])
def test_pictures_that_lie_as_their_shape_says_get_no_hint(name: str, dtype: str) -> None:
    picture = (PICTURES | NO_PICTURES)[name]
    if dtype == "u1":
        picture = 255 * (picture - picture.min()) / max(1e-9, picture.max() - picture.min())
    picture = picture.astype(dtype)
    assert values.layout(given(picture[None])) is None
    assert values.layout(given(picture.transpose(2, 0, 1)[None])) is None
    assert values.layout(given(picture)) is None


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_in_the_other_layout_are_seen(name: str) -> None:
    picture = numpy.ascontiguousarray(PICTURES[name]).astype("f4")
    interleaved, planar = picture, numpy.ascontiguousarray(picture.transpose(2, 0, 1))
    assert "NHWC" in (values.layout(given(interleaved.reshape(1, 3, SIDE, SIDE))) or "")
    assert "NCHW" in (values.layout(given(planar.reshape(1, SIDE, SIDE, 3))) or "")


def test_a_photograph_is_seen_in_either_layout() -> None:
    path = SHARED_MODELS / "bird-224x224x3.u8"
    if not path.is_file():
        pytest.skip("needs ../shared/models")
    bird = numpy.fromfile(path, "u1").reshape(224, 224, 3)
    planar = numpy.ascontiguousarray(bird.transpose(2, 0, 1))
    assert values.layout(given(bird[None])) is None
    assert values.layout(given(planar[None])) is None
    assert values.layout(given(bird.reshape(1, 3, 224, 224))) is not None
    assert values.layout(given(planar.reshape(1, 224, 224, 3))) is not None


PIXELS = numpy.rint(landscape() * 100).clip(0, 255).transpose(2, 0, 1)[None].astype("f4")
WEIGHED = [0.5, 0.3, 0.1, 0.05, 0.05]
CERTAIN = [0, 1, 0, 0, 0]
LOGITS = [3.1, -2, 0.5, 8, 1]


@pytest.mark.parametrize(
    ("array", "made", "more", "seen"),
    [
        (PIXELS, CERTAIN, {}, True),
        (PIXELS, LOGITS, {}, False),  # as FER+ and YOLOX want them
        (PIXELS, [3.1, -2, 0.5, 80, 1], {}, True),
        (PIXELS, WEIGHED, {}, False),
        (PIXELS + 0.3, CERTAIN, {}, True),
        (PIXELS / 255, CERTAIN, {}, False),
        (PIXELS / 127.5 - 1, CERTAIN, {}, False),
        (PIXELS, CERTAIN, {"scaled_inside": True}, False),
        (PIXELS.astype("u1"), CERTAIN, {}, False),
        (numpy.arange(192, dtype="f4").reshape(1, 3, 8, 8), LOGITS, {}, False),
        (numpy.arange(16, dtype="f4").reshape(1, 1, 4, 4), LOGITS, {}, False),
        (PIXELS[:, :1, :8, :8] // 5, CERTAIN, {}, True),
        (2 * PIXELS[0, 0, :28, :28].reshape(1, -1), CERTAIN, {"flat_picture": True}, True),
        (2 * PIXELS[0, 0, :28, :28].reshape(1, -1), CERTAIN, {}, False),
        (2 * PIXELS.reshape(1, -1)[:, :784], LOGITS, {}, False),
        (numpy.array([[5, 3, 2, 8]], "f4"), CERTAIN, {}, False),
    ],
)
def test_pixels_that_are_not_normalised(array: Any, made: list[float], more: Any, seen: bool) -> None:
    hint = values.scaled(answer(made, given(array, **more)))
    assert (hint is not None) is seen, hint


def test_pixels_that_are_scaled_twice() -> None:
    assert values.scaled_twice(given(PIXELS / 255 / 255)) is not None
    assert values.scaled_twice(given(PIXELS / 255)) is None
    u8 = (PIXELS > 100).astype("u1")
    assert values.scaled_twice(given(u8)) is not None
    assert values.scaled_twice(given(u8[:, :1])) is None, "a mask"
    assert values.scaled_twice(given(PIXELS.astype("u1"))) is None


def test_zeros() -> None:
    nothing, something = numpy.zeros((1, 512), "f4"), numpy.ones((1, 512), "f4")
    assert values.zeros(Compute((given(nothing),))) is not None
    assert values.zeros(Compute((given(nothing, "state"), given(something, index=1)))) is None
    assert (
        values.zeros(Compute((given(numpy.zeros((1, 3, 8, 8), "u1")), given(something, index=1)))) is not None
    )
    assert values.zeros(Compute((given(numpy.zeros((1,), "i8")),))) is None, "one number"
    assert values.zeros(Compute(())) is None


def test_not_a_number() -> None:
    array = numpy.ones((1, 8), "f4")
    array[0, 3] = -numpy.inf
    assert values.not_a_number(given(array)) is None, "masks that are added have infinities"
    array[0, 5] = numpy.nan
    assert values.not_a_number(given(array)) is None, "a gap, which the model may know"
    lines = numpy.ones((40, 30), "f4")
    lines[::3, 7] = numpy.nan
    assert values.not_a_number(given(lines)) is None, "gaps in several lines"
    wide = numpy.ones((1, 300), "f4")
    wide[0, 5] = numpy.nan
    assert "1 of 300" in (values.not_a_number(given(wide)) or "")


def test_gaps_that_the_model_does_not_know() -> None:
    array = numpy.ones((1, 8), "f4")
    array[0, 5] = numpy.nan
    for output, seen in (([numpy.nan, 0.5], True), ([0.5, 0.5], False)):
        assert ("1 of 8" in (values.unknown_gaps(answer(output, given(array))) or "")) is seen
        assert values.unknown_gaps(answer(output, given(numpy.ones((1, 8), "f4")))) is None
    lines = numpy.ones((40, 30), "f4")
    lines[2, 7] = numpy.nan
    scores = numpy.ones((40, 1), "f4")
    scores[2] = numpy.nan
    assert "1 of 1200" in (values.unknown_gaps(answer(scores, given(lines))) or "")


def test_bytes_of_another_type() -> None:
    floats = numpy.array([[0.5, 1, -2, 0, 100]], "f4")
    ids = numpy.array([[101, 2023, 2003, 102, 0]], "i4")
    assert values.other_type(given(floats)) is None
    assert values.other_type(given(ids)) is None
    assert "integers" in (values.other_type(given(ids.view("f4"))) or "")
    assert "f32" in (values.other_type(given(floats.view("i4"))) or "")
    text = b"It was a dark and stormy night; the rain fell in torrents.\n".ljust(128, b"\0")
    assert "text" in (values.other_type(given(numpy.frombuffer(text, "i4"))) or "")
    assert "text" in (values.other_type(given(numpy.frombuffer(text, "i8"))) or "")
    assert values.other_type(given(numpy.frombuffer(text, "u1").astype("i4"))) is None


def test_swapped_masks() -> None:
    ids, ones = numpy.array([[101, 2023, 102, 0]], "i8"), numpy.array([[1, 1, 1, 0]], "i8")

    def hint(first: Any, second: Any) -> str | None:
        return values.swapped(Compute((given(first, "input_ids"), given(second, "attention_mask", 1))))

    assert hint(ids, ones) is None
    assert hint(ones, ids) is not None
    assert hint(ones, ones) is None


@pytest.mark.parametrize(
    ("number", "dtype", "seen"),
    [
        (2, "u1", True),
        (3, "i4", True),
        (3, "u1", False),
        (1, "f4", False),
        (2, "f8", False),
        (None, "u1", False),
    ],
)
def test_legacy_numbers(number: int | None, dtype: str, seen: bool) -> None:
    assert (use.legacy_type(given(numpy.ones((1, 4), dtype)), number) is not None) is seen


@pytest.mark.parametrize(
    ("asked", "device", "seen"),
    [
        ("gpu", "CPU", True),
        ("tpu", "CPU", True),
        ("gpu", "CUDA:0", False),
        ("cpu", "CPU", False),
        (None, "CPU", False),
    ],
)
def test_devices(asked: str | None, device: str, seen: bool) -> None:
    assert (use.other_device(Load(None, asked, device, "any", None)) is not None) is seen


def test_files_that_are_elsewhere(tmp_path: Path) -> None:
    given_, outside = tmp_path / "given", tmp_path / "outside"
    for folder in given_ / "models", outside / "models":
        folder.mkdir(parents=True)
    (given_ / "models" / "a.onnx").touch()
    (outside / "models" / "b.onnx").touch()
    around = Surroundings({"/data": given_}, (), KNOWN)

    def hint(path: str) -> str:
        return places.elsewhere(Missing(path), around, outside) or ""

    assert '"/data/models/a.onnx"' in hint("a.onnx")
    assert '"/data/models/a.onnx"' in hint("/data/a.onnx")
    assert hint("/data/models/a.onnx") == ""
    assert "--dir models::models" in hint("models/b.onnx")
    assert hint("nowhere.onnx") == ""
    assert hint("models/readme.txt") == ""
    unnamed = places.unnamed(Load("a", None, None, None, "not_found"), around)
    assert f"--models {given_ / 'models'}" in (unnamed or "")
    assert places.unnamed(Load("c", None, None, None, "not_found"), around) is None
    named_by_path = places.unnamed(Load("models/a.onnx", None, None, None, "not_found"), around)
    assert f"--nn-preload models/a.onnx:autodetect:auto:{given_ / 'models' / 'a.onnx'}" in (
        named_by_path or ""
    )


def test_a_large_tree_is_not_searched_to_its_end(tmp_path: Path) -> None:
    for number in range(places.MOST_ENTRIES + 1):
        (tmp_path / f"a{number:05}").touch()
    (tmp_path / "z.onnx").touch()
    assert places.find(tmp_path, "z.onnx") is None


def test_names_of_models_in_a_program() -> None:
    data = b"\0models/net.onnx\0.onnx\0a.onnxx\0/x/y-z_1.tflite\0models/net.onnx\0note.txt\0"
    assert places.names_in([data]) == ["models/net.onnx", "/x/y-z_1.tflite"]


def test_models_that_normalise_themselves(tmp_path: Path) -> None:
    def model(*nodes: bytes) -> bytes:
        return Model(
            nodes, {"x": ("float32", [1, 3])}, {"y": ("float32", [1, 3])}, {"s": numpy.array([255], "f4")}
        ).data()

    divided = model(node("Transpose", ["x"], ["a"], perm=[0, 1]), node("Div", ["a", "s"], ["y"]))
    assert "x" in scaled_inside([divided])
    assert "x" not in scaled_inside([model(node("Relu", ["x"], ["y"]))])
    path = tmp_path / "m.onnx"
    path.write_bytes(divided)
    assert "x" in scaled_inside([path])
    assert (
        scaled_inside([b"no model"]) == scaled_inside([]) == scaled_inside([tmp_path / "gone"]) == frozenset()
    )
    assert scaled_inside([divided[: len(divided) // 2]]) == frozenset()


@pytest.mark.parametrize("dtype", [d for d in DType if d is not DType.STRING])
@pytest.mark.parametrize(
    "shape", [(), (0,), (1,), (3,), (1, 3, 16, 16), (1, 16, 16, 3), (2, 4, 8, 8), (8, 8, 1)]
)
def test_rules_take_any_tensor(dtype: DType, shape: tuple[int, ...]) -> None:
    order = numpy.random.default_rng(0)
    data = order.bytes(Tensor(dtype, shape, b"").size)
    if dtype is DType.BOOL:
        data = bytes(byte & 1 for byte in data)
    tensor = Tensor(dtype, shape, data)
    spec, numbers = TensorSpec("x", dtype, shape), tensor.numbers()
    with numpy.errstate(all="ignore"):
        facts = Input(0, spec, described(spec, tensor, top=True), numbers, ramp=values.is_ramp(numbers))
        for rule in (
            values.not_a_number,
            values.other_type,
            values.layout,
            values.scaled_twice,
        ):
            rule(facts)
        use.legacy_type(facts, 2)
        values.zeros(Compute((facts,)))
        values.scaled(Answer(0, facts.tensor, (facts,)))


@pytest.mark.parametrize(("target", "seen"), [(Target.GPU, True), (Target.AUTO, False), (Target.CPU, False)])
def test_a_named_model_s_device(target: Target, seen: bool, tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    named = NamedModel((tmp_path / "m.onnx",), None, GraphConfig(target))
    trace = Trace(["nn"])
    nn = NN(models={"m": named}, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.exports.begin()
    assert any("gpu was asked for" in hint for hint in hints_of(trace)) is seen


def hints_of(trace: Trace) -> list[str]:
    return [event.text for event in trace if isinstance(event, events.Hint)]


@pytest.mark.parametrize(
    ("backend", "model"),
    [("numpy", "onnx"), ("onnxruntime", "onnx"), ("openvino", "xml"), ("litert", "tflite")],
)
def test_the_digits_guest_gets_no_hint(backend: str, model: str) -> None:
    nn = NN()
    if reason := nn.registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    folder, trace = demo.path(), Trace()
    pictures = ROOT / "examples" / "digits" / "pictures"
    formats = nn.registry.backend(backend, "here").formats
    result = run(
        folder / "app.wasm",
        ["pictures/held-out.pgm", f"models/digits.{model}"],
        dirs={"models": folder / "models", "pictures": pictures},
        nn=NN(backends=dict.fromkeys(formats, backend)),
        observer=trace,
    )
    assert result.exit_code == 0
    assert hints_of(trace) == []


def test_a_quantised_model_gets_no_hint() -> None:
    pytest.importorskip("ai_edge_litert")
    if not SHARED_MODELS.is_dir():
        pytest.skip("needs ../shared/models")
    trace = Trace()
    arguments = ["/models/birds_v1.tflite", "/models/bird-224x224x3.u8", "1x224x224x3"]
    run(GUESTS / "raw_tensor.wasm", arguments, dirs={"/models": SHARED_MODELS}, observer=trace)
    assert any(isinstance(event, events.Inference) and event.operation == "compute" for event in trace)
    assert hints_of(trace) == []


FREED = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "m")
  (data (i32.const 16) "\\40\\00\\00\\00\\02\\00\\00\\00\\01\\00\\00\\00\\00\\01\\00\\00\\20\\00\\00\\00")
  (data (i32.const 64) "\\01\\00\\00\\00\\08\\00\\00\\00")
  (func (export "begin")
    (drop (call $load (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $init (i32.load (i32.const 8)) (i32.const 8))))
  (func (export "set") (drop (call $set (i32.const 0) (i32.const 0) (i32.const 16))))
  (func (export "compute") (drop (call $compute (i32.const 0)))))"""


@pytest.mark.parametrize(
    ("then", "stale"),
    [
        (numpy.full(8, 0.25, "f4"), True),
        (numpy.zeros(8, "f4"), False),  # cleared
        (
            numpy.array([0x1F40, 0x1F48, 0, 0, 0, 0, 0, 0], "<u4").view("f4"),
            False,
        ),  # the links of a free list
        (None, False),
    ],
)
def test_a_buffer_that_is_filled_again_is_not_one_that_was_freed(
    then: Any, stale: bool, tmp_path: Path
) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.linspace(0, 1, 8, dtype="f4").tobytes())
        app.exports.begin()
        app.exports.set()
        if then is not None:
            app.memory.write(0x100, then.tobytes())
        app.exports.compute()
    trace.flush()  # until the end the guest may still give the buffer to set_input
    assert any("stale" in hint or "copied" in hint for hint in hints_of(trace)) is stale


@pytest.mark.parametrize(
    ("then", "stale"),
    [
        ([1, 1, 1, 1, 1, 0, 0, 0], True),  # of a longer text
        ([1, 0, 0, 0, 0, 0, 0, 0], True),  # of a shorter one
        ([0, 0, 0, 0, 0, 0, 0, 0], False),  # cleared
        ([0x1F40, 0x1F48, 1, 0, 0, 0, 0, 0], False),  # freed
        ([1, 1, 1, 0, 0, 0, 0, 0], False),
    ],
)
def test_the_mask_of_another_text_is_in_the_buffer(then: list[int], stale: bool, tmp_path: Path) -> None:
    """An outside tester's guest, which set the mask for the first text only."""
    model = Model([node("Add", ["x", "x"], ["y"])], {"x": ("int32", ["N", 8])}, {"y": ("int32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    guest = FREED.replace("\\01\\00\\00\\00\\00\\01", "\\03\\00\\00\\00\\00\\01")
    with Module.from_text(guest).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.array([1, 1, 1, 0, 0, 0, 0, 0], "i4").tobytes())
        app.exports.begin()
        app.exports.set()
        app.memory.write(0x100, numpy.array(then, "i4").tobytes())
        app.exports.compute()
    trace.flush()
    assert any("stale" in hint for hint in hints_of(trace)) is stale


def test_a_buffer_that_is_filled_ahead_is_right(tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.linspace(0, 1, 8, dtype="f4").tobytes())
        app.exports.begin()
        for value in (0.25, 0.5, 0.75):  # the next frame comes while the model computes
            app.exports.set()
            app.memory.write(0x100, numpy.linspace(0, value, 8, dtype="f4").tobytes())
            app.exports.compute()
        app.exports.set()
        app.exports.compute()
    trace.flush()
    assert hints_of(trace) == []


def test_a_second_compute_on_a_buffer_that_was_filled_is_stale_at_once(tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.linspace(0, 1, 8, dtype="f4").tobytes())
        app.exports.begin()
        app.exports.set()
        app.exports.compute()
        for value in (0.25, 0.5):
            app.memory.write(0x100, numpy.linspace(0, value, 8, dtype="f4").tobytes())
            app.exports.compute()
        assert any("stale" in hint for hint in hints_of(trace))


@pytest.mark.parametrize(
    ("fed", "seen"),
    [
        ([0, 0], True),
        ([0, 1], False),
        ([1, 0], False),
        ([0], True),
        ([0] * 13 + [1], False),
        ([0] * 14, True),
    ],
)
def test_zeros_are_a_warm_up_if_something_follows(fed: list[int], seen: bool, tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.exports.begin()
        for value in fed:
            app.memory.write(0x100, numpy.linspace(0, value, 8, dtype="f4").tobytes())
            app.exports.set()
            app.exports.compute()
    trace.flush()
    assert (
        any(
            "all 8 elements are 0" in hint and "not freed or out of scope" in hint for hint in hints_of(trace)
        )
        is seen
    )


def test_counts_are_no_pixels() -> None:
    order = numpy.random.default_rng(4)
    for size in (784, 1024, 3072, 500):
        counts = order.poisson(3, (1, size)) * order.integers(0, 90, (1, size))
        found = given(counts.astype("f4"))
        assert not values.is_flat_picture(found.values)
        assert values.scaled(answer(CERTAIN, found)) is None
    flat = landscape().clip(0, 1)[..., 0] * 255
    assert values.is_flat_picture(flat.reshape(-1))


def test_a_model_that_is_rightly_sure_of_raw_pixels_gets_no_hint() -> None:
    sure = [0.9997, 0.0003, 0, 0, 0]
    assert values.scaled(answer(sure, given(PIXELS))) is None
    assert values.scaled(answer(CERTAIN, given(PIXELS))) is not None


LOOPS = """(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "f")
  (data (i32.const 16) "\\40\\00\\00\\00\\08\\00\\00\\00")
  (func (export "read") (param $fd i32) (result i32)
    (call $read (local.get $fd) (i32.const 16) (i32.const 1) (i32.const 32)))
  (func (export "open") (result i32)
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i64.const 2)
      (i64.const 2) (i32.const 0) (i32.const 36)))
    (i32.load (i32.const 36)))
  (func (export "close") (param $fd i32) (result i32) (call $close (local.get $fd)))
  (func (export "compute") (result i32) (call $compute (i32.const 9))))"""


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (["read 4"] * 501, "fd_read of fd 4 found the end of the file 500 times in a row"),
        (["read 4"] * 400, ""),
        (["read 4", "open"] * 100, ""),
        (["read 99"] * 501, "fd_read failed 500 times in a row, each time so: BADF"),
        (["compute"] * 501, "compute failed 500 times in a row, each time so: invalid_argument"),
        (["compute", "read 99"] * 300, ""),
        (["open"] * 130, "128 files were opened, and none was ever closed"),
        (["open", "close"] * 200, ""),
    ],
)
def test_loops_that_get_nowhere(steps: list[str], words: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"1234567")
    trace = Trace(["nn"])
    wasi = Wasi(dirs={"/": tmp_path})
    with Module.from_text(LOOPS).instantiate(wasi=wasi, nn=NN(), observer=trace) as app:
        last = app.exports.open()
        app.exports.read(last)
        for step in steps:
            name, _, number = step.partition(" ")
            if name == "close":
                app.exports.close(last)
            elif number:
                getattr(app.exports, name)(int(number))
            else:
                last = getattr(app.exports, name)()
        found = [hint for hint in hints_of(trace) if words and words in hint]
        others = [hint for hint in hints_of(trace) if hint not in found]
    assert (len(found), others) == (int(bool(words)), []), hints_of(trace)


FETCHES = FREED.replace(
    "  (memory",
    """  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (memory""",
).replace(
    '  (func (export "set")',
    """  (func (export "get") (param $index i32) (param $room i32) (drop (call $get
    (i32.const 0) (local.get $index) (i32.const 0x200) (local.get $room) (i32.const 12))))
  (func (export "set")""",
)


@pytest.mark.parametrize(
    ("fetched", "seen"),
    [
        ([(0, 32)], True),
        ([(0, 32), (0, 32)], True),
        ([(0, 32), (1, 32)], False),  # one buffer for both
        ([(1, 32), (0, 32)], False),
        ([(0, 8)], False),
        ([(0, 64)], False),
        ([(1, 32)], False),
        ([(1, 8)], False),  # too small for it, which the guest is told
    ],
)
def test_a_buffer_that_another_output_would_fill(
    fetched: list[tuple[int, int]], seen: bool, tmp_path: Path
) -> None:
    """A newcomer's guest, which read the label's number as probabilities."""
    label = node("ArgMax", ["x"], ["label"], axis=1, keepdims=0), ("int64", ["N"])
    said = 'output 0 "label" (8 bytes) was fetched into a buffer of 32 bytes; output 1 "y" (32 bytes)'
    for rounds in (1, 2):
        found = hints_of(fetching(tmp_path, label, fetched, rounds))
        assert [said in hint for hint in found] == [True] * seen


def test_outputs_of_one_type_may_share_a_buffer(tmp_path: Path) -> None:
    label = node("ReduceMax", ["x"], ["label"], axes=[1], keepdims=0), ("float32", ["N"])
    assert hints_of(fetching(tmp_path, label, [(0, 32)], 1)) == []


def fetching(
    folder: Path, label: tuple[bytes, tuple[str, list[Any]]], fetched: list[tuple[int, int]], rounds: int
) -> Trace:
    """A guest's trace: it fetches outputs, by index and room, of a model with "label" and "y" (8 f32)."""
    nodes = [node("Relu", ["x"], ["y"]), label[0]]
    outputs = {"label": label[1], "y": ("float32", ["N", 8])}
    (folder / "m.onnx").write_bytes(Model(nodes, {"x": ("float32", ["N", 8])}, outputs).data())
    trace = Trace(["nn"])
    nn = NN(models=folder, backends={"onnx": "numpy"})
    with Module.from_text(FETCHES).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.linspace(0, 1, 8, dtype="f4").tobytes())
        app.exports.begin()
        for _ in range(rounds):
            app.exports.set()
            app.exports.compute()
            for index, room in fetched:
                app.exports.get(index, room)
    trace.flush()
    return trace


def test_a_hint_that_differs_by_numbers_and_quoted_words_alone_is_said_once(tmp_path: Path) -> None:
    trace = Trace(["nn"])
    with Module.from_text(FREED).instantiate(nn=NN(models=tmp_path), observer=trace):
        for about in (
            'input 0 "x": 3',
            'input 0 "x": 4',
            'input 1 "x": 4',
            'input 0 "x2" has 4',
            'input 0 "x2" has 5',
            'input 0 "text": "hello" ends at 5',
            'input 0 "text": "Tell me 2" ends at 7',
        ):
            trace._say([("not_a_number", f"{about} of 9 are NaN")])
    assert hints_of(trace) == [
        'input 0 "x": 3 of 9 are NaN', 'input 1 "x": 4 of 9 are NaN', 'input 0 "x2" has 4 of 9 are NaN',
        'input 0 "text": "hello" ends at 5 of 9 are NaN',
    ]  # fmt: skip
