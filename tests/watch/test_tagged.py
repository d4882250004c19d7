"""Pictures in TIFF and TGA that programs read by hand: where the pixels begin, and what 0 stands for."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget, always
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.calculated import by_loops
from pywasm_nn.watch.origin.resizing import interpolations
from pywasm_nn.watch.sent.unturned import Unturned
from tests.watch.test_older_formats import BLUE_FIRST, tga
from tests.watch.test_origin import PHOTO
from tests.watch.whatif_models import planar

SMALL = PHOTO[::2, ::2]
GREY = SMALL[..., 1:2]
BITS = numpy.where(GREY > 127, 255, 0).astype("u1")


def tiff(
    pixels: Any,
    bits: int = 8,
    meaning: int = 1,
    order: str = "<",
    gap: int = 24,
    strips: int = 1,
    turn: int = 0,
) -> bytes:
    """A file whose directory is before its pixels, with so many bytes between both, and an Orientation."""
    height, width, channels = pixels.shape if bits > 1 else (pixels.shape[0], SMALL.shape[1], 1)
    rows = height // strips
    entries = 8 + (turn > 0)
    behind = 8 + 2 + 12 * entries + 4
    lists = behind + (4 * strips if strips > 1 else 0)
    body = pixels.astype(f"{order}u{max(1, bits // 8)}").tobytes()
    size = len(body) // strips
    starts = [lists + gap + (strips - 1 - at) * size for at in range(strips)]  # the last strip comes first
    fields = (
        (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, meaning),
        (273, 4, strips, behind if strips > 1 else starts[0]), (277, 3, 1, channels), (278, 4, 1, rows),
        *[(274, 3, 1, turn)] * (turn > 0),
    )  # fmt: skip
    head = struct.pack(f"{order}2sHIH", b"II" if order == "<" else b"MM", 42, 8, entries)
    for tag, kind, count, value in fields:
        short = kind == 3
        head += struct.pack(f"{order}HHI{'HH' if short else 'I'}", tag, kind, count, value, *[0] * short)
    head += struct.pack(f"{order}I", 0)
    head += struct.pack(f"{order}{strips}I", *starts) if strips > 1 else b""
    parts = [body[size * at : size * (at + 1)] for at in range(strips)]
    return head + bytes(range(7, 7 + gap)) + b"".join(parts[::-1])


@pytest.mark.parametrize("order", "<>")
def test_pixels(order: str) -> None:
    deep = GREY.astype("u2") * 257
    packed = numpy.packbits(BITS[..., 0] > 0, axis=1)[..., None]
    files = [
        (tiff(SMALL, meaning=2, order=order), SMALL), (tiff(GREY, order=order, strips=4), GREY),
        (tiff(255 - GREY, meaning=0, order=order), GREY), (tiff(deep, 16, order=order), GREY),
        (tiff(packed, 1, order=order), BITS),
    ]  # fmt: skip
    for data, wanted in files:
        found = decoded("slide.tif", data)
        assert found is not None and (found.array == wanted).all()
    assert decoded("slide.tif", files[0][0][:400]) is None


def wrong(data: bytes, pixels: Any, name: str = "slide.tif", high: int = 40) -> str:
    source = decoded(name, data)
    assert source is not None
    elements = (interpolations()["bilinear"](pixels.astype("f4"), high, high) / 255).astype("f4")
    found = traced(planar(elements) if pixels.shape[2] == 3 else elements[None, None, ..., 0], source)
    assert found is not None
    return found.wrong


def test_white_is_zero() -> None:
    negative = tiff(255 - GREY, meaning=0)
    assert "0 is white (PhotometricInterpretation 0)" in wrong(negative, 255 - GREY)
    assert wrong(negative, GREY) == ""


def test_pixels_from_behind_the_directory() -> None:
    data = tiff(SMALL, meaning=2, gap=25)
    early = numpy.frombuffer(data, "u1", SMALL.size, 110).reshape(SMALL.shape)
    assert "from byte 110, right behind the directory" in wrong(data, early)
    assert wrong(data, SMALL) == ""


def test_the_id_of_a_tga() -> None:
    data = tga(2, 24, BLUE_FIRST.tobytes(), top=True)
    early = numpy.frombuffer(data, "u1", PHOTO.size, 18).reshape(PHOTO.shape)[..., ::-1]
    assert "the ID field there has 2 bytes" in wrong(data, early, "page.tga")


def test_planes_of_a_tiff() -> None:
    """Its fields but PlanarConfiguration are those of a picture whose colours lie side by side."""
    data = bytearray(tiff(SMALL, meaning=2, strips=3))
    data[8 + 2 + 12 * 6 : 8 + 2 + 12 * 8] = struct.pack("<HHIHHHHIHH", 277, 3, 1, 3, 0, 284, 3, 1, 2, 0)
    data[-SMALL.size :] = SMALL[..., ::-1].transpose(2, 0, 1).tobytes()  # the last strip comes first
    found = decoded("slide.tif", bytes(data))
    assert found is not None and (found.array == SMALL).all()
    side_by_side = numpy.ascontiguousarray(SMALL.transpose(2, 0, 1)).reshape(SMALL.shape)
    assert "(PlanarConfiguration 2), and were read as if" in wrong(bytes(data), side_by_side)


def test_the_palette_of_a_grey_bitmap() -> None:
    height, width = 40, 60
    grey = GREY[:height, :width]
    palette = bytes(one for level in range(256) for one in (level, level, level, 0))
    head = struct.pack("<IIIIiiHHIIIIII", 0, 0, 1078, 40, width, height, 1, 8, 0, 0, 0, 0, 256, 0)
    data = b"BM" + head + palette + grey[::-1].tobytes()
    early = numpy.frombuffer(data, "u1", grey.size, 54).reshape(grey.shape)
    assert "from byte 54, right behind the header; a palette is there" in wrong(data, early[::-1], "a.bmp")
    assert wrong(data, grey, "a.bmp") == ""


@pytest.mark.parametrize("side", [60, 20])
@pytest.mark.parametrize("turn", [0, 1, 3, 6, 8])
@pytest.mark.parametrize("order", "<>")
def test_the_turn_that_a_file_asks_for(order: str, turn: int, side: int) -> None:
    upright = SMALL[:60, :60]
    stored = numpy.rot90(upright, {3: 2, 6: 1, 8: -1}.get(turn, 0))
    source = decoded("floor.tif", tiff(stored, meaning=2, order=order, turn=turn))
    assert source is not None

    def wrong(pixels: Any) -> str:
        step = 60 // side
        boxes = pixels.reshape(side, step, side, step, 3).astype("f8").mean((1, 3))
        array = planar((boxes / 255).astype("f4"))
        found = by_loops(traced(array, source), array, [[source]], always)
        return "" if found is None else found.wrong

    assert ("Orientation" in wrong(stored)) is (turn > 1)
    assert "Orientation" not in wrong(upright)


@pytest.mark.parametrize(("turn", "side"), [(6, 20), (3, 15), (8, 20), (0, 20)])
def test_later_pictures_that_ask_for_a_turn(turn: int, side: int) -> None:
    """The first file asks for none."""
    grey = GREY[:60, :60]
    files: list[tuple[str, bytes]] = [("shelf1.tif", tiff(grey))]
    for is_turned in (False, True):
        rule, said = Unturned(lambda: files, Budget()), []
        for pixels, asked in ((grey, 0), (GREY[::-1][:60, :60], turn)):
            files.append((f"shelf{len(files)}.tif", tiff(pixels, turn=asked)))
            shown = numpy.rot90(pixels, {3: 2, 6: -1, 8: 1}.get(asked, 0)) if is_turned else pixels
            boxes = shown.reshape(side, 60 // side, side, 60 // side).mean((1, 3), dtype="f8")
            made = ((boxes - boxes.mean()) / boxes.std()).astype("f4")[None, ..., None]
            event: Any = SimpleNamespace(
                operation="set_input", error=None, index=0, given=(), specs=(SimpleNamespace(name="x"),),
                tensors=(Tensor.from_numpy(made),),
            )  # fmt: skip
            said += rule.nn_event(event)
        assert bool(said) is (turn > 1 and not is_turned)
        assert not said or "compared with shelf2.tif, the file asks for its picture" in said[0][1]
        del files[1:]
