"""The order of numbers that stand beside their names in a file, against the order in which the model wants
them: a map gave them in that of the alphabet, or the file's, and not in that of the training.

What is here: `RecordOrders`. A line of elements has to be exactly the numbers of one record, in another order
than a list of their names, as they stand or each scaled by the numbers of its name; or the model's own means
have to say that no other order is right. What is not: columns of tables as they stand (`sheets/named.py`,
`sheets/orders.py`), and how files have names (`sheets/records.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN, class_names
from ...nn.formats.format import Column, Format
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..hints.models import asked, facts
from ..sheets.named import PLAIN, orders
from ..sheets.records import FEWEST, MOST, Scales, records_in, records_of_lines, scalers_in
from ..sheets.rows import matched
from ..surroundings import Files
from .other_places import MANY_SPLITS
from .scalers import span

Named = Sequence[tuple[str, bytes]]
Texts = Callable[[Sequence[Path]], Iterable[tuple[Path, str]]]
MOST_ROWS, DIFFERENT, MOVED = 32, 3, 2
"""Lines of an input that are looked at; different numbers of a line, and those in other places."""
EXACT = 2e-6
"""Rounding to f32 changes a number by at most this part of the largest one."""
FARTHEST, USUAL = 15.0, 4.0
"""Deviations of an element that can't be one of the training's, and of those that can."""
WIDE = 4.0
"""The numbers at which trees split an element lie so many deviations apart."""


class Known(Frozen):
    """Names in the order in which a model wants them, and what says so. `scales` are the numbers by which
    each was scaled. `is_bare`: nothing but names, which may be those of the file's own columns."""

    whose: str
    names: tuple[str, ...]
    scales: Scales | None = None
    is_bare: bool = False


class Sent(Frozen):
    """Records as a list has them: the file, the plain names in its order, the elements that the model wants,
    [records, elements], and how they were scaled."""

    file: str
    in_file: tuple[str, ...]
    wanted: Any
    by: str = ""


class RecordOrders(Follower):
    """Gives a hint after an input, or at the end where the model's means say it."""

    def __init__(self, files: Files, texts: Texts = lambda _: ()) -> None:
        """`texts` gives those that lie in the guest's directories, but for some."""
        self._files, self._texts = files, texts
        self._columns: dict[int | None, Mapping[int, Sequence[Column]]] = {}
        self._of_models: dict[int | None, Sequence[Known]] = {}
        self._rows: dict[Any, list[Any]] = {}
        self._set: dict[Any, dict[int, tuple[str, float]]] = {}
        """By context, the names and numbers of inputs of one element."""
        self._beside: Named | None = None
        """Texts that lie in the guest's directories, once they were looked for."""
        self._lists: list[Known] = []
        self._read = 0
        """The lists of names of files when so many bytes of them had been read."""
        self._done: set[Any] = set()
        self._called: dict[Any, str] = {}

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation.startswith("load") and event.graph_id not in self._columns:
            self.loaded(event.graph_id, facts(event.parts).columns, [*lists_of_model(event)])
        for index, spec, tensor in inputs_of(event):
            key = event.graph_id, index
            self._called[key] = spec.name
            for row in self._kept(key, tensor):
                yield from self._compared(
                    key, f'input {index} "{spec.name}"', row, self._known(event.graph_id)
                )
            numbers = tensor.numbers() if prod(tensor.shape) == 1 else None
            if numbers is not None:
                self._set.setdefault(event.context_id, {})[index] = spec.name, float(numbers.reshape(-1)[0])
        if event.operation == "compute":
            yield from self._of_inputs(event)

    def loaded(
        self, graph: int | None, columns: Mapping[int, Sequence[Column]], lists: Sequence[Known] = ()
    ) -> None:
        """A model was loaded: what it knows of its inputs' elements, and the lists of names that it has."""
        self._columns[graph], self._of_models[graph] = columns, lists

    def _kept(self, key: Any, tensor: Tensor) -> Sequence[Any]:
        """The lines of an input that are looked at."""
        width = tensor.shape[-1] if len(tensor.shape) in (1, 2) else 0
        numbers = tensor.numbers() if FEWEST <= width <= MOST else None
        kept = self._rows.setdefault((*key, width), [])
        if numbers is None or numbers.dtype.kind != "f" or key in self._done or len(kept) >= MOST_ROWS:
            return ()
        lines = list(numbers.reshape(-1, width).astype("f8")[: MOST_ROWS - len(kept)])
        kept += lines
        return [row for row in lines if numpy.isfinite(row).all() and len({*row.tolist()}) >= DIFFERENT]

    def _known(self, graph: int | None) -> Iterator[Known]:
        """The lists of names that the guest read, could read, or the model has."""
        yield from self._of_models.get(graph, ())
        if self._beside is None:
            self._beside = [(path.name, text.encode()) for path, text in self._texts(())]
        files = [one for one in self._files() if KNOWN.of_file(one[0]) is None]
        read = sum(len(data) for _, data in files)
        if read != self._read:
            self._read, self._lists = read, [*lists_of_files(files, self._beside)]
        yield from self._lists

    def _of_inputs(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Yields what is wrong with inputs of one number each, which have the names of a record."""
        given = [one for _, one in sorted(self._set.get(event.context_id, {}).items())]
        key = event.graph_id, "inputs"
        if not FEWEST <= len(given) <= MOST or key in self._done or len(self._called) > len(given):
            return
        names, row = tuple(name for name, _ in given), numpy.array([one for _, one in given])
        known = [Known("the inputs of the model are called", names)]
        yield from self._compared(key, "inputs", row, known)

    def _compared(self, key: Any, name: str, row: Any, known: Iterable[Known]) -> Iterator[tuple[str, str]]:
        files = [one for one in self._files() if KNOWN.of_file(one[0]) is None]
        said = ""
        for one in known if key not in self._done and len({*row.tolist()}) >= DIFFERENT else ():
            for sent in as_wanted(one, files) if len(one.names) == len(row) else ():
                if are_same(sent.wanted, row).any():
                    return  # it is as this list has it, whatever others say
                said = said or unlike(one, sent, row)
        if said:
            self._done.add(key)
            yield "origin", f"{name}: {said}"

    def finish(self) -> Iterator[tuple[str, str]]:
        """The guest has ended: what the means of models say of all lines."""
        for (graph, index, _), rows in self._rows.items():
            columns = self._columns.get(graph, {}).get(index, ())
            if (
                rows
                and (graph, index) not in self._done
                and (said := by_means(columns, numpy.stack(rows), self._files()))
            ):
                yield "origin", f'input {index} "{self._called[graph, index]}": {said}'


def lists_of_files(files: Named, beside: Named) -> Iterator[Known]:
    """The lists of names in files that were read, and those of nothing else in files beside them."""
    for name, data in files:
        yield from (Known(f"{name} has", one.names, one) for one in scalers_in(data))
    for whose, names in orders([*files, *beside], ""):
        if FEWEST <= len({*names}) == len(names) <= MOST:
            yield Known(whose, tuple(names), is_bare=True)


def lists_of_model(event: NNEvent) -> Iterator[Known]:
    """The lists of names in the properties of a model."""

    def texts(format: Format) -> Callable[[memoryview], list[tuple[str, str]]] | None:
        return (lambda data: [*class_names.properties(data)]) if format.name == "onnx" else None

    for title, value in asked(event.parts, KNOWN, texts) or ():
        names = class_names.in_text(value)
        if FEWEST <= len({*names}) == len(names) <= MOST:
            yield Known(f'the property "{title}" of the model has', names)


def as_wanted(known: Known, files: Named) -> Iterator[Sent]:
    """The records that have all names of a list, with their numbers as the model wants them."""
    wanted = [plain(one) for one in known.names]
    by = known.scales
    for file, data in files:
        for records in (*records_in(data), *(records_of_lines(data) if by is not None else ())):
            places = {plain(one): at for at, one in enumerate(records.names)}
            if len(places) < len(records.names) or not places.keys() >= {*wanted}:
                continue
            own = records.numbers[:, [places[one] for one in wanted]]
            in_file = tuple(sorted(wanted, key=places.__getitem__))
            yield Sent(file, in_file, own)
            if by is not None:
                yield from (
                    Sent(file, in_file, one, " (each scaled by those of its name)") for one in scaled(own, by)
                )


def scaled(own: Any, by: Scales) -> Iterator[Any]:
    """Numbers by the usual formulas."""
    with numpy.errstate(all="ignore"):
        off = own - by.one
        yield from (off / by.other, off / (by.other - by.one), off * by.other)


def plain(name: str) -> str:
    """A name without its marks and capitals."""
    return PLAIN.sub("", name.strip().lower())


def are_same(made: Any, row: Any) -> Any:
    """Says for each of the lines, [lines, elements], whether it has these elements, up to rounding."""
    return (abs(made - row) <= EXACT * abs(row).max()).all(axis=-1)


def unlike(known: Known, sent: Sent, row: Any) -> str:
    """Returns what is wrong if elements are the numbers of a record in another order than that of a list, or
    "" if they aren't."""
    lines = numpy.flatnonzero(are_same(numpy.sort(sent.wanted, axis=1), numpy.sort(row)))
    if not lines.size:
        return ""
    own = sent.wanted[lines[0]]
    names = [known.names[at] for at in numpy.argsort(own)[numpy.argsort(numpy.argsort(row))].tolist()]
    moved = numpy.flatnonzero(~are_same(own[:, None], row[:, None])).tolist()
    own_order, wanted = tuple(map(plain, names)), tuple(map(plain, known.names))
    is_sorted = own_order == tuple(sorted(own_order)) or names == sorted(names)
    if len(moved) < MOVED or (known.is_bare and wanted == sent.in_file and not is_sorted):
        return ""  # a list of nothing but names may be that of the file's columns
    if known.scales is not None and known.scales.is_object and wanted == tuple(sorted(wanted)):
        return ""
    how = (
        "the alphabetical order of their names, as a sorted map (std::map, BTreeMap, sort_keys) gives them"
        if is_sorted
        else "the order of the file"
        if own_order == sent.in_file
        else "another order"
    )
    first = moved[0]
    return (
        f"compared with {sent.file}, its elements are numbers that stand there beside their names{sent.by}, "
        f"in {how} ({', '.join(names[:3])} ...); {known.whose} {', '.join(known.names[:3])} ...: a model "
        f"takes numbers in the order in which it was trained: element {first} would be "
        f'"{known.names[first]}", and is "{names[first]}"'
    )


def by_means(columns: Sequence[Column], rows: Any, files: Named) -> str:
    """Returns what is wrong with lines that are records in the file's or the alphabet's order, if one element
    is far from what the model knows of it, which one other alone fits, and in another order all do; or "" if
    that is not so."""
    known = [one for one in map(usual, columns) if one is not None]
    if not len(known) == len(columns) == rows.shape[1] >= FEWEST:
        return ""
    means, deviations = numpy.array(known).T
    levels = abs(rows[:, :, None] - means) / deviations  # [lines, elements sent, means]
    least, most = levels.min(axis=0), levels.max(axis=0)
    fits = {at: numpy.flatnonzero(most[at] <= USUAL).tolist() for at in range(len(known))}
    far = [at for at in fits if least[at, at] >= FARTHEST and (most[:, at] <= USUAL).sum() == 1]
    if not far or matched(fits) < len(known):
        return ""
    place = max(far, key=lambda at: float(least[at, at]))
    there = int((most[:, place] <= USUAL).argmax())
    for file, how, names in as_stored(rows, files):
        return (
            f"compared with {file}, its elements are numbers that stand there beside their names, in the "
            f"order of {how} ({', '.join(names[:3])} ...), which can't be the model's: element {place}, "
            f'"{names[place]}", is {span(rows[:, place])}, and the model knows it as about '
            f'{means[place]:.4g}, which "{names[there]}" alone fits ({span(rows[:, there])}); in another '
            f"order all {len(known)} fit: a model takes numbers in the order in which it was trained"
        )
    return ""


def usual(column: Column) -> tuple[float, float] | None:
    """Returns the mean and the deviation that the model knows of an element, or None if it knows too
    little."""
    if column.centre is not None:
        return column.centre[:2] if column.centre[1] > 0 else None
    if len(column.splits) < MANY_SPLITS or not column.splits[-1] > column.splits[0]:
        return None
    low, high = column.splits[0], column.splits[-1]
    return (low + high) / 2, (high - low) / WIDE


def as_stored(rows: Any, files: Named) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The files of which lines are all records as they stand, or by the alphabet; which of these, and the
    names in that order."""
    for file, data in files:
        for records in records_in(data) if KNOWN.of_file(file) is None else ():
            for how, names in (("the file", records.names), ("the alphabet", sorted(records.names))):
                own = records.numbers[:, [records.names.index(one) for one in names]]
                if own.shape[1] == rows.shape[1] and all(are_same(own, row).any() for row in rows):
                    yield file, how, names
