"""Pictures of which each pixel that was sent is one of the file's: where it is taken from, and with which
arithmetic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.records import changed
from pywasm_nn.watch.origin import Origins, decoded, traced
from pywasm_nn.watch.origin.colours import in_channels
from pywasm_nn.watch.origin.headerless import as_samples
from pywasm_nn.watch.origin.levels import by_level
from pywasm_nn.watch.sent.squeezing import squeezed
from tests.watch.test_origin import ppm, scene
from tests.watch.test_raw_pixels import bmp

ROWS, COLUMNS = numpy.mgrid[0:36, 0:36]
MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])


def lane() -> Any:
    """A long picture with one bright thing in the middle: small copies of it turned are nearly as like."""
    down, across = numpy.mgrid[0:96, 0:240]
    near = numpy.exp(-(((down - 46) / 30) ** 2 + ((across - 118) / 34) ** 2))
    grain = numpy.random.default_rng(5).integers(0, 14, (96, 240, 3))
    return (40 + near[..., None] * [180, 120, 40] + grain).astype("u1")


LANE = lane()


def sent(pixels: Any) -> Any:
    return ((pixels / 255 - MEAN) / DEVIATION).astype("f4").transpose(2, 0, 1)[None]


def found(pixels: Any, picture: Any = LANE) -> Any:
    source = decoded("a.ppm", ppm(picture))
    assert source is not None
    origin = traced(sent(pixels), source)
    assert origin is not None and origin.wrong == ""
    return origin


def test_the_whole_of_a_long_picture() -> None:
    origin = found(LANE[ROWS * 96 // 36, COLUMNS * 240 // 36])
    assert "resized to 36 x 36, nearest pixel, RGB" in str(origin)
    assert "2.5 times narrower" in squeezed(origin, (1, 3, 36, 36), (1, 3, 36, 36))
    for name in ("dog_mel.png", "spectrogram-3.ppm"):
        named = changed(origin, source=changed(origin.source, name=name))
        assert squeezed(named, (1, 3, 36, 36), (1, 3, 36, 36)) == "", "it is as wide as a sound lasts"


def test_an_end_of_a_long_picture() -> None:
    assert "only the left 96 x 96 of 240 x 96" in found(LANE[ROWS * 96 // 36, COLUMNS * 96 // 36]).in_part
    middle = found(LANE[ROWS * 96 // 36, 72 + COLUMNS * 96 // 36])
    assert "the middle 96 x 96 resized" in str(middle)
    assert middle.in_part == ""


@pytest.mark.parametrize(
    ("side", "said"), [(96, "it is only the middle 36 x 36 of 96 x 96"), (84, ""), (48, "")]
)
def test_a_middle_that_was_not_resized(side: int, said: str) -> None:
    photo = scene(8, side, side)
    begin = (side - 36) // 2
    assert found(photo[begin:, begin:][:36, :36], photo).in_part.startswith(said)
    assert bool(said) == bool(found(photo[begin:, begin:][:36, :36], photo).in_part)


def test_brighter_pixels_that_ran_over() -> None:
    photo = scene(3, 96, 96)
    brighter = photo[ROWS * 96 // 36, COLUMNS * 96 // 36].astype(int) * 135 // 100
    assert brighter.max() > 255
    said, how = by_level(((brighter % 256) / 255 - MEAN) / DEVIATION, in_channels(photo))
    assert "pixels times 1.35 ran over: those above 189 begin again at 0" in said
    assert how == "resized to 36 x 36, nearest pixel"
    assert by_level(brighter.clip(0, 255) / 255, in_channels(photo))[0] == ""


def test_elements_that_only_a_rare_level_changes() -> None:
    photo = scene(3, 36, 36)
    photo[photo > 200] = 200
    photo[4, 5] = 255
    assert by_level((photo // 255).astype("f8"), in_channels(photo)) == ("", "")


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_pixels_behind_a_header_that_was_never_read(order: slice) -> None:
    photo = scene(4, 96, 96)
    data = photo.tobytes()
    header = len(ppm(photo)) - len(data)
    origins = Origins()
    for name, arguments in (
        ("path_open", {"fd": 3, "path": "a.ppm", "opened": 5}),
        ("fd_seek", {"fd": 5, "offset": -len(data), "whence": 2, "newoffset": header}),
        ("fd_read", {"fd": 5, "iovs": [data], "nread": len(data)}),
    ):
        origins.host_call(HostEvent("wasi_snapshot_preview1", name, tuple(arguments.items()), 0, None, 0.0))
    pixels = photo[ROWS * 96 // 36, COLUMNS * 96 // 36][..., order]
    origin = origins.of(Tensor.from_numpy(sent(pixels)))
    assert origin is not None and "96 x 96 raw pixels, RGB" in str(origin)
    assert ("wrong order of channels" in origin.wrong) == (order.step == -1)


def test_grey_pixels_behind_a_header_that_was_never_read() -> None:
    photo = numpy.ascontiguousarray(scene(4, 32, 32)[..., :1])
    data = photo.tobytes()
    origins = Origins()
    for name, arguments in (
        ("path_open", {"fd": 3, "path": "a.pgm", "opened": 5}),
        ("fd_seek", {"fd": 5, "offset": -len(data), "whence": 2, "newoffset": 13}),
        ("fd_read", {"fd": 5, "iovs": [data], "nread": len(data)}),
    ):
        origins.host_call(HostEvent("wasi_snapshot_preview1", name, tuple(arguments.items()), 0, None, 0.0))
    elements = (photo / 255).astype("f4").transpose(2, 0, 1)[None]
    origin = origins.of(Tensor.from_numpy(elements))
    assert origin is not None and "32 x 32 raw pixels), grey, pixels from 0 to 1" in str(origin)


def test_a_header_that_was_passed_over_is_known_from_the_host(tmp_path: Path) -> None:
    photo = scene(4, 40, 56)
    data = ppm(photo)
    (tmp_path / "a.ppm").write_bytes(data)
    header = len(data) - photo.size
    origins = Origins(directories={"": tmp_path})
    for name, arguments in (
        ("path_open", {"fd": 3, "path": "a.ppm", "opened": 5}),
        ("fd_seek", {"fd": 5, "offset": header, "whence": 0, "newoffset": header}),
        ("fd_read", {"fd": 5, "iovs": [data[header:]], "nread": photo.size}),
    ):
        origins.host_call(HostEvent("wasi_snapshot_preview1", name, tuple(arguments.items()), 0, None, 0.0))
    elements = (photo / 255).astype("f4").transpose(2, 0, 1)[None]
    origin = origins.of(Tensor.from_numpy(elements))
    assert origin is not None and "a.ppm (56 x 40 pixels), RGB, CHW, pixels from 0 to 1" in str(origin)


def test_a_wav_without_its_header_has_no_other_order_of_bytes() -> None:
    quiet = numpy.random.default_rng(3).integers(-36, 36, 2000).astype("<i2").tobytes()
    evenly = (1000 * numpy.sin(numpy.arange(2000) / 20)).astype(">i2").tobytes()
    assert as_samples("speech.wav", bytes(12) + quiet) == as_samples("speech.wav", evenly) == []
    assert as_samples("speech.bin", evenly) != []


@pytest.mark.parametrize(("rows", "columns"), [(0, 2), (2, 0), (0, 5), (9, 0), (0, 40)])
@pytest.mark.parametrize("planar", [True, False])
def test_a_picture_upside_down_beside_what_is_left_free(rows: int, columns: int, planar: bool) -> None:
    """Also one that lies so nearly in the middle that small copies can't tell."""
    line = scene(6, 40, 110)
    source = decoded("line.bmp", bmp(line))
    assert source is not None
    for pixels, wrong in ((line, ""), (line[::-1], "the picture is upside down")):
        made = numpy.zeros((40 + rows, 110 + columns, 3), "f4")
        made[:40, :110] = pixels / 127.5 - 1
        origin = traced(made.transpose(2, 0, 1)[None] if planar else made[None], source)
        assert origin is not None
        assert origin.wrong == wrong
