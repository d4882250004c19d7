"""How many answers are right, by labels in a file that the guest read at other places than they stand.

What is here: `Miscounted`, which compares the largest elements of all answers with the labels, and with what
usual mistakes make of these. What is not: what a guest says of each answer (`sayings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..regex import regex
from ..sheets.sheet import sheet_of
from ..spoken import Heard, Word, filled_lines
from ..surroundings import Files

HEADER, BEGINS = 8, b"\0\0\x08\x01"
FEWEST, MOST, FEWEST_CLASSES, MOST_CLASSES, MOST_BYTES = 10, 1 << 14, 3, 1000, 1 << 20
AGREED, FEW = 0.7, 0.6
"""The part of the answers that the labels agree with, and the most of these that the guest counts."""
COUNTED = regex(r"(?<![\w.])(\d+)(?:\s*/\s*|\s+(?:out )?of\s+)(\d+)(?![\w]|\.\d)")
OF_RIGHT = regex(r"\b(?:right|correct\w*|accura\w*|acc|match\w*|hits?|score|agree\w*|ok)\b", re.IGNORECASE)
OF_OTHERS = regex(
    r"\b(?:wrong|errors?|mistakes?|miss\w*|fail\w*|false|unsure|uncertain|doubt\w*|reject\w*|unknown|skip\w*"
    r"|ambiguous|review\w*|low)\b",
    re.IGNORECASE,
)
"""A line with one of these words counts answers that are none of the right ones."""
PART = regex(r"(?<![\w.])(\d{1,3}(?:\.\d+)?) ?%|(?<![\w.])([01]?\.\d+)(?![\w]|\.\d)")


class Miscounted(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._answers: dict[int, list[int]] = {}
        """By an output's index, the places of the largest elements."""
        self._classes: dict[int, int] = {}
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        tensor, index = event.tensors[0], event.index or 0
        count = tensor.shape[-1] if tensor.shape else 0
        kept = self._answers.setdefault(index, [])
        if not FEWEST_CLASSES <= count <= MOST_CLASSES or tensor.nbytes > MOST_BYTES or len(kept) >= MOST:
            return
        numbers = tensor.numbers() if self._classes.setdefault(index, count) == count else None
        if numbers is not None and numbers.dtype.kind == "f":
            kept += numbers.reshape(-1, count).argmax(axis=1).tolist()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        if not OF_RIGHT.search(text):
            return
        for index, kept in self._answers.items():
            count = self._classes.get(index, 0)
            for name, data in self._files() if FEWEST <= len(kept) <= MOST else ():
                for labels, before in labels_in(name, data, len(kept), count):
                    if wrong := miscounted(numpy.array(kept), labels, before, text, name):
                        yield "answer", f"output {index}: {wrong}"
                        return


def labels_in(name: str, data: bytes, count: int, classes: int) -> Iterator[tuple[Any, Any]]:
    """The labels in a file, at least so many and of so many classes, and what stands before the first one."""
    if data.startswith(BEGINS):
        labels = numpy.frombuffer(data, "u1").astype("i8")
        yield labels[HEADER:], labels[:HEADER]
        return
    sheet = sheet_of(name, data)
    columns = list(sheet.numbers.T) if sheet is not None else []
    lines = filled_lines(data.decode("utf-8", "replace")) if b"\0" not in data[:MOST_BYTES] else []
    if not columns and lines and all(one.strip().isdecimal() for one in lines[1:]):
        columns = [numpy.array([float(one) for one in lines[not lines[0].strip().isdecimal() :]])]
    for column in columns[:1] + columns[-1:]:
        if len(column) >= count and all(0 <= one <= classes and one % 1 == 0 for one in column.tolist()):
            yield column.astype("i8"), numpy.zeros(1, "i8")


def miscounted(answers: Any, labels: Any, before: Any, text: str, name: str) -> str:
    """Returns what is wrong with how many answers are said to be right, or "" if nothing is. `before` is what
    the file has in front of its labels."""
    count = len(answers)
    if len(labels) < count or len(numpy.unique(labels[:count])) < FEWEST_CLASSES:
        return ""
    first = max((0, 1), key=lambda one: int((answers + one == labels[:count]).sum()))
    right = int((answers + first == labels[:count]).sum())
    said = said_of(text, count)
    if right < AGREED * count or not said:
        return ""
    if any(fits(one, right, count) or fits(one, count - right, count) for one in said):
        return ""
    shown = f"answers are as the labels of {name} say"
    whole = numpy.concatenate([before, labels])
    for at in range(2 * len(before) + 1):
        there = whole[at : at + count]
        own = int((answers + first == there).sum()) if len(there) == count else count
        if at != len(before) and own <= FEW * right and any(fits(one, own, count) for one in said):
            unit = "bytes" if len(before) > 1 else "line"
            side = "early" if at < len(before) else "late"
            asked = "" if at else ": is the header (or heading) in front of them passed over?"
            return (
                f"{right} of {count} {shown}, and the guest counts {own} right, as if it read these labels "
                f"{abs(at - len(before))} {unit} too {side}{asked}"
            )
    plain = int((answers == labels[:count]).sum())
    if first and plain <= FEW * right and any(fits(one, plain, count) for one in said):
        return (
            f"{right} of {count} {shown}, if 1 is taken away from these: they count the classes from 1, and "
            f"the guest counts {plain} right"
        )
    return ""


def said_of(text: str, count: int) -> list[Word]:
    """How many of all answers are right, in words of a text: as a number, a share or percents."""
    found = []
    for line in text.splitlines():
        if not OF_OTHERS.search(line):
            found += [Word.of(one) for one, all_of in COUNTED.findall(line) if int(all_of) == count]
        if OF_RIGHT.search(line):
            found += [Word.of(percent or share) for percent, share in PART.findall(line)]
    return found


def fits(word: Word, right: int, count: int) -> bool:
    """Whether a number stands for so many right ones of all."""
    if word.is_whole and word.value == right:
        return True
    return any(bool(word.fits(by * right / count)) for by in (1.0, 100.0) if not word.is_whole or by > 1)
