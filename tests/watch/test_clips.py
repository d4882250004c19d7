"""Inputs of several frames: their order, how they lie, where they were read, and sums that ran over."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.planes import Planes
from pywasm_nn.watch.planes.numbered import by_number
from tests.watch.test_planes import blocks, every_second, hints

COUNT, HEIGHT, WIDTH = 12, 36, 48
ROWS, COLUMNS = numpy.mgrid[:HEIGHT, :WIDTH]
GROUND = numpy.random.default_rng(3).integers(60, 200, (HEIGHT, WIDTH))


def frame(at: int) -> Any:
    """A ball that goes over a wall."""
    ball = (ROWS - 9 - at) ** 2 + (COLUMNS - 3 * at - 5) ** 2 < 40
    return numpy.where(ball, 250 - ROWS, GROUND).astype("u1")


FRAMES = numpy.stack([frame(at) for at in range(COUNT)])
COLOURS = bytes(range(256)) * (HEIGHT * WIDTH // 512) + bytes(HEIGHT * WIDTH // 2 % 256)
FILM = b"YUV4MPEG2 W48 H36 F25:1 C420\n" + b"".join(b"FRAME\n" + one.tobytes() + COLOURS for one in FRAMES)
FILES = [("ball.y4m", FILM)]
SENT = FRAMES[[0, 2, 4, 7, 9, 11]] / 127.5 - 1


def said(elements: Any, pictures: list[tuple[str, Any]] | None = None) -> str:
    return hints(elements, [], FILES) if pictures is None else hints(elements, pictures)


def read(first: int, step: int) -> Any:
    """Frames from these places of the file."""
    places = range(29 + 6 + first, len(FILM), step)[:6]
    return numpy.stack(
        [numpy.frombuffer(FILM, "u1", FRAMES[0].size, at).reshape(HEIGHT, WIDTH) for at in places]
    )


@pytest.mark.parametrize("resize", [every_second, blocks])
def test_frames(resize: Any) -> None:
    small = numpy.stack([resize(one) for one in SENT])
    for right in (
        small[None],
        small[None, :, None],
        small.transpose(1, 2, 0)[None],
        small[[0, 0, 2, 2]][None],
    ):
        assert said(right) == ""
    wanted = "in the reversed order, the last one first: 12, 10, 8, ... of 12"
    assert wanted in said(small[None, ::-1])
    assert "all 4 frames are the same, number 3 of 12" in said(small[None, [1, 1, 1, 1]])
    by_pixel = numpy.ascontiguousarray(small.transpose(1, 2, 0)).reshape(1, 6, 18, 24)
    assert "its elements lie pixel by pixel, 6 frames of each, and the shape says" in said(by_pixel)
    by_frame = small.reshape(1, 18, 24, 6)
    assert "frame after frame of 24 x 18 pixels, and the shape says pixel by pixel" in said(by_frame)
    assert said(small[::-1, None]) == ""  # a batch may be in any order


@pytest.mark.parametrize(
    "first, step, words",
    [
        (0, 6 + 1728, "counts the brightness alone (1728 bytes), and not the colours"),
        (-6, 2592, 'leaves out the line "FRAME"'),
        (0, 1728, 'without the colours and the line "FRAME"'),
    ],
)
def test_steps(first: int, step: int, words: str) -> None:
    frames = numpy.stack([blocks(one) for one in read(first, step)])
    assert words in said(frames[None] / 255)
    assert words in said(frames[3][None, None] / 255)  # frame by frame
    assert said(numpy.stack([blocks(one) for one in read(0, 2598)])[None]) == ""


@pytest.mark.parametrize("divide", [lambda one: one / 4, lambda one: one // 4])
def test_sums_that_run_over(divide: Any) -> None:
    boxes = FRAMES[:5].reshape(5, 18, 2, 24, 2).astype(int).sum(axis=(2, 4))
    for sent in (boxes[None], boxes[None, :1]):
        assert "the sum of 4 pixels (2 x 2) was kept in 8 bits" in said(divide(sent % 256) / 255)
        assert said(divide(sent)) == ""
    picture = numpy.stack([FRAMES[0], FRAMES[3], FRAMES[8]], axis=2)
    colours = picture.reshape(18, 2, 24, 2, 3).astype(int).sum(axis=(1, 3))
    assert "kept in 8 bits" in said(divide(colours % 256)[None], [("a.ppm", picture)])
    assert said(divide(colours)[None], [("a.ppm", picture)]) == ""


def test_pictures_of_a_series() -> None:
    pictures = [(f"{at}.pgm", one[..., None]) for at, one in enumerate(FRAMES)]
    assert "compared with 0.pgm to 11.pgm, its frames stand in the reversed" in said(
        SENT[None, ::-1], pictures
    )
    assert said(SENT[None], pictures) == ""


def test_planes_over_each_other() -> None:
    picture = numpy.stack([FRAMES[0], FRAMES[3], 255 - FRAMES[8]], axis=2)
    small = picture[::2, ::2] / 127.5 - 1
    for step, words in ((24, "24 elements apart"), (18, "18 elements apart"), (1, "1 element apart")):
        for order in ("rck", "krc"):
            flat = numpy.zeros(3 * 18 * 24)
            places = numpy.stack(numpy.mgrid[:18, :24, :3], axis=-1).reshape(-1, 3)
            if order == "krc":
                places = numpy.array(sorted(places.tolist(), key=lambda one: (one[2], one[0], one[1])))
            for row, column, plane in places:
                flat[plane * step + row * 24 + column] = small[row, column, plane]
            assert words in said(flat.reshape(1, 3, 18, 24), [("a.ppm", picture)])
    assert said(small.transpose(2, 0, 1)[None], [("a.ppm", picture)]) == ""
    begun = numpy.where(numpy.arange(1296) < 18 * 24 + 60, small.transpose(2, 0, 1).reshape(-1), 0)
    assert said(begun.reshape(1, 3, 18, 24), [("a.ppm", picture)]) == ""


def named(order: list[int]) -> list[tuple[str, Any]]:
    return [(f"sky/t{5 * at:02}.pgm", FRAMES[at][..., None]) for at in order]


def cut_off(frames: Any) -> Any:
    """Elements that are no line over the pixels."""
    return numpy.where(frames == 250, 0, numpy.maximum(frames / 2.0 - 50, 0))[None] / 70


@pytest.mark.parametrize("sent", [lambda frames: frames[None] / 255, cut_off])
@pytest.mark.parametrize("is_read_backwards", [True, False])
def test_the_order_of_numbers_in_names(sent: Any, is_read_backwards: bool) -> None:
    order = [1, 3, 4, 8, 10]
    pictures = named(order[::-1] if is_read_backwards else order)
    wanted = "sky/t05.pgm to sky/t50.pgm, its frames stand in the reversed order"
    assert wanted in said(sent(FRAMES[order[::-1]]), pictures)
    assert said(sent(FRAMES[order]), pictures) == ""


def test_a_clip_that_is_compared_with_itself() -> None:
    """A guest sends a clip turned to ask whether its order counts, and standing to ask whether motion
    does."""
    planes = Planes(lambda: [], lambda: FILES)
    for elements in (SENT[None], SENT[None, ::-1], SENT[None, [2] * 6]):
        assert [*planes.set("x", Tensor.from_numpy(numpy.ascontiguousarray(elements, "f4")))] == []
    assert "reversed order" in said(SENT[None, ::-1]) and "are the same" in said(SENT[None, [2] * 6])


def test_arguments_say_another_order() -> None:
    pictures = named([1, 3, 4])
    names = [name for name, _ in pictures]
    for arguments, wanted in (((), names), (names, names), (names[::-1], names), (["x/" + names[2]], names)):
        assert [name for name, _ in by_number(pictures, arguments)] == wanted
    backwards = pictures[::-1]
    assert by_number(backwards, names[::-1]) == backwards and by_number(backwards, names) == pictures
    assert by_number([("a1b2", 0), ("a2b1", 0), ("a3b3", 0)][::-1], ())[0][0] == "a3b3"
