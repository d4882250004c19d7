"""`Series`: the last windows that a guest sent of each input, and where they lie in the tables that it read.

What is here: which inputs are compared, and when. What is not: the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..facts import picture_of
from ..follower import Follower, inputs_of
from ..loops.standing import MEASURED as MEASURING
from ..origin.raw_places import is_raw
from ..sheets.sheet import Sheet, sheet_of
from ..spoken import Heard
from .apart import Apart
from .arrays import as_halves, misread_array, padded_records
from .backwards import backwards
from .between import between_pictures
from .by_axis import by_axis, by_levels
from .by_lags import by_lags
from .by_named_scale import by_named_scale
from .clouds import Clouds
from .converted import converted
from .counted_up import clock_among, counted_up
from .cut_commas import cut_commas
from .exchanged import doubled, in_turns, lines_taken_for_places
from .gaps import stood_in
from .headed import headed
from .heads import Heads
from .in_triples import misread_triples
from .mixed_kinds import mixed_kinds
from .moves import LinesInPart, copied_in_part, moved_in_part, read_in_part
from .near import too_near
from .packed import is_telling, misread_records
from .pieces import kept_end
from .ran_over import ran_over
from .raw_windows import RawWindows
from .rings import FEWEST, Rings, Window, laid_out, too_far_apart, turned_in_column, turned_ring, window_of
from .rows_by_columns import rows_by_columns
from .scaling import scaled_in_part
from .torn import Torn
from .unconverted import unconverted
from .unmoved import Unmoved
from .words import signed_words, unsigned_words

Files = Sequence[tuple[str, bytes]]

MOST_ELEMENTS, LOOKS, EARLY = 1 << 14, 6, 2
"""Elements of an input, inputs that are looked for in tables, and from their end on."""
MOST_WINDOWS = 32
"""So many windows are looked at for differences: rare ones may be below 0."""
FEWEST_SAME = 3
"""Rounds that send one window, though a file has as many."""
FEW_ELEMENTS, FEWEST_ROWS, MOST_ROWS = 32, 5, 16
"""Inputs of few elements are looked for in files of whole numbers, once there are some."""


class Series(Follower):
    """Gives sentences after inputs."""

    def __init__(
        self,
        files: Callable[[], Files] = tuple,
        with_arrays: Callable[[], Files] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        """`with_arrays` gives files and series that the guest has in itself, whose ends aren't known."""
        self._files, self._with_arrays = files, with_arrays or files
        self._before: dict[Any, Any] = {}
        self._windows: dict[Any, list[Window | None]] = {}
        self._tables: dict[Any, tuple[str, int, int]] = {}
        """By input, the table in which the last window was found, its samples and the table's lines."""
        self._rows: dict[Any, list[Any]] = {}
        self._same: dict[Any, int] = {}
        """By input, how many there were, if all of them are equal."""
        self._apart = Apart()
        self.clouds = Clouds()
        self._raw, self._heads = RawWindows(), Heads(arguments)
        self._torn, self._unmoved = Torn(), Unmoved()
        self._counts: Counter[Any] = Counter()
        """By input and file, the windows before one that was looked for in records; and by input and "",
        those that were compared with columns."""
        self._doubled: dict[Any, tuple[str, int, int, int, int]] = {}
        """By input, the table of which each sample was sent several times, its lines, how many times, the
        samples of a window, and the last of its lines that was sent."""
        self._done: set[Any] = set()
        self._in_part, self._rings = LinesInPart(), Rings()
        self._heard = Heard()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._same:
            self._heard.add(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, _, tensor in inputs_of(event) if event.error is None else ():
            self.sent((event.graph_id, event.model, index), tensor)

    def sent(self, key: Any, tensor: Tensor) -> None:
        """An input was sent. Unlike `set`, this is called also if there is no time to look at it."""
        self._raw.sent(tensor.shape)
        numbers = tensor.numbers() if tensor.nbytes <= MOST_ELEMENTS else None
        if numbers is not None and numbers.size and numbers.dtype.kind == "f":
            self._apart.set(key, numbers)
            self._in_part.sent(key, numbers.reshape(-1))
            self._rings.sent(key, numbers.reshape(tensor.shape))

    def set(self, key: Any, tensor: Tensor, called: str = "") -> Iterator[str]:
        """An input was set. `called` is its name."""
        numbers = None if key in self._done else tensor.numbers()
        if numbers is None or not numbers.size:
            return
        array = numbers.reshape(tensor.shape)
        for said in (*self._by_files(key, array, called), *filter(None, self._by_lags(key, array))):
            self._done.add(key)
            yield said
            return

    def _by_files(self, key: Any, array: Any, called: str) -> Iterator[str]:
        if array.nbytes <= MOST_ELEMENTS and array.dtype.kind in "fi":
            own = array.copy()
            yield from self._of_floats(key, own, called)
            yield from self._raw.set(key, own, self._files())

    def _by_lags(self, key: Any, array: Any) -> Iterator[str]:
        """Hints at the order of the first windows, by their numbers alone."""
        self._counts[key, None] += 1
        if self._counts[key, None] <= LOOKS:
            yield by_lags(array)

    def _of_floats(self, key: Any, array: Any, called: str) -> Iterator[str]:
        if array.dtype.kind != "f":
            return
        before, self._before[key] = self._before.get(key), array
        if said := self._heads.set(key, array, self._files()):
            yield said
        is_same = before is None or (before.shape == array.shape and bool((before == array).all()))
        self._same[key] = self._same.get(key, 0) + 1 if is_same and self._same.get(key) != 0 else 0
        if self._counts[key, None] < MOST_WINDOWS and picture_of(array.shape) is None:
            name, over = ran_over(array, self._files())
            if over:
                yield f"compared with {name}, {over}"
        yield from self._few(key, array)
        yield from self._many(key, array, before, called)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended, as a pair of a rule's name and a sentence."""
        is_measured = bool(MEASURING.search(self._heard.text))
        for key, sent in self._same.items() if not is_measured else ():
            name, count, length = self._tables.get(key, ("", 1, 0))
            if sent >= FEWEST_SAME and sent in rounds_of(length, count) and key not in self._done:
                said = (
                    f"{name} has {sent} windows of {count} lines, and the same one was sent in all {sent} "
                    "rounds: does each round send its own (and not the beginning of the buffer)?"
                )
                yield "stale", said
        for name, length, times, count, end in self._doubled.values():
            if end + count // times <= length and end * times <= length + count:
                yield (
                    "origin",
                    f"{name}: each of its lines was sent {times} times one after the other, {count} samples "
                    f"from {count // times} lines, and those behind line {end} of {length} not at all: is "
                    f"the index divided by {times}, or counted up after every other sample?",
                )
        for key, (name, count, length) in self._tables.items():
            starts = [one.start if one is not None and not one.turned else -1 for one in self._looked(key)]
            if said := too_near(starts, self._apart.sent(key), count, length):
                yield "origin", f"{name}: {said}"
        if said := self._apart.said(self._files()):
            yield "origin", said
        yield from (("origin", said) for said in self._in_part.finish())
        yield from (("origin", said) for said in self._rings.finish(self._files(), self._done))
        yield from (("origin", said) for said in self.clouds.finish())
        yield from (("origin", said) for said in self._raw.finish(self._files()))

    def _looked(self, key: Any) -> list[Window | None]:
        """Where the first windows of an input lie in a table."""
        return next((found for (one, _), found in self._windows.items() if one == key), [])

    def _few(self, key: Any, array: Any) -> Iterator[str]:
        if not array.shape or array.size != array.shape[-1] or not 1 < array.size <= FEW_ELEMENTS:
            return
        kept = self._rows.setdefault((key, array.size), [])
        kept.append(array.reshape(-1).astype("f8"))
        for name, data in self._files() if len(kept) <= MOST_ROWS else ():
            if said := signed_words(kept[-1], data):
                yield f"compared with {name}, {said}"
        if not FEWEST_ROWS <= len(kept) <= MOST_ROWS:
            return
        for name, data in self._files():
            if said := unsigned_words(numpy.stack(kept), data):
                yield f"compared with {name}, {said}"

    def _many(self, key: Any, array: Any, before: Any, called: str) -> Iterator[str]:
        if array.size < FEWEST:
            return
        files, is_early = self._files(), self._counts[key, None] < EARLY
        if before is not None and before.shape == array.shape and picture_of(array.shape) is None:
            for one, other in zip(laid_out(before), laid_out(array), strict=True):
                if said := moved_in_part(one, other):
                    yield said
            name, said = kept_end(before.reshape(-1).astype("f8"), array.reshape(-1).astype("f8"), files)
            if said:
                yield f"compared with {name}, {said}"
        sheets = [sheet for name, data in files if (sheet := sheet_of(name, data)) is not None]
        self._in_part.set(key, array.reshape(-1), sheets)
        for name, said in (
            copied_in_part(array.reshape(-1), files),
            read_in_part(array, files) if self._counts[key, None] < LOOKS else ("", ""),
            scaled_in_part(array.reshape(-1), sheets),
            self._in_tables(key, array, sheets),
            in_turns(array, sheets),
            lines_taken_for_places(array, files),
            backwards(array, files) if is_early and not is_turned(array, before) else ("", ""),
            rows_by_columns(array, files) if self._counts[key, None] < LOOKS else ("", ""),
            cut_commas(array, sheets) if self._counts[key, None] < LOOKS else ("", ""),
            clock_among(array, sheets),
            mixed_kinds(array, sheets) if is_early else ("", ""),
            headed(array, files),
            misread_triples(array, files) if self._counts[key, None] < LOOKS else ("", ""),
            converted(array, files),
            unconverted(array, files) if self._counts[key, None] < LOOKS else ("", ""),
            by_named_scale(array, files) if self._counts[key, None] < LOOKS else ("", ""),
            self.clouds.set(array, files),
            *self._by_column(key, array, called, files),
        ):
            if said:
                yield f"compared with {name}, {said}"
        self._sent_twice(key, array, sheets)
        for name, data in reversed(files):
            said = misread_array(array, data) or as_halves(array, data) or between_pictures(array, data)
            said = said or self._in_records(key, name, array, data)
            said = said or next(filter(None, (padded_records(one, data) for one in laid_out(array))), "")
            if said:
                yield f"compared with {name}, {said}"

    def _by_column(self, key: Any, array: Any, called: str, files: Files) -> Iterator[tuple[str, str]]:
        """The files and what is wrong with the first windows that are columns of theirs."""
        self._counts[key, ""] += 1
        if self._counts[key, ""] <= MOST_ROWS:
            yield stood_in(array, files)
            yield counted_up(called, array, files)
            yield turned_in_column(array, self._with_arrays())
            yield self._torn.set(key, array, files)
            yield self._unmoved.set(key, array, files)

    def _in_records(self, key: Any, name: str, array: Any, data: bytes) -> str:
        """Returns what the first window that has enough different numbers says of records in a file, or "" if
        that is nothing."""
        number = self._counts[key, name]
        self._counts[key, name] += 1
        if not 0 <= number < LOOKS or not is_raw(data):
            return ""
        shown = [one for one in laid_out(array) if is_telling(one, data)]
        said = [misread_records(one, data, number) for one in shown]
        if said and None not in said:
            self._counts[key, name] = LOOKS
        self._counts[key, name, "axes"] += bool(shown)
        first = shown[:1] if self._counts[key, name, "axes"] == 1 else []
        return next(filter(None, said), "") or next(
            (by_axis(one, data) or by_levels(one, data) for one in first), ""
        )

    def _sent_twice(self, key: Any, array: Any, sheets: Sequence[Sheet]) -> None:
        """Remember a window whose samples are each sent several times."""
        for samples in laid_out(array):
            name, length, times, start = doubled(samples, sheets)
            if name:
                end = start + len(samples) // times
                self._doubled[key] = name, length, times, len(samples), end

    def _in_tables(self, key: Any, array: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
        """Returns the file of a table, and what windows of its lines say together, each "" if that isn't
        known."""
        looked = self._windows.setdefault((key, array.shape), [])
        if len(looked) >= LOOKS:
            return "", ""
        window: Window | None = None
        for sheet in sheets if array.any() else ():
            for samples in laid_out(array) if window is None or window.turned else ():
                one = window_of(samples, sheet.numbers)
                if one is not None and (window is None or not one.turned):
                    window, self._tables[key] = one, (sheet.name, len(samples), len(sheet.rows))
        looked.append(window)
        if key not in self._tables:
            return "", ""
        name, count, length = self._tables[key]
        said = turned_ring(looked, count) or too_far_apart(looked, count, length)
        return name, said


def is_turned(array: Any, before: Any) -> bool:
    """Whether a window is the one before, turned round. Somebody who compares the two sends it so."""
    if before is None or before.shape != array.shape:
        return False
    pairs = zip(laid_out(array), laid_out(before), strict=True)
    return any(bool((one == other[::-1]).all()) for one, other in pairs)


def rounds_of(length: int, count: int) -> set[int]:
    """How many windows of so many samples a file may have: one behind the other, and many that are by a half
    over each other, unless people measure the time of as many."""
    over = (length - count) // max(1, count // 2) + 1
    return {length // count} | ({over} - MEASURED if over >= MANY else set())


MANY, MEASURED = 7, frozenset({8, 10, 12, 15, 16, 20, 25, 30, 32, 50, 64, 100, 128, 200})
