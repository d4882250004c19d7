"""A text that a guest makes of rows of letters (CTC, as of OCR and speech), read as the answer says and as
mistakes read it.

At each step such a model gives a letter or the blank. The same letter in steps that follow each other is one,
and the blank, which is the first or the last class, is left out after that. Source:
https://doi.org/10.1145/1143844.1143891

What is here: `Recognised`, which compares these with what is written, and `letter_lists`. What is not:
answers that copies of the guest get (`probes/sequences.py`), which are few where answers are long, and words
for the classes of a whole input (`meanings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..spoken import Heard
from ..surroundings import Files, text_in
from .at_steps import MOST_ELEMENTS, outputs_of_steps

MOST_BYTES, LONGEST_ENTRY, MOST_ANSWERS = 1 << 18, 8, 16
STEPS, CLASSES = range(5, MOST_ELEMENTS), range(8, MOST_ELEMENTS)
MOST_MORE = 2
"""Classes beyond the letters of a list: the blank, and a space."""
FEWEST, DIFFERENT, VERY_DIFFERENT = 4, 2, 4
"""The fewest letters of a text that is no chance, how many of these differ, and how many do in a text of the
letters beside, or of rows that are cut otherwise, which are many texts."""
MISSING, SHOWN = "\0", 60
"""Stands for a letter that is in no list, and so many letters of a text are shown."""
FEWEST_SPACES = 2
"""So many spaces more than an answer has come from no other mistake."""
MOST_GAPS = 3
"""To one gap in a text there are at least so many letters."""
INSTEAD = ".{0,12}"
"""What a guest writes for a letter that it doesn't have: nothing, a space, "(null)", "undefined"."""
MEMORY = ".{0,256}?"
"""What a guest writes for it that reads behind the end of its list: whatever lies there in memory. This is
only searched for between enough letters."""


def letter_lists(files: Sequence[tuple[str, bytes]], classes: int) -> list[tuple[str, list[str]]]:
    """Files with about one short line, or letter, for each class."""
    found = []
    for name, data in files:
        lines = text_in(data, MOST_BYTES).removesuffix("\n").split("\n")
        letters = [line.removesuffix("\r") for line in lines] if len(lines) > 1 else [*lines[0]]
        if 0 <= classes - len(letters) <= MOST_MORE and all(len(one) <= LONGEST_ENTRY for one in letters):
            found.append((name, letters))
    return found


class Steps(Frozen):
    """An output, how many classes it has, and the best class of each of its steps. `otherwise` has these as
    mistakes find them, by what is said of such a mistake."""

    what: str
    classes: int
    best: tuple[int, ...]
    otherwise: Mapping[str, tuple[int, ...]]


class Recognised(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._answers: list[Steps] = []
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        left = MOST_ANSWERS - len(self._answers)
        for what, numbers in islice(outputs_of_steps(event, STEPS, CLASSES), left):
            best = tuple(numbers.argmax(axis=1).tolist())
            self._answers.append(Steps(what, numbers.shape[1], best, otherwise(numbers)))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text if self._answers else ""
        for steps in self._answers if text.strip() else ():
            if wrong := misread(steps, letter_lists(self._files(), steps.classes), text):
                yield "answer", f"{steps.what}: {wrong}"
                return


def otherwise(numbers: Any) -> dict[str, tuple[int, ...]]:
    """The best classes that mistakes find in an answer [steps, classes], by what is said of each."""
    (steps, classes), flat = numbers.shape, numbers.reshape(-1)
    found = {
        f"rows of the answer had {length} elements; they have {classes}": flat[: flat.size // length * length]
        .reshape(-1, length)
        .argmax(axis=1)
        for length in (classes - 1, classes + 1, classes - 2, classes + 2)
    }
    if steps != classes:
        said = f"its {steps} rows of {classes} were {classes} rows of {steps}, and the largest of each column"
        found[f"{said} were searched (along the wrong axis)"] = flat.reshape(classes, steps).argmax(axis=0)
    return {said: tuple(best.tolist()) for said, best in found.items()}


class Letters:
    """The letter of each class: those of a list, beside which class `blank` is none."""

    def __init__(self, name: str, letters: Sequence[str], classes: int, blank: int) -> None:
        self.name, self.blank = name, blank
        self._letters = letters
        self._first = 1 if blank == 0 and len(letters) < classes else 0

    def text(
        self,
        classes: Sequence[int],
        *,
        by: int = 0,
        merged: bool = True,
        early: bool = False,
        blanks: bool = False,
    ) -> str:
        """Returns what classes spell. `by`: letters are taken so far behind their own; `merged`: those that
        repeat are one; `early`: also those between which a blank was; `blanks`: the blank is a letter,
        too."""
        kept = [one for one in classes if one != self.blank] if early else classes
        kept = [one for one, _ in groupby(kept)] if merged else kept
        return "".join(self._letter(one - self._first + by) for one in kept if blanks or one != self.blank)

    @property
    def has_blank(self) -> bool:
        """Whether the list has a letter for the blank."""
        return self._letter(self.blank - self._first) != MISSING

    def _letter(self, place: int) -> str:
        if place == len(self._letters):
            return " "  # which lists often leave out
        return self._letters[place] if 0 <= place < len(self._letters) else MISSING


def misread(steps: Steps, lists: Sequence[tuple[str, list[str]]], spaced: str) -> str:
    """Returns what is wrong with how an answer was read by a guest that wrote a text, or "" if nothing is."""
    text = "".join(spaced.split())
    ends = sorted({0, steps.classes - 1} & {*steps.best}, key=steps.best.count, reverse=True)
    ways = [Letters(name, letters, steps.classes, blank) for blank in ends for name, letters in lists]
    if any(is_in(one.text(steps.best), text, 1) for one in ways):
        return next(filter(None, (unmerged_spaces(one, steps, spaced) for one in ways)), "")
    for letters in ways:
        right = letters.text(steps.best)
        for said, read, least in readings(letters, steps):
            if read != right and len(squeezed(read)) >= FEWEST and is_in(read, text, least):
                return (
                    f'the guest says "{shown(read)}", which is what {said}; rightly read it is '
                    f'"{shown(right)}"'
                )
    return ""


def unmerged_spaces(letters: Letters, steps: Steps, text: str) -> str:
    """Returns what is wrong with a text of which only the spaces were not merged, exactly those that repeat,
    or "" if others were written, too."""
    right, read = (letters.text(steps.best, merged=merged).strip() for merged in (True, False))
    more, is_known = len(read) - len(right), MISSING not in read and len({*squeezed(read)}) >= VERY_DIFFERENT
    if more < FEWEST_SPACES or not is_known or read.split() != right.split():
        return ""
    if read not in text or right in text:
        return ""
    return (
        f'the guest says "{read[:SHOWN]}", with {more} spaces more than the answer has: letters at steps '
        "in a row are not merged, which a blank has to be between (CTC)"
    )


def readings(letters: Letters, steps: Steps) -> Iterator[tuple[str, str, int]]:
    """Yields what mistakes make of an answer: each in words, its text, and how many letters of it must
    differ."""
    best = steps.best
    yield (
        "comes if letters at steps in a row are not merged, which a blank has to be between (CTC)",
        letters.text(best, merged=False),
        DIFFERENT,
    )
    yield (
        "comes if blanks are taken away before letters that repeat are merged (CTC merges first)",
        letters.text(best, early=True),
        DIFFERENT,
    )
    if letters.has_blank:
        yield (
            f"comes if the blank, class {letters.blank}, is written as a letter",
            letters.text(best, blanks=True),
            DIFFERENT,
        )
    for by, way in ((1, "behind"), (-1, "before")):
        yield (
            f"comes if each class is the letter {way} its own in {letters.name}: class {letters.blank} is "
            "the blank, for which the list has a place or not",
            letters.text(best, by=by),
            VERY_DIFFERENT,
        )
    for said, classes in steps.otherwise.items():
        yield f"comes if {said}", letters.text(classes), VERY_DIFFERENT


def is_in(read: str, text: str, least: int) -> bool:
    """Whether a text was written, of which so many letters differ at least. Of spaces, which are in few
    lists, and of letters that are missing there, guests make what they like."""
    if len({*squeezed(read)}) < least:
        return False
    if read.count(MISSING) > len(squeezed(read)) // MOST_GAPS:
        return False
    parts = "".join(read.split()).split(MISSING)
    between = MEMORY if min(map(len, parts)) >= FEWEST else INSTEAD
    return re.search(between.join(map(re.escape, parts)), text) is not None


def squeezed(read: str) -> str:
    """The letters of a text that are known, without spaces."""
    return "".join(read.replace(MISSING, "").split())


def shown(read: str) -> str:
    return read.replace(MISSING, " ").strip()[:SHOWN]
