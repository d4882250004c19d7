"""Pixels that a program has in itself, of which an input was made."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin import Origins, Source, traced
from pywasm_nn.watch.origin.constants import Constants
from pywasm_nn.watch.sent.by_white import by_white
from pywasm_nn.watch.sent.raw_numbers import misread_raw
from tests.watch.test_origin import scene

ORDER = numpy.random.default_rng(8)
MEANS, DEVIATIONS = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])


def program(*data: bytes) -> Module:
    """A program with these data, one behind the other, among texts and noise."""
    noise = ORDER.integers(0, 256, 4001).astype("u1").tobytes()
    held = noise + b"frame %d\0" + b"".join(data) + noise
    text = "".join(f"\\{byte:02x}" for byte in held)
    return Module.from_text(f'(module (memory 2) (data (i32.const 8) "{text}"))')


def came(array: Any, module: Module) -> tuple[str, str]:
    """What is said of an input and what is wrong with it."""
    origins = Origins((), Budget())
    origins.constants = Constants(module)
    found = origins.of(Tensor.from_numpy(numpy.ascontiguousarray(array.astype("f4"))))
    return ("", "") if found is None else (str(found), found.wrong)


@pytest.mark.parametrize("side", [8, 16, 32])
@pytest.mark.parametrize("stride", [1, 3, 4])
@pytest.mark.parametrize("by", ["unit", "mean"])
def test_rows_and_columns(side: int, stride: int, by: str) -> None:
    """Frames that were compiled in are found without a name, a header or a size."""
    frames = [scene(seed, side, side)[..., : min(stride, 3)].clip(0, 255).astype("u1") for seed in (3, 4)]
    alpha = numpy.full((side, side, 1), 255, "u1")
    held = [numpy.concatenate([one, alpha], axis=2) if stride == 4 else one for one in frames]
    module = program(*(one.tobytes() for one in held))
    for one in frames:
        pixels = one / 255
        if by == "mean":
            pixels = (pixels - MEANS[: one.shape[2]]) / DEVIATIONS[: one.shape[2]]
        planes = pixels.transpose(2, 0, 1)[None]
        said, wrong = came(planes, module)
        assert said.startswith(f"a picture in the program ({side} x {side} raw pixels)") and not wrong
        said, wrong = came(planes.transpose(0, 1, 3, 2), module)
        assert said.startswith("a picture in the program") and "columns" in wrong
    assert came(scene(9, side, side).transpose(2, 0, 1)[None] / 255, module) == ("", "")


def test_signed_pixels() -> None:
    pixels = scene(5, 8, 8)[..., :1].clip(0, 255).astype("u1")
    signed = pixels.astype("i1")
    module = program(pixels.tobytes())
    planes = signed.transpose(2, 0, 1)[None] / 255
    assert "were taken as signed" in came((planes - 0.4) / 0.3, module)[1]


@pytest.mark.parametrize(("taken", "words"), [(256, "were taken as signed"), (0, ""), (255, "1 taken away")])
def test_bright_pixels(taken: int, words: str) -> None:
    """All of them lose 256 if they are taken as signed, and 255 if 1 is taken away."""
    pixels = ORDER.integers(130, 256, (8, 8, 1)).astype("u1")
    array = (pixels.astype("f8") - taken).transpose(2, 0, 1)[None] / 255
    found = traced(array.astype("f4"), Source("a.raw", pixels, "8 x 8 raw pixels", is_picture=True))
    assert found is not None
    assert words in found.wrong and bool(found.wrong) == bool(words)


ROWS = (ORDER.beta(0.5, 0.7, (6, 64)) * 255).astype("u1")
MEAN, DEVIATION = float(ROWS.mean()) + 4, float(ROWS.std()) - 4


@pytest.mark.parametrize("rows", [slice(0, 4), slice(2, 6)])
def test_bytes_with_a_sign(rows: slice) -> None:
    """The mean and the deviation that they were standardised by are those of bytes without one."""
    constants = Constants(program(ROWS.tobytes()))

    def hint(array: Any) -> str:
        tensor = Tensor.from_numpy(array.astype("f4"))
        return misread_raw(tensor, constants.numbers(tensor))

    signed = ROWS[rows].view("i1").astype("f8")
    assert "bytes from 128 to 255 were taken as signed" in hint((signed - MEAN) / DEVIATION)
    assert hint((ROWS[rows] - MEAN) / DEVIATION) == ""
    assert hint((signed - signed.mean()) / signed.std()) == "", "their own are those of signed numbers"
    assert hint(signed / 100) == "", "nothing says that they have none"


def test_what_lies_nowhere() -> None:
    constants = Constants(program(ROWS.tobytes()))
    for array in (
        ORDER.integers(0, 256, (2, 64)),
        ORDER.normal(0, 1, (2, 64)),
        numpy.zeros((2, 64)),
        ROWS[:4, ::-1],
    ):
        assert constants.numbers(Tensor.from_numpy(array.astype("f4"))) == []


@pytest.mark.parametrize("shape", [(1, 64), (1, 1, 8, 8)])
def test_shades_to_16(shape: tuple[int, ...]) -> None:
    """The largest of all that lie there says what white is, and not that of one picture."""
    shades = ORDER.integers(0, 17, (5, 64)).astype("u1")
    shades[2] = shades[2].clip(0, 12)
    constants = Constants(program(shades.tobytes()))
    dark = Constants(program((ROWS[0] // 5).astype("u1").tobytes()))

    def hint(array: Any, own: Constants = constants) -> str:
        tensor = Tensor.from_numpy(array.reshape(shape).astype("f4"))
        return by_white(tensor, own.numbers(tensor))

    for row in shades:
        said = hint(row / 255)
        assert "compared with numbers in the program, its numbers were divided by 255" in said
        assert "the largest in the file is 16" in said
        assert hint(row / 16) == hint(row / 1.0) == ""
    assert hint(ROWS[0] // 5 / 255, dark) == "", "a dark picture"
