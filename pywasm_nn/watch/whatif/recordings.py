"""Asks a model about windows of a recording of raw numbers with the converter's zero taken away, each scaled
by itself, begun before the events that a text lists, and at half of the rate.

What is here: `Recordings`, which keeps windows with where each lies in its file, and `heard_otherwise`. What
is not: recordings whose text says the zero (`sent/scans.py`), and an accelerometer's windows (`sensors.py`).

Two things speak together. The numbers: they are counts, or lie around a power of two, and were sent so; or
windows lie by the peaks that a text lists. And the model: it gives all windows as sent one answer, and to a
flat line or to windows at twice the rate, too; and others otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.raw_places import is_telling, numbers_in, places
from ..regex import regex
from ..surroundings import Files
from .asking import MOST, Runs
from .sureness import MOST_SURE, Answer, answer_of_any, mean

FEWEST, MOST_ELEMENTS, LOOKS, ROWS, FEWEST_ROWS, MOST_ROWS = 48, 1 << 13, 24, 6, 4, 5
"""The fewest and most samples of a window; the windows that are looked at, the most and the fewest that are
asked about, and the most about which two questions are asked."""
DUE = (FEWEST_ROWS, ROWS)
"""The numbers of windows after which the model is asked."""
KINDS = ("<i2", "<u2", ">i2", "<f4")
"""The types as which raw numbers are read."""
ZEROS, NEAR, AWAY = tuple(2**power for power in range(7, 16)), 0.02, 2.0
"""A converter's zero is the middle of its range; by which part the middle of a file's numbers may differ from
it; and how many times their deviation it is away from 0."""
EARLIER = (0.4, 0.5)
"""Which parts of a window usually lie before the event that it shows."""
EXACTLY, DOUBTED, ALONE = (0.4, 1 / 3, 0.5, 0.25, 0.45, 0.36), 0.7, 0.95
"""The parts that are tried one by one, as long as there is time, if answers as sent are at most so sure on
average, or nobody lists the events; a model that knows events at one place alone must then be so sure on
average."""
PEAK, HIGHER = 0.04, 0.75
"""So near to a listed place, in parts of a window, is the peak of half a window on both sides of it, or
something so high as it, in parts of its height."""
AROUND = 0.25
"""Where no text lists peaks, numbers so far on both sides, in parts of a window, are lower."""
MOST_TEXT, BETWEEN, WHOLE = 1 << 16, 8, regex(rb"(?<![\d.])\d{1,9}(?![\d.])")
MOSTLY = 0.75
"""Of windows of several files so many get one answer as sent, if the converter's zero was left in: a large
current or voltage may stand out even then."""
UNSURE = 0.85
"""Answers to windows at a wrong rate are at most so sure on average."""
COUNTS, SMALLER, ONE = 8.0, 0.8, 1e-3
"""Counts deviate at least so much; standardised windows that are `SMALLER` times as large get the same
answers; and how far the mean of a standardised one is from 0 at most."""
LEAST, SURE, DIFFERENT = 0.7, 0.9, 2
"""How sure each answer in the right way is, and all are on average, and how many different ones there are."""
ORDERS = 3
"""Random orders of a window's samples, in which a model that sees its shape doesn't know it."""
FLAT = "that to a flat line"


class Window(Frozen):
    """An input, the answer to it, the numbers of the file that it came from, where it begins there, by what
    they were multiplied and whether something was taken away."""

    array: Any
    answer: Answer
    file: str
    numbers: Any
    begins: int
    factor: float
    is_moved: bool

    def begun(self, earlier: int) -> Any:
        """The window that begins so many samples before."""
        start = self.begins - earlier
        return self.made_of(self.numbers[start : start + self.array.size])

    def made_of(self, numbers: Any) -> Any:
        """The input of other numbers of the file, scaled as this one is."""
        flat = self.array.reshape(-1)
        made = flat[0] + self.factor * (numbers - self.numbers[self.begins])
        made = standard(numbers) if self.is_standard else made
        return made.astype(self.array.dtype).reshape(self.array.shape)

    @property
    def is_standard(self) -> bool:
        """Whether it was scaled by its own mean and deviation."""
        return bool(abs(self.array.mean()) < ONE and abs(self.array.std() - 1) < 1 / self.array.size)


class Change(Frozen):
    """What the numbers say, what is done, what is asked, and the windows so, in some ways. If `said` is one
    text for all, these have to get the same answers; else the surest one is enough. `alike` are inputs that
    are to get the answer as sent, as they show nothing, or the same mistake: `what` says what they are.
    `least` is how sure all answers in a way are on average at least."""

    seen: str
    said: Sequence[str]
    asked: str
    made: Sequence[Sequence[Any]]
    alike: Sequence[Any] = ()
    what: str = FLAT
    least: float = SURE

    @property
    def is_alone(self) -> bool:
        return len(self.said) > 1


class Recordings:
    """By graph, windows of a recording."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Window]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answer: Answer | None) -> list[Window]:
        """A window was computed. Returns those so far if it is another one of a recording; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        is_long = FEWEST <= max(tensor.shape, default=0) == prod(tensor.shape) <= MOST_ELEMENTS
        if answer is None or looked > LOOKS or not is_long or len(kept) == ROWS:
            return []
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not is_telling(numbers):
            return []
        found = self._found(numbers.reshape(tensor.shape).copy(), answer)
        if found is None and not kept:
            self._looked[graph] = looked + LOOKS // 4  # a file that is no recording stays one
        if found is None or not are_apart([*kept, found]):
            return []
        kept.append(found)
        return kept

    def close(self, graph: Any) -> None:
        """A graph's windows have their hint."""
        self._looked[graph] = LOOKS

    def _found(self, array: Any, answer: Answer) -> Window | None:
        flat = array.reshape(-1).astype("f8")
        for name, numbers in numbers_in(self._files(), KINDS):
            for begins, is_moved in places(flat, numbers, 1):
                there = numbers[begins : begins + flat.size]
                factor = float(numpy.ptp(flat) / numpy.ptp(there))
                return Window(array, answer, name, numbers, begins, factor, is_moved)
        return None

    def changes(self, windows: Sequence[Window]) -> Iterator[Change]:
        """What may be wrong with windows, by the numbers of their file and by texts. A model is asked
        about them when they are as many as DUE says."""
        is_one = len({one.answer.place for one in windows}) == 1
        is_of_one = len({one.file for one in windows}) == 1
        if is_one or (not is_of_one and usual(windows)[1] >= MOSTLY):
            yield from without_zero(windows)
        if is_one and is_of_one:
            yield from by_themselves(windows)
            yield from at_half_rate(windows, self._files())
        if is_of_one and (is_one or is_doubted(windows)):
            yield from before_events(windows, self._files())


def are_apart(windows: Sequence[Window]) -> bool:
    """Whether windows begin at different places of one file, or each is of a file of its own."""
    files = [one.file for one in windows]
    begins = {one.begins for one in windows}
    return len({*files}) in (1, len(files)) and (len({*files}) > 1 or len(begins) == len(files))


def usual(windows: Sequence[Window]) -> tuple[int, float]:
    """The answer that most windows get as they were sent, and which part of them does."""
    (place, count), *_ = Counter(one.answer.place for one in windows).most_common(1)
    return place, count / len(windows)


def is_doubted(windows: Sequence[Window]) -> bool:
    """Whether the model is sure of hardly any window."""
    return mean([one.answer for one in windows]) <= DOUBTED


def without_zero(windows: Sequence[Window]) -> Iterator[Change]:
    """Numbers around a converter's zero that was left in."""
    first, numbers = windows[0], numpy.concatenate([*{one.file: one.numbers for one in windows}.values()])
    middle, low = float(numpy.median(numbers)), float(numbers.min())
    zero = min(ZEROS, key=lambda one: abs(middle / one - 1))
    if any(one.is_moved for one in windows) or low <= 0 or abs(middle / zero - 1) > NEAR:
        return
    if zero < AWAY * numbers.std():
        return
    made = [(one.array - zero * one.factor).astype(one.array.dtype) for one in windows]
    others = len({one.file for one in windows}) - 1
    files = f"{first.file} and {others} more" if others else first.file
    yield Change(
        f"the numbers of {files} lie around {zero:,} ({low:,.0f} to {numbers.max():,.0f}), which was left in",
        [f"with {zero:,} taken away"],
        f"is {zero:,} the converter's zero?",
        [made],
        [numpy.full_like(first.array, zero * first.factor)],
    )


def standard(numbers: Any) -> Any:
    """Numbers with a mean of 0 and a deviation of 1."""
    return (numbers - numbers.mean()) / max(float(numbers.std()), 1e-9)


def are_counts(windows: Sequence[Window]) -> bool:
    """Whether windows are numbers of their files as they are."""
    return all(not one.is_moved and abs(one.factor - 1) < ONE for one in windows)


def by_themselves(windows: Sequence[Window]) -> Iterator[Change]:
    """Counts of a converter as they are, each window by its own mean and deviation."""
    first, fit = windows[0], windows[:MOST_ROWS]
    is_too_large = min(one.answer.margin for one in windows) > MOST_SURE or is_doubted(windows)
    if not (are_counts(windows) and is_too_large) or min(float(one.array.std()) for one in windows) < COUNTS:
        return
    made = [standard(one.array.astype("f8")).astype(one.array.dtype) for one in fit]
    low, high = min(one.array.min() for one in windows), max(one.array.max() for one in windows)
    yield Change(
        f"its elements are numbers of {first.file} as they are ({low:,.0f} to {high:,.0f})",
        ["each with its mean taken away and divided by its deviation"],
        "is each window to be standardised?",
        [made, [(SMALLER * one).astype(one.dtype) for one in made]],
        [numpy.full_like(first.array, first.array.mean())],
    )


def at_half_rate(windows: Sequence[Window], files: Sequence[tuple[str, bytes]]) -> Iterator[Change]:
    """Windows by the peaks that a text lists, with every second sample, or the means of two."""
    first, length = windows[0], windows[0].array.size
    lists = [data for name, data in files if name != first.file]
    if mean([one.answer for one in windows]) > UNSURE:
        return
    before = next((one for data in lists if (one := before_listed(windows, data)) is not None), None)
    if before is None or not all(is_peak(one.numbers, one.begins + before, length) for one in windows):
        return
    fit = [one for one in windows if before <= one.begins < len(one.numbers) - 2 * length + before]
    made: list[list[Any]] = [[], []]
    for window in fit[:MOST_ROWS]:
        pairs = window.numbers[window.begins - before :][: 2 * length].reshape(-1, 2)
        made[0].append(window.made_of(pairs[:, 0]))
        made[1].append(window.made_of(pairs.mean(axis=1)))
    twice = [window.made_of(stretched(window, before)) for window in (*fit[:1], *fit[-1:])]
    yield Change(
        f"its windows lie by the peaks of {first.file} that a text lists",
        ["with every second sample (or the means of two), around the same places,"],
        f"does {first.file} have twice the rate that the model was trained with?",
        made,
        twice,
        "that to windows at twice the rate",
        ALONE,
    )


def before_listed(windows: Sequence[Window], data: bytes) -> int | None:
    """Returns how many samples before a place that a text lists each window begins, or None if none does."""
    first = windows[0]
    listed = [int(one) for one in WHOLE.findall(data)] if len(data) <= MOST_TEXT and b"\0" not in data else []
    for place in listed:
        before = place - first.begins
        if 0 < before < first.array.size and are_listed([one.begins + before for one in windows], data):
            return before
    return None


def stretched(window: Window, before: int) -> Any:
    """The numbers around the place so many samples behind a window's beginning, at twice the rate."""
    event = window.begins + before
    at = event + (numpy.arange(window.array.size) - before) / 2
    return numpy.interp(at, numpy.arange(len(window.numbers)), window.numbers)


def before_events(windows: Sequence[Window], files: Sequence[tuple[str, bytes]]) -> Iterator[Change]:
    """Windows that begin just at the places of peaks, which a text lists, or that a program found itself."""
    length = windows[0].array.size
    lists = [(name, data) for name, data in files if name != windows[0].file]
    name = next((name for name, data in lists if are_listed([one.begins for one in windows], data)), "")
    is_one = usual(windows)[1] == 1
    is_own = not name and is_one and all(is_highest(one.numbers, one.begins, length) for one in windows)
    if not is_own and not (name and all(is_peak(one.numbers, one.begins, length) for one in windows)):
        return
    fit = [one for one in windows if one.begins >= max(EARLIER) * length][:MOST_ROWS]
    is_alone = is_own or is_doubted(windows)
    earlier = [int(part * length) for part in (EXACTLY if is_alone else EARLIER)]
    ways = map(str, earlier) if is_alone else [" or ".join(map(str, earlier))]
    where = "at" if is_own else f"at the places that {name} lists, which are"
    yield Change(
        f"its windows begin just {where} peaks of {windows[0].file}",
        [f"begun {one} samples before them" for one in ways],
        "are windows to begin before the event, and not at it?",
        [[one.begun(by) for one in fit] for by in earlier],
    )


def are_listed(begins: Sequence[int], data: bytes) -> bool:
    """Whether a text lists all these places in their order, and not many others between them."""
    if len(data) > MOST_TEXT or b"\0" in data:
        return False
    listed = [int(one) for one in WHOLE.findall(data)]
    at = [-1]
    for one in begins:
        if one not in listed[at[-1] + 1 :]:
            return False
        at.append(listed.index(one, at[-1] + 1))
    return at[-1] - at[1] <= BETWEEN * len(begins)


def is_peak(numbers: Any, place: int, length: int) -> bool:
    """Whether the numbers around a place are farthest from their middle at it."""
    start = max(0, place - length // 2)
    around = abs(numbers[start : place + length // 2] - numpy.median(numbers))
    near = max(1, int(PEAK * length))
    at = place - start
    return bool(around[max(0, at - near) : at + near + 1].max() >= HIGHER * around.max())


def is_highest(numbers: Any, place: int, length: int) -> bool:
    """Whether the number at a place is the farthest one from the middle, of those near it on both sides."""
    start = max(0, place - int(AROUND * length))
    around = abs(numbers[start : place + int(AROUND * length)] - numpy.median(numbers))
    at = place - start
    is_between = 0 < at < len(around) - 1
    return is_between and bool(around[at] >= around.max() and around[at] > around[at - 1])


def are_due(windows: Sequence[Window], changes: Sequence[Change]) -> bool:
    """Whether a model is to be asked about changes of so many windows."""
    return len(windows) in DUE and any(len(one.made[0]) >= FEWEST_ROWS for one in changes)


def heard_otherwise(
    graph: Graph, windows: Sequence[Window], changes: Sequence[Change], seconds: float, most: float = MOST
) -> str:
    """A sentence if a model of one input wants windows in another way, or "". Raises NNError."""
    sent = [one.answer for one in windows]
    for change in changes:
        count, alike = len(change.made[0]), [*change.alike]
        if count < FEWEST_ROWS:
            continue
        found = answered(graph, [*alike, *(one for made in change.made for one in made)], seconds, most)
        ways = [found[at : at + count] for at in range(len(alike), len(found), count)]
        ways = [way for way in ways if len(way) == count]
        is_asked = ways if change.is_alone else len(ways) == len(change.made)
        if not is_asked or any(one.place != usual(windows)[0] for one in found[: len(alike)]):
            continue
        best = meant_of(ways, sent[:count], change)
        if best is not None:
            few, many = (len({one.place for one in each}) for each in (sent[:count], ways[best]))
            what = f"{few} answer{'s' if few > 1 else ''}, at {mean(sent[:count]):.2f} on average"
            what += f" ({change.what})" if alike else ""
            return (
                f'input 0 "{graph.inputs[0].name}": {change.seen}; {count} windows as sent get {what}, and '
                f"{change.said[best]} {many}, at {mean(ways[best]):.2f}: {change.asked}"
            )
    return ""


def meant_of(ways: Sequence[Sequence[Answer]], sent: Sequence[Answer], change: Change) -> int | None:
    """Returns the place of the way that a model means, the surest of several, or 0 if it means all of those
    that have to say the same; or None."""
    if not change.is_alone:
        return 0 if is_meant(ways, sent, change.least) else None
    meant = [at for at, way in enumerate(ways) if is_meant([way], sent, ALONE)]
    return max(meant, key=lambda at: mean(ways[at]), default=None)


def heard_in_few(
    graph: Graph, windows: Sequence[Window], seconds: float, most: float = MOST, seed: int = 0
) -> str:
    """The same of fewer windows from which a converter's zero wasn't taken away: a model that sees nothing in
    them as sent says the same whatever their order. Raises NNError."""
    change = next(without_zero(windows), None)
    place = windows[0].answer.place
    if change is None or any(one.answer.place != place for one in windows):
        return ""
    arrays, how = change.made[0], change.said[0]
    found = answered(graph, [change.alike[0], *arrays], seconds, most)
    flat, right = found[:1], found[1:]
    if any(one.margin > MOST_SURE for one in right) and are_counts(windows):
        # A converter's counts are far too large for a model of volts, also without their zero.
        known = [one.place for one in right]
        arrays = [(one / max(float(one.std()), ONE)).astype(one.dtype) for one in arrays]
        how += " and divided by the deviation"
        right = answered(graph, arrays, seconds, most)
        if [one.place for one in right] != known:
            return ""
    other = next((at for at, one in enumerate(right) if one.place != place), None)
    if len(right) < len(windows) or flat[0].place != place or other is None:
        return ""
    if any(one.margin > MOST_SURE or one.sure < SURE for one in right):
        return ""
    sent, made = windows[other].array, arrays[other]
    orders = [numpy.random.default_rng(seed + at).permutation(sent.size) for at in range(ORDERS)]
    mixed = [one.reshape(-1)[order].reshape(one.shape) for one in (sent, made) for order in orders]
    softer = (SMALLER * made).astype(made.dtype)
    again = answered(graph, [softer, *mixed], seconds, most)
    meant = right[other].place
    if len(again) <= len(mixed) or again[0].place != meant:
        return ""
    if any(one.place != place for one in again[1 : ORDERS + 1]):
        return ""
    if any(one.place == meant for one in again[ORDERS + 1 :]):
        return ""
    return (
        f'input 0 "{graph.inputs[0].name}": {change.seen}; the model says the same of it as sent, of a flat '
        f"line and of its samples in random orders, and {how} another class, at "
        f"{right[other].sure:.2f}, which it doesn't in random orders: {change.asked}"
    )


def answered(graph: Graph, arrays: Sequence[Any], seconds: float, most: float) -> list[Answer]:
    """The answers of a model to inputs: all in one run, if it takes batches, as another process may have to
    run it. Else one by one, as long as it takes them and there is time."""
    shape = graph.inputs[0].shape
    found: list[Answer] = []
    if shape and not isinstance(shape[0], int) and arrays[0].shape[0] == 1:
        batch = numpy.concatenate(arrays)
        with Runs(graph, [Tensor.from_numpy(batch)], most, seconds=seconds) as runs:
            found = runs.rows(0, batch)
    if found:
        return found
    with Runs(graph, [Tensor.from_numpy(arrays[0])], most, judge=answer_of_any, seconds=seconds) as runs:
        for one in arrays:
            answer = runs.changed(0, one) if runs.left() else None
            if answer is None:
                break
            found.append(answer)
    return found


def is_meant(ways: Sequence[Sequence[Answer]], sent: Sequence[Answer], least: float = SURE) -> bool:
    """Whether a model means windows in each of some ways: it gives them different answers, is sure of them as
    training makes it, and says in one way what it says in the other."""
    first = ways[0]
    if any(mean(way) < least for way in ways):
        return False
    places = [[one.place for one in way] for way in ways]
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for way in ways for one in way)
    is_other = sum(one.place != sent[0].place for one in first) * 2 > len(sent)
    is_other = is_other or mean(sent) <= DOUBTED
    return is_sane and is_other and len({*places[0]}) >= DIFFERENT and all(one == places[0] for one in places)
