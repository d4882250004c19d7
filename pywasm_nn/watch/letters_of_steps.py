"""Texts that a model gives step by step (CTC): at each step a letter or a blank, where the same letter in
steps that follow each other is one, and the blank is the first or the last class, and in no list of letters.

What is here: `LettersOfSteps`, which compares what a guest writes with what comes of usual mistakes. What is
not: words for the classes of a whole input (`meanings.py`). Source: https://doi.org/10.1145/1143844.1143891
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ..interpreter.runtime.observe import HostEvent
from ..nn.operation import NNEvent
from .follower import Follower
from .spoken import written

Files = Callable[[], Sequence[tuple[str, bytes]]]

MOST_ELEMENTS, MOST_TEXT, MOST_ANSWERS = 1 << 22, 1 << 14, 8
FEWEST_CLASSES, FEWEST_STEPS, SHORTEST = 11, 5, 4
"""Of a model of texts, and of a text that is nowhere by chance."""
LEFT_OUT = 2
"""So many classes may be missing in a list: the blank, and the space."""
REPEATED = (
    "the same letter in steps that follow each other was kept: it is one letter, unless a blank is between"
)
DOUBLED = "blanks were left out before the same letters in a row became one: a letter that is double lost one"
BLANKS = "the blank, class {}, was written as a letter"
BESIDE = "letters are one place {} in {}: its first line is class 1, as class {} is the blank"


class LettersOfSteps(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._paths: list[tuple[str, list[int], int]] = []
        """Of answers: the output, the class of each step, and how many there are."""
        self._text = ""

    def host_call(self, event: HostEvent) -> None:
        if self._paths and len(self._text) < MOST_TEXT:
            self._text += written(event, MOST_TEXT).decode("utf-8", "replace")

    def nn_event(self, event: NNEvent) -> None:
        if event.operation != "compute" or event.error is not None or len(self._paths) >= MOST_ANSWERS:
            return
        for index, (spec, tensor) in enumerate(zip(event.specs, event.tensors, strict=False)):
            shape = [one for one in tensor.shape if one != 1]
            numbers = tensor.numbers() if len(shape) == 2 and tensor.size <= MOST_ELEMENTS else None
            if numbers is None or shape[0] < FEWEST_STEPS or shape[1] < FEWEST_CLASSES:
                continue
            path = numbers.reshape(shape).argmax(axis=1).tolist()
            self._paths.append((f'output {index} "{spec.name}"', path, shape[1]))

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if a text was written that a usual mistake gives, and none that is right."""
        for what, path, classes in self._paths:
            for name, letters in self._lists(classes):
                if said := self._wrong(path, classes, name, letters):
                    yield "answer", f"{what}: {said}"
                    return

    def _lists(self, classes: int) -> Iterator[tuple[str, list[str]]]:
        """Files with a letter in each line, of about as many lines as there are classes."""
        for name, data in self._files():
            lines = data.decode("utf-8", "replace").replace("\r", "").split("\n") if b"\0" not in data else []
            lines = lines[:-1] if lines and not lines[-1] else lines
            if classes - LEFT_OUT <= len(lines) <= classes and max(map(len, lines)) <= LEFT_OUT:
                yield name, lines

    def _wrong(self, path: Sequence[int], classes: int, name: str, lines: Sequence[str]) -> str:
        """What is wrong with the text that was written; "" if it is a right one, or an unknown one."""
        found = ""
        for blank in {0, classes - 1} & {*path}:
            first = 1 if blank == 0 and len(lines) < classes else 0
            right = text_of(path, blank, lines, first)
            if self._has(right):
                return ""
            others = {
                REPEATED: text_of(path, blank, lines, first, is_one=False),
                DOUBLED: text_of([one for one in path if one != blank], blank, lines, first),
                BLANKS.format(blank): text_of(path, -1, lines, first),
            }
            for by, side in ((1, "late"), (-1, "early")) if first else ():
                others[BESIDE.format(side, name, blank)] = text_of(path, blank, lines, first - by)
            said = next((said for said, text in others.items() if text != right and self._has(text)), "")
            found = found or (said and f"{said}; as it is meant the text is {right[:60]!r}")
        return found

    def _has(self, text: str) -> bool:
        """Whether a text was written. Of spaces, which are in few lists, guests make what they like."""
        own = "".join(text.split())
        return len(own) >= SHORTEST and own in "".join(self._text.split())


def text_of(path: Sequence[int], blank: int, lines: Sequence[str], first: int, *, is_one: bool = True) -> str:
    """The text of a class for each step: `first` is the class of the first line, and those that have no line
    are spaces behind the last. `is_one`: the same in steps that follow each other is one."""
    steps = [one for one, _ in groupby(path)] if is_one else path
    places = [one - first for one in steps if one != blank]
    return "".join(lines[one] if 0 <= one < len(lines) else " " if one >= 0 else "" for one in places)
