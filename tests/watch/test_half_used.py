"""Pictures from 0 to 1 in inputs of bytes that stand for -1 to 1, given as bytes or as f32."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN, session
from pywasm_nn.nn.quantized import quantized
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.sent.half_used import beyond, half_used
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_hints import FREED, hints_of
from tests.watch.test_origin import scene

PIXELS = scene(2, 24, 24)
KINDS = {"u8": (DType.U8, (1 / 128, 128)), "i8": (DType.I8, (1 / 128, 0)), "0..1": (DType.U8, (1 / 255, 0))}


def hint(
    pixels: Any, kind: str, *, floats: bool = True, known: bool = True, shown: Any = PIXELS, part: Any = None
) -> str:
    dtype, affine = KINDS[kind]
    given = Tensor.from_numpy(pixels[None].astype("f4"))
    tensor = quantized(given, TensorSpec("x", dtype, given.shape, quantization=affine))
    source = SimpleNamespace(array=shown, top=255)
    found = SimpleNamespace(source=source, part=part) if known else None
    event = SimpleNamespace(floats=given if floats else None)
    said = beyond(event.floats, dtype.value, affine)
    return said or half_used(cast(Any, event), tensor, affine, cast(Any, found))


@pytest.mark.parametrize("kind", ["u8", "i8"])
def test_only_the_upper_half(kind: str) -> None:
    unit = PIXELS / 255
    text = hint(unit, kind)
    assert text.startswith(
        f"the model's own type is {kind}, and f32 was sent, of which the host makes {kind}"
    )
    assert text.endswith(f"send the picture's bytes as {kind}, or f32 from -1 to 0.992")
    assert hint(unit, kind, floats=False).endswith("were pixels quantised that are from 0 to 1, not -1 to 1?")
    for right in (2 * unit - 1, unit / 4):
        assert hint(right, kind) == ""
    assert hint(unit, kind, known=False) == "", "it may be bright"


@pytest.mark.parametrize(("part", "seen"), [((0, 0, 24, 24), False), ((24, 0, 48, 24), True), (None, True)])
def test_a_bright_part_of_a_picture(part: Any, seen: bool) -> None:
    """A sky above a dark ground has only bytes above the middle, and may be cut out on purpose."""
    bright = 128 + PIXELS // 2
    shown = numpy.concatenate([bright, PIXELS])
    assert bool(hint(bright / 127.5 - 1, "u8", floats=False, shown=shown, part=part)) is seen


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", [*KINDS])
def test_numbers_that_are_cut(kind: str, *, known: bool) -> None:
    """Whole pixels, those around 0, and ImageNet's, as f32 for bytes that stand for a small range."""
    text = hint(PIXELS, kind, known=known)
    assert f"they go from {PIXELS.min()} to {PIXELS.max()}, and " in text and "were cut to an end" in text
    assert "were cut" in hint(PIXELS - 127.0, kind, known=known)
    assert "were cut" not in hint(PIXELS, kind, known=known, floats=False)
    low = 0 if kind == "0..1" else -1
    for pixels in (
        low + PIXELS / 255 * (1 - low),
        0 * PIXELS + 255.0,
        3.0 * (numpy.quantile(PIXELS, 0.7) < PIXELS),
    ):
        assert hint(pixels, kind, known=False) == ""


def test_black_and_white() -> None:
    assert hint(1.0 * (PIXELS > 60), "0..1", known=False) == "" == hint(PIXELS / 255, "0..1")


@pytest.mark.parametrize("kind", ["float32", "uint8"])
def test_bytes_that_the_host_makes_are_not_in_the_buffer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    """What the host made of f32 differs from the guest's buffer, which didn't change."""
    monkeypatch.setattr(session, "takes_floats", lambda spec, tensor: kind == "uint8")
    model = Model([node("Identity", ["x"], ["y"])], {"x": (kind, ["N", 8])}, {"y": (kind, ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(FREED).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(0x100, numpy.linspace(11, 250, 8, dtype="f4").tobytes())
        app.exports.begin()
        app.exports.set()
        app.exports.compute()
    trace.flush()
    assert not any("stale" in hint for hint in hints_of(trace))
