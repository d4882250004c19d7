"""Asks a model about windows of an accelerometer's axes and a gyroscope's in another unit, with a
converter's zero left in, or with the two sensors exchanged, where the numbers or a file's headings say in
which unit they are.

What is here: `Sensors`, which keeps some windows with the answers to them, and `asked_otherwise`. What is
not: a sensor's counts (`counts.py`), and windows of files that are named after a class (`motions.py`).

Two things speak together. The numbers: gravity, which is 1 g or 9.81 m/s2, a gyroscope's counts for a degree,
or what it can't measure. And the model: it gives windows in its own unit more different answers than those
as sent, or is surer, or as sure as training makes it where it was far too sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..regex import regex
from ..surroundings import Files
from .asking import MOST, Runs
from .axes_orders import orders_of
from .counts import A_DEGREE, DEGREES, DIFFERENT, Window, are_counts, gravity_in, in_steps
from .motions import GRAVITY, MILLI, SPACE, steps_and_axes
from .steps_between import decimated
from .sureness import MOST_SURE, OVERSURE, Answer, mean

TURNED, HARDER, TINY = 0.3, 0.5, 1e-9
"""Two windows show different motions if an axis of gravity's direction differs by the first number, or the
logarithm of how much a sensor moves, in all or from step to step, by the second. The third keeps divisors and
logarithms finite."""
ROWS, FEWEST, LOOKS = 4, 3, 64
"""The number of windows that the model is asked about, the fewest different answers to them in the right
unit, and the number of windows among which they are looked for."""
TRAINED = 10.0
"""The largest margin (a logarithm) that answers to windows as in training have, but for few."""
SURE, LEAST, DOUBTED, FARTHER = 0.9, 0.7, 0.85, 2.5
"""How sure answers in the right unit are on average, and each of them; how sure those as sent are at most on
average; or else how many times as large their margin is."""
NEAR, STILL = 0.2, 0.5
"""By which part measured gravity may differ from gravity, as people move; and the most that the average of
axes without gravity is, as a part of those with it."""
SENSITIVITIES = (A_DEGREE, 65.5, 65.6, 32.8, 16.4, 32768 / 250, 32768 / 500, 32768 / 1000, 32768 / 2000,
                 1000 / 8.75, 1000 / 17.5, 1000 / 35, 1000 / 70)  # fmt: skip
"""Counts of usual gyroscopes for a degree a second, by which raw numbers are divided."""
SOFTER = 1.5
"""How many times as large the margin of each answer as sent is, where larger numbers make a model less sure,
which they do only if the others were none that it knows."""
LESS_DOUBT = 0.5
"""The part of the doubt that is left at a lower rate. Windows as they are may be half of what a file has."""
HARDLY = 0.1
"""The part of the doubt that is left with the axes in another order, if all windows get different answers."""
EXACT, COUNTED = 0.02, 32768
"""The most by which a count may differ from a whole number, and the largest count of 16 bits."""
FASTEST = 35.0
"""The largest rotation in radians a second: gyroscopes measure up to 2,000 degrees."""
COUNTS, STEADY, RUNNING = tuple(2.0**power for power in range(8, 15)), 0.1, 0.3
"""Counts of 1 g in usual ranges (2 to 16 g); by which part gravity differs from window to window, at most, in
half of them at least, and in all, as who runs doesn't end a window where a step ends: what is measured
without gravity differs more."""
ZEROS, FINEST, REACH = tuple(2.0 ** (bits - 1) for bits in range(8, 17)), 1.5, 8
"""The counts of converters of 8 to 16 bits at rest; how many times as large as the smallest distance of two
elements others are that are one count, too; and distances in counts by which one is measured first."""
IN_DEGREES = regex(rb"(?i)deg(?:rees?)?(?:/s|_s\b|_per_s|ps)|\bdps\b|_dps\b")
IN_RADIANS = regex(rb"(?i)rad(?:ians?)?(?:/s|_s\b|_per_s|ps)")
HEADINGS = 256
"""The number of bytes at the beginning of a file in which headings are searched for."""


class Change(Frozen):
    """A change of windows, in words, what speaks for it, what is asked, and how a window's rows change.
    Larger numbers make a model surer by themselves (`is_larger`): if they don't, three windows are enough.
    Where a sensor is next to nothing, a model may tell motions by the other one, so that there have to be so
    many `more` answers. If the numbers can't be right (`is_told`), three windows are enough, too, and the
    model needs only to be surer of more answers."""

    said: str
    seen: str
    asked: str
    make: Callable[[Any], Any]
    is_larger: bool = False
    more: int = 1
    is_told: bool = False
    doubt: float = 1.0
    is_only: bool = False
    """Whether it counts only if no other one of its kind does."""

    @property
    def windows(self) -> int:
        """About how many at least the model is asked."""
        return ROWS - ((self.is_told and not self.is_only) or self.is_larger)


class Sensors:
    """By graph, windows of axes."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Window]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answer: Answer | None) -> list[Window]:
        """A window was computed. Returns those so far if it shows another motion than each; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        known = steps_and_axes(tensor.shape) if looked <= LOOKS and answer is not None else None
        numbers = tensor.numbers() if known is not None else None
        kept = self._kept.setdefault(graph, [])
        if numbers is None or answer is None or numbers.dtype.kind != "f" or are_counts(numbers):
            return []
        array = numbers.reshape(tensor.shape).copy()
        if not numpy.isfinite(array).all() or len(kept) == ROWS:
            return []
        if any(one.array.shape != array.shape or are_alike(one.array, array) for one in kept):
            return []
        kept.append(Window(array, answer, gravity_in(array)))
        return kept

    def changes(self, windows: Sequence[Window]) -> list[Change]:
        """What may be wrong with windows, by their numbers and the headings of files."""
        heads = b"\n".join(data[:HEADINGS] for _, data in self._files() if b"\0" not in data[:HEADINGS])
        rows = [in_steps(one.array).astype("f8") for one in windows]
        gravity = median(one.gravity for one in windows)
        is_oversure = any(one.answer.margin > OVERSURE for one in windows)
        found = [
            *without_zero(rows),
            *exchanged(rows, gravity),
            *in_angles(rows, heads),
            *in_units(gravity, is_told=is_oversure),
        ]
        every = [one.gravity for one in windows]
        found += [*in_ranges(rows, every), *of_full_scale(rows, every), *divided_again(every)]
        found += at_lower_rate(rows, self._files())
        found += in_other_orders(rows, gravity)
        return sorted(found, key=lambda change: change.is_larger)


def at_lower_rate(rows: Sequence[Any], files: Sequence[tuple[str, bytes]]) -> Iterator[Change]:
    """Yields a change for windows that are the beginning of files with twice as many lines, or more."""
    made = decimated(rows, files) if len(rows) >= FEWEST else None
    if made is not None:
        count, lines = len(rows[0]), len(rows[0]) * made.times
        yield Change(
            f"with one line in {made.times} alone",
            f"each is the first {count} of just {lines} lines of its file",
            f"are the files at {made.times} times the rate that the model knows?",
            made.of,
            is_told=True,
            doubt=LESS_DOUBT,
        )


def in_other_orders(rows: Sequence[Any], gravity: float) -> Iterator[Change]:
    """Yields the other orders of the axes, for windows of as many motions as are asked about."""
    if len(rows) < ROWS or not (is_near(gravity, 1) or is_near(gravity, GRAVITY)):
        return
    for said, seen, order in orders_of(rows):
        yield Change(
            said,
            seen,
            "are the axes in the order that the model knows?",
            partial(taken, order),
            is_told=True,
            doubt=HARDLY,
            is_only=True,
        )


def taken(order: Sequence[int], window: Any) -> Any:
    """A window with its columns in an order."""
    return window[:, [*order]]


def are_alike(one: Any, other: Any) -> bool:
    """Whether two windows show the same motion: they have gravity at the same place, and move as much and as
    fast."""
    rows = [in_steps(each).astype("f8") for each in (one, other)]
    speeds = [numpy.log(abs(numpy.diff(each[:, :SPACE], axis=0)).sum(axis=1).mean() + TINY) for each in rows]
    if abs(speeds[0] - speeds[1]) >= HARDER:
        return False
    means = [each.mean(axis=0) / max(float(numpy.linalg.norm(each.mean(axis=0))), TINY) for each in rows]
    moves = [
        numpy.log(
            [each[:, at : at + SPACE].std(axis=0).sum() + TINY for at in range(0, each.shape[1], SPACE)]
        )
        for each in rows
    ]
    return bool(abs(means[0] - means[1]).max() < TURNED and abs(moves[0] - moves[1]).max() < HARDER)


def in_units(gravity: float, *, is_told: bool = False) -> Iterator[Change]:
    """The accelerometer's unit, by gravity. An answer that is surer than training makes any tells that the
    numbers are too large."""
    if is_near(gravity, GRAVITY):
        seen = f"gravity is {gravity:.3g} in them, as in m/s2"
        asked = "are they to be divided by 9.80665?"
        yield Change("in g", seen, asked, scaled(0, 1 / GRAVITY), is_told=is_told)
    elif is_near(gravity, 1):
        seen = f"gravity is {gravity:.3g} in them, as in g"
        asked = "are they to be multiplied by 9.80665?"
        yield Change("in m/s2", seen, asked, scaled(0, GRAVITY), is_larger=True)


def in_ranges(rows: Sequence[Any], gravity: Sequence[float]) -> Iterator[Change]:
    """Another range of the sensor: its counts were divided by those of 1 g in one, by which gravity is half
    or a quarter of 1 g, or twice or four times as much, in all windows."""
    axes = numpy.concatenate([one[:, :SPACE] for one in rows])
    for unit, said in ((1.0, ""), (GRAVITY, " and multiplied by 9.80665")):
        by = next((one for one in COUNTS if are_whole(axes * (one / unit))), 0.0)
        power = round(numpy.log2(max(median(gravity), TINY) / unit)) if by else 0
        if not power or not is_steady(gravity, unit * 2.0**power) or by * 2.0**power not in COUNTS:
            continue
        yield Change(
            f"times {2.0**-power:g}",
            f"its elements are a sensor's counts divided by {by:,.0f}{said}, by which gravity is "
            f"{median(gravity):.3g} and not {unit:.3g}",
            f"is 1 g {by * 2.0**power:,.0f} counts in the range that the sensor has?",
            scaled(0, 2.0**-power),
            is_larger=power < 0,
            more=0,
            is_told=True,
        )


def of_full_scale(rows: Sequence[Any], gravity: Sequence[float]) -> Iterator[Change]:
    """Yields a change for counts that were divided by the largest number of 16 bits, as samples of a sound
    are. Gravity, in counts, says how many of them are 1 g."""
    axes = numpy.concatenate([one[:, :SPACE] for one in rows])
    if is_near(median(gravity), 1) or not are_whole(axes * COUNTED):
        return
    for counts in (MILLI, *COUNTS):
        size = counts / COUNTED
        if is_steady(gravity, size):
            yield Change(
                f"divided by {counts:,.0f}",
                f"its elements are a sensor's counts divided by {COUNTED:,}, as samples of a sound are, and "
                f"gravity is about {median(gravity) * COUNTED:,.0f} of these counts",
                f"is 1 g {counts:,.0f} counts?",
                scaled(0, 1 / size),
                is_larger=True,
                more=0,
                is_told=True,
            )


def without_zero(rows: Sequence[Any]) -> Iterator[Change]:
    """Yields a change for counts of a converter without a sign, divided with its zero (512 of 10 bits) left
    in: without it, each window measures gravity, and with it several times as much."""
    axes = numpy.concatenate([one[:, :SPACE] for one in rows])
    by = counted_by(numpy.unique(axes)) if axes.min() >= 0 else 0.0
    for zero in ZEROS if by else ():
        if not are_whole(axes * by - zero):
            continue
        gravity = [length(one[:, :SPACE] - zero / by) for one in rows]
        unit = next((one for one in (1.0, GRAVITY) if is_steady(gravity, one)), 0.0)
        if unit and min(length(one) for one in rows) > (1 + NEAR) * unit:
            yield Change(
                f"less {zero / by:.4g}",
                f"its elements are a sensor's counts divided by {by:.4g}, around {zero:,.0f} (gravity is "
                f"{median(gravity):.3g} with that taken away, and {length(axes):.3g} as sent)",
                f"is the converter's zero, {zero:,.0f}, to be subtracted first?",
                moved(-zero / by),
                more=0,
                is_told=True,
            )


def counted_by(there: Any) -> float:
    """Returns by what whole numbers were divided that are as near as one and the next, by the different
    elements that they became, or 0 if these are few."""
    steps = numpy.diff(there)
    if len(steps) < DIFFERENT:
        return 0.0
    by, reach = 1 / float(steps[steps < FINEST * steps.min()].mean()), REACH
    apart = numpy.concatenate([there[at:] - there[:-at] for at in (1, 4, 16, 64, 256) if at < len(there)])
    while reach < COUNTED:  # the larger a distance, the less it is rounded
        own = apart[apart * by < reach]
        by = float(numpy.rint(own * by) @ own / max(float(own @ own), TINY))
        reach *= 2
    return by


def divided_again(gravity: Sequence[float]) -> Iterator[Change]:
    """Yields a change for numbers that were in g and were divided as if they were in m/s2."""
    if is_steady(gravity, 1 / GRAVITY):
        yield Change(
            f"times {GRAVITY}",
            f"gravity is {median(gravity):.3g} in them, as in g that were divided by {GRAVITY}",
            "are they in g before that?",
            scaled(0, GRAVITY),
            is_larger=True,
            more=0,
            is_told=True,
        )


def is_steady(gravity: Sequence[float], wanted: float) -> bool:
    """Tells whether each window measures gravity of this size."""
    off = [abs(one / wanted - 1) for one in gravity]
    return median(off) <= STEADY and max(off) <= RUNNING


def are_whole(counts: Any) -> bool:
    """Whether numbers are a sensor's counts of 16 bits."""
    is_in_range = DIFFERENT <= abs(counts).max() <= COUNTED and len(numpy.unique(counts)) >= DIFFERENT
    return bool(is_in_range and (abs(counts - numpy.rint(counts)) < EXACT).all())


def exchanged(rows: Sequence[Any], gravity: float) -> Iterator[Change]:
    """Gravity in the second three axes and not in the first: a gyroscope before an accelerometer."""
    if rows[0].shape[1] < 2 * SPACE:
        return
    other = median(length(one[:, SPACE : 2 * SPACE]) for one in rows)
    if not (is_near(other, 1) or is_near(other, GRAVITY)) or gravity > STILL * other:
        return
    order = [*range(SPACE, 2 * SPACE), *range(SPACE), *range(2 * SPACE, rows[0].shape[1])]
    yield Change(
        "with the first three axes behind the next three",
        f"gravity is in the second three axes ({other:.3g}) and not in the first ({gravity:.2g})",
        "is acceleration to come before rotation?",
        lambda window: window[:, order],
    )


def in_angles(rows: Sequence[Any], heads: bytes) -> Iterator[Change]:
    """The gyroscope's unit, by its counts, its range and the headings of files."""
    if rows[0].shape[1] < 2 * SPACE:
        return
    turning = numpy.concatenate([one[:, SPACE : 2 * SPACE] for one in rows])
    fastest = float(abs(turning).max())
    degrees, radians = (bool(one.search(heads)) for one in (IN_DEGREES, IN_RADIANS))
    if len(numpy.unique(turning)) < DIFFERENT:
        return
    if counts := counts_in(turning, 1.0):
        seen = f"their rotation is whole numbers divided by {counts:.4g}, a gyroscope's counts for a degree"
    elif fastest > FASTEST:
        seen = f"their rotation is up to {fastest:.3g}, more than a gyroscope measures in radians"
    else:
        seen = "a file's heading says degrees" if degrees and not radians else ""
    if seen:
        yield Change("with rotation in radians", seen, "is the factor pi / 180 missing?",
                     scaled(SPACE, 1 / DEGREES), more=2)  # fmt: skip
    elif radians > degrees or counts_in(turning, DEGREES):
        seen = "their rotation is in radians by a file's heading or a gyroscope's counts"
        yield Change("with rotation in degrees", seen, "is the factor 180 / pi missing?",
                     scaled(SPACE, DEGREES), is_larger=True)  # fmt: skip


def counts_in(turning: Any, times: float) -> float:
    """Returns by what a gyroscope's counts were divided, and then by `times`, or 0 if they weren't."""
    for one in sorted(SENSITIVITIES):  # a multiple makes whole numbers, too
        whole = turning * one * times
        if are_whole(whole):
            return one
    return 0.0


def scaled(first: int, factor: float) -> Callable[[Any], Any]:
    """A change of three axes."""

    def make(rows: Any) -> Any:
        made = rows.copy()
        made[:, first : first + SPACE] *= factor
        return made

    return make


def moved(by: float) -> Callable[[Any], Any]:
    """A change of what the first three axes are at rest."""

    def make(rows: Any) -> Any:
        made = rows.copy()
        made[:, :SPACE] += by
        return made

    return make


def length(axes: Any) -> float:
    """The length of the mean of three axes."""
    return float(numpy.linalg.norm(axes.mean(axis=0)))


def is_near(size: float, wanted: float) -> bool:
    return abs(size / wanted - 1) <= NEAR


def asked_otherwise(
    graph: Graph, windows: Sequence[Window], changes: Sequence[Change], seconds: float, most: float = MOST
) -> str:
    """A sentence if a model of one input wants windows in another unit or order, or "". Raises NNError."""
    sent = [one.answer for one in windows]
    changes = [one for one in changes if len(windows) >= one.windows]
    with Runs(graph, [Tensor.from_numpy(windows[0].array)], most, seconds=seconds) as runs:
        meant: list[tuple[Change, list[Answer]]] = []
        is_known = True
        for change in changes:
            found = answers_to(change, windows, runs)
            if found is not None and is_named(change, found, sent):
                meant.append((change, found))
                if not change.is_only:
                    break
            is_known &= found is not None or not change.is_only or runs.left()
    told = [one for one in meant if not one[0].is_only]
    told = told or (meant if is_known and len(meant) == 1 else [])
    for change, found in told:
        few, many = (len({one.place for one in each}) for each in (sent, found))
        return (
            f'input 0 "{graph.inputs[0].name}": {change.seen}; {len(found)} windows as sent get '
            f"{few} answer{'s' if few > 1 else ''}, at {mean(sent):.2f} on average{far(sent)}, and "
            f"{change.said} {many}, at {mean(found):.2f}{far(found)}: {change.asked}"
        )
    return ""


def answers_to(change: Change, windows: Sequence[Window], runs: Runs) -> list[Answer] | None:
    """Returns the answers to changed windows, or None if one is doubted (or none is another, where all are to
    be), or there is no time."""
    found: list[Answer] = []
    for one in windows:
        answer = runs.changed(0, changed_by(change, one.array)) if runs.left() else None
        if answer is None or answer.sure < (SURE if change.is_only else LEAST):
            return None
        if change.is_only and answer.place in {one.place for one in found}:
            return None
        found.append(answer)
    return found


def is_named(change: Change, found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether these answers to changed windows show that the change is right."""
    few, many = (len({one.place for one in each}) for each in (sent, found))
    if many < few + change.more:
        return False
    is_surer = change.is_larger and not change.is_told and not are_softer(found, sent)
    if is_surer and len(found) < ROWS:
        return False
    most_sure = TRAINED if is_surer else MOST_SURE
    if change.is_only and 1 - mean(found) >= change.doubt * (1 - mean(sent)):
        return False
    return is_meant(found, sent, most_sure, is_told=change.is_told, doubt=change.doubt)


def changed_by(change: Change, array: Any) -> Any:
    """A window with the change, in its own shape and type."""
    made = array.copy()
    rows = in_steps(made)  # a view of it
    rows[:] = change.make(rows.astype("f8"))
    return made


def are_softer(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether all windows got one answer, and each is less sure of another one."""
    pairs = zip(found, sent, strict=True)
    return len({one.place for one in sent}) == 1 and all(
        SOFTER * own.margin <= other.margin for own, other in pairs
    )


def far(answers: Sequence[Answer]) -> str:
    """How far answers are from the next ones."""
    return f" (e^{median(one.margin for one in answers):.0f} times as probable as the next)"


def is_meant(
    found: Sequence[Answer],
    sent: Sequence[Answer],
    most_sure: float = MOST_SURE,
    *,
    is_told: bool = False,
    doubt: float = 1.0,
) -> bool:
    """Whether a model means windows to which it gave more different answers than to others: it is as sure as
    training makes it, and of the others it wasn't, or far too sure. Where the numbers say it, too, it needs
    only to be surer of more answers."""
    many, few = (len({one.place for one in each}) for each in (found, sent))
    own, other = (median(one.margin for one in each) for each in (found, sent))
    if many < FEWEST or mean(found) < SURE or max(one.margin for one in found) > most_sure:
        return False
    if is_told and many > few and 1 - mean(found) < doubt * (1 - mean(sent)):
        return True
    return mean(sent) < DOUBTED or (other > FARTHER * own and (many == len(found) or many - few > 1))
