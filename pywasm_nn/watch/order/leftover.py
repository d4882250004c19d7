"""The last batch of a file, which has fewer items than the others: does the guest also write of rows that
have none, or count them?

What is here: `Leftover`. What is not: pieces of a file that are one input each (`streams.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..origin.decoding import JPEG, pictures
from ..origin.tables import table_in
from ..regex import regex
from ..spoken import DIGITS, Heard, Spoken, filled_lines
from ..surroundings import Files
from .streams import header_of

MOST_BYTES = 1 << 20
MOST_ROWS, MOST_CLASSES, MOST_STEP = 1 << 12, 64, 4
"""The most rows and classes of answers that are counted, and the most numbers from one count in a text to the
next."""
MOST_PICTURE, COLOURS = 1 << 18, 3
"""The bytes of a picture that is decoded, and its channels."""
IDX = 16
"""Bytes of the header of an IDX file."""
DIGIT = regex(r"\d")
HOW_MANY = regex(
    r"(?:\bof|/|\b(?:total|count(?:ed)?|number|sum|all|n|rows?|lines?|items?|samples?))\W{0,3}(\d+)(?![\w.])"
    r"|(?<![\w.])(\d+) [a-z]+s\b",
    re.IGNORECASE,
)
"""A text that says how many there are of something."""


class Batches(Frozen):
    """How many items a file has, how many each batch has, and in how many batches they were sent."""

    file: str
    count: int
    items: int
    sets: int

    @property
    def rest(self) -> int:
        """How many items the last batch has."""
        return self.count - self.items * (self.sets - 1)

    @property
    def all(self) -> int:
        """How many rows the batches have."""
        return self.items * self.sets

    def __str__(self) -> str:
        return (
            f"{self.file} has {self.count} items, which were sent in {self.sets} batches of {self.items}, so "
            f"that the last one has {self.rest}"
        )


class Leftover(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._last: dict[Any, list[Any]] = {}
        """By model and input, the last two batches."""
        self._sets: Counter[Any] = Counter()
        self._answers: dict[Any, list[Any]] = {}
        """By model and output, the answers, [rows, elements]."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.tensors:
            return
        tensor = event.tensors[0]
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if numbers is None or not tensor.shape or tensor.shape[0] < 2:
            return
        rows, key = numbers.reshape(tensor.shape[0], -1), (event.graph_id, event.model, event.index)
        if event.operation.startswith("get_output"):
            kept = self._answers.setdefault(key, [])
            if rows.shape[1] <= MOST_CLASSES and sum(map(len, kept)) < MOST_ROWS:
                kept.append(rows.copy())
        elif event.operation.startswith("set_input") and len(tensor.shape) > 1:
            last = self._last.setdefault(key, [])
            last.append(rows.copy())
            del last[:-2]
            self._sets[key] += 1

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sets:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        lines = groups(text)
        for key, last in self._last.items():
            sets, items = self._sets[key], len(last[-1])
            if len(last) < 2 or last[0].shape != last[1].shape:
                continue
            answers = [one for other, one in self._answers.items() if other[:2] == key[:2]]
            for name, count in self._counts(last[-1]):
                found = Batches(name, count, items, sets)
                if not 0 < found.rest < items or count in lines or not is_left(last, found.rest):
                    continue
                if said := f"{found.all} lines" if found.all in lines else counted(text, found, answers):
                    yield (
                        "stale",
                        f"{found}; the guest writes {said}: rows from {found.rest} on of the last answer "
                        "belong to the batch before, or to nothing",
                    )
                    return

    def _counts(self, batch: Any) -> Iterator[tuple[str, int]]:
        """How many items each file has."""
        size = batch.shape[1]
        for name, data in self._files():
            table = table_in(data)
            if table is not None and table.numbers.shape[1] >= size:
                yield name, len(table.numbers)
                continue
            for count in counts_in(name, data, size):
                yield name, count
            for width in {1, batch.itemsize}:
                for header in {0, IDX, header_of(data)}:
                    count, rest = divmod(len(data) - header, width * size)
                    if not rest and count > 1:
                        yield name, count


def counts_in(name: str, data: bytes, size: int) -> Iterator[int]:
    """How many parts of so many elements a picture has, each of as many colours as the picture, or grey. What
    is slow to decode is left out."""
    if len(data) > MOST_PICTURE or data.startswith(JPEG):
        return
    for one in pictures(name, data):
        height, width, _ = one.array.shape if one.is_picture else (0, 0, 0)
        for pixels in {size, size // COLOURS}:
            if pixels and height * width > pixels and height * width % pixels == 0:
                yield height * width // pixels


def counted(text: Spoken, batches: Batches, answers: Sequence[Sequence[Any]]) -> str:
    """Returns what a guest writes of all rows of the batches, and not of the items, or "" if it doesn't."""
    numbers = {int(one) for one in chain(*HOW_MANY.findall(text)) if one}
    if batches.all in numbers and batches.count not in text.wholes:
        return f"that they are {batches.all}"
    for each in answers:
        if len(each) != batches.sets or any(len(one) != batches.items for one in each):
            continue
        rows = numpy.concatenate(each)
        if said := tallied(text, rows, batches.count) or averaged(text, rows, batches.count):
            return said
    return ""


def tallied(text: Spoken, rows: Any, count: int) -> str:
    """How often each class is the answer, among all rows."""
    if rows.shape[1] > 1:
        best = rows.argmax(axis=1)
    elif rows.dtype.kind in "iu" and rows.min() >= 0 and rows.max() < MOST_CLASSES:
        best = rows[:, 0]
    else:
        return ""
    classes = max(rows.shape[1], int(best.max()) + 1)
    wrong, right = (numpy.bincount(one, minlength=classes).tolist() for one in (best, best[:count]))
    written = [int(word.value) if word.is_whole else -1 for word in text.words]
    if not is_among(written, wrong) or is_among(written, right):
        return ""
    shown, other = (", ".join(map(str, filter(None, one))) for one in (wrong, right))
    return f"that classes were the answer {shown} times, and not {other}"


def is_among(written: Sequence[int], tally: Sequence[int]) -> bool:
    """Whether the counts of all classes, or of those that there are, stand in a text at equal distances."""
    for wanted in (tally, [one for one in tally if one]):
        reach = len(wanted)
        for step in range(1, MOST_STEP + 1) if reach > 1 else ():
            if any([*written[at::step][:reach]] == [*wanted] for at in range(len(written))):
                return True
    return False


def averaged(text: Spoken, rows: Any, count: int) -> str:
    """The mean or the sum of the answers, of all rows."""
    if rows.shape[1] != 1 or rows.dtype.kind != "f" or not numpy.isfinite(rows).all():
        return ""
    own = rows[:, 0].astype("f8")
    words = [word for word in text.words if word.digits >= DIGITS]
    for what, of in (("mean", numpy.mean), ("sum", numpy.sum)):
        wrong, right = float(of(own)), float(of(own[:count]))
        fitting = [word for word in words if word.fits(wrong) and not word.fits(right)]
        if fitting and not any(word.fits(right) for word in words):
            return f"{fitting[0].text}, the {what} of all rows; of the items it is {right:.6g}"
    return ""


def groups(text: str) -> set[int]:
    """How many lines of one kind a text has: those that begin alike, up to a number, which may be aligned
    with blanks, or have as many words."""
    lines = [line.strip() for line in filled_lines(text)]
    begun = [DIGIT.split(one)[0].rstrip() if DIGIT.search(one) else str(len(one.split())) for one in lines]
    found = Counter(begun)
    return {*found.values()}


def is_left(last: Sequence[Any], rest: int) -> bool:
    """Whether the rows behind the first ones are those of the batch before, or have nothing, and the last of
    the first ones is another."""
    before, now = (one[rest:] for one in last)
    is_other = bool((last[0][rest - 1] != last[1][rest - 1]).any())
    return is_other and bool((before == now).all() or (now == now.flat[0]).all())
