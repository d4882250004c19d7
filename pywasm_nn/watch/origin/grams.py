"""Counts or shares of the n-grams of letters of a text, by a list of n-grams that the guest read: what a text
or the list lost before they were counted.

What is here: `grams_in`, the n-grams of a list, and `Grams`. What is not: words (`bags.py`), and
counts where the model wants shares (`whatif/gram_shares.py`).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...nn.tensor import Tensor
from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import text_in

FEWEST, MOST, LONGEST = 40, 1 << 13, 6
"""N-grams of a list, and characters of each."""
SHORT = 0.8
"""The part of a list that has at most so many characters."""
MOST_BYTES, MOST_TEXTS, MOST_LETTERS = 1 << 18, 64, 2000
LOOKS = 6
"""So many inputs are looked at."""
FEWEST_COUNTED = 12
"""Fewer n-grams are in many texts."""
LIKE, OTHER = 0.97, 0.9
"""The least part of the n-grams that are in common with a text's, and the most with the text as it is."""
EXACT, NEARLY = 0.999, 0.97
"""The part that must be in common if a text as it is has more than `OTHER` in common, and the part from which
on a text is sent as it is."""
BLANKS = regex(r"\s+")
STRIPPED = (
    'the list has n-grams with blanks, such as "{}", and they were read without them: is each line read as a '
    "whole (%s and strip take blanks away)?"
)


@lru_cache(8)
def grams_in(data: bytes) -> tuple[str, ...]:
    """Returns the n-grams in the bytes of a file, one in each line, or () if it is another file."""
    lines = text_in(data, MOST_BYTES).replace("\r", "").removesuffix("\n").split("\n")
    if not FEWEST <= len(lines) <= MOST or len({*lines}) < len(lines) or "" in lines:
        return ()
    short = sum(len(one) <= LONGEST for one in lines)
    are_several = len({*map(len, lines)}) > 1 or all(len(one) > 1 for one in lines)
    are_letters = sum(one.strip().isalpha() or " " in one.strip() for one in lines)
    return tuple(lines) if min(short, are_letters) >= SHORT * len(lines) and are_several else ()


class Grams:
    """Gives a sentence for each input, once."""

    def __init__(self) -> None:
        self._looked: Counter[Any] = Counter()

    def wrong(self, key: Any, tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with the n-grams that an input counts, or "" if nothing is."""
        numbers = tensor.numbers() if tensor.shape and FEWEST <= tensor.shape[-1] <= MOST else None
        if numbers is None or not numbers.size or numbers.dtype.kind != "f" or tensor.nbytes > 8 * MOST:
            return ""
        row = numbers.reshape(-1, tensor.shape[-1])[0]
        counted = frozenset((row != 0).nonzero()[0].tolist())
        if len(counted) < FEWEST_COUNTED or row.min() < 0 or self._looked[key] >= LOOKS:
            return ""
        for name, data in files:
            grams = grams_in(data) if len(data) <= MOST_BYTES else ()
            if len(grams) != len(row):
                continue
            self._looked[key] += 1
            texts = [text_in(one, MOST_BYTES) for other, one in files if other != name]
            lines = [line for text in texts for line in filled_lines(text)][:MOST_TEXTS]
            if said := lost(grams, lines, counted):
                self._looked[key] = LOOKS
                return f"by the n-grams of {name}, {said}"
        return ""


def lost(grams: Sequence[str], lines: Sequence[str], counted: frozenset[int]) -> str:
    """Returns what one of the lines, or the list, has lost, or "" if the n-grams are those of a line as it
    is, or of none."""
    places = Places(grams)
    best = max((places.alike(counted, plain) for line in lines for plain in cleaned(line)), default=0.0)
    if best > NEARLY:
        return ""
    like = LIKE if best <= OTHER else EXACT
    letters = {*"".join(grams)}
    for line in lines:
        for said, text in readings(line, letters):
            if any(
                places.alike(counted, plain) >= like for plain in cleaned(text, lower="capital" not in said)
            ):
                return f'of "{line[:24].strip()}" {said}'
    with_blanks = [one for one in grams if one.split() != [one]]
    for bare in (str.strip, first_word) if with_blanks else ():
        read = Places([bare(one) for one in grams])
        if any(places.alike(counted, plain, read) >= like for line in lines for plain in cleaned(line)):
            return STRIPPED.format(next(filter(str.strip, with_blanks), " "))
    return ""


def first_word(text: str) -> str:
    """The word that scanf's %s reads of a line."""
    return next(iter(text.split()), "")


class Places:
    """The places of n-grams in a list."""

    def __init__(self, grams: Sequence[str]) -> None:
        self.places: dict[str, list[int]] = {}
        for at, one in enumerate(grams):
            self.places.setdefault(one, []).append(at)
        self.lengths = sorted({*map(len, grams)} - {0})

    def alike(self, counted: frozenset[int], text: str, others: Places | None = None) -> float:
        """How many n-grams of a text were counted, and how many that were are the text's, as a part of all of
        both. `others`: by these places."""
        own = (others or self).of(text)
        return len(own & counted) / max(1, len(own | counted))

    def of(self, text: str) -> set[int]:
        """The places of a text's n-grams."""
        found: set[int] = set()
        for length in self.lengths:
            for at in range(len(text) - length + 1):
                found.update(self.places.get(text[at : at + length], ()))
        return found


def readings(line: str, letters: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each way in which a line may have been cut, in words, and the rest of the line. `letters` are those of
    the list."""
    others = [one for one in line if ord(one) > 127 and one.lower() in letters]
    if others:
        shown = ", ".join(f'"{one}"' for one in dict.fromkeys(others[:3]))
        yield (
            f"letters beyond ASCII ({shown}) were left out: does isalpha (or [a-z]) know ASCII alone?",
            "".join(one for one in line if ord(one) < 128),
        )
        yield (
            f"marks were taken off letters ({shown}), and the list has letters with marks",
            "".join(one for one in unicodedata.normalize("NFKD", line) if not unicodedata.combining(one)),
        )
    if line != line.lower() and not any(one != one.lower() for one in letters):
        yield "capitals were not made small, as the list's letters are", line


def cleaned(line: str, *, lower: bool = True) -> Iterator[str]:
    """A line as programs count it: letters alone, other signs as blanks or left out, and a blank at each end
    or none."""
    text = line[:MOST_LETTERS]
    text = text.lower() if lower else text
    for other in ("", " "):
        made = "".join(
            one if one.isalpha() or is_mark(one) else " " if one in " \t-" else other for one in text
        )
        plain = BLANKS.sub(" ", made).strip()
        yield f" {plain} "
        yield plain
    yield text


def is_mark(one: str) -> bool:
    """Whether a character is a mark on the letter before, as many scripts have them."""
    return unicodedata.category(one)[0] == "M"
