"""Models of spectra of raw numbers: Hann's window forgotten, and another law. Mistakes, and twins without
one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import of_spectra
from pywasm_nn.watch.whatif.of_spectra import LAWS, Spectra, asked_otherwise, spectra_in
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="spectrum")])
LENGTH, KINDS = 128, (0, 1, 2, 1)
HANN = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(LENGTH) / LENGTH)
LOG = "ln(1 + magnitude)"
Recipe = Callable[[Any], Any]


def recorded(seed: int) -> Any:
    """Numbers of 16 bits: a block of each kind of vibration."""
    numbers = numpy.random.default_rng(seed)
    time = numpy.arange(LENGTH)
    tones = [0.3 * numpy.sin(time / 9 + seed), (time % 17 == 0) * 1.5, 1.7 * numpy.sin(time / 5 + seed)]
    made = [numpy.rint(4000 * (tones[kind] + numbers.normal(0, 0.05, LENGTH))) for kind in KINDS]
    return numpy.concatenate(made)


def recipe(window: Any, law: str, by: float = 4000.0) -> Recipe:
    return lambda blocks: LAWS[law][0](abs(numpy.fft.rfft(blocks / by * window))[:, : LENGTH // 2])


class Trained(StandIn):
    """Stands for the runs of a model that knows the rows of one recipe, and guesses others: in doubt, or far
    too sure."""

    def __init__(self, own: Recipe, blocks: Any, *, is_sure: bool = False) -> None:
        self._known = own(blocks)
        self._guess = Answer(1, 1.0, 3, 70.0) if is_sure else Answer(1, 0.6, 3, 0.6)

    def changed(self, _: int, array: Any) -> Answer:
        off = abs(self._known - array.reshape(-1)).max(axis=1)
        return Answer(KINDS[int(off.argmin())], 0.96, 3, 4.0) if off.min() < 1e-2 else self._guess

    def rows(self, _: int, array: Any) -> list[Answer]:
        return [self.changed(0, row) for row in array]


def said(
    own: Recipe,
    sent: Recipe,
    monkeypatch: pytest.MonkeyPatch,
    seed: int = 0,
    *,
    is_sure: bool = False,
    is_batch: bool = True,
) -> str:
    numbers = recorded(seed)
    blocks = numbers.reshape(-1, LENGTH)
    model = Trained(own, blocks, is_sure=is_sure)
    monkeypatch.setattr(of_spectra, "Runs", model)
    kept = Spectra(lambda: [("motor.i16", numbers.astype("<i2").tobytes())])
    rows = sent(blocks).astype("f4")
    for one in [rows] if is_batch else [row[None] for row in rows]:
        given = Tensor.from_numpy(one)
        taken = kept.take(0, given, model.rows(0, one))
        ways = [*kept.ways(taken)] if taken else []
        if ways:
            answers = [answer for _, answer in taken]
            if text := asked_otherwise(GRAPH, [given], answers, ways, 0.01):
                return text
    return ""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_batch", [True, False])
@pytest.mark.parametrize("law", [LOG, "the magnitude", "20 log10 of the magnitude, decibels"])
def test_a_window_that_was_forgotten(
    law: str, is_batch: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = recipe(HANN, law), recipe(1.0, law)
    text = said(right, wrong, monkeypatch, seed, is_batch=is_batch)
    assert "of blocks of 128 numbers of motor.i16 without a window" in text
    assert "is Hann's window forgotten?" in text
    for one in (right, wrong):
        assert said(one, one, monkeypatch, seed, is_batch=is_batch) == "", "the model was trained so"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("own", "sent"), [(LOG, "20 log10 of the magnitude, decibels"), (LOG, "the power"),
                                           ("ln of the magnitude", "log10 of the magnitude")])  # fmt: skip
def test_another_law(own: str, sent: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = recipe(HANN, own), recipe(HANN, sent)
    for is_sure in (True, False):
        text = said(right, wrong, monkeypatch, seed, is_sure=is_sure)
        assert f"its rows are spectra ({sent})" in text and f"with {own} 3, at 0.96" in text
    assert said(wrong, wrong, monkeypatch, seed) == "", "the model was trained so"
    unknown = recipe(HANN, "the magnitude", 123.0)
    assert said(unknown, wrong, monkeypatch, seed) == "", "no law of ours is what it knows"


def test_how_rows_are_spectra() -> None:
    numbers = recorded(5)
    blocks = numbers.reshape(-1, LENGTH)
    for law in LAWS:
        way = spectra_in(recipe(HANN, law)(blocks), "a", numbers)
        assert way is not None and way.law == law and way.window == "Hann" and way.hop == LENGTH
        assert way.factor == pytest.approx(1 / 4000, rel=1e-3)
    made = numpy.random.default_rng(1).uniform(0, 1, (4, LENGTH // 2))
    assert spectra_in(made, "a", numbers) is None and spectra_in(made[:, :50], "a", numbers) is None
    assert spectra_in(recipe(HANN, LOG)(blocks[::-1]), "a", numbers) is None, "blocks in another order"
