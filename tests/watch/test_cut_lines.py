"""Lines of text that were cut at a width which the model doesn't ask for."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.records import changed
from pywasm_nn.watch.changes.encodings import RAW, UNIT, Encoding
from pywasm_nn.watch.origin import Origin
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.whatif import cut_lines
from pywasm_nn.watch.whatif.cut_lines import CutLines, read_whole, whole_line
from tests.watch.oracles import StandIn

HIGH, WIDE, LETTER, CLASSES = 24, 240, 10, 12
BLANK_AT = (5, 6, 7, 14)
"""Places of the line without a letter."""


def line(*, coloured: bool, blank: Sequence[int] = BLANK_AT) -> Any:
    """Dark letters, 10 columns each with 2 of ground, on a light ground."""
    pixels = numpy.full((HIGH, WIDE, 3 if coloured else 1), 220, "u1")
    for at in (at for at in range(WIDE // LETTER) if at not in blank):
        own = numpy.random.default_rng(at).integers(0, 60, (HIGH - 8, LETTER - 2, pixels.shape[2]))
        pixels[4:-4, at * LETTER + 1 : (at + 1) * LETTER - 1] = own
    return pixels


def made(pixels: Any, columns: int, encoding: Encoding, name: str = "plate.pgm") -> tuple[Any, Origin]:
    """The left columns as an input, and where it comes from."""
    own = pixels[None, :, :columns].astype("f4") / encoding.deviation[0]
    source = Source(name, pixels, f"{WIDE} x {HIGH} pixels", True)
    part = 0, 0, HIGH, columns
    return own, Origin(source, (), encoding=encoding, part=part, lies=(0, 0, HIGH, columns))


def read(count: int, *, first: int = 1, sure: float = 0.97) -> Tensor:
    """The answer of a model that reads so many letters with blanks between them."""
    steps = numpy.full((1, 2 * count + 8, CLASSES), (1 - sure) / (CLASSES - 1), "f4")
    for step in range(steps.shape[1]):
        at = step // 2
        steps[0, step, 1 + (at + first) % (CLASSES - 1) if step % 2 and at < count else 0] = sure
    return Tensor.from_numpy(steps)


def event_of(answer: Tensor, *, width: int | None = None, graph: int = 1, context: int = 0) -> Any:
    spec = SimpleNamespace(name="line", shape=(1, HIGH, width, 3))
    output = SimpleNamespace(name="letters", shape=None)
    return SimpleNamespace(
        graph=SimpleNamespace(inputs=[spec], outputs=[output]), graph_id=graph, context_id=context,
        specs=[output], tensors=[answer],
    )  # fmt: skip


class Reads(StandIn):
    """Stands for the runs of a model that answers so to the whole line."""

    def __init__(self, answer: Tensor) -> None:
        self._answer = answer
        self._judge: Any = None

    def __call__(self, *_: Any, judge: Any, **__: Any) -> Any:
        self._judge = judge
        return self

    def answer(self, _: Any) -> Any:
        return self._judge([SimpleNamespace(name="letters")], [self._answer])


@pytest.mark.parametrize("encoding", [RAW, UNIT])
@pytest.mark.parametrize("coloured", [False, True])
@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (read(18), True), (read(10), False), (read(18, first=2), False), (read(18, sure=0.6), False),
    ],
)  # fmt: skip
def test_a_model_that_reads_more_in_all_columns(
    answer: Tensor, seen: bool, coloured: bool, encoding: Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = line(coloured=coloured)
    own, found = made(pixels, 100, encoding)
    kept = CutLines()
    kept.come_from(0, found)
    event = event_of(read(9))
    assert kept.computed(event, [Tensor.from_numpy(own)])
    (due,) = kept.due()
    monkeypatch.setattr(cut_lines, "Runs", Reads(answer))
    said = read_whole(event.graph, 0.01, 1.0, due)
    assert ("the left 100 of 240 columns of plate.pgm" in said) is seen is bool(said)
    whole = whole_line(due.tensor, found)
    assert whole is not None and abs(whole - pixels[None] / encoding.deviation[0]).max() < 1e-4
    if coloured:
        turned = whole_line(Tensor.from_numpy(own[..., ::-1].copy()), found)
        assert abs(turned - pixels[None, ..., ::-1] / encoding.deviation[0]).max() < 1e-4
        planar = whole_line(Tensor.from_numpy(own.transpose(0, 3, 1, 2).copy()), found)
        assert planar.shape == (1, 3, HIGH, WIDE)
    assert whole_line(Tensor.from_numpy(own.max() - own), found) is None, "black and white swapped"


@pytest.mark.parametrize(
    "columns",
    [
        66,  # between two words
        145,  # a field that ends before a blank one
        235,  # nearly all
        20,  # hardly a line
    ],
)
def test_parts_that_may_be_meant(columns: int) -> None:
    own, found = made(line(coloured=True), columns, UNIT)
    kept = CutLines()
    kept.come_from(0, found)
    assert not kept.computed(event_of(read(9)), [Tensor.from_numpy(own)])


def test_other_parts_and_models() -> None:
    own, found = made(line(coloured=True), 100, UNIT)
    given = [Tensor.from_numpy(own)]
    for other in (
        changed(found, wrong="upside down"), changed(found, encoding=None), changed(found, turn="mirrored"),
        changed(found, part=(0, 30, HIGH, 130)), changed(found, part=(0, 0, HIGH - 6, 100)),
        changed(found, lies=(0, 4, HIGH, 96)), changed(found, part=(0, 0, HIGH, WIDE)),
    ):  # fmt: skip
        kept = CutLines()
        kept.come_from(0, other)
        assert not kept.computed(event_of(read(9)), given)
    kept = CutLines()
    kept.come_from(0, found)
    assert not kept.computed(event_of(read(9), width=100), given), "which takes this width alone"
    kept.come_from(0, found)
    assert not kept.computed(event_of(read(2)), given), "that reads next to nothing"
    assert [*kept.due()] == []


@pytest.mark.parametrize("second", ["another line", "the next columns", "all of it", "the same"])
def test_what_follows(second: str) -> None:
    own, found = made(line(coloured=True), 100, UNIT)
    kept = CutLines()
    kept.come_from(0, found)
    kept.computed(event_of(read(9)), [Tensor.from_numpy(own)])
    if second == "another line":
        kept.come_from(1, made(line(coloured=True), 100, UNIT, "second.ppm")[1])
    elif second == "the same":
        kept.come_from(1, found)
    elif second == "the next columns":
        kept.come_from(1, changed(found, part=(0, 100, HIGH, 200)))
    else:
        kept.come_from(1, changed(found, part=(0, 0, HIGH, WIDE)))
    kept.computed(event_of(read(9), context=1), [Tensor.from_numpy(own)])
    assert bool([*kept.due()]) is (second == "another line")
