"""Pictures of the sky whose header's filling is taken for pixels."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.fits import from_header, sky_in

SIDE = 64
SKY = (1000 + numpy.random.default_rng(3).gamma(2, 40, (SIDE, SIDE))).astype(">i2")


def file_of(cards: int = 0) -> bytes:
    said = [b"SIMPLE  =                    T", b"BITPIX  =                   16"]
    said += [b"NAXIS1  =                   64", b"NAXIS2  =                   64"]
    said += [b"COMMENT a word"] * cards + [b"END"]
    header = b"".join(one.ljust(80) for one in said)
    return (header.ljust(-(-len(header) // 2880) * 2880) + SKY.tobytes()).ljust(5 * 2880, b"\0")


def stamp(data: bytes, begins: int, half: int) -> Any:
    """Means of squares of brightness, bent."""
    light = numpy.frombuffer(data, ">i2", SKY.size, begins).reshape(SIDE, SIDE).astype("f8")
    bent = numpy.arcsinh((light - numpy.median(light)) / 60)
    return bent.reshape(SIDE // half, half, SIDE // half, half).mean(axis=(1, 3))


@pytest.mark.parametrize("half", [1, 2])
@pytest.mark.parametrize("cards", [0, 10])
def test_blanks_behind_the_header(half: int, cards: int) -> None:
    data = file_of(cards)
    sky = sky_in(data)
    assert sky is not None and (sky.ends, sky.begins) == (80 * (cards + 5), 2880)
    for begins, words in ((sky.ends, "blanks are that fill the header"), (sky.begins, "")):
        made = stamp(data, begins, half).astype("f4")
        found = from_header(Tensor.from_numpy(made[None, None]), [("m1.fits", data)])
        assert words in found and bool(words) == bool(found)


def test_other_files_and_a_dark_edge() -> None:
    data = file_of()
    dark = stamp(data, 2880, 2).astype("f4")
    dark[:5] = 0
    for read in (data, data[80:], data[:300]):
        assert from_header(Tensor.from_numpy(dark[None, None]), [("a", read)]) == ""
