"""Words that are counted, or sent, by the numbers of their lines in a list that says another number of each.

What is here: `LineNumbers`. What is not: the list (`origin/numbered_lists.py`), and numbers that are all off
by some (`origin/vocabulary.py`).

An input is compared with both: it is exactly what the places in the list make of a text that was read, and
not what the list's own numbers make of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.operation import NNEvent
from ..follower import Follower, Said, inputs_of
from ..origin.bags import Lexicon, counted_in
from ..origin.numbered_lists import Numbered, by_number, by_place, numbered_in
from ..origin.unknown_words import readings
from ..origin.wordings import pieces
from ..surroundings import Files, text_in

MOST_KEPT, FEWEST_ELEMENTS, MOST_BYTES = 8, 4, 1 << 17
MOST_TEXT, MOST_TEXTS, MOST_FILES = 1 << 16, 64, 16
FEWEST_FOUND, FEWEST_OTHER = 4, 2
"""Words of a text that are in the list, and of these the ones whose line has another number."""
FIRSTS = (0, 1)
"""Lines are counted from these numbers."""


class LineNumbers(Follower):
    """Keeps what models get, and compares it when the guest has ended."""

    def __init__(self, files: Files, arguments: Sequence[str] = ()) -> None:
        self._files, self._arguments = files, arguments
        self._kept: list[tuple[str, Any]] = []
        """Names of inputs, and rows of them."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        for index, spec, tensor in inputs_of(event) if len(self._kept) < MOST_KEPT else ():
            numbers = tensor.numbers() if 0 < tensor.nbytes <= MOST_BYTES and tensor.shape else None
            if numbers is None or numbers.dtype.kind not in "iuf" or numbers.size < FEWEST_ELEMENTS:
                continue
            if not numbers.any():
                continue
            rows = numbers.reshape(-1, tensor.shape[-1])
            name = f'input {index} "{spec.name}"'
            self._kept += [(name, row.copy()) for row in rows[: MOST_KEPT - len(self._kept)]]

    def finish(self) -> Iterator[Said]:
        """A hint when the guest has ended."""
        if not self._kept:
            return
        with paused():
            files = self._files()[-MOST_FILES:]
            lists = {name: one for name, data in files if (one := numbered_in(data)) is not None}
            texts = [text for name, data in files if name not in lists and (text := text_in(data, MOST_TEXT))]
            texts += [*self._arguments, " ".join(self._arguments)]
            for name, numbered in lists.items():
                if said := by_lines(self._kept, numbered, name, texts):
                    yield "origin", said
                    return


def by_lines(kept: Sequence[tuple[str, Any]], numbered: Numbered, file: str, texts: Sequence[str]) -> str:
    """Returns a hint about inputs in which words have the numbers of their lines, or "" if none is so, or if
    one has the list's own numbers."""
    found = [(name, row, wrong) for name, row in kept if (wrong := place_for_number(row, numbered, texts))]
    if not found or any(is_by_numbers(row, numbered, texts) for _, row in kept):
        return ""
    name, _, text = found[0]
    places, numbers = by_place(numbered), by_number(numbered)
    word = next(one for one in numbered.words if places[one] != numbers[one])
    return (
        f'{name}: the words of "{" ".join(text.split()[:4])} ..." have the numbers of their lines in {file}, '
        f'which says another number of each: "{word}" is at place {places[word]}, and its number is '
        f"{numbers[word]}; are the list's own numbers to be used?"
    )


def place_for_number(row: Any, numbered: Numbered, texts: Sequence[str]) -> str:
    """Returns the text whose words a row has by their places in a list, or ""."""
    if row.dtype.kind == "f":
        return counted_text(row, numbered, texts, has_places=True)
    own = by_number(numbered)
    return next(
        (text for first in FIRSTS if (text := text_of(row, by_place(numbered, first), own, texts))), ""
    )


def is_by_numbers(row: Any, numbered: Numbered, texts: Sequence[str]) -> bool:
    """Whether a row has a text's words by the numbers that a list says."""
    if row.dtype.kind == "f":
        return counted_text(row, numbered, texts, has_places=False) != ""
    return text_of(row, by_number(numbered), by_place(numbered), texts) != ""


def counted_text(row: Any, numbered: Numbered, texts: Sequence[str], *, has_places: bool) -> str:
    """Returns the text whose words a row counts, by their places or numbers, or ""."""
    size = len(numbered.words)
    if len(row) != size or min(numbered.numbers):
        return ""
    order = [*range(size)] if has_places else [*numpy.argsort(numbered.numbers)]
    words = {numbered.words[at]: place for place, at in enumerate(order)}
    ways = [Lexicon(words, numpy.array([one[at] for at in order])) for one in numbered.weights]
    for lexicon in (*ways, Lexicon(words, None)):
        for text in islice(pieces(texts), MOST_TEXTS):
            part = counted_in(lexicon, [text], row[None])
            if part is not None and not part.wrong:
                return text
    return ""


def text_of(row: Any, numbers: Mapping[str, int], other: Mapping[str, int], texts: Sequence[str]) -> str:
    """Returns the text whose words have these numbers in a row, and not the other ones, or ""."""
    sent = row.tolist()
    for text in islice(pieces(texts), MOST_TEXTS):
        for found in readings(text):
            known = [one for one in found if one in numbers]
            if sum(numbers[one] != other[one] for one in known) < FEWEST_OTHER or len(known) < FEWEST_FOUND:
                continue
            whole = [numbers.get(one, -1) for one in found]
            if is_sent(sent, whole) or is_sent(sent, [numbers[one] for one in known]):
                return text
    return ""


def is_sent(row: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a row begins with numbers, perhaps behind a first entry; those of unknown words are -1."""
    for begins in (0, 1):
        pairs = [*zip(row[begins:], wanted, strict=False)]
        told = [(one, there) for one, there in pairs if there >= 0]
        is_whole = len(pairs) == min(len(wanted), len(row) - begins)
        if len(told) >= FEWEST_FOUND and is_whole and all(one == there for one, there in told):
            return True
    return False
