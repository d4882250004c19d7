"""Rows of classes that are letters (CTC, as of OCR and speech): are blanks and repeats taken away, and is
each class the right letter?

What is here: `misread`. Answers are made of blanks and few letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..written.at_steps import MOST_DIMENSIONS
from ..written.recognised import letter_lists
from .asked import Asked, Given, OneOutput

FEWEST_STEPS, FEWEST_CLASSES = 8, 8
ALPHABET = 27
"""Fewer classes may be kinds of what happens at a time, of which each time is written."""
MOSTLY = 0.3
"""The part of the steps that are blank, at least."""
NO_LETTER = regex(r"[-_#~\s\u00b7\u03b5]?$|\W*(?:blank|pad|none)\W*$", re.IGNORECASE)


def misread(asked: Asked) -> str:
    """Returns what is wrong with the text that a guest makes of letters, or "" if nothing is."""
    for index, output in rows_of_classes(asked):
        blank = blank_of(output)
        if (
            blank is not None
            and not is_padded(output, blank)
            and (wrong := Letters(asked, index, output, blank).wrong())
        ):
            return f"{output.what}: {wrong}"
    return ""


def rows_of_classes(asked: Asked) -> Iterator[tuple[int, Given]]:
    """The outputs that have a class at each of several steps."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(output.array.shape) > MOST_DIMENSIONS or len(lengths) != 2:
            continue
        if lengths[0] >= FEWEST_STEPS and lengths[1] >= FEWEST_CLASSES:
            yield index, output


def shifted(asked: Asked) -> str:
    """Classes that are written as the letters beside them in an alphabet that the guest read, or the blank
    between them as a letter. One copy is enough: such answers are long, and each copy takes its time."""
    for index, (one, other, blank), array in few_letters(asked):
        classes = asked.outputs[index].lengths[1]
        lists, text = alphabets(asked, classes), asked.text(index, array) or ""
        wrong = shift_in(text, (one, other), lists, blank, classes)
        if wrong := wrong or kept_in(text, (one, other), lists, blank, classes):
            return f"{asked.outputs[index].what}: {wrong}"
    return ""


def few_letters(asked: Asked) -> Iterator[tuple[int, tuple[int, int, int], Any]]:
    """Yields outputs whose classes are letters of an alphabet that the guest read, two classes and the blank,
    and an answer of these two side by side, and of the first one behind a blank."""
    for index, output in rows_of_classes(asked):
        steps, classes = output.lengths
        blank = blank_of(output) if alphabets(asked, classes) else None
        if blank is not None:
            one, other = classes // 2, classes // 3
            said = {2: one, 3: other, 5: one}
            places = [step * classes + said.get(step, blank) for step in range(steps)]
            yield index, (one, other, blank), output.filled(places)


def kept_in(
    text: str, pair: Sequence[int], lists: Sequence[tuple[str, list[str]]], blank: int, classes: int
) -> str:
    """A blank that a text has between letters: behind two that follow each other, and not between these, as a
    program has it that writes letters apart."""
    for _, letters in lists:
        first = first_in(letters, blank, classes)
        one, other = ("".join(letters[at - first : at - first + 1]) for at in pair)
        found = re.search(f"{re.escape(one + other)}(.){re.escape(one)}", text) if one and other else None
        if found and one + other + one not in text and not one.startswith(found[1]):
            return blank_said(blank, found[1], "between letters")
    return ""


def first_in(letters: Sequence[str], blank: int, classes: int) -> int:
    """The class of an alphabet's first entry: it may be the one behind the blank."""
    return 0 if blank or len(letters) == classes else 1


def blank_said(blank: int, letter: str, where: str) -> str:
    """Returns what is wrong with a blank that is written."""
    return f"class {blank}, which is the blank, is written as {letter!r}, {where}: it has to be left out"


def shift_in(
    text: str, pair: Sequence[int], lists: Sequence[tuple[str, list[str]]], blank: int, classes: int
) -> str:
    """Two classes that a text has as the letters beside them."""
    for name, letters in lists:
        first = first_in(letters, blank, classes)
        if first and NO_LETTER.match(letters[0]):  # the list may begin with the blank
            continue
        right, after, before = (
            "".join(letters[one - first + by] for one in pair if one - first + by < len(letters))
            for by in (0, 1, -1)
        )
        for by, said in ((1, after), (-1, before)):
            if said.strip() and said in text and right not in text:
                place = pair[0] - first + by
                return (
                    f"class {pair[0]} is written as {letters[place]!r}, which is entry {place} of {name} "
                    f"(from 0); with blank as class {blank} it is {letters[pair[0] - first]!r}: is the "
                    "alphabet shifted by one?"
                )
    return ""


def alphabets(asked: Asked, classes: int) -> list[tuple[str, list[str]]]:
    """Files with about one short line, or letter, for each class."""
    return letter_lists(asked.files(), classes)


def blank_of(output: Given) -> int | None:
    """The class that is blank: the first or the last, the most frequent one."""
    steps, classes = output.lengths
    best = output.array.reshape(steps, classes).argmax(axis=1)
    counts = numpy.bincount(best, minlength=classes)
    blank = int(counts.argmax())
    return blank if blank in (0, classes - 1) and counts[blank] >= MOSTLY * steps else None


def is_padded(output: Given, blank: int) -> bool:
    """Whether all blanks stand behind all letters, as the padding of a model with a letter at each place does
    (plates, captchas): there letters that repeat are two."""
    best = output.array.reshape(output.lengths).argmax(axis=1)
    letters = int((best != blank).sum())
    return letters > 1 and bool((best[:letters] != blank).all())


class Letters(OneOutput):
    """The letters that a guest writes for classes of one output."""

    def __init__(self, asked: Asked, index: int, output: Given, blank: int) -> None:
        super().__init__(asked, index, output)
        self._blank = blank
        self._steps, self._classes = output.lengths
        self._empty = self._text({})

    def _text(self, letters: Mapping[int, int]) -> str | None:
        """Returns what the guest writes for blanks with these classes at these steps."""
        places = [step * self._classes + letters.get(step, self._blank) for step in range(self._steps)]
        return self._asked.text(self._index, self._output.filled(places))

    def _added(self, letters: Mapping[int, int]) -> str | None:
        """Returns what these letters add to the text of blanks alone, or None if it isn't that text with an
        addition."""
        text = self._text(letters)
        return None if text is None or self._empty is None else addition(self._empty, text)

    def wrong(self) -> str:
        if self._empty is None or not self._is_alphabet():
            return ""
        one, other = self._classes // 2, self._classes // 3
        alone = self._added({2: one})
        if alone is None:
            return self._blanks_kept(one)
        if not alone:
            return ""
        if "\n" in alone:
            return ""
        next_ = self._added({2: other})
        if next_ == alone:  # no letters: a number of places, for example
            return ""
        if next_ and alone[-1] == next_[-1] and self._added({2: one, 3: other}) == alone[:-1] + next_:
            return self._kept(alone[-1], "behind letters")
        if self._added({2: one, 3: one}) == 2 * alone:
            return (
                f"a letter at two steps in a row is written twice ({2 * alone!r}): letters that repeat have "
                "to be merged, unless a blank is between (CTC)"
            )
        if all(self._added({2: one, later: one}) == alone for later in (4, self._steps - 2)):
            return (
                f"a letter before and behind a blank is written once ({alone!r}): blanks have to be taken "
                "away after letters that repeat are merged, not before (CTC)"
            )
        return self._last(one, alone)

    def _blanks_kept(self, one: int) -> str:
        """Blanks that are written as a letter."""
        text, empty = self._text({2: one}), (self._empty or "").strip()
        if text is None or not empty or len(set(empty)) > 1:
            return ""
        body = text.strip()
        if len(empty) >= self._steps and len(body) == len(empty) and body.count(empty[0]) == len(body) - 1:
            kept = f"{self._steps} times"
        elif len(empty) == 1 and len(body) == 3 and body[0] == body[2] == empty:
            kept = "between letters"
        else:
            return ""
        return self._kept(empty[0], kept)

    def _kept(self, letter: str, where: str) -> str:
        return blank_said(self._blank, letter, where)

    def _last(self, one: int, alone: str) -> str:
        """The last letter, which is written as nothing, though others are, and which the answer has."""
        last = self._classes - 1 if self._blank == 0 else self._classes - 2
        if last not in self._output.array.reshape(self._steps, self._classes).argmax(axis=1):
            return ""  # who reads nothing but digits needs no space
        between = self._added({2: one, 4: last, 6: one})
        near = self._added({2: one, 4: last - 1, 6: one})
        if between is None or between.replace("\0", "") != 2 * alone or near in (None, 2 * alone):
            return ""
        short = [
            name
            for name, letters in alphabets(self._asked, self._classes)
            if len(letters) < self._classes - 1
        ]
        why = (
            f"{short[0]} has fewer letters: is the last one, often the space, missing?"
            if short
            else ("is the last letter of the alphabet missing, or is it shifted?")
        )
        return f"class {last}, the last letter, is written as nothing, and the others as letters: {why}"

    def _is_alphabet(self) -> bool:
        found = alphabets(self._asked, self._classes)
        single = any(2 * sum(len(one) <= 1 for one in letters) > len(letters) for _, letters in found)
        return self._classes >= ALPHABET or single


def addition(before: str, after: str) -> str | None:
    """Returns what was put into a text at one place, or None if that isn't how they differ."""
    start = 0
    while start < len(before) and start < len(after) and before[start] == after[start]:
        start += 1
    rest = len(before) - start
    if len(after) < len(before) or (rest and not after.endswith(before[start:])):
        return None
    return after[start : len(after) - rest]
