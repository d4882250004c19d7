"""Counts of a text's words that are all 0, though the text has words of the list, and counts of letters and
the like that are, of texts that have capitals alone.

What is here: `Uncounted`. What is not: counts of some words (`origin.bags`), and numbers of words
(`origin.vocabulary`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...nn.tensor import Tensor
from ..budget import Left, always
from ..origin.bags import FEWEST, FEWEST_COUNTED, MOST, WORD, Lexicon, lexicon_in
from ..spoken import filled_lines
from ..surroundings import Files, text_in

MOST_WORDS, SHOWN, MOST_LOOKS = 4000, 3, 4
FEWEST_TEXTS, MOST_BYTES, FEWEST_LETTERS, DIFFERENT = 2, 1 << 16, 40, 10
"""The guest must send `FEWEST_TEXTS` inputs of zeros or more, and a text has at least as many lines, and at
most `MOST_BYTES`. Of its `FEWEST_LETTERS` letters or more `DIFFERENT` differ: sequences of genes have
four."""


class Uncounted:
    """Gives sentences when the guest has ended, of inputs in which no word was ever counted."""

    def __init__(self, files: Files, arguments: Sequence[str] = ()) -> None:
        self._files, self._arguments = files, arguments
        self._found: dict[Any, str] = {}
        self._looked: Counter[Any] = Counter()
        self._empty: dict[Any, tuple[str, int]] = {}
        """Maps an input to its name and size, and to how often the guest sent zeros."""

    def set(self, key: Any, name: str, tensor: Tensor, left: Left = always) -> None:
        """An input was set."""
        numbers = tensor.numbers() if tensor.size <= MOST else None
        if numbers is None or self._found.get(key) == "":
            return
        if numbers.any():
            self._found[key] = ""
            return
        self._empty[key] = f"{name}: all {numbers.size:,} elements", self._empty.get(key, ("", 0))[1] + 1
        if key not in self._found and self._looked[key] < MOST_LOOKS and left():
            self._looked[key] += 1
            if said := none_counted(self._files(), self._arguments, tensor):
                self._found[key] = f"{name}: {said}"

    @property
    def is_known(self) -> bool:
        """Whether it is known why an input is empty."""
        return any(self._found.values()) or any(self._in_capitals())

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with inputs, when the guest has ended."""
        yield from filter(None, self._found.values())
        yield from self._in_capitals()

    def _in_capitals(self) -> Iterator[str]:
        """Yields what is wrong with inputs that are all zeros, if the text has no small letter."""
        for key, (what, count) in self._empty.items():
            if key not in self._found and (file := in_capitals(self._files(), count)):
                yield (
                    f"{what} of {count} inputs are 0, and {file} has capitals alone: is it to be made lower "
                    "case before its letters or words are looked up?"
                )


def in_capitals(files: Sequence[tuple[str, bytes]], count: int) -> str:
    """Returns the name of the only text of so many lines or more, if it is in capitals alone, or ""."""
    found = [(name, text) for name, data in files if (text := text_in(data, MOST_BYTES)).strip()]
    found = [(name, text) for name, text in found if len(filled_lines(text)) >= count]
    letters = [one for _, text in found for one in text if one.isalpha()]
    is_of_words = len(letters) >= FEWEST_LETTERS and len({*letters}) >= DIFFERENT
    if count < FEWEST_TEXTS or len(found) != 1 or not is_of_words or any(one.islower() for one in letters):
        return ""
    name, text = found[0]
    return name if all(" " in line.strip() for line in filled_lines(text)) else ""


@lru_cache(8)
def lexicon_of(data: bytes) -> Lexicon | None:
    return lexicon_in(data)


def none_counted(files: Sequence[tuple[str, bytes]], arguments: Sequence[str], tensor: Tensor) -> str:
    """Returns what is wrong with an input of zeros, if it has an element for each word of a list that was
    read, and a text has some of these, or "" if that is not so."""
    numbers = tensor.numbers()
    if numbers is None or numbers.size < FEWEST or not tensor.shape or numbers.any():
        return ""
    for name, data in files:
        lexicon = lexicon_of(data)
        if lexicon is None or len(lexicon.words) != tensor.shape[-1]:
            continue
        others = [(one, text.decode("utf-8", "replace")) for one, text in files if text != data]
        for other, text in (*others, ("the arguments", " ".join(arguments))):
            words = WORD.findall(text)[:MOST_WORDS]
            plain = [*dict.fromkeys(one for one in words if one in lexicon.words)]
            lower = [*dict.fromkeys(one for one in map(str.lower, words) if one in lexicon.words)]
            if len(lower) < FEWEST_COUNTED:
                continue
            shown = ", ".join(f'"{one}"' for one in (plain or lower)[:SHOWN])
            ends = "CR LF" if b"\r\n" in data else "a line feed"
            why = f"do the list's words keep the ends of their lines ({ends})?"
            if len(plain) < FEWEST_COUNTED:
                why = "is it not made lower case, as the list is?"
            return (
                f"all elements are 0, one for each word of {name}, though {other} has {len(lower)} of these "
                f"({shown} ...): {why}"
            )
    return ""
