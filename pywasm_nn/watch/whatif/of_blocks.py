"""Asks a model about the spectra of blocks of a sound that lie an equal step apart: of the sound rightly
read, at a lower rate, by a logarithm, or under Hann's window.

What is here: `Blocks`, which keeps rows, and `heard_rightly`. What is not: how rows are such spectra
(`origin/placed_spectra.py`), blocks that follow one another from the first number on (`of_spectra.py`), and
features by usual recipes (`origin/spectral.py`).

Two things speak together: the rows are exactly these spectra, which no other reading of the sound gives; and
the model is sure of several different answers in the other way, and doubts those as sent, or is far too sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import thread_time
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..budget import Budget
from ..origin.kinds import SOUNDS
from ..origin.placed_spectra import Placed, placed_in, readings_of
from ..origin.spectra import HANN, NONE
from ..surroundings import Files
from .asking import LEAST as LEAST_TIME
from .asking import MOST, Runs
from .of_spectra import FLOOR, answers_until
from .sureness import MOST_SURE, Answer, mean
from .ways import resampled

NARROWEST, WIDEST, FEWEST, MOST_ROWS = 16, 512, 4, 8
"""A row has `NARROWEST` to `WIDEST` frequencies, and the rule asks about `FEWEST` to `MOST_ROWS` rows."""
MOST_SECONDS, SEARCHED = 0.4, 0.6
"""The search of how rows came takes `MOST_SECONDS` at most, and `SEARCHED` of the time that there is."""
LEAST, SURE, DIFFERENT, TIMES, FAR_SURER = 0.75, 0.9, 3, 2.5, 20.0
"""In the other way each answer is at least `LEAST` sure, all are `SURE` on average, and at least `DIFFERENT`
of them differ. The doubt about those as sent is at least `TIMES` as large, or one has a margin above
`FAR_SURER`, which training hardly makes."""
WANTED = (16000, 8000)
"""Most models want these rates."""
LOGARITHMS = {"ln": 1.0, "log10": 1 / float(numpy.log(10)), "decibels": 10 / float(numpy.log(10))}
"""These logarithms are the natural one times such a factor."""
TIMES_LN, ODD = (5.0, 10.0, 20.0), 0.01
"""Natural logarithms of powers times so much are decibels in which ln stands for log10; by which part the
factor may be off."""
LN_WHY = "they are {:.0f} times ln of the magnitude: is log10 meant (log10f, and not log)?"


class Kept(Frozen):
    """Holds the first rows of a model, the answers to them, and the last compute."""

    event: NNEvent
    given: Tensor
    rows: tuple[Any, ...]
    sent: tuple[Answer, ...]


class Otherwise(Frozen):
    """Holds rows in another way, what the hint says of that way, what may be the mistake, and whether nobody
    means rows like those that were sent."""

    rows: Any
    said: str
    why: str
    is_certain: bool = False


class Blocks:
    """Keeps the first rows of each graph that may be spectra."""

    def __init__(self, files: Files, budget: Budget) -> None:
        self._files, self._budget = files, budget
        self._kept: dict[Any, Kept] = {}
        self._left: set[Any] = set()

    def is_open(self, graph: Any) -> bool:
        """Whether more rows of a graph are wanted."""
        return graph not in self._left and (
            graph not in self._kept or len(self._kept[graph].rows) < MOST_ROWS
        )

    def take(self, event: NNEvent, given: Tensor, answer: Answer | None) -> None:
        """An input of a graph that is open was computed."""
        graph, before = event.graph_id, self._kept.get(event.graph_id)
        if answer is None or (before is not None and before.given.shape != given.shape):
            return
        width = given.shape[-1] if given.shape else 0
        numbers = given.numbers() if NARROWEST <= width <= WIDEST else None
        if numbers is None or numbers.dtype.kind != "f" or numbers.size != width or not self._has_sounds():
            self.leave(graph)
            return
        first = before.given if before else Tensor(given.dtype, given.shape, bytes(given.view()))
        rows = (*(before.rows if before else ()), numbers.astype("f8"))
        self._kept[graph] = Kept(event, first, rows, (*(before.sent if before else ()), answer))
        self._budget.reserve()  # the others come later

    def _has_sounds(self) -> bool:
        return any(one[:4] in SOUNDS for _, one in self._files())

    def leave(self, graph: Any) -> None:
        """Asks nothing of a graph from now on."""
        self._kept.pop(graph, None)
        self._left.add(graph)

    def due(self) -> list[Kept]:
        """Returns the rows about which models are to be asked when the guest has ended."""
        return [one for one in self._kept.values() if len(one.rows) >= FEWEST]


def found_in(rows: Any, files: Sequence[tuple[str, bytes]], seconds: float) -> Placed | None:
    """Returns how rows are spectra of a sound, or None if they are none, or there is no time to see it."""
    end = thread_time() + seconds

    def left() -> bool:
        return thread_time() < end

    with numpy.errstate(all="ignore"):  # logarithms of nothing
        readings = readings_of(files) if numpy.isfinite(rows).all() else ()
        return next((one for each in readings if (one := placed_in(rows, each, left)) is not None), None)


def heard_rightly(
    graph: Graph, kept: Kept, files: Sequence[tuple[str, bytes]], seconds: float, most: float = MOST
) -> str:
    """Returns a sentence if a model of one input wants rows in another way, or "". Raises NNError."""
    placed = found_in(numpy.stack(kept.rows), files, min(MOST_SECONDS, SEARCHED * most))
    if placed is None or len(kept.rows) * seconds > most:
        return ""
    named: list[tuple[Otherwise, list[Answer]]] = []
    for way in otherwise(placed, len(kept.rows)):
        with Runs(graph, [kept.given], max(most, LEAST_TIME), seconds=seconds) as runs:
            found = answers_until(runs, kept.given, way.rows, LEAST)
        if len(found) == len(way.rows) and is_meant(found, kept.sent, is_certain=way.is_certain):
            named.append((way, found))
    if len({tuple(one.place for one in found) for _, found in named}) != 1:
        return ""  # two ways that say different things say nothing
    way, found = named[0]
    reading, many = placed.reading, len({one.place for one in found})
    wrong = f" ({reading.wrong})" if reading.wrong else ""
    return (
        f'input 0 "{graph.inputs[0].name}": its rows are spectra of {placed.length} samples of '
        f"{reading.file}{wrong}, {placed.step} apart; {len(kept.sent)} rows as sent get answers that are "
        f"{mean(kept.sent):.2f} sure on average, and {way.said} {many} different ones that are "
        f"{mean(found):.2f} sure: {way.why}"
    )


def otherwise(placed: Placed, count: int) -> Iterator[Otherwise]:
    """Yields the rows in other ways: of the sound rightly read, or of that which was read at other rates, by
    logarithms, and under Hann's window."""
    reading, own = placed.reading, placed.blocks(placed.reading.numbers, count)
    if reading.wrong:
        blocks = placed.blocks(reading.right, count)
        if blocks is not None:
            yield Otherwise(placed.rows(blocks), "of the sound rightly read", reading.why, is_certain=True)
        return
    if placed.log is not None and any(abs(placed.per_power / one - 1) < ODD for one in TIMES_LN):
        rows = placed.rows(own) / float(numpy.log(10))
        yield Otherwise(rows, "as decibels", LN_WHY.format(placed.per_power * 2))
    for rate in (one for one in WANTED if one < reading.rate):
        blocks = placed.blocks(resampled(reading.numbers, reading.rate, rate), count)
        if blocks is not None:
            why = f"the file has {reading.rate:,} Hz; was the model trained with {rate:,} Hz?"
            yield Otherwise(placed.rows(blocks), f"resampled to {rate:,} Hz", why)
    plain = placed.powers(own)
    for said, by in LOGARITHMS.items() if placed.log is None else ():
        for factor, inner in ((1.0, placed.factor), (placed.factor, 1.0)):
            rows = factor * by * placed.power / 2 * numpy.log(inner ** (2 / placed.power) * plain + FLOOR)
            yield Otherwise(rows, f"with their logarithms ({said})", "was the logarithm forgotten?")
    if placed.window == NONE:
        said = f"under {HANN}'s window"
        yield Otherwise(placed.rows(own, HANN), said, f"is {HANN}'s window forgotten?")


def is_meant(found: Sequence[Answer], sent: Sequence[Answer], *, is_certain: bool) -> bool:
    """Tells whether a model is sure of different answers, as training makes it, and doubts those as sent or
    is far too sure. If nobody means the rows as sent, it need only be as sure of as many, or doubt those."""
    few, many = (len({one.place for one in each}) for each in (sent, found))
    is_sane = all(one.margin <= MOST_SURE for one in found) and mean(found) >= SURE
    if not is_sane or [one.place for one in found] == [one.place for one in sent]:
        return False
    is_far_too_sure = max(one.margin for one in sent) > FAR_SURER > max(one.margin for one in found)
    is_doubted = 1 - mean(sent) >= TIMES * (1 - mean(found)) or is_far_too_sure
    are_different = many >= max(DIFFERENT, few)
    if is_certain:
        return is_doubted or (are_different and mean(found) >= mean(sent))
    return are_different and is_doubted
