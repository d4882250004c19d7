"""Pictures with alpha as inputs: blended over something, or with their colours alone."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.origin.blended import over, traced_over
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.sent.grounds import grounds_of
from pywasm_nn.watch.whatif import grounds
from pywasm_nn.watch.whatif.grounds import over_another
from pywasm_nn.watch.whatif.sureness import Answer

SIDE = 60


def symbol() -> Any:
    """A dark ring of one colour on nothing, with a soft edge."""
    down, across = numpy.mgrid[:SIDE, :SIDE] - SIDE / 2
    ring = numpy.clip(9 - abs(numpy.hypot(down, across * 1.3) - 17), 0, 1) * 255
    there = (ring > 0)[..., None]
    colours = numpy.where(there, [29, 75, 63], 0)
    return numpy.concatenate([colours, ring[..., None]], axis=2).astype("u1")


RING = symbol()
SOURCE = Source("ring.png", RING, "60 x 60 pixels", True)


def boxes(pixels: Any, side: int) -> Any:
    """The mean of each box, in whole numbers."""
    ends = [at * SIDE // side for at in range(side + 1)]
    rows = [pixels[one:other].mean(0) for one, other in pairwise(ends)]
    made = [numpy.stack(rows)[:, one:other].mean(1) for one, other in pairwise(ends)]
    return numpy.stack(made, 1).astype("u1")


@pytest.mark.parametrize(("ground", "level"), [("white", 255), ("black", 0), ("grey", 128)])
@pytest.mark.parametrize("planes", [False, True])
def test_a_picture_over_something(ground: str, level: int, planes: bool) -> None:
    array = boxes(over(RING, level), 25)[None]
    array = (array / 255).astype("f4").transpose(0, 3, 1, 2) if planes else array
    found = traced_over(array, SOURCE)
    assert found is not None
    assert (found.wrong, found.source.said) == ("", f"60 x 60 pixels, over {ground}")
    assert found.encoding is not None


def test_colours_that_are_inverted() -> None:
    opaque = RING.copy()
    opaque[..., 3] = 255
    found = traced_over(255 - opaque[None, ..., :3], Source("ring.png", opaque, "60 x 60 pixels", True))
    assert found is not None
    assert "inverted" in found.wrong


class Model:
    """Says 3 of what is dark all over, and 9 of a dark ring on white."""

    def __init__(self, *_: Any) -> None:
        self.count = 0

    def limit(self, _: float) -> None: ...

    def left(self) -> bool:
        return True

    def changed(self, _: int, array: Any) -> Answer:
        return Answer(9, 0.99, 16, 6.0) if array.mean() > 128 else Answer(3, 0.99, 16, 7.0)

    def shuffled(self, change: Any, seeds: range) -> list[Answer]:
        return [self.changed(0, change.array) for _ in seeds]


def asked(monkeypatch: pytest.MonkeyPatch, array: Any, name: str) -> str | None:
    def depicts(file: str, _: int) -> Depicted | None:
        return Depicted(file, (9,)) if file == "ring.png" else None

    found = traced_over(array, Source(name, RING, "60 x 60 pixels", True))
    assert found is not None
    tensor = Tensor.from_numpy(array)
    known = grounds_of(0, found, tensor, depicts)
    assert known is not None
    monkeypatch.setattr(grounds, "Runs", lambda *_, **__: nullcontext(Model()))
    graph: Any = type("Graph", (), {"inputs": [type("Spec", (), {"name": "x"})]})
    return over_another(graph, [tensor], known, Model().changed(0, array), 0.001, 1.0)


@pytest.mark.parametrize("name", ["ring.png", "a.png"])
def test_colours_without_alpha(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = asked(monkeypatch, boxes(RING[..., :3], 30)[None], name) or ""
    assert "blended over white the answer is 9 at 0.99" in said
    assert "without alpha" in said


def test_a_picture_over_what_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ring.png", "a.png"):
        assert asked(monkeypatch, boxes(over(RING, 255), 30)[None], name) is None
