"""Strengths of single frequencies, measured at another rate than the sound's; and their right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.sent.tones import Tones
from tests.watch.test_origin import wav

KEYS = (697, 770, 852, 941, 1209, 1336, 1477, 1633)
STRINGS = (82.41, 110.0, 146.83, 196.0, 246.94, 329.63)
SPEC = TensorSpec("tones", DType.F32, (1, None))


def sound(seed: int, rate: int, frequencies: tuple[float, ...]) -> Any:
    """Pieces of two tones each, and noise."""
    rng = numpy.random.default_rng(seed)
    times = numpy.arange(800) / rate
    pieces = [
        sum(numpy.sin(6.2832 * one * times) for one in rng.choice(frequencies, 2)) + rng.normal(0, 0.1, 800)
        for _ in range(4)
    ]
    return (8000 * numpy.concatenate(pieces)).astype("i2")


def strengths(samples: Any, rate: int, frequencies: tuple[float, ...], power: int) -> Any:
    turned = numpy.exp(-2j * numpy.pi * numpy.array(frequencies)[:, None] * numpy.arange(len(samples)) / rate)
    own = abs((samples / 32768) @ turned.T) ** power
    return (own / own.sum()).astype("f4")


def program(numbers: tuple[float, ...], kind: str) -> Module:
    data = numpy.array([3e9, *numbers, -1], kind if kind != "<i4" else "<i8").astype(kind).tobytes()
    text = "".join(f"\\{byte:02x}" for byte in data)
    return Module.from_text(f'(module (memory 1) (data (i32.const 64) "{text}"))')


def hints(rows: list[Any], module: Module, samples: Any, rate: int) -> str:
    tones = Tones(lambda: decoded("call.wav", wav(samples, rate)), Budget())
    tones.attach(module)
    for row in rows:
        event: Any = SimpleNamespace(
            error=None, operation="set_input", index=0, context_id=1, specs=(SPEC,),
            tensors=(Tensor.from_numpy(row[None]),), given=(),
        )  # fmt: skip
        tones.nn_event(event)
    return "; ".join(text for _, text in tones.finish())


@pytest.mark.parametrize(("frequencies", "kind"), [(KEYS, "<f8"), (KEYS, "<i4"), (STRINGS, "<f4")])
@pytest.mark.parametrize(("rate", "own"), [(8000, 11025), (16000, 8000), (22050, 22050), (8000, 8000)])
@pytest.mark.parametrize(("piece", "power"), [(800, 1), (205, 2)])
def test_strengths_at_a_rate(
    frequencies: tuple[float, ...], kind: str, rate: int, own: int, piece: int, power: int
) -> None:
    samples = sound(len(frequencies), rate, frequencies)
    pieces = samples[: 4 * piece].reshape(4, piece)
    rows = [strengths(one, own, frequencies, power) for one in pieces]
    found = hints(rows, program(frequencies, kind), samples, rate)
    assert (f"if that has {own:,} samples a second; its header says {rate:,}" in found) is (rate != own)
    assert bool(found) is (rate != own)


@pytest.mark.parametrize("seed", range(3))
def test_other_numbers_are_no_strengths(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    rows = [rng.random(8).astype("f4") for _ in range(3)]
    assert hints(rows, program(KEYS, "<f8"), sound(seed, 8000, KEYS), 8000) == ""


def test_high_before_low() -> None:
    """The rate is right, whatever the order is."""
    samples = sound(2, 8000, KEYS)
    rows = [numpy.roll(strengths(one, 8000, KEYS, 1), 4) for one in samples.reshape(4, 800)]
    assert hints(rows, program(KEYS, "<f8"), samples, 8000) == ""
