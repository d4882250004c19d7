"""Where an input came from: pictures and sounds that were prepared in the usual ways, and in wrong ones.

The mistakes here are by the hand that wrote the search.
"""

from __future__ import annotations

import re
import struct
import wave
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import cli
from pywasm_nn.nn import NN
from pywasm_nn.processes import available
from pywasm_nn.program import run
from pywasm_nn.watch import events
from pywasm_nn.watch.origin import Source, decoded, heard, traced
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.origin.matching import Origin
from pywasm_nn.watch.origin.resizing import INTERPOLATIONS, interpolations
from pywasm_nn.watch.trace import Trace
from tests.conftest import ALL_EXAMPLES
from tests.watch.test_whatif import with_alpha
from tests.watch.whatif_models import encoded, picture, planar, recogniser

ROOT = Path(__file__).parents[2]
GUEST = ROOT / "tests" / "guests" / "raw_tensor.wasm"
SHARED = ROOT / ".." / "shared" / "models"
PHOTO = picture(11, 120, 160)


def ppm(pixels: Any) -> bytes:
    """A picture as a PPM file, or a PGM."""
    kind = b"P6" if pixels.shape[2] == 3 else b"P5"
    return kind + f"\n{pixels.shape[1]} {pixels.shape[0]}\n255\n".encode() + pixels.tobytes()


SOURCE = decoded("photo.ppm", ppm(PHOTO)) or Source("", None, "")


def small(how: str = "bilinear", height: int = 64, width: int = 64) -> Any:
    """The photograph resized, as floats."""
    return interpolations()[how](PHOTO.astype("f4"), height, width)


def said(array: Any, source: Source = SOURCE) -> tuple[str, str]:
    """The steps as a line, and what is wrong."""
    found = traced(numpy.ascontiguousarray(array), source)
    return ("", "") if found is None else (str(found), found.wrong)


RANGES = {
    "unit": "pixels from 0 to 1",
    "signed": "pixels from -1 to 1",
    "raw": "pixels from 0 to 255",
    "imagenet": "pixels by ImageNet's mean and deviation",
}


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("how", interpolations())
def test_usual_ways(how: str, kind: str) -> None:
    line, wrong = said(planar(encoded(small(how), kind)))
    assert wrong == ""
    assert line.startswith("photo.ppm (160 x 120 pixels), resized to 64 x 64, ")
    assert line.endswith(f", RGB, CHW, {RANGES[kind]}")
    assert line.split(", ")[2].removeprefix("nearly ") == how.split(", ")[0]


def test_orders_layouts_and_sizes() -> None:
    assert said(encoded(small()[..., ::-1], "unit")[None].astype("f4"))[0].endswith(
        "BGR, HWC, pixels from 0 to 1"
    )
    assert "resized to 96 x 48" in said(planar(encoded(small("bilinear", 48, 96), "unit")))[0]
    assert ", RGB, CHW, pixels from 0 to 255" in said(planar(PHOTO.astype("f4")))[0]
    assert ", RGB, HWC, pixels from 0 to 255" in said(PHOTO[None])[0]
    grey = small() @ numpy.array([0.299, 0.587, 0.114])
    assert said(planar(grey[..., None] / 255))[0].endswith("grey, pixels from 0 to 1")
    assert "upside down" in said(planar(small()[::-1] / 255))[0]
    assert "mirrored" in said(planar(small()[:, ::-1] / 255))[0]
    assert "rows and columns swapped" in said(planar(small().transpose(1, 0, 2) / 255))[0]
    assert "its middle 64 x 64" in said(planar(PHOTO[28:92, 48:112] / 255))[0]
    line, wrong = said(
        planar(numpy.pad(small("bilinear", 48, 64), ((8, 8), (0, 0), (0, 0)), constant_values=114))
    )
    assert "fitted to 64 x 48 in the middle" in line and wrong == ""


def spoilt_layout() -> Any:
    return encoded(small(), "unit").astype("f4").reshape(1, 3, 64, 64)


def cut_short(count: int, value: float = 0.0) -> Callable[[], Any]:
    def make() -> Any:
        array = planar(encoded(small(), "unit"))
        array.reshape(-1)[count:] = value
        return array

    return make


def means_of_the_other_order() -> Any:
    array = small()[..., ::-1] / 255
    return planar((array - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225])


def one_channel_twice() -> Any:
    array = planar(encoded(small(), "unit"))
    array[0, 2] = array[0, 1]
    return array


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "layout": (spoilt_layout, "the shape says NCHW, the elements lie as in NHWC"),
    "twice": (lambda: planar(small() / 255 / 255), "pixels are divided by 255 twice"),
    "no 255": (
        lambda: planar((small() - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]),
        "without the division by 255",
    ),
    "too small": (
        lambda: planar((small() / 255 / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]),
        "after a division by 255 too many",
    ),
    "other means": (means_of_the_other_order, "in the wrong order of channels: these are BGR"),
    "one plane": (cut_short(4096), "from element 4,096 on it is not the picture: zeros"),
    "two planes": (cut_short(8192, 0.5), "from element 8,192 on it is not the picture: all 0.5"),
    "one channel twice": (one_channel_twice, "channel 2 is G, as channel 1 is"),
    "alpha": (lambda: planar(with_alpha(small().astype("u1")) / 255), "4 bytes a pixel were taken for 3"),
    "sheared": (
        lambda: planar(
            numpy.pad(small(), ((0, 0), (0, 3), (0, 0))).reshape(-1)[: 64 * 64 * 3].reshape(64, 64, 3) / 255
        ),
        "rows are sheared by 3 pixels: they lie 67 apart and not 64",
    ),
    "height and width": (
        lambda: planar(small("bilinear", 48, 80) / 255).reshape(1, 3, 80, 48),
        "height and width are swapped: the elements are a picture of 80 x 48",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes(name: str) -> None:
    make, words = WRONG[name]
    line, wrong = said(make())
    assert words in wrong, (line, wrong)


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("planar_shape", [True, False])
def test_the_other_layout_of_a_whole_picture_takes_no_search(
    planar_shape: bool, step: int, kind: str
) -> None:
    """Nearly without colours, so that neighbours say nothing, and without time left for other readings."""
    light = PHOTO.mean(axis=2, keepdims=True).round().astype("u1") // 2
    pixels = light + numpy.random.default_rng(2).integers(0, 5, PHOTO.shape, "u1")
    source = decoded("road.ppm", ppm(pixels))
    assert source is not None
    own, height, width = encoded(pixels[..., ::step], kind).astype("f4"), *pixels.shape[:2]
    planes = numpy.ascontiguousarray(own.transpose(2, 0, 1))
    shape, right, wrong = (1, 3, height, width), planes, own
    if not planar_shape:
        shape, right, wrong = (1, height, width, 3), own, planes
    found = [traced(one.reshape(shape), source, lambda: False) for one in (right, wrong)]
    assert found[0] is not None and "the elements lie" not in found[0].wrong
    assert found[1] is not None and "the elements lie as in" in found[1].wrong


@pytest.mark.parametrize("seed", range(11 if ALL_EXAMPLES else 1))
def test_other_pictures_are_not_taken_for_it(seed: int) -> None:
    noise = numpy.random.default_rng(seed).random((64, 64, 3))
    assert traced(planar(noise), SOURCE) is None
    for kind in "unit", "imagenet":
        found = traced(planar(encoded(picture(seed, 64, 64), kind)), SOURCE)
        assert found is None or not found.wrong, found


def test_a_photograph() -> None:
    path = SHARED / "bird.jpg"
    if not path.is_file():
        pytest.skip("needs ../shared/models")
    pytest.importorskip("PIL")
    source = decoded("bird.jpg", path.read_bytes())
    assert source is not None
    array = numpy.fromfile(SHARED / "bird-224x224x3.u8", "u1").reshape(1, 224, 224, 3)
    line, wrong = said(array, source)
    assert line.endswith("resized to 224 x 224, bilinear as in Pillow, RGB, HWC, pixels from 0 to 255")
    assert wrong == ""
    road = decoded("road.jpg", (SHARED / "road.jpg").read_bytes())
    assert road is not None and road.array is not None
    assert traced(array[:, ::4, ::4], decoded("road.ppm", ppm(road.array[::4, ::4]))) is None


# Sounds


def wav(samples: Any, rate: int = 16000, kind: str = "<i2") -> bytes:
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(numpy.dtype(kind).itemsize)
        file.setframerate(rate)
        file.writeframes(samples.astype(kind).tobytes())
    return buffer.getvalue()


def test_a_sound_that_hardly_moves_is_not_read_wrongly() -> None:
    """An outside tester's clean guest: a recording beside 0, whose beginning is silent."""
    order = numpy.random.default_rng(5)
    still = 900 + order.normal(0, 6, 3000)
    samples = numpy.concatenate([numpy.full(2000, 900), still, 900 + 4000 * order.normal(0, 1, 3000)]).round()
    source = decoded("dc.wav", wav(samples))
    assert source is not None
    for start in range(1500, 2600, 100):
        window = numpy.concatenate([numpy.zeros(64), samples[start : start + 512] / 32768])
        found = heard(window[None].astype("f4"), source)
        assert found is None or found.wrong == "", (start, found, found.wrong)


def test_sounds() -> None:
    order = numpy.random.default_rng(3)
    samples = (8000 * numpy.sin(numpy.arange(6000) / 9) * order.uniform(0.2, 1, 6000)).round()
    source = decoded("a.wav", wav(samples))
    assert source is not None and source.said == "6000 samples at 16000 Hz"
    part = samples[1024:1536]
    assert str(heard((part / 32768)[None].astype("f4"), source)).endswith(
        "samples 1,024 to 1,535, from -1 to 1"
    )
    assert "as i16" in str(heard(part[None].astype("f4"), source))
    padded = numpy.pad(part / 32768, (0, 88)).astype("f4")
    assert str(heard(padded, source)).endswith("then 88 zeros")
    assert heard(order.normal(0, 1, 512), source) is None
    stereo = decoded("b.wav", wav(numpy.stack([samples, order.permutation(samples)], 1)))
    assert stereo is not None
    taken = heard(stereo.array.reshape(-1)[:512], stereo)
    assert taken is not None and "2 channels lie in turns" in taken.wrong


# Files


@pytest.mark.parametrize(
    "data",
    [
        b"", b"P6", b"P6\n99999 99999\n255\n", b"P5\n4 4\n255\n\0", b"RIFF" + b"\xff" * 60,
        b"\x93NUMPY\x01\0",
        b"\x89PNG\r\n\x1a\n" + b"\0" * 40, b"\xff\xd8\xff\xe0" + b"\0" * 200, b"GIF89a" + b"\xff" * 30,
        b"RIFF" + struct.pack("<I", 1 << 31) + b"WAVEfmt " + b"\0" * 100, b"words",
    ],
)  # fmt: skip
def test_broken_files_are_none(data: bytes, recwarn: pytest.WarningsRecorder) -> None:
    assert decoded("x", data) is None
    assert not len(recwarn)


@pytest.mark.filterwarnings("error")
def test_bits_of_integers_sent_as_floats_give_no_warning() -> None:
    """As floats they are so near to 0 that no channel differs."""
    pixels = numpy.zeros((64, 64, 3), "<i4")
    pixels[2:] = cut(0, 0, 180, 180)[2:]
    said(pixels.view("<f4"), LARGE_SOURCE)


def test_large_pictures_are_not_decoded() -> None:
    image = pytest.importorskip("PIL.Image")
    buffer = BytesIO()
    image.new("1", (16000, 16000)).save(buffer, "PNG")
    assert decoded("x", buffer.getvalue()) is None


# A guest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model of 12 pictures."""
    (tmp_path / "m.onnx").write_bytes(recogniser([picture(seed) for seed in range(12)], "raw"))
    return tmp_path


def test_a_guest_without_a_mistake(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := available():
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx").write_bytes(recogniser([picture(seed) for seed in range(12)], "unit"))
    planar(encoded(picture(4), "unit")).tofile("x.f32")
    words = ["--nn-backend", "onnx=numpy", "--dir", ".", str(GUEST), "m.onnx", "x.f32", "1x3x32x32"]
    assert cli.call(["run", "--trace=nn,whatif", *words]) == 0
    err = capfd.readouterr().err
    assert "Traceback" not in err
    assert not [line for line in err.splitlines() if line.startswith("hint")]


def test_hints_alone(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is probably wrong stands on the first screen, whatever the guest does before."""
    if reason := available():
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx").write_bytes(recogniser([picture(seed) for seed in range(12)], "unit"))
    words = ["--nn-backend", "onnx=numpy", "--dir", ".", str(GUEST), "m.onnx", "x.f32", "1x3x32x32"]
    planar(encoded(picture(4), "unit")).tofile("x.f32")
    assert cli.call(["run", "--trace=hints", *words]) == 0
    assert lines_on_stderr(capfd) == ["no hint after 5 operations of wasi-nn"]
    planar(encoded(picture(4), "unit") / 255).astype("f4").tofile("x.f32")
    assert cli.call(["run", "--trace=hints", *words]) == 0
    shown = lines_on_stderr(capfd)
    assert {line.split()[0] for line in shown[::2]} == {"nn"}
    assert all(line.startswith('hint  input 0 "x"') for line in shown[1::2])
    assert cli.call(["run", "--trace=hints,host", *words]) == 2
    assert "hints alone" in capfd.readouterr().err


def lines_on_stderr(capfd: Any) -> list[str]:
    err: str = capfd.readouterr().err
    return [line for line in err.splitlines() if line]


READS = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 0) "x.ppmm")
  (data (i32.const 16) "\\40\\00\\00\\00\\04\\00\\00\\00\\01\\00\\00\\00\\00\\10\\00\\00\\00\\C0\\00\\00")
  (data (i32.const 64) "\\01\\00\\00\\00\\03\\00\\00\\00\\20\\00\\00\\00\\20\\00\\00\\00")
  (data (i32.const 96) "\\00\\00\\01\\00\\00\\40\\00\\00")
  (func $skip (param $offset i64)
    (drop (call $seek (i32.load (i32.const 80)) (local.get $offset) (i32.const 0) (i32.const 128))))
  (func (export "_start") (local $i i32)
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 5) (i32.const 0) (i64.const 2)
      (i64.const 2) (i32.const 0) (i32.const 80)))
    (call $skip (i64.const 2000))
    (drop (call $read (i32.load (i32.const 80)) (i32.const 96) (i32.const 1) (i32.const 84)))
    (call $skip (i64.const 0))
    (drop (call $read (i32.load (i32.const 80)) (i32.const 96) (i32.const 1) (i32.const 84)))
    (loop $more
      (f32.store (i32.add (i32.const 4096) (i32.mul (local.get $i) (i32.const 4)))
        (f32.convert_i32_u (i32.load8_u (i32.add (i32.const 65549) (local.get $i)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 3072))))
    (drop (call $load (i32.const 5) (i32.const 1) (i32.const 8)))
    (drop (call $init (i32.load (i32.const 8)) (i32.const 8)))
    (i32.store (i32.const 32) (i32.const 12288))
    (drop (call $set (i32.load (i32.const 8)) (i32.const 0) (i32.const 16)))))"""


def test_a_guest_that_forgets_the_layout(folder: Path) -> None:
    (folder / "x.ppm").write_bytes(ppm(picture(4)))
    (folder / "guest.wat").write_text(READS)
    trace = Trace(["nn", "whatif"])
    nn = NN(models=folder, backends={"onnx": "numpy"})
    run(folder / "guest.wat", dirs={"/": folder}, nn=nn, observer=trace)
    origins = [event.text for event in trace if isinstance(event, events.Origin)]
    assert origins == ['input 0 "x": x.ppm (32 x 32 pixels), RGB, HWC, pixels from 0 to 255']
    hints = [event for event in trace if isinstance(event, events.Hint)]
    assert len([hint for hint in hints if "NHWC" in hint.text]) == 1


UPSIDE_DOWN = "the picture is upside down"


@pytest.mark.parametrize(
    ("turns", "hints"), [(["", UPSIDE_DOWN], 0), ([UPSIDE_DOWN, UPSIDE_DOWN], 1), (["", ""], 0)]
)
def test_a_picture_that_is_sent_both_ways_is_turned_on_purpose(
    turns: list[str], hints: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outside tester's clean guest: the mean of the answers to a picture and to the same turned."""
    source = Source("x.ppm", PHOTO, "160 x 120 pixels", is_picture=True)
    found = iter([Origin(source, ("resized",), turn, varied=turn) for turn in turns])
    monkeypatch.setattr(Origins, "of", lambda self, tensor, way: next(found))
    (folder / "x.ppm").write_bytes(ppm(picture(4)))
    send = "(drop (call $set (i32.load (i32.const 8)) (i32.const 0) (i32.const 16)))"
    (folder / "guest.wat").write_text(READS.replace(send, send * 2))
    trace = Trace(["nn", "whatif"])
    nn = NN(models=folder, backends={"onnx": "numpy"})
    run(folder / "guest.wat", dirs={"/": folder}, nn=nn, observer=trace)
    assert next(found, None) is None
    said = [event.text for event in trace if isinstance(event, events.Hint) and UPSIDE_DOWN in event.text]
    assert len(said) == hints


def test_interpolations_differ() -> None:
    made = [INTERPOLATIONS[name](PHOTO.astype("f4"), 50, 70) for name in INTERPOLATIONS]
    for number, one in enumerate(made):
        assert one.shape == (50, 70, 3)
        assert all(numpy.abs(one - other).max() > 0.5 for other in made[:number])


# Parts, turns and bytes that are found by search


def scene(seed: int, height: int, width: int) -> Any:
    """A picture with detail of every size, none of which comes again: noise of several grains."""
    order = numpy.random.default_rng(seed)
    made = numpy.zeros((height, width, 3))
    for grain in (3, 7, 15, 40):
        coarse = order.normal(0, 1, (grain, grain + 2, 3)) + 3 * order.normal(0, 1, (grain, grain + 2, 1))
        made += INTERPOLATIONS["bilinear"](coarse, height, width) / grain**0.4
    made = (made - made.min()) / (made.max() - made.min())
    return (made * 255).astype("u1")


LARGE = scene(5, 180, 240)
LARGE_SOURCE = decoded("large.ppm", ppm(LARGE)) or Source("", None, "")


def cut(left: int, top: int, width: int, height: int, how: str = "bilinear") -> Any:
    """A part of the large picture, resized to 64 x 64."""
    part = LARGE[top : top + height, left : left + width].astype("f4")
    return interpolations()[how](numpy.ascontiguousarray(part), 64, 64)


@pytest.mark.parametrize(
    "box", [(30, 20, 150, 150), (60, 10, 170, 120), (5, 40, 120, 130), (100, 60, 110, 90)]
)
def test_parts_are_found(box: tuple[int, int, int, int]) -> None:
    line, wrong = said(planar(cut(*box) / 255), LARGE_SOURCE)
    found = re.search(r"its part at column (\d+), row (\d+) of (\d+) x (\d+) resized to 64 x 64", line)
    assert found is not None, line
    assert all(abs(int(one) - other) <= 3 for one, other in zip(found.groups(), box, strict=True)), line
    assert wrong == "" and "RGB, CHW, pixels from 0 to 1" in line


TURNED = {
    "upside down": lambda pixels: pixels[::-1],
    "mirrored": lambda pixels: pixels[:, ::-1],
    "rows and columns swapped": lambda pixels: pixels.swapaxes(0, 1),
    "turned by 180 degrees": lambda pixels: pixels[::-1, ::-1],
}
PART = 40, 20, 140, 130


@pytest.mark.parametrize("turn", TURNED)
def test_turned_parts_are_named(turn: str) -> None:
    assert turn in said(planar(TURNED[turn](cut(*PART)) / 255), LARGE_SOURCE)[1]
    assert turn in said(planar(TURNED[turn](small()) / 255))[1]


def swapped_bytes() -> Any:
    return planar(cut(*PART) / 255).astype("f4").byteswap()


def doubles() -> Any:
    elements = planar(cut(*PART) / 127.5 - 1).astype("f8")
    return numpy.frombuffer(elements.tobytes()[: elements.size * 4], "<f4").reshape(elements.shape)


def bytes_as_floats() -> Any:
    elements = cut(*PART).astype("u1")[None]
    return numpy.frombuffer(elements.tobytes() + bytes(3 * elements.size), "<f4").reshape(elements.shape)


def floats_as_bytes() -> Any:
    elements = (cut(*PART) / 255).astype("<f4")[None]
    return numpy.frombuffer(elements.tobytes()[: elements.size], "u1").reshape(elements.shape)


def skipping() -> Any:
    """Rows of which each is read three pixels too far."""
    flat = cut(*PART).reshape(-1, 3)
    at = numpy.arange(64 * 64)
    at = at // 64 * 67 + at % 64
    return planar(numpy.where((at < 4096)[:, None], flat[at.clip(0, 4095)], 0).reshape(64, 64, 3) / 255)


def one_place_early() -> Any:
    elements = cut(*PART).astype("u1").reshape(-1)
    return numpy.append(elements[1:], elements[-1]).reshape(1, 64, 64, 3)


def overwritten() -> Any:
    elements = planar(cut(*PART) / 255)
    elements.reshape(-1)[:4096] = numpy.arange(4096)
    return elements


def four_bytes() -> Any:
    """The decoded picture has alpha, and was read as if it had none."""
    pixels = numpy.concatenate([LARGE, numpy.full((180, 240, 1), 255, "u1")], 2).reshape(-1)
    misread = pixels[: 180 * 240 * 3].reshape(180, 240, 3).astype("f4")
    return INTERPOLATIONS["bilinear"](misread, 90, 120).astype("u1")[None]


def jpeg_colours() -> Any:
    red, green, blue = numpy.moveaxis(cut(*PART), 2, 0)
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    return numpy.stack([grey, 128 + 0.564 * (blue - grey), 128 + 0.713 * (red - grey)], 2)[None].astype("u1")


FOUND: dict[str, tuple[Callable[[], Any], str]] = {
    "big-endian": (swapped_bytes, "in the opposite order (big-endian)"),
    "doubles": (doubles, "elements of f64, but were sent as f32"),
    "u8 as f32": (bytes_as_floats, "elements of u8, but were sent as f32"),
    "f32 as u8": (floats_as_bytes, "elements of f32, but were sent as u8"),
    "signed": (lambda: planar(cut(*PART).astype("u1").view("i1") / 127.5), "taken as signed"),
    "skipping": (skipping, "rows are sheared by 3 pixels"),
    "shifted": (one_place_early, "all elements lie 1 place too early"),
    "order": (lambda: cut(*PART)[None][..., [1, 2, 0]].astype("u1"), "in the order GBR"),
    "one channel": (lambda: cut(*PART)[None][..., [0, 0, 0]].astype("u1"), "all three channels are R"),
    "inverted": (lambda: planar(1 - cut(*PART) / 255), "colours are inverted"),
    "YCbCr": (jpeg_colours, "Y, Cb and Cr"),
    "alpha": (four_bytes, "4 bytes a pixel (with alpha) were taken for 3"),
    "overwritten": (overwritten, "elements 0 to 4,095 it is not the picture, but numbers that count"),
    "quarter": (lambda: cut_part(0.25), "from element 3,072 on it is not the picture: zeros"),
    "times 255": (lambda: planar((cut(*PART) / 127.5 - 1) * 255), "-1..1, and then multiplied by 255"),
    "twice": (lambda: planar((cut(*PART) / 127.5 - 1.5) / 0.5), "brought to -1..1 twice"),
    "twice from bytes": (lambda: planar((cut(*PART) / 127.5 - 1) / 127.5 - 1), "brought to -1..1 twice"),
    "divided again": (lambda: planar(encoded(cut(*PART), "imagenet") / 255), "and then divided by 255 again"),
}


def cut_part(share: float) -> Any:
    elements = planar(cut(*PART) / 255)
    elements.reshape(-1)[int(share * elements.size) :] = 0
    return elements


@pytest.mark.parametrize("name", FOUND)
def test_mistakes_in_parts(name: str) -> None:
    make, words = FOUND[name]
    line, wrong = said(numpy.ascontiguousarray(make()).astype(make().dtype), LARGE_SOURCE)
    assert words in wrong, (line, wrong)


def test_top_left_in_place_of_resizing() -> None:
    found = traced(planar(LARGE[:64, :64] / 255), LARGE_SOURCE)
    assert found is not None and not found.wrong
    assert found.in_part.startswith("it is only the top left 64 x 64 of 240 x 180 pixels")


def test_sides_that_were_cut_to_multiples() -> None:
    for high, wide in ((160, 224), (176, 240), (180, 192)):
        found = traced(planar(LARGE[:high, :wide] / 255), LARGE_SOURCE)
        assert found is not None and not found.wrong + found.in_part
    found = traced(planar(LARGE[:64, :240] / 255), LARGE_SOURCE)
    assert found is not None and found.in_part


def pgm(top: int = 16) -> tuple[bytes, Any]:
    """A digit of 8 x 8, and its pixels."""
    pixels = (numpy.random.default_rng(4).random((8, 8)) * top).astype("u1")
    return f"P5\n8 8\n{top}\n".encode() + pixels.tobytes(), pixels


def test_small_pictures() -> None:
    data, pixels = pgm()
    source = decoded("digit.pgm", data)
    assert source is not None
    shape = 1, 1, 8, 8

    def wrong(elements: Any) -> str:
        found = traced(numpy.asarray(elements, "f4").reshape(shape), source)
        return "nothing" if found is None else found.wrong

    assert wrong(pixels / 16) == ""
    assert "upside down" in wrong(pixels[::-1] / 16)
    assert "as if white were 255; in the file it is 16" in wrong(pixels / 255)
    assert "3 bytes of the file's header" in wrong(numpy.frombuffer(data[len(data) - 67 : -3], "u1") / 16)
    assert "zeros" in wrong(numpy.where(numpy.arange(64) < 24, pixels.reshape(-1) / 16, 0))
    assert wrong(numpy.random.default_rng(9).random(64)) == "nothing"


def samples_of(length: int = 6000) -> Any:
    order = numpy.random.default_rng(3)
    return (8000 * numpy.sin(numpy.arange(length) / 9) * order.uniform(0.2, 1, length)).round().astype("<i2")


MISREAD: dict[str, tuple[Callable[[bytes], Any], str]] = {
    "header": (lambda data: numpy.frombuffer(data[:2048], "<i2") / 32768, "header of the file"),
    "odd": (lambda data: numpy.frombuffer(data[45:2093], "<i2") / 32768, "odd byte"),
    "big-endian": (lambda data: numpy.frombuffer(data[44:2092], ">i2") / 32768, "opposite order"),
    "unsigned": (lambda data: numpy.frombuffer(data[44:2092], "<u2") / 65535, "unsigned"),
    "bits": (lambda data: (numpy.frombuffer(data[44:1068], "u1") - 128.0) / 128, "read as 8 bits"),
    "twice": (lambda data: numpy.frombuffer(data[44:2092], "<i2") / 32768**2, "divided by 32768 twice"),
    "raw": (lambda data: numpy.frombuffer(data[44:2092], "<i2"), "not divided by 32768"),
    "255": (lambda data: numpy.frombuffer(data[44:2092], "<i2") / 255, "divided by 255"),
    "half": (
        lambda data: numpy.pad(numpy.frombuffer(data[44:2092], "<i2") / 32768, (0, 1024)),
        "not the sound: zeros",
    ),
}


@pytest.mark.parametrize("name", MISREAD)
def test_misread_sounds(name: str) -> None:
    data = wav(samples_of())
    make, words = MISREAD[name]
    found = heard(make(data)[None].astype("f4"), decoded("a.wav", data) or SOURCE)
    assert found is not None and words in found.wrong, found


def test_a_rate_that_models_do_not_take() -> None:
    for rate in 16000, 22050, 44100, 48000:
        data = wav(samples_of(), rate)
        found = heard((samples_of()[:2000] / 32768)[None].astype("f4"), decoded("a.wav", data) or SOURCE)
        assert found is not None and ("not resampled" in found.wrong) == (rate > 40000)


@pytest.mark.parametrize("side", [48, 96])
@pytest.mark.parametrize("kind", RANGES)
def test_upper_halves_of_floats(kind: str, side: int) -> None:
    floats = planar(encoded(small("bilinear", side, side), kind)).astype("f4")
    cut = (floats.view("u4") >> 16).astype("u2").view("f2")
    assert "the upper halves of f32" in said(cut)[1]
    assert said(floats.astype("f2"))[1] == ""
