"""Inputs of the letters of words, which a program numbers itself (a is 1, b is 2 ...), without an alphabet.

What is here: `Spelt`, which finds the words among the texts that were read, and says what is wrong with their
numbers, or gives those that the model is to be asked about (`whatif.spelt`). What is not: alphabets that were
read or are among the program's data (`origin.characters`, `counting.py`), and the bytes of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.following import Origins
from ..regex import regex
from ..surroundings import text_in
from ..whatif.spelt import Spelling

LETTERS = 26
FEWEST, DIFFERENT = 5, 4
"""Letters of a word, and different ones, of which fewer have such numbers by chance."""
MOST_ELEMENTS, MOST_TEXT, MOST_WORDS = 256, 1 << 16, 1024
MOST_LOOKS = 16
MOST_SIDE = 16
"""Elements before a word, where windows reach beyond it."""
MOST_FIRST = 64
"""The largest number of the letter a."""
BREAKS = {10: "\\n", 13: "\\r"}
WRAPPED = (0, 32, 64, 128, 256)
"""A number is kept whole, or what is left of it by one of these."""
BITS = (8, 16)
"""By these a letter's number may be cut off."""
FEWEST_CUT = 2
BETWEEN = regex(r"[,;\t]+")


class Spelt:
    """Follows inputs of few whole numbers."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._looked: dict[Any, int] = {}
        self._cut: dict[Any, list[tuple[str, Sequence[int]]]] = {}
        """By input, words whose numbers are those of their letters but for some bits."""

    def set(self, key: Any, tensor: Tensor, rows: int) -> tuple[str, Spelling | None]:
        """Returns what is wrong with the next input, or how it spells a word if the model is to be asked.
        `rows` are those of the model's table; 0: unknown."""
        own = whole_numbers(tensor)
        self._looked[key] = self._looked.get(key, 0) + 1
        if own is None or self._looked[key] > MOST_LOOKS:
            return "", None
        read = [text for _, data in self._origins.files() if (text := text_in(data, MOST_TEXT))]
        words = [*islice(words_in([*read, *self._origins.arguments]), MOST_WORDS)]
        for word in words:
            if said := self._wrong(key, own, word):
                self._looked[key] = MOST_LOOKS
                return said, None
        is_alone = prod(tensor.shape) == max(tensor.shape, default=0)
        spelling = next(filter(None, (spelt(own, word, anywhere=not is_alone) for word in words)), None)
        if spelling is not None and spelling.is_first_of(rows, LETTERS):
            self._looked[key] = MOST_LOOKS
            return (
                f'the letters of "{spelling.word}" have the numbers 0 to 25 for a to z, and 0 also fills the '
                f"rest; the model's table has {rows} rows, 0 to {LETTERS}: are letters to be counted from 1?",
                None,
            )
        return "", spelling if is_alone else None

    def _wrong(self, key: Any, own: Sequence[int], word: str) -> str:
        """Returns what is surely wrong with an input, if it spells a word, or "" if nothing is."""
        said = line_break(own, word) or other_case(own, word) or of_several_bytes(own, word)
        if said:
            return said
        if (bits := cut_by(own, word)) and all(word != one for one, _ in self._cut.get((key, bits), ())):
            known = self._cut.setdefault((key, bits), [])
            known.append((word, own))
            return cut_bits(known, bits)
        return ""


def whole_numbers(tensor: Tensor) -> list[int] | None:
    """The elements of a small input in one dimension, if they are whole numbers; of several rows those that
    windows of a word are made of, or the first one."""
    numbers = tensor.numbers() if tensor.size <= 8 * MOST_ELEMENTS else None
    if numbers is not None and len(tensor.shape) == 2 and min(tensor.shape) > 1:
        numbers = unrolled(numbers.reshape(tensor.shape))
    elif numbers is not None and numbers.size != max(tensor.shape, default=1):
        return None
    if numbers is None or not FEWEST < numbers.size <= MOST_ELEMENTS:
        return None
    if numbers.dtype.kind == "f" and not (numpy.isfinite(numbers).all() and (numbers % 1 == 0).all()):
        return None
    return [int(one) for one in numbers.reshape(-1).tolist()]


def unrolled(rows: Any) -> Any:
    """The row of which rows are windows that begin an element apart, or the first row if they are none."""
    if (rows[1:, :-1] == rows[:-1, 1:]).all():
        return numpy.concatenate([rows[0], rows[1:, -1]])
    return rows[0]


def words_in(texts: Sequence[str]) -> Iterator[str]:
    """The fields of lines of texts, the lines, and their words, each once."""
    seen = set()
    for line in (line.strip() for text in texts for line in text.splitlines()):
        for one in (*(field.strip() for field in BETWEEN.split(line)), line, *line.split()):
            if one not in seen and len([*filter(is_letter, one)]) >= FEWEST:
                seen.add(one)
                yield one


def is_letter(one: str) -> bool:
    return "a" <= one.lower() <= "z" and len(one) == 1


def first_number(numbers: Sequence[int], text: str, *, by_case: bool = False) -> int | None:
    """Returns the number of the letter a, if all letters of a text are counted from it (`by_case`: small
    letters alone), or None if they aren't, or are too few."""
    pairs = [
        (one, ord(letter.lower()) - ord("a"))
        for one, letter in zip(numbers, text, strict=False)
        if is_letter(letter) and not (by_case and letter.isupper())
    ]
    shifts = {one - place for one, place in pairs}
    if len(shifts) != 1 or len(pairs) < FEWEST or len({place for _, place in pairs}) < DIFFERENT:
        return None
    first = shifts.pop()
    return first if 0 <= first <= MOST_FIRST else None


def spelt(own: Sequence[int], word: str, *, anywhere: bool = False) -> Spelling | None:
    """Returns how an input spells a word that does not fill it, or None if it doesn't, or as most programs
    do. The word lies at an end, or `anywhere` between equal numbers."""
    count = len(word)
    if count >= len(own):
        return None
    last = len(own) - count
    starts = range(min(last, MOST_SIDE) + 1) if anywhere else (0, last)
    for is_backwards, start in product((False, True), starts):
        text = word[::-1] if is_backwards else word
        rest = {*own[:start], *own[start + count :]}
        first = first_number(own[start : start + count], text) if len(rest) == 1 else None
        if first is None:
            continue
        return Spelling(word, start, count, rest.pop(), first, is_backwards=is_backwards)
    return None


def line_break(own: Sequence[int], word: str) -> str:
    """Returns what is wrong if a word's line break has the number that a letter of its code would have, or ""
    if that is not so."""
    count = len(word)
    first = first_number(own[:count], word) if count < len(own) else None
    if first is None:
        return ""
    for code, shown in BREAKS.items():
        number = code - ord("a") + first
        is_there = own[count] in {number % by if by else number for by in WRAPPED}
        rest = own[count + 1 :]
        if code == 13 and rest:
            rest = rest[1:]
        if is_there and own[count] not in {*rest} and len({*rest}) <= 1:
            return (
                f'"{word}" has {count} letters, and element {count} behind them is {own[count]}, which is '
                f'what a line break ("{shown}") becomes by the same formula: it was not cut off the line'
            )
    return ""


def other_case(own: Sequence[int], word: str) -> str:
    """Returns what is wrong if the capitals of a word are counted by the code of small letters, or "" if that
    is not so."""
    count = min(len(word), len(own))
    capitals = [at for at in range(count) if is_letter(word[at]) and word[at].isupper()]
    first = first_number(own[:count], word[:count], by_case=True) if capitals else None
    if first is None:
        return ""
    wanted = [ord(word[at]) - ord("a") + first for at in capitals]
    if [own[at] for at in capitals] != wanted or max(wanted) >= 0:
        return ""
    at = capitals[0]
    return (
        f'"{word[at]}" of "{word}" is {own[at]}, and small letters are counted from {first}: capitals were '
        "not made small letters first"
    )


def of_several_bytes(own: Sequence[int], word: str) -> str:
    """Returns what is wrong if each byte of a letter beyond ASCII is counted as a letter, or "" if that is
    not so."""
    data = word.encode()
    count = min(len(data), len(own))
    text = data.decode("latin-1")
    first = None if word.isascii() else first_number(own[:count], text)
    beyond = [at for at in range(count) if data[at] > 127]
    if first is None or not beyond:
        return ""
    for by in (256, 0):  # as signed bytes, and as they are
        if all(own[at] == data[at] - by - ord("a") + first for at in beyond):
            letter = next(one for one in word if not one.isascii())
            return (
                f'"{letter}" of "{word}" has several bytes in UTF-8, and each was counted as a letter of its '
                f"own, the first one as {own[beyond[0]]}: the alphabet has no place for letters beyond ASCII"
            )
    return ""


def cut_by(own: Sequence[int], word: str) -> int:
    """Returns by what the numbers of a word's letters were cut, counted from 0 or 1, or 0 if they weren't."""
    count = min(len(word), len(own))
    letters = [ord(one.lower()) - ord("a") for one in word[:count] if is_letter(one)]
    numbers = [one for one, letter in zip(own, word, strict=False) if is_letter(letter)]
    for bits in BITS:
        if len(letters) >= FEWEST and any(
            numbers == [(place + first) % bits for place in letters] for first in (0, 1)
        ):
            return bits
    return 0


def cut_bits(known: Sequence[tuple[str, Sequence[int]]], bits: int) -> str:
    """Returns what words say whose numbers were cut, once some of their letters have another one's number, or
    "" before that."""
    lost = {one.lower() for word, _ in known for one in word if is_letter(one)}
    beyond = sorted(one for one in lost if ord(one) - ord("a") + 1 >= bits)
    if len(known) < FEWEST_CUT or len(beyond) < FEWEST_CUT:
        return ""
    other = ord(beyond[-1]) - bits
    return (
        f'only {bits} different numbers are left for 26 letters: "{beyond[-1]}" has that of "{chr(other)}": '
        f"were they cut by & {bits - 1} (26 letters need & 31)?"
    )
