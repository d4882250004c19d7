"""Raw frames with padding behind each row."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.facts import picture_of
from pywasm_nn.watch.origin.buffers import are_of_four, buffers
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.ranked import best_of
from pywasm_nn.watch.origin.runs import Runs, runs_of, without_header
from tests.watch.whatif_models import picture

HIGH, WIDE = 40, 52


def frame(pitch: int, channels: int = 3) -> tuple[Any, bytes]:
    """A picture, and the bytes of a file with it, whose last row has no padding."""
    down, across = numpy.mgrid[:HIGH, :WIDE]
    pixels = numpy.stack([down * 3 + across, 200 - 2 * down, across * 4], 2) % 251
    pixels = (pixels + 20 * ((down // 9 + across // 13) % 2)[..., None]).astype("u1")[..., :channels]
    rows = numpy.zeros((HIGH, pitch), "u1")
    rows[:, : WIDE * channels] = pixels.reshape(HIGH, -1)
    return pixels, rows.tobytes()[: len(rows.tobytes()) - pitch + WIDE * channels]


@pytest.mark.parametrize(("pitch", "channels"), [(160, 3), (192, 3), (64, 1)])
def test_rows_that_are_read_without_their_padding(pitch: int, channels: int) -> None:
    pixels, data = frame(pitch, channels)
    length = WIDE * channels
    flat = numpy.frombuffer(data[: HIGH * length], "u1").reshape(1, HIGH, WIDE, channels)
    shape = picture_of(flat.shape)
    assert shape is not None
    found = runs_of(flat.copy(), shape, data)
    assert isinstance(found, Runs)
    assert f"rows of the file lie {pitch} apart" in without_header(found, data)
    right = runs_of(pixels[None], shape, data)
    assert right is not None
    assert without_header(right, data) == ""


def lettered(*, coloured: bool) -> Any:
    """A light page with a few dark marks, as of letters."""
    down, across = numpy.mgrid[:HIGH, :WIDE]
    marks = (down // 3 % 4 == 1) & (across * across // 7 % 5 < 2) & (abs(across - 26) < 20)
    page = numpy.full((HIGH, WIDE, 3), 255, "u1")
    page[marks] = (200, 30, 90) if coloured else (40, 40, 40)
    page[:, ::9] -= (down[:, ::9] % 5 * 7).astype("u1")[..., None]
    return page


@pytest.mark.parametrize("alpha", [0, 255, "varied"])
@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("shown", ["page", "marks", "frame"])
def test_rows_of_pixels_with_alpha(shown: str, is_first: bool, alpha: int | str) -> None:
    pixels = frame(WIDE * 3)[0] if shown == "frame" else lettered(coloured=shown == "marks")
    levels = numpy.full((HIGH, WIDE, 1), 255 if alpha == "varied" else alpha, "u1")
    if alpha == "varied":
        levels[:9], levels[9:12] = 0, 130
        if shown != "frame":
            pixels = 240 - pixels // 2
    four = numpy.concatenate([levels, pixels] if is_first else [pixels, levels], 2)
    data = four.tobytes()
    sent = numpy.frombuffer(data[: HIGH * WIDE * 3], "u1").reshape(1, HIGH, WIDE, 3)
    shape = picture_of(sent.shape)
    assert shape is not None
    found = runs_of(sent.copy(), shape, data)
    assert found is not None and "4 bytes a pixel" in without_header(found, data)
    plain = pixels.tobytes()
    assert not any(are_of_four(numpy.frombuffer(plain, "u1")[begin:]) for begin in range(4))
    right = runs_of(pixels[None], shape, plain)  # of the page too few rows have enough levels
    for others in (plain, plain + bytes(WIDE * 4 * HIGH - len(plain))):
        assert right is None or "4 bytes a pixel" not in without_header(right, others)


@pytest.mark.parametrize("pitch", [160, 192])
def test_frames_that_are_resized(pitch: int) -> None:
    pixels, data = frame(pitch)
    flat = numpy.frombuffer(data[: HIGH * WIDE * 3], "u1").reshape(HIGH, WIDE, 3)
    for shown, is_wrong in ((pixels, False), (flat, True)):
        large = shown.repeat(2, axis=0).repeat(2, axis=1).astype("f4")[None] / 255
        shape = picture_of(large.shape)
        assert shape is not None
        sources = [
            Source("f.raw", one.pixels, one.said, True, others=one.others, is_ordered=one.is_ordered)
            for one in buffers(f"cam_{WIDE}x{HIGH}.raw", data, shape)
        ]
        found = best_of(large, sources, always)
        assert found is not None
        assert bool(found.wrong) is is_wrong
        assert not is_wrong or f"rows of the file lie {pitch} apart" in found.wrong


def test_frames_without_padding() -> None:
    pixels = picture(3)
    shape = picture_of(pixels[None].shape)
    assert shape is not None
    found = list(buffers(f"{pixels.shape[1]}x{pixels.shape[0]}.rgb", pixels.tobytes(), shape))
    assert all("apart" not in one.said for one in found)
