"""Lines of floats in the other byte order, of which each element was scaled by numbers of its own."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.in_other_order import in_other_order

MEAN = numpy.array([1013.2, 17.4, 0.62, 3.1, 240.5, 55.0, 8.25, 0.031])
WIDE = numpy.array([6.1, 7.5, 0.2, 1.7, 88.0, 21.0, 2.5, 0.012])
LINES = MEAN + WIDE * numpy.random.default_rng(5).uniform(-1.7, 1.7, (4, 8))
SCALE = ("norm.txt", "\n".join(f"{a} {b}" for a, b in zip(MEAN, WIDE, strict=True)).encode())


def sent(data: bytes, kind: str, line: int) -> Any:
    """A line as a guest sends it that reads a file as floats of this kind."""
    with numpy.errstate(all="ignore"):
        read = numpy.frombuffer(data, kind)[line * 8 :][:8].astype("f8")
        return ((read - MEAN) / WIDE).astype("f4").reshape(1, 8)


def said(array: Any, *files: tuple[str, bytes]) -> str:
    found = in_other_order(array, files)
    return "" if found is None else found.wrong


@pytest.mark.parametrize("line", [0, 2])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("order", "<>")
def test_each_element_has_a_scale_of_its_own(order: str, kind: str, line: int) -> None:
    data, other = LINES.astype(order + kind).tobytes(), "<" if order == ">" else ">"
    logger = ("logger.bin", data)
    wrong = sent(data, other + kind, line)
    title = "big" if order == ">" else "little"
    assert f"{title}-endian, and were read with their bytes in the opposite order" in said(
        wrong, SCALE, logger
    )
    assert said(sent(data, order + kind, line), SCALE, logger) == ""
    assert said(wrong, logger) == "", "by which numbers isn't known"
    assert said(wrong, SCALE, ("logger.bin", (LINES + WIDE).astype(order + kind).tobytes())) == ""
    assert said(wrong[:, ::-1], SCALE, logger) == ""


def test_others_than_the_numbers_of_the_file() -> None:
    logger = ("logger.bin", LINES.astype(">f4").tobytes())
    empty = (-MEAN / WIDE).astype("f4").reshape(1, 8)
    assert said(empty, SCALE, logger) == "", "zeros were scaled"
    assert said(numpy.full((1, 8), numpy.nan, "f4"), SCALE, logger) == ""
    assert said(sent(logger[1], ">f4", 1), SCALE, logger) == ""
