"""Two kinds of files, each named after what it shows, of which a guest says the other one's name.

What is here: `Crosswise`, for models of two classes whose answers to the files are sure and differ. What is
not: more classes, whose names are in a list (`by_files.py`), and lines of a file (`meanings.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.comparing import are_shares
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files

SURE, CLASSES, MOST_BYTES, MOST_FILES = 0.7, 2, 64, 64
"""The least share of a sure answer, the number of classes, the most bytes of an answer, and the most files
that are looked at."""
WORD = regex(r"[^\W\d_]+")
SHORTEST, LONGEST = 2, 40
"""The fewest letters of a word that names a file, and the most of a line that is shown."""
COMMON = frozenset(
    {"in", "out", "on", "off", "to", "at", "of", "is", "it", "by", "or", "an", "as", "no", "yes"}
)
"""Words that may stand in any line."""
ALSO = {"up": "upright", "down": r"upside[ -]?down"}
"""Patterns of other words for the same."""
DENIALS = regex(r"\b(?:no|not|non|never|without|nor|neither|isn|than|from|to)\b|n't\b", re.IGNORECASE)
"""Words of a line that may deny what it says, or say it of something else."""


ACTIONS = (
    "turn|steer|go|move|swerve|avoid|veer|lean|push|pull|press|switch|drive|step|tilt|roll|rotate|play"
    "|choose|use|take|put|keep"
)
"""Behind one of these, a word says what is to be done, and not what there is."""


class Crosswise(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._classes: set[int] = set()
        """Those of the answers so far."""
        self._others = False
        """Whether an answer was unsure, or has other elements than the shares of two classes."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is None and event.operation.startswith("get_output") and event.tensors:
            tensor = event.tensors[0]
            numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
            found = class_of(numbers.reshape(-1)) if numbers is not None else None
            if found is None:
                self._others = True
            else:
                self._classes.add(found)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._classes:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if self._others or len(self._classes) < CLASSES:
            return
        names = [PurePosixPath(name).name for name, _ in self._files() if KNOWN.of_file(name) is None]
        if wrong := exchanged([*dict.fromkeys(names)][:MOST_FILES], filled_lines(self._heard.text)):
            yield "answer", wrong


def class_of(shares: Any) -> int | None:
    """The class of a sure answer of one or two shares, or None for others."""
    if shares.dtype.kind != "f" or shares.size not in (1, CLASSES):
        return None
    if not 0 <= shares.min() <= shares.max() <= 1 or (shares.size > 1 and not are_shares(shares)):
        return None
    second = float(shares[-1])
    return int(second > 0.5) if max(second, 1 - second) >= SURE else None


def exchanged(names: Sequence[str], lines: Sequence[str]) -> str:
    """Returns what is wrong if all files are named after one of two words, and of each the other one is
    said, or "" if that is not so."""
    said = said_of_each(names, lines)
    words = {name: {*words_of(PurePosixPath(name).stem)} for name in said}
    counts, text = Counter(word for own in words.values() for word in own), "\n".join(said.values())
    kinds = {word for word, count in counts.items() if count < len(said) and says(text, word)}
    if len(kinds) != CLASSES or any(len(own & kinds) != 1 for own in words.values()):
        return ""
    shown: dict[str, str] = {}
    """By kind, what is said of a file."""
    for name, line in said.items():
        (own,), (other,) = words[name] & kinds, kinds - words[name]
        if DENIALS.search(line) or says(line, own) or not says(line, other) or is_done(line, other):
            return ""
        shown[own] = f'"{line.strip()[:LONGEST]}" of {name}'
    return (
        f"the guest writes {' and '.join(shown.values())}, and so of all {len(said)} files the word after "
        "which the others are named: are the two classes exchanged?"
    )


def said_of_each(names: Sequence[str], lines: Sequence[str]) -> Mapping[str, str]:
    """What else stands in the only line with a file's name, by the name; {} if a name is in several lines."""
    found: dict[str, str] = {}
    for name in names:
        own = re.compile(rf"(?:[^\s:]*/)?{re.escape(name)}(?![\w.])[:,]?")
        with_name = [line for line in lines if own.search(line)]
        if len(with_name) > 1:
            return {}
        if with_name:
            found[name] = own.sub("", with_name[0])
    return found


def words_of(text: str) -> list[str]:
    return [
        word.lower() for word in WORD.findall(text) if len(word) >= SHORTEST and word.lower() not in COMMON
    ]


def says(text: str, word: str) -> bool:
    """Whether a word stands in a text."""
    return re.search(ways_of(word), text, re.IGNORECASE) is not None


def is_done(text: str, word: str) -> bool:
    """Returns whether a word says in a text what is to be done: left is the way around what is on the
    right."""
    return re.search(rf"\b(?:{ACTIONS})\W+(?:\w+\W+)?{ways_of(word)}", text, re.IGNORECASE) is not None


def ways_of(word: str) -> str:
    """Returns a pattern that matches a word, and others for the same."""
    ways = "|".join(filter(None, (rf"{re.escape(word)}s?", ALSO.get(word))))
    return rf"(?<![^\W_])(?:{ways})(?![^\W_])"
