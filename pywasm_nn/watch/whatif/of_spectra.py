"""Asks a model about spectra of blocks of files with Hann's window, by another law, or at a lower rate.

What is here: `Spectra`, which keeps rows, and `asked_otherwise`. What is not: how rows are spectra
(`origin/block_spectra.py`), and those of many frames of a sound (`origin/spectral.py`).

Two things speak together: the rows are just these spectra, of blocks without a window or by a law such as
decibels, or of a sound that was misread or has a high rate; and the model is sure of more different answers
in the other way, while it doubts some as sent or is far too sure, or gives all of a misread sound one answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from time import thread_time
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import changed
from ..budget import Budget, Left, always
from ..origin.block_spectra import EVEN, LAWS, PLAIN, Way, block_at, sounds_of, spectra_in
from ..origin.kinds import SOUNDS
from ..origin.placed_spectra import IN_TURNS, OTHER_ORDER, SIGNED, Reading, of_misread, of_raw, of_sound
from ..origin.spectra import HANN, NONE
from ..surroundings import Files
from .asking import LEAST as LEAST_TIME
from .asking import MOST, RUNS, Runs
from .sureness import MOST_SURE, Answer, mean
from .ways import resampled

NARROWEST, WIDEST, FEWEST, ROWS, MOST_ROWS, LOOKS, TIMES_ASKED = 16, 2048, 3, 8, 64, 12, 2
"""Frequencies of a row; the fewest rows that are asked about, how many one after the other at most, and the
most of a batch; inputs that are looked at, and how often a model is asked."""
FIRST_LOOKS = 3
"""If none of the first rows is a spectrum, no other one is looked at."""
FLOOR = 1e-6
"""Programs add this to powers before the logarithm."""
WHY = "by which law was the model trained?"
RATE_WHY = "{} has {:,} Hz; was the model trained with {:,} Hz?"
LIKELY = ("log10 of the power", "ln of the power", "20 log10 of the magnitude, decibels", "ln(1 + power)")
"""These are tried first: a question takes a few runs for each."""
MOST_SECONDS = 0.15
"""So long at most is looked for a row among what files hold in one reading."""
RATES = (16000, 8000)
"""Most models of sound want these rates."""
FREQUENT = frozenset({"", SIGNED, IN_TURNS, OTHER_ORDER})
"""In these readings of a sound more rows than the first one are looked for."""
DOUBTED, LEAST, SURE, DIFFERENT, TIMES = 0.75, 0.8, 0.9, 3, 3.0
"""How sure an answer is that is doubted; how sure each answer in the right way is, and all are on average,
how many different ones there are, and how many times as large the doubt about those as sent is."""


class Spectra:
    """By graph, the first rows that may be spectra."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[tuple[Any, Answer]]] = {}
        self._looked: dict[Any, int] = {}
        self._asked: Counter[Any] = Counter()
        self._likely: set[Any] = set()
        self._wrong = ""
        """How the sound was misread of which the last row was a spectrum that was looked for."""
        self._file = ""
        """Of which file it was."""

    def are_likely(self, graph: Any) -> bool:
        """Whether a row of a graph was a spectrum, so that it is worth while to wait for others."""
        return graph in self._likely

    def close(self, graph: Any) -> None:
        """What is wrong with the rows of a graph is known."""
        self._asked[graph] = TIMES_ASKED

    def looking(self, budget: Budget) -> AbstractContextManager[Left]:
        """The time for the next row. A sound has many frames: that is a search; blocks of others are few."""
        is_of_sound = any(data[:4] in SOUNDS for _, data in self._files())
        return budget.searching() if is_of_sound else budget.comparing()

    def _found(self, graph: Any, rows: Any, left: Left) -> bool:
        """Whether a row is a spectrum of a block of a file, read rightly or not."""
        with numpy.errstate(all="ignore"):  # logarithms of nothing
            for wrong, known in self._read(is_whole=self._looked[graph] <= 1):
                end = thread_time() + MOST_SECONDS

                def still(end: float = end) -> bool:
                    return left() and thread_time() < end

                each = (spectra_in(rows, one.file, one.numbers, (), still) for one in known if still())
                if (found := next(filter(None, each), None)) is not None:
                    self._likely.add(graph)
                    self._wrong, self._file = wrong, found.file
                    break
        return self.are_likely(graph)

    def _read(self, *, is_whole: bool) -> list[tuple[str, list[Reading]]]:
        """The numbers of files, by how they were misread, the likeliest way first; unless it `is_whole`,
        without the rarer ways, which are many."""
        files = self._files()
        raw = [*of_raw(files)]  # as most programs read them comes first
        known: dict[str, list[Reading]] = {
            one: [] for one in (SIGNED, *(one.wrong for one in raw), "", IN_TURNS)
        }
        for one in sounds_of(files):
            for reading in of_sound(one):
                known[reading.wrong].append(reading)
            for reading in of_misread(one) if is_whole else ():
                known.setdefault(reading.wrong, []).append(reading)
        for reading in raw:
            known[reading.wrong].append(reading)
        return sorted(known.items(), key=lambda one: one[0] != self._wrong or not self._wrong)

    def take(
        self, graph: Any, tensor: Tensor, answers: Sequence[Answer], left: Left = always
    ) -> list[tuple[Any, Answer]]:
        """An input was computed. Returns the first rows with the answers to them, if they are enough to ask
        about and their answers are odd; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        numbers = tensor.numbers() if looked <= LOOKS and answers else None
        width = tensor.shape[-1] if tensor.shape else 0
        is_row = NARROWEST <= width <= WIDEST and len(answers) <= MOST_ROWS
        if numbers is None or numbers.dtype.kind != "f" or not is_row or numbers.size != width * len(answers):
            return []
        kept, rows = self._kept.setdefault(graph, []), numbers.reshape(-1, width).astype("f8")
        if len(kept) >= ROWS or any(len(row) != width for row, _ in kept):
            return []
        if not (self.are_likely(graph) or (looked <= FIRST_LOOKS and self._found(graph, rows[:1], left))):
            return []
        kept.extend(zip(rows, answers, strict=True))
        are_enough = len(kept) >= FEWEST and len(answers) in (1, len(kept))
        if not are_enough or self._asked[graph] >= TIMES_ASKED or not self._is_odd(kept):
            return []
        self._asked[graph] += 1
        return kept

    def _is_odd(self, kept: Sequence[tuple[Any, Answer]]) -> bool:
        """Whether rows are worth a question: by the answers, or as they come of a sound that was misread."""
        return bool(self._wrong) or is_odd([one for _, one in kept])

    def ways(self, kept: Sequence[tuple[Any, Answer]]) -> Iterator[Way]:
        """How rows are spectra of a file's numbers, and then other ways in which they may have been meant."""
        rows = numpy.stack([row for row, _ in kept])
        for wrong, known in self._read(is_whole=self._wrong not in FREQUENT):
            if wrong != self._wrong:
                continue
            for one in sorted(known, key=lambda one: one.file != self._file):  # the others take long
                with numpy.errstate(all="ignore"):  # logarithms of nothing
                    beside = [other.numbers for other in known if other is not one]
                    found = spectra_in(rows, one.file, one.numbers, beside)
                if found is not None:
                    found = changed(found, misread=wrong, why=one.why)
                    yield found
                    if wrong:
                        yield from moved(found, [(one.numbers, one.right) for one in known])
                    else:
                        yield from slower(found, one.rate, known)
                        yield from others(found)
                    return


def moved(found: Way, pairs: Sequence[tuple[Any, Any]]) -> Iterator[Way]:
    """The same rows of other numbers. Pairs have the numbers of which rows are made, and those others."""
    blocks = []
    for own in found.blocks:
        starts = range(1) if found.hop else range(0, ROWS * found.length, found.length // 2)
        for numbers, other in pairs:
            places = (at for at in starts if numpy.array_equal(block_at(numbers, at, found), own))
            if (at := next(places, None)) is not None:
                blocks.append(block_at(other, at, found))
                break
    are_all = len(blocks) == len(found.blocks) and all(one is not None for one in blocks)
    if are_all and len({one.shape for one in blocks}) == 1:
        yield changed(found, blocks=numpy.stack(blocks), misread="")


def slower(found: Way, own: int, known: Sequence[Reading]) -> Iterator[Way]:
    """The same rows at rates that models want, below that of the sound (`own`)."""
    for rate in (one for one in RATES if one < own):
        fast = [one for one in known if one.rate > rate]
        pairs = [(one.numbers, resampled(one.numbers, one.rate, rate)) for one in fast]
        for way in moved(found, pairs):
            yield changed(way, rate=rate, why=RATE_WHY.format(found.file, own, rate))


def others(found: Way) -> Iterator[Way]:
    """The same rows with Hann's window, if they have none, and by other laws."""
    if found.window == NONE:
        yield changed(found, window=HANN)
    own = LAWS[found.law][0]
    for law in dict.fromkeys((*LIKELY, *LAWS)):
        by = LAWS[law][0] / own  # a magnitude becomes a power, or the other way round
        floor = found.floor**by or (0.0 if law in PLAIN else FLOOR if found.law in PLAIN else 0.0)
        if law != found.law:
            yield changed(found, law=law, floor=floor, factor=found.factor**by)


def asked_otherwise(
    graph: Graph,
    inputs: Sequence[Tensor],
    sent: Sequence[Answer],
    ways: Sequence[Way],
    seconds: float,
    most: float = MOST,
) -> str:
    """A sentence if a model of one input wants its rows in another way than the first one, or "". Raises
    NNError."""
    own = ways[0]
    if len(sent) * seconds > most:
        return ""
    meant: list[tuple[Way, list[Answer]]] = []
    with Runs(graph, inputs, max(most, LEAST_TIME), seconds=seconds) as runs:  # opening may have taken it
        for way in ways[1:]:
            found = answers(runs, inputs[0], way, len(sent))
            is_right = tells_apart(found, sent) if own.misread else is_meant(found, sent)
            meant += [(way, found)] if is_right else []
            if meant and (way.window != own.window or way.rate):
                break
    if len({tuple(one.place for one in found) for _, found in meant}) != 1:
        return ""  # two laws that say different things say nothing
    way, found = meant[0]
    few, many = (len({one.place for one in each}) for each in (sent, found))
    is_window = way.window != own.window
    said = f"with {way.window}'s window" if is_window else f"with {way.law}"
    said = "rightly read" if own.misread else f"at {way.rate:,} Hz" if way.rate else said
    law = f"{own.law}, {own.wide} frequencies each" if own.wide > 1 else own.law
    law += ", the mean of several blocks" if own.is_of_logs else ""
    name = HANN if own.window == EVEN else own.window
    under = "without a window" if own.window == NONE else f"under {name}'s window"
    why = "was the logarithm forgotten?" if own.law in PLAIN - {way.law} else WHY
    why = own.why if own.misread else way.why if way.rate else why
    under += f", {own.misread}" if own.misread else ""
    return (
        f'input 0 "{graph.inputs[0].name}": its rows are spectra ({law}) of blocks of {own.length} '
        f"numbers of {own.file} {under}; {len(sent)} rows as sent get {few} answer{'s' if few > 1 else ''}, "
        f"at {mean(sent):.2f} on average, and {said} {many}, at {mean(found):.2f}: "
        + (f"is {way.window}'s window forgotten?" if is_window else why)
    )


def answers(runs: Runs, given: Tensor, way: Way, count: int) -> list[Answer]:
    """The answers to rows in another way: to a batch, or to one row after the other."""
    numbers = given.numpy()
    if given.shape[-1] * count == numbers.size:
        made = way.made(given.shape[-1]).astype(numbers.dtype).reshape(given.shape)
        return runs.rows(0, made)
    return answers_until(runs, given, way.made(given.shape[-1]), LEAST)


def answers_until(runs: Runs, given: Tensor, rows: Any, least: float) -> list[Answer]:
    """Returns the answers to rows, one after the other, up to the first that is less sure than `least`."""
    found: list[Answer] = []
    kind = given.numpy().dtype
    for row in rows:
        answer = runs.changed(0, row.astype(kind).reshape(given.shape)) if runs.count < RUNS else None
        if answer is None or answer.sure < least:
            break
        found.append(answer)
    return found


def is_odd(sent: Sequence[Answer]) -> bool:
    """Whether a model doubts one of its answers, or is surer of one than training makes it."""
    return min(one.sure for one in sent) <= DOUBTED or max(one.margin for one in sent) > MOST_SURE


def tells_apart(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether a model is sure of several different answers, as training makes it, and as sent all get one, or
    fewer and in more doubt."""
    if len(found) != len(sent):
        return False
    many, few = (len({one.place for one in each}) for each in (found, sent))
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for one in found)
    return is_sane and many >= DIFFERENT and mean(found) >= SURE and (few == 1 or is_meant(found, sent))


def is_meant(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether a model is sure of more different answers, as training makes it, than as sent."""
    many, few = (len({one.place for one in each}) for each in (found, sent))
    if len(found) != len(sent) or many < DIFFERENT or many <= few:
        return False
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for one in found)
    is_surer = 1 - mean(sent) >= TIMES * (1 - mean(found)) or max(one.margin for one in sent) > MOST_SURE
    return is_sane and is_surer and mean(found) >= SURE
