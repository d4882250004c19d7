"""Whole slices of numbers of 10, 12 and 16 bits, cut off at the ends of a window."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.slices import PACKINGS, Packing, misread_slice

ROWS, COLUMNS = numpy.mgrid[:32, :40]
RANDOM = numpy.random.default_rng(8)
WAVES = (0.5 + 0.4 * numpy.sin(COLUMNS / 9 + ROWS / 7)) + RANDOM.normal(0, 0.002, ROWS.shape)
LITTLE, BIG, LOW_12, HIGH_12, MIPI_12, LOW_10, MIPI_10 = PACKINGS


def packed(packing: Packing, numbers: Any) -> bytes:
    """Bytes that a packing makes numbers of: each bit of them is tried alone."""
    bits = packing.size * 8
    every = numpy.zeros((bits, packing.size), "i4")
    every[numpy.arange(bits), numpy.arange(bits) // 8] = 1 << numpy.arange(bits) % 8
    made = numpy.zeros((numbers.size // packing.count, packing.size), "u1")
    for bit, one in enumerate(packing.unpack(every)):
        at = int(one.argmax())
        there = numbers.reshape(-1, packing.count)[:, at] & int(one[at]) > 0
        made[:, bit // 8] |= there.astype("u1") << bit % 8
    return made.tobytes()


def said(numbers: Any, data: bytes, window: float = 0.3) -> str:
    low, high = numpy.quantile(numbers, (0.5 - window / 2, 0.5 + window / 2))
    elements = ((numbers - low) / (high - low)).clip(0, 1).astype("f4")
    return misread_slice(Tensor.from_numpy(elements[None, None]), [("a.raw", data)], lambda: True)


@pytest.mark.parametrize(
    ("own", "other", "bits"),
    [(LITTLE, BIG, 12), (BIG, LITTLE, 16), (LOW_12, HIGH_12, 12), (HIGH_12, MIPI_12, 12),
     (MIPI_12, LOW_12, 12), (LOW_10, MIPI_10, 10), (MIPI_10, LOW_10, 10)],
)  # fmt: skip
@pytest.mark.parametrize("header", [b"", b"HEAD\0\2"])
def test_orders(own: Packing, other: Packing, bits: int, header: bytes) -> None:
    slices = [(one * 2**bits).clip(0, 2**bits - 1).astype("i4") for one in (WAVES, WAVES[::-1])]
    data = header + b"".join(packed(own, one) for one in slices)
    size = (len(data) - len(header)) // 2
    body = numpy.frombuffer(data, "u1", size, len(header) + size).reshape(-1, own.size).astype("i4")
    read = [one.unpack(body).reshape(WAVES.shape) for one in (own, other)]
    assert (read[0] == slices[1]).all()
    assert said(read[0], data) == ""
    assert f"were read as {other.said}; by how smoothly they go on they are {own.said}" in said(read[1], data)


def test_noise_and_other_pictures() -> None:
    noise = RANDOM.integers(0, 4096, WAVES.shape)
    for packing in (LOW_12, HIGH_12, LITTLE):
        assert said(noise, packed(packing, noise)) == ""
        assert said(noise, packed(packing, (WAVES * 4096).astype("i4"))) == ""
