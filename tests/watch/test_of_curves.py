"""Curves of files: from the wrong end, with or without a logarithm, without the detector's references.

Mistakes, and twins without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.tables import REVERSED, found_in, table_in
from pywasm_nn.watch.origin.time_order import direction
from pywasm_nn.watch.whatif import recordings
from pywasm_nn.watch.whatif.of_curves import Curves, drawn_otherwise, is_meant
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

LENGTH, KINDS = 90, 4
AXIS = numpy.linspace(600.0, 3270.0, LENGTH)
Draw = Callable[[Any], Any]
Files = list[tuple[str, bytes]]


def absorbance(kind: int, seed: int) -> Any:
    """Bands of one kind of oil on a slope."""
    numbers = numpy.random.default_rng(seed)
    made = 0.1 + 0.1 * (AXIS - 600) / 2670 + numbers.normal(0, 0.002, LENGTH)
    for at in range(3):
        made += (0.3 + 0.2 * at) * numpy.exp(-(((AXIS - 800 - 620 * at - 110 * kind) / 60.0) ** 2))
    return made


def plain(curve: Any) -> Any:
    return curve


def standard(curve: Any) -> Any:
    return (curve - curve.mean()) / curve.std()


class Nearest(StandIn):
    """Stands for the runs of a model that knows the curves of each kind, drawn in one way."""

    def __init__(self, draw: Draw) -> None:
        self._known = numpy.stack([draw(absorbance(kind, 50 + kind)) for kind in range(KINDS)])

    def changed(self, _: int, array: Any) -> Answer:
        apart = numpy.sqrt(numpy.square(self._known - array.reshape(-1)).mean(axis=1))
        kind, off = int(apart.argmin()), float(apart.min() / self._known.std())
        return Answer(kind, 0.99, KINDS, 5.0) if off < 0.1 else Answer(kind, 0.45, KINDS, 0.2)

    def rows(self, _: int, batch: Any) -> list[Answer]:
        return [self.changed(0, one[None]) for one in batch]


def table(curve: Any, heading: str = "intensity", *, falls: bool = False, axis: str = "wavenumber") -> bytes:
    lines = [f"{at:.1f}\t{one:.6f}" for at, one in zip(AXIS, curve, strict=True)]
    return "\n".join([f"{axis}\t{heading}", *(lines[::-1] if falls else lines)]).encode()


def said(
    own: Nearest, sent: Sequence[Any], files: Sequence[Files], patch: pytest.MonkeyPatch, called: str = "x"
) -> str:
    patch.setattr(recordings, "Runs", own)
    read: Files = []
    kept, text = Curves(lambda: read), ""
    for each, curve in zip(files, sent, strict=True):
        read += each
        array = curve.astype("f4")[None]
        if curves := kept.take(0, Tensor.from_numpy(array), own.changed(0, array), called):
            graphs: list[Any] = [
                SimpleNamespace(inputs=[SimpleNamespace(name=called, shape=shape)])
                for shape in ((1, LENGTH), ("n", LENGTH))
            ]
            found = [drawn_otherwise(graph, curves, 0.01) for graph in graphs]
            assert found[0] == found[1], "one by one, and in a batch"
            text = text or found[0]
    return text


CURVES = [absorbance(kind, kind) for kind in (2, 0, 3, 1)]


@pytest.mark.parametrize("draw", [plain, standard])
def test_an_axis_that_falls(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [[(f"oil{at}.tsv", table(one, falls=True))] for at, one in enumerate(CURVES)]
    rising, falling = [draw(one) for one in CURVES], [draw(one)[::-1] for one in CURVES]
    text = said(Nearest(draw), falling, files, monkeypatch)
    assert '"wavenumber" of oil0.tsv falls' in text and "does the model want it to rise?" in text
    assert said(Nearest(draw), rising, files, monkeypatch) == ""
    learned = Nearest(lambda curve: draw(curve)[::-1])
    assert said(learned, falling, files, monkeypatch) == "", "the model wants it so"
    upwards = [[(f"oil{at}.tsv", table(one))] for at, one in enumerate(CURVES)]
    assert said(learned, rising, upwards, monkeypatch) == "", "no axis falls"
    assert said(Nearest(draw), falling[:3], files[:3], monkeypatch) == "", "too few"
    same = [draw(absorbance(1, at))[::-1] for at in range(4)]
    of_one = [[(f"oil{at}.tsv", table(absorbance(1, at), falls=True))] for at in range(4)]
    assert said(Nearest(draw), same, of_one, monkeypatch) == "", "all of one kind"


@pytest.mark.parametrize("falls", [True, False])
def test_the_order_of_a_file_whose_axis_falls_is_no_other_one(falls: bool) -> None:
    own = table_in(table(CURVES[0], falls=falls))
    assert own is not None
    found = found_in(own, own.numbers[::-1, 1].astype("f4")[None])
    assert found is not None and (found.wrong == REVERSED) is not falls


@pytest.mark.parametrize(
    ("column", "wanted"),
    [(["3270.0", "3240.5", "3211.0", "3181.5"], 0), (["2024.02", "2024.01", "2023.12", "2023.11"], -1)],
)
def test_numbers_with_a_point_that_are_no_dates(column: Sequence[str], wanted: int) -> None:
    assert direction(["at", "value"], [(one, "7") for one in column]) == wanted


@pytest.mark.parametrize(("draw", "whole"), [(plain, 1), (standard, 1), (standard, 100)])
def test_transmittance_and_absorbance(draw: Draw, whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = [whole * 10.0**-one for one in CURVES]
    files = [[(f"{at}.txt", table(one, "transmittance"))] for at, one in enumerate(shares)]
    text = said(Nearest(draw), [draw(one) for one in shares], files, monkeypatch)
    assert '"transmittance" of 0.txt, without a logarithm' in text and "as absorbance, -log10 of it," in text
    assert said(Nearest(draw), [draw(one) for one in CURVES], files, monkeypatch) == ""
    learned = Nearest(lambda curve: draw(whole * 10.0**-curve))
    assert said(learned, [draw(one) for one in shares], files, monkeypatch) == "", "the model wants it so"
    unnamed = [[(f"{at}.txt", table(one, "value"))] for at, one in enumerate(shares)]
    assert said(Nearest(draw), [draw(one) for one in shares], unnamed, monkeypatch) == ""
    assert said(Nearest(draw), [draw(one) for one in shares], unnamed, monkeypatch, "absorbance") != ""
    absorbed = [[(f"{at}.txt", table(one, "Abs"))] for at, one in enumerate(CURVES)]
    own = Nearest(lambda curve: draw(10.0**-curve))
    assert "as reflectance" in said(own, [draw(one) for one in CURVES], absorbed, monkeypatch)


@pytest.mark.parametrize("draw", [plain, standard])
@pytest.mark.parametrize("has_dark", [True, False])
@pytest.mark.parametrize("is_log", [True, False])
def test_references_that_were_not_used(
    draw: Draw, has_dark: bool, is_log: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    dark = 400 + 30 * numpy.sin(AXIS / 200) if has_dark else numpy.zeros(LENGTH)
    lamp = 6000 + 50000 * numpy.exp(-(((AXIS - 1500) / 700) ** 2))
    counts = [numpy.rint(dark + lamp * 10.0**-one) for one in CURVES]
    beside = [("white.bin", numpy.rint(dark + lamp).astype(">u2").tobytes())]
    beside += [("dark.bin", numpy.rint(dark).astype(">u2").tobytes())] * has_dark
    files = [[(f"s{at}.bin", one.astype(">u2").tobytes())] for at, one in enumerate(counts)]
    law: Draw = (lambda one: -numpy.log10(one)) if is_log else plain
    own = Nearest(lambda curve: draw(law(10.0**-curve)))
    sent = [draw(law(one / 65535)) for one in counts]
    text = said(own, sent, [[*beside, *files[0]], *files[1:]], monkeypatch)
    used = "dark.bin and white.bin" if has_dark else "white.bin"
    assert f"of {used} nothing is in them" in text and "(raw - dark) / (white - dark)" in text
    assert said(own, sent, files, monkeypatch) == "", "no reference was read"
    right = [draw(law(10.0**-one)) for one in CURVES]
    assert said(own, right, [[*beside, *files[0]], *files[1:]], monkeypatch) == ""


def test_what_a_model_means() -> None:
    doubted = [Answer(0, 0.5, 3, 0.1)] * 4
    sure = [Answer(at % 3, 0.99, 3, 5.0) for at in range(4)]
    assert is_meant(sure, doubted) and not is_meant(sure, sure) and not is_meant(doubted, sure)
    assert is_meant(sure, [Answer(0, 0.99, 3, 5.0)] * 4), "one answer as sent"
    assert not is_meant([*sure[:3], Answer(2, 1.0, 3, 80.0)], doubted), "far too sure"
    assert not is_meant([], [])
