"""A text that a guest makes of rows of letters (CTC, as of OCR and speech), read as the answer says and as
mistakes read it.

What is here: `Recognised`, which compares these with what is written, and `letter_lists`. What is not:
answers that copies of the guest get (`probes/sequences.py`), which are few where answers are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ..interpreter.runtime.observe import HostEvent
from ..nn.operation import NNEvent
from .follower import Follower
from .spoken import written

MOST_BYTES, LONGEST_ENTRY, MOST_TEXT = 1 << 18, 8, 4096
MOST_ELEMENTS, FEWEST_STEPS, FEWEST_CLASSES = 1 << 22, 8, 8
MOST_LOOKS = 16
"""Answers that are compared."""
MOST_DIMENSIONS = 3
"""Of steps and classes: [batch, steps, classes] in any order. A map has more."""
MOST_MORE = 2
"""Classes beyond the letters of a list: the blank, and a space."""
FEWEST = 4
"""Letters of a text that is no chance."""
Files = Callable[[], Sequence[tuple[str, bytes]]]


def letter_lists(files: Sequence[tuple[str, bytes]], classes: int) -> list[tuple[str, list[str]]]:
    """Files with about one short line, or letter, for each class."""
    found = []
    for name, data in files:
        if len(data) > MOST_BYTES or b"\0" in data:
            continue
        lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
        letters = [line.removesuffix("\r") for line in lines] if len(lines) > 1 else [*lines[0]]
        if 0 <= classes - len(letters) <= MOST_MORE and all(len(one) <= LONGEST_ENTRY for one in letters):
            found.append((name, letters))
    return found


class Recognised(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._answer: Any = None
        self._what = ""
        self._wrong = ""
        self._looked = 0
        self._text = bytearray()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        self._compare()
        self._answer = None
        tensor = event.tensors[0]
        lengths = [length for length in tensor.shape if length != 1]
        rows = len(lengths) == 2 and lengths[0] >= FEWEST_STEPS and lengths[1] >= FEWEST_CLASSES
        if rows and len(tensor.shape) <= MOST_DIMENSIONS and tensor.size <= MOST_ELEMENTS:
            numbers = tensor.numbers()
            self._answer = None if numbers is None else numbers.reshape(lengths).copy()
            self._what = f'output {event.index or 0} "{event.specs[0].name}"'

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answer is not None:
            self._text += written(event, MOST_TEXT - len(self._text))

    def _compare(self) -> None:
        """Compare the last answer with what was written since."""
        answer, text = self._answer, self._text.decode("utf-8", "replace")
        self._text.clear()
        if answer is None or self._wrong or not text.strip() or self._looked >= MOST_LOOKS:
            return
        self._looked += 1
        self._wrong = misread(answer, letter_lists(self._files(), answer.shape[1]), text)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        self._compare()
        if self._wrong:
            yield "answer", f"{self._what}: {self._wrong}"


class Letters:
    """The letter of each class: those of a list, beside which class `blank` is none."""

    def __init__(self, name: str, letters: Sequence[str], classes: int, blank: int) -> None:
        self.name, self.blank = name, blank
        self._letters = letters
        self._first = 1 if blank == 0 and len(letters) < classes else 0

    def text(self, classes: Sequence[int], *, by: int = 0, merged: bool = True, early: bool = False) -> str:
        """What classes spell. `by`: letters are taken so far behind their own; `merged`: those that repeat
        are one; `early`: also those between which a blank was."""
        kept = [one for one in classes if one != self.blank] if early else classes
        kept = [one for one, _ in groupby(kept)] if merged else kept
        return "".join(self._letter(one - self._first + by) for one in kept if one != self.blank)

    def _letter(self, place: int) -> str:
        if place == len(self._letters):
            return " "  # which lists often leave out
        return self._letters[place] if 0 <= place < len(self._letters) else ""


def misread(answer: Any, lists: Sequence[tuple[str, list[str]]], text: str) -> str:
    """What is wrong with how an answer, [steps, classes], is read; "" if nothing is known to be."""
    classes = answer.shape[1]
    best = answer.argmax(axis=1).tolist()
    ways = [Letters(name, letters, classes, blank) for name, letters in lists for blank in (0, classes - 1)]
    rights = {one.text(best).strip() for one in ways} - {""}
    if any(one in text for one in rights):
        return ""
    for letters in ways:
        if len(letters.text(best).strip()) < FEWEST or best.count(letters.blank) == 0:
            continue
        for said, read in readings(letters, answer, best):
            if len(read.strip()) >= FEWEST and len({*read}) >= FEWEST and read.strip() in text:
                return (
                    f'the guest says "{read.strip()}", which is what {said}; rightly read it is '
                    f'"{letters.text(best).strip()}"'
                )
    return ""


def readings(letters: Letters, answer: Any, best: Sequence[int]) -> Iterator[tuple[str, str]]:
    """What mistakes make of an answer, each in words."""
    classes = answer.shape[1]
    yield (
        "comes if letters at steps in a row are not merged, which a blank has to be between (CTC)",
        letters.text(best, merged=False),
    )
    yield (
        "comes if blanks are taken away before letters that repeat are merged (CTC merges first)",
        letters.text(best, early=True),
    )
    for by, way in ((1, "behind"), (-1, "before")):
        yield (
            f"comes if each class is the letter {way} its own in {letters.name}: class {letters.blank} is "
            "the blank, for which the list has a place or not",
            letters.text(best, by=by),
        )
    for length in (classes - 1, classes + 1, classes - 2, classes + 2):
        rows = answer.reshape(-1)[: answer.size // length * length].reshape(-1, length)
        yield (
            f"comes if rows of the answer had {length} elements; they have {classes}",
            letters.text(rows.argmax(axis=1).tolist()),
        )
