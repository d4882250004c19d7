"""Colours of a film's frames, made of Y, U and V."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.planes.chroma import exchanged_chroma
from pywasm_nn.watch.planes.films import film_in

HIGH, WIDE = 40, 56
ROWS, COLUMNS = numpy.mgrid[:HIGH, :WIDE]
HALVES = {"420jpeg": (2, 2), "422": (1, 2), "444": (1, 1)}
WEIGHTS = {"601": (1.402, -0.344136, -0.714136, 1.772), "709": (1.5748, -0.1873, -0.4681, 1.8556)}


def frame(number: int, kind: str, flat: float = 1.0) -> list[Any]:
    """Y, U and V as floats."""
    down, across = HALVES[kind]
    rows, columns = ROWS[::down, ::across], COLUMNS[::down, ::across]
    luma = 128 + 40 * numpy.sin(COLUMNS / 7 + ROWS / 9 + number)
    blue = 128 + flat * 25 * numpy.sin(columns / 9 - number)
    red = 128 + flat * 25 * numpy.cos(rows / 8 + number)
    return [one.round() for one in (luma, blue, red)]


def film(kind: str, flat: float = 1.0) -> bytes:
    planes = (b"".join(one.astype("u1").tobytes() for one in frame(at, kind, flat)) for at in range(5))
    return f"YUV4MPEG2 W{WIDE} H{HIGH} F25:1 C{kind}\n".encode() + b"".join(
        b"FRAME\n" + one for one in planes
    )


def colours(number: int, kind: str, way: str, *, swapped: bool, flat: float = 1.0) -> Any:
    """A frame of half the size, [height, width, 3]."""
    luma, blue, red = frame(number, kind, flat)
    down, across = HALVES[kind]
    blue, red = (one.repeat(down, 0).repeat(across, 1)[::2, ::2] - 128 for one in (blue, red))
    blue, red = (red, blue) if swapped else (blue, red)
    light = luma[::2, ::2]
    of_red, of_blue, of_both, blues = WEIGHTS[way]
    made = [light + of_red * red, light + of_blue * blue + of_both * red, light + blues * blue]
    return numpy.stack(made, axis=2).clip(0, 255)


@pytest.mark.parametrize("way", [*WEIGHTS])
@pytest.mark.parametrize("kind", [*HALVES])
@pytest.mark.parametrize("swapped", [True, False])
def test_a_frame_and_a_clip(kind: str, way: str, swapped: bool) -> None:
    data = film(kind)
    known = film_in(data)
    assert known is not None
    one = colours(2, kind, way, swapped=swapped)
    clip = numpy.stack([colours(at, kind, way, swapped=swapped) for at in (1, 2, 3, 4)])
    for sent in (
        ((one[..., ::-1] / 255 - 0.45) / 0.22).transpose(2, 0, 1)[None].astype("f4"),
        clip.astype("u1")[None],
        (clip / 127.5 - 1).transpose(3, 0, 1, 2)[None].astype("f4"),
    ):
        found = exchanged_chroma(sent, "a.y4m", data, known)
        assert ("U and V are exchanged" in found) == swapped and bool(found) == swapped


@pytest.mark.parametrize("flat", [0.0, 0.1])
def test_a_film_with_hardly_any_colours(flat: float) -> None:
    data = film("420jpeg", flat)
    known = film_in(data)
    assert known is not None
    sent = colours(2, "420jpeg", "601", swapped=True, flat=flat)[None].astype("f4")
    assert exchanged_chroma(sent, "a.y4m", data, known) == ""
