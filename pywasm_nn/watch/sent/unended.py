"""A text for an encoder without the entry that stands for its end.

What is here: `Unended`, for guests with a decoder that begins with the entry for the beginning. What is not:
[CLS] and [SEP] (`origin.wordpiece`).

That models with both entries want the end marked, too, is usual, and no more: the second sign is that the
decoder never says the end itself, as one doesn't that wasn't told where the text ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ...nn.tensor import Tensor
from ..origin.vocabulary import words_in
from ..origin.wordings import pieces

Files = Callable[[], Sequence[tuple[str, bytes]]]

ENDS = ("<EOS>", "<eos>", "</s>", "</S>", "[EOS]", "<end>", "<END>", "_EOS")
STARTS = (
    "<BOS>",
    "<bos>",
    "<s>",
    "<S>",
    "[BOS]",
    "<start>",
    "<START>",
    "<SOS>",
    "<sos>",
    "<GO>",
    "<go>",
    "_GO",
)
FEWEST_ENTRIES, MOST_ENTRIES, MOST_TEXT, MOST_BYTES = 20, 1 << 17, 1 << 18, 1 << 22
FEWEST, MOST, MOST_ROWS, MOST_TEXTS = 3, 512, 4, 64
"""Letters or words of a text, and what is looked at."""


class Unended:
    """Gives a sentence when a guest has ended."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._rows: dict[Any, list[list[int]]] = {}
        self._names: dict[Any, str] = {}
        self._said: dict[int, set[int]] = {}
        """Maps a number of entries to choose from to those that the model chose."""

    def set(self, key: Any, name: str, tensor: Tensor) -> None:
        """An input was set."""
        kept = self._rows.setdefault(key, [])
        numbers = tensor.numbers() if len(kept) < MOST_ROWS and tensor.nbytes <= 8 * MOST else None
        if numbers is not None and numbers.dtype.kind in "iu" and numbers.size:
            kept.append([int(one) for one in numbers.tolist()])
            self._names[key] = name

    def answered(self, tensors: Sequence[Tensor]) -> None:
        """A model answered, perhaps with a number for each entry at each place."""
        for tensor in tensors if self._names else ():  # no decoder's before letters or words were sent
            wide = tensor.shape[-1] if tensor.shape else 0
            is_choice = len(tensor.shape) > 1 and FEWEST_ENTRIES <= wide <= MOST_ENTRIES
            numbers = tensor.numbers() if is_choice and tensor.nbytes <= MOST_BYTES else None
            if numbers is not None and numbers.dtype.kind == "f":
                chosen = numbers.reshape(-1, wide).argmax(axis=1)
                self._said.setdefault(wide, set()).update(chosen.tolist())

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with a text that was sent to an encoder."""
        sent = {key: rows for key, rows in self._rows.items() if rows}
        if len(sent) < 2:  # an encoder's and a decoder's
            return
        files = self._files()
        for file, data in files:
            numbers = entries_in(data)
            end, start = (next((one for one in ways if one in numbers), "") for ways in (ENDS, STARTS))
            begun = {key for key, rows in sent.items() if begins_with(rows, numbers.get(start))}
            if not end or not start or not begun or self._says(numbers[end], len(numbers)):
                continue
            texts = [
                one.decode("utf-8", "replace") for name, one in files if name != file and b"\0" not in one
            ]
            for key, rows in sent.items():
                if key in begun or any(numbers[end] in row for row in rows):
                    continue
                if all(is_text(row, numbers, texts) for row in rows):
                    yield (
                        f'{self._names[key]}: a text was sent without "{end}" ({numbers[end]} in {file}) '
                        f'behind it, and the decoder begins with "{start}": models with both want the end of '
                        "a text marked, too; was it not appended?"
                    )
                    return

    def _says(self, end: int, count: int) -> bool:
        """Tells whether a decoder said the entry for the end. A model may have some entries more than the
        vocabulary, which has `count`."""
        return any(end in said for wide, said in self._said.items() if count <= wide <= 2 * count)


def entries_in(data: bytes) -> Mapping[str, int]:
    """Returns the entries of a vocabulary, one in each line or in JSON, with their numbers, or nothing in any
    other file."""
    if len(data) > MOST_TEXT or b"\0" in data:
        return {}
    if (found := words_in(data)) is not None:
        return found.numbers
    try:
        known: Any = json.loads(data)
    except ValueError:
        return {}
    for one in (known, *(known.values() if isinstance(known, dict) else ())):
        numbered: Any = {word: at for at, word in enumerate(one)} if is_list(one) else one
        if is_numbered(numbered) and len(numbered) >= FEWEST_ENTRIES:
            return {str(word): int(number) for word, number in numbered.items()}
    return {}


def is_numbered(value: Any) -> bool:
    """Whether a value of JSON has a whole number for each text."""
    return isinstance(value, dict) and all(isinstance(one, int) for one in value.values())


def is_list(value: Any) -> bool:
    """Whether a value of JSON is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def begins_with(rows: Sequence[Sequence[int]], start: int | None) -> bool:
    """Whether the inputs of a decoder begin with an entry: each of them, or, one by one, the first of them. A
    mask is all the same."""
    if all(len(row) == 1 for row in rows) and len({row[0] for row in rows}) > 1:
        return rows[0][0] == start
    return all(row[0] == start for row in rows) and any(len({*row}) > 1 for row in rows)


def is_text(row: Sequence[int], numbers: Mapping[str, int], texts: Sequence[str]) -> bool:
    """Whether numbers are those of letters or words that follow each other in a text up to the end of a line,
    perhaps behind entries of no letters."""
    for text in islice(pieces(texts), MOST_TEXTS):
        for parts in ([*text], [*text.lower()], text.split(), text.lower().split()):
            wanted = [numbers.get(one, -1) for one in parts][-MOST:]
            for begins in range(min(FEWEST, len(row))):
                own = row[begins:]
                if len(own) >= FEWEST and -1 not in wanted[-len(own) :] and [*own] == wanted[-len(own) :]:
                    return True
    return False
