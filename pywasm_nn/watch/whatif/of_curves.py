"""Asks a model about curves, such as spectra, each of which is a whole column of a table or a raw file: from
the other end on, as absorbance for reflectance, and between the references that were read beside it.

What is here: `Curves`, which keeps inputs with what else they may be meant to be, and `drawn_otherwise`. What
is not: windows of a recording (`recordings.py`), series in time (`origin/tables.py`), and spectra that the
guest works out itself (`of_spectra.py`).

Two things speak together. The file: an axis in another column falls, a heading or the input's name says what
the numbers are, or dark and white references were read and not used. And the model: it doubts inputs as
sent, or gives all one answer, and in the other way it is sure of different ones, and not of the same in a
random order. The model's word alone decides which way an axis is to go: infrared spectra often fall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.raw_places import is_raw
from ..origin.runs_of_columns import run_of
from ..origin.tables import Table, table_in
from ..regex import regex
from ..surroundings import Files
from .asking import MOST
from .recordings import answered, standard
from .sureness import MOST_SURE, Answer, mean

SHORTEST, LONGEST, LOOKS, FIRST_LOOKS = 16, 4096, 12, 3
"""Elements of a curve, inputs that are looked at, and after how many of which none is a curve no other is."""
DUE, MOST_KEPT = (4, 6), 6
"""The model is asked about so many curves."""
MOST_BYTES, MOST_TRIED, MOST_FILES = 1 << 17, 3, 32
"""Bytes of a file, the last files of which one is the curve, and those among which references are."""
KINDS = "<u2", ">u2", "<f4", "<u4", "<f8"
"""The types of raw numbers."""
MOST_SHARE, PERCENT = 1.6, 160.0
"""Reflectance is at most so large, a little over 1 where something shines, or so large in percent."""
REFLECTED = regex(r"refle|transmi|(?<![a-z])refl(?![a-z])|%\s*[rt](?![a-z])", re.IGNORECASE)
ABSORBED = regex(r"absorb|(?<![a-z])abs(?![a-z])|optical[_ ]density", re.IGNORECASE)
DARK = regex(r"(?<![a-z])(?:dark|black|bias)(?![a-z])", re.IGNORECASE)
WHITE = regex(
    r"(?<![a-z])(?:white|ref|reference|blank|lamp|flat|background|spectralon)(?![a-z])", re.IGNORECASE
)
WANTED = "is that what the model wants?"
EVEN = 1e-3
"""How far a mean may be from 0, a deviation from 1, and the ends of a range from 0 and 1."""
LEAST, SURE, DOUBTED, FAR_DOUBTED, TIMES, DIFFERENT = 0.8, 0.95, 0.85, 0.7, 4.0, 3
"""How sure each answer in the other way is, and all are on average; how sure those as sent are at most, also
if they are no others, and how many times as large their doubt is; and how many different ones there are in
the other way."""


class Source(Frozen):
    """Numbers of a file: what they are called, the column beside them that falls, or "", and the type of raw
    ones."""

    file: str
    called: str
    numbers: Any
    axis: str = ""
    kind: str = ""


class Way(Frozen):
    """What else an input may be meant to be: what is seen, what is done, what is asked, and the input so."""

    seen: str
    said: str
    asked: str
    array: Any


class Curve(Frozen):
    """An input, the answer to it, and what else it may be meant to be, by kind."""

    array: Any
    answer: Answer
    ways: Mapping[str, Way]


class Curves:
    """By graph, the first inputs that are curves."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Curve]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answer: Answer | None, called: str) -> list[Curve]:
        """An input was computed, which is `called` so. Returns those so far if the model is to be asked about
        them; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        is_long = SHORTEST <= max(tensor.shape, default=0) == prod(tensor.shape) <= LONGEST
        if answer is None or not is_long or looked > LOOKS or (looked > FIRST_LOOKS and not kept):
            return []
        numbers = tensor.numbers() if len(kept) < MOST_KEPT else None
        if numbers is None or numbers.dtype.kind != "f" or not numpy.isfinite(numbers).all():
            return []
        array = numbers.reshape(tensor.shape).copy()
        if any(numpy.array_equal(one.array, array) for one in kept):
            return []
        with numpy.errstate(all="ignore"):  # logarithms of nothing
            ways = dict(ways_of(array, self._files(), called))
        if not ways:
            return []
        kept.append(Curve(array, answer, ways))
        return kept if len(kept) in DUE else []

    def has_any(self, graph: Any) -> bool:
        """Whether a graph got a curve, so that it is worth while to wait for others."""
        return bool(self._kept.get(graph))

    def close(self, graph: Any) -> None:
        """The model was asked about the curves of a graph: no more of them are looked at."""
        self._looked[graph] = LOOKS


def ways_of(array: Any, files: Sequence[tuple[str, bytes]], called: str) -> Iterator[tuple[str, Way]]:
    """Yields what else an input that is a curve of a file may be meant to be, by kind."""
    flat = array.reshape(-1).astype("f8")
    known = [one for one in reversed(files) if KNOWN.of_file(one[0]) is None and len(one[1]) <= MOST_BYTES]
    for name, data in known[:MOST_TRIED]:
        for source in sources_in(name, data, flat.size):
            sign = follows(flat, source.numbers)
            power = 0 if sign else follows(flat, numpy.log10(source.numbers))
            if not (sign or power):
                continue
            if source.axis:
                yield "axis", turned(array, source)
            made = [*by_law(source, called)] if sign > 0 else []
            others = (one for each in known[:MOST_FILES] for one in sources_in(*each, flat.size))
            made += between(source, [*others], power)
            for kind, way, numbers in made:
                if numpy.isfinite(numbers).all():
                    there = like(flat, numbers).astype(array.dtype).reshape(array.shape)
                    yield kind, Way(*way, there)
            return


def follows(flat: Any, numbers: Any) -> int:
    """Returns 1 if elements go on as numbers do, whatever was taken away and divided by, -1 if as their
    negatives do, and 0 if as neither."""
    if not numpy.isfinite(numbers).all() or not numpy.ptp(numbers):
        return 0
    return next((sign for sign in (1, -1) if run_of(sign * numbers, flat) == 0), 0)


def turned(array: Any, source: Source) -> Way:
    return Way(
        f"{source.axis} of {source.file} falls from line to line, and its elements are in this order",
        "from the last one to the first",
        "does the model want it to rise?",
        numpy.flip(array.reshape(-1)).reshape(array.shape).copy(),
    )


def by_law(source: Source, called: str) -> Iterator[tuple[str, tuple[str, str, str], Any]]:
    """Reflectance as absorbance, or the other way round, where a heading or the input's name says so."""
    numbers, high = source.numbers, float(source.numbers.max())
    is_share = float(source.numbers.min()) > 0 and high <= PERCENT
    seen = f"its elements are {source.called} of {source.file}"
    if is_share and (REFLECTED.search(source.called) or ABSORBED.search(called)):
        if not ABSORBED.search(source.called):
            way = f"{seen}, without a logarithm", "as absorbance, -log10 of it,", WANTED
            yield "absorbance", way, -numpy.log10(numbers / (1 if high <= MOST_SHARE else 100))
    elif ABSORBED.search(source.called) or REFLECTED.search(called):
        way = seen, "as reflectance, 10 to the power of its negative,", WANTED
        yield "reflectance", way, 10.0**-numbers


def between(
    source: Source, others: Sequence[Source], power: int
) -> Iterator[tuple[str, tuple[str, str, str], Any]]:
    """Numbers of a detector between its dark and white references, if these were read: as they are or their
    logarithm, which is what was sent if `power` is its sign."""
    dark, white = (
        next((one for one in others if is_for(one, source, words)), None) for words in (DARK, WHITE)
    )
    if any(words.search(label(source)) for words in (DARK, WHITE)) or (dark is None and white is None):
        return
    low = 0.0 if dark is None else dark.numbers
    size = 1.0 if white is None else white.numbers - low
    shares = (source.numbers - low) / size
    used = " and ".join(label(one) for one in (dark, white) if one is not None)
    own = f"its elements are {label(source)}{', as logarithms' * bool(power)}"
    way = (
        f"{own}, and of {used} nothing is in them",
        "with these taken away or divided by",
        "are (raw - dark) / (white - dark) to be sent?",
    )
    if not power:
        yield "shares", way, shares
    if white is not None:
        yield "logarithms", way, (power or -1) * numpy.log10(shares)


def is_for(other: Source, source: Source, words: re.Pattern[str]) -> bool:
    """Whether numbers are a reference for others."""
    is_own = (other.file, other.called) == (source.file, source.called)
    return not is_own and other.kind == source.kind and words.search(label(other)) is not None


def label(source: Source) -> str:
    """Returns how numbers are called, by their file and heading."""
    name = PurePosixPath(source.file).name
    return f"{source.called} of {name}" if source.called else name


def like(flat: Any, numbers: Any) -> Any:
    """Numbers scaled by themselves as elements are: to a mean of 0 and a deviation of 1, from 0 to 1, or
    not."""
    if abs(flat.mean()) < EVEN and abs(flat.std() - 1) < max(EVEN, 1 / flat.size):
        return standard(numbers)
    if abs(flat.min()) < EVEN and abs(flat.max() - 1) < EVEN:
        return (numbers - numbers.min()) / max(float(numpy.ptp(numbers)), 1e-12)
    return numbers


@lru_cache(32)
def sources_in(name: str, data: bytes, count: int) -> tuple[Source, ...]:
    """Columns or raw numbers of a file that are so many."""
    if is_raw(data):
        found = []
        for kind in KINDS:
            if len(data) == count * numpy.dtype(kind).itemsize:
                found.append(Source(name, "", numpy.frombuffer(data, kind).astype("f8"), "", kind))
        return tuple(one for one in found if numpy.isfinite(one.numbers).all())
    table = table_in(data)
    if table is None or len(table.lines) != count:
        return ()
    columns = [at for at, one in enumerate(table.numbers.T) if numpy.isfinite(one).all()]
    return tuple(Source(name, heading(table, at), table.numbers[:, at], axis_of(table, at)) for at in columns)


def heading(table: Table, at: int) -> str:
    return f'"{table.headings[at]}"' if table.headings else f"column {at + 1}"


def axis_of(table: Table, at: int) -> str:
    """Returns how another column is called that falls from line to line and has no times, or ""."""
    falling = table.falling(at) if not table.direction else []
    return heading(table, falling[0]) if falling else ""


def drawn_otherwise(graph: Graph, curves: Sequence[Curve], seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input wants curves in another way, or "". Raises NNError."""
    sent = [one.answer for one in curves]
    for kind in [one for one in curves[0].ways if all(one in other.ways for other in curves)]:
        ways = [one.ways[kind] for one in curves]
        found = answered(graph, [one.array for one in ways], seconds, most)
        if not is_meant(found, sent):
            continue
        numbers = numpy.random.default_rng(0)
        mixed = answered(
            graph, [numbers.permutation(one.array.reshape(-1)).reshape(one.array.shape) for one in ways],
            seconds, most,
        )  # fmt: skip
        as_found = sum(one.place == other.place for one, other in zip(mixed, found, strict=False))
        if len(mixed) < len(found) or 2 * as_found > len(found):
            continue
        few, many = (len({one.place for one in each}) for each in (sent, found))
        return (
            f'input 0 "{graph.inputs[0].name}": {ways[0].seen}; {len(sent)} inputs as sent get {few} '
            f"answer{'s' if few > 1 else ''}, at {mean(sent):.2f} on average, and {ways[0].said} {many}, at "
            f"{mean(found):.2f}: {ways[0].asked}"
        )
    return ""


def is_meant(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether a model is sure of different answers, as training makes it, and doubts those as sent, or gives
    them all one answer."""
    if len(found) != len(sent) or not found:
        return False
    many = len({one.place for one in found})
    others = sum(one.place != other.place for one, other in zip(found, sent, strict=True))
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for one in found) and mean(found) >= SURE
    is_doubted = mean(sent) <= DOUBTED and 1 - mean(sent) >= TIMES * (1 - mean(found))
    is_one = len({one.place for one in sent}) == 1
    needed = max(2, min(DIFFERENT, found[0].classes or DIFFERENT))
    is_other = 2 * others >= len(found) or mean(sent) <= FAR_DOUBTED
    return is_sane and (is_doubted or is_one) and many >= needed and is_other
