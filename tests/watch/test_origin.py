"""Where an input came from: pictures and sounds that were prepared in the usual ways, and in wrong ones.

The mistakes here are by the hand that wrote the search.
"""

from __future__ import annotations

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
from pywasm_nn.nn.child.process import available
from pywasm_nn.program import run
from pywasm_nn.watch import events
from pywasm_nn.watch.origin import Source, decoded, heard, traced
from pywasm_nn.watch.origin.resizing import INTERPOLATIONS, interpolations
from pywasm_nn.watch.trace import Trace
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


@pytest.mark.parametrize("seed", range(11))
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
    assert road is not None and traced(array, road) is None


# Sounds


def wav(samples: Any, rate: int = 16000) -> bytes:
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


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
    assert origins == ['input 0 "x": x.ppm (32 x 32 pixels), RGB, CHW, pixels from 0 to 255']
    hints = [event for event in trace if isinstance(event, events.Hint)]
    assert len([hint for hint in hints if "NHWC" in hint.text]) == 1


def test_interpolations_differ() -> None:
    made = [INTERPOLATIONS[name](PHOTO.astype("f4"), 50, 70) for name in INTERPOLATIONS]
    for number, one in enumerate(made):
        assert one.shape == (50, 70, 3)
        assert all(numpy.abs(one - other).max() > 0.5 for other in made[:number])
