"""Elements that are looked up at a multiple of their place in a file."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.every_nth import every_nth

RNG = numpy.random.default_rng(3)
BYTES = RNG.integers(0, 256, 20 * 18 * 3, "u1")
BEHIND = RNG.integers(0, 9, 8 * BYTES.size, "u1")
HEADS = {"raw": b"", "ppm": b"P6\n18 20\n255\n", "idx": bytes(16)}


def said(array: Any, data: bytes) -> str:
    files = [("labels.txt", b"a\nb\n"), ("picture.bin", data)]
    return every_nth(Tensor.from_numpy(numpy.ascontiguousarray(array)), files)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("step", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("planar", [True, False])
def test_bytes(head: str, step: int, planar: bool) -> None:
    memory = numpy.concatenate([BYTES, BEHIND])
    picture = memory[step * numpy.arange(BYTES.size)].reshape(1, 20, 18, 3) / 255
    picture = (picture - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    sent = (picture.transpose(0, 3, 1, 2) if planar else picture).astype("f4")
    found = said(sent, HEADS[head] + BYTES.tobytes())
    assert (f"element i is byte {step} * i of picture.bin" in found) is (step > 1) is bool(found)
    assert said(sent, HEADS[head] + memory.tobytes()) == "", "as many are there as are looked up"
    planes = BYTES.reshape(-1, 3).T.reshape(1, -1) / 255
    assert said(planes.astype("f4"), HEADS[head] + BYTES.tobytes()) == ""


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_numbers(kind: str) -> None:
    there = RNG.normal(0, 1, 300).astype(kind)
    memory = numpy.concatenate([there, BEHIND[:900].astype(kind)])
    sent = memory[4 * numpy.arange(300)].reshape(1, 300)
    padded = numpy.where(numpy.arange(300) < 75, sent, 0).astype(kind)
    assert said(padded, there.tobytes()) == "", "a sound at a lower rate, with padding"
    assert "element i is number 4 * i of picture.bin" in said(sent, there.tobytes())
    assert said(there.reshape(1, 300), there.tobytes()) == ""
    assert said(there[:40], there[:40].tobytes()) == ""
