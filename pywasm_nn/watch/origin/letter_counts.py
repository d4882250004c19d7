"""Counts of letters, of pairs and triples of them, and of words, by their codes or by a hash, which need no
list of a file: what usual programs make of a text.

What is here: `recipes`, `signed_recipes` (of bytes that are taken as signed), `by_own_alphabets` (those among
the program's data), and `is_made_of`. What is not: counts by a list that the guest read (`bags.py`,
`grams.py`), and which text an input counts (`whatif/in_capitals.py`, `whatif/signed_letters.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any
from zlib import crc32

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from .characters import LETTERS as ALPHABET

LETTERS = len(ALPHABET)
MOST_TEXT = 4000
"""The recipes count this many letters of a text at most."""
NEAR, WHOLE = 1e-4, 0.02
SMALLEST = (1, 2, 3)
"""The least count of a text, which its share stands for."""
PADS = ("", " ")
LENGTHS = (
    (3,),
    (2,),
    (4,),
    (1,),
    (5,),
    (1, 2),
    (2, 3),
    (1, 2, 3),
    (2, 3, 4),
    (3, 4),
    (3, 4, 5),
    (2, 3, 4, 5),
)
"""How many letters are counted together."""
WORDS = (regex(r"[^\W_]+"), regex(r"[A-Za-z]+"), regex(r"\S+"))
WORDS_OF_BYTES = (regex(r"[^ \t\r\n\f\v]+"), regex(r"[A-Za-z\x80-\xff]+"), regex(r"[A-Za-z0-9\x80-\xff]+"))
"""The same for a text whose letters are bytes, of which those from 0x80 on are parts of letters."""
HIGH, BYTE = 0x80, 0x100
"""Signed bytes are less than 0 from the first number on, by the second one."""
Made = Callable[[str], Any]


class Hash(Frozen):
    """A number for some codes: from a first number on, multiplied and another code added or taken exclusively
    (xor), before (`is_late`) or behind that."""

    start: int
    factor: int
    is_xor: bool = False
    is_late: bool = False
    is_long: bool = False
    """Whether it has 64 bits, not 32."""

    def of(self, codes: Any) -> Any:
        """The numbers of rows of codes."""
        kind: Any = numpy.uint64 if self.is_long else numpy.uint32
        made: Any = numpy.full(len(codes), self.start, kind)
        with numpy.errstate(over="ignore"):
            for column in codes.astype(kind).T:
                made = made if self.is_late else made * kind(self.factor)
                made = made ^ column if self.is_xor else made + column
                made = made * kind(self.factor) if self.is_late else made
        return made


HASHES = (
    *(Hash(0, factor) for factor in (31, 131, 33, 37, 257, 256, 65599, 1, 17, 101)),
    Hash(5381, 33), Hash(5381, 33, is_xor=True), Hash(7, 31), Hash(17, 31), Hash(1, 31),
    Hash(2166136261, 16777619, is_xor=True, is_late=True), Hash(2166136261, 16777619, is_xor=True),
    Hash(14695981039346656037, 1099511628211, is_xor=True, is_late=True, is_long=True),
)  # fmt: skip
"""The list has the hashes of Java, of Bernstein, of SDBM, of Fowler, Noll and Vo, and plain ones."""


class Recipe(Frozen):
    """How counts are made of a text, and how many there are, which recipes of different hashes share;
    `knows_small`: of an alphabet that has no capitals. `of_unsigned`: how the same counts are made of
    unsigned bytes, if `made` takes signed ones."""

    made: Made
    total: Callable[[str], int]
    knows_small: bool
    of_unsigned: Made | None = None


def codes_of(text: str, *, in_bytes: bool) -> Any:
    text = text[:MOST_TEXT]
    return numpy.array([*text.encode()] if in_bytes else [*map(ord, text)], "i8")


def signed(codes: Any) -> Any:
    """Bytes as signed ones."""
    return numpy.where(codes >= HIGH, codes - BYTE, codes)


def in_alphabet(codes: Any, other: int) -> Any:
    """The places of small letters, counted from 0, or from 1 if `other` is 0, which others become; with -1
    others are left out."""
    places = codes - ord("a") + (other == 0)
    is_letter = (codes >= ord("a")) & (codes < ord("a") + LETTERS)
    return places[is_letter] if other < 0 else numpy.where(is_letter, places, other)


def many_letters(text: str, *, lengths: Sequence[int], pad: str, in_bytes: bool) -> int:
    text = (pad + text + pad)[:MOST_TEXT]
    size = len(text.encode() if in_bytes else text)
    return sum(max(0, size - length + 1) for length in lengths)


def many_codes(text: str, *, length: int, other: int, in_bytes: bool) -> int:
    text = text[:MOST_TEXT]
    size = len(text.encode() if in_bytes else text)
    return (size if other >= 0 else sum("a" <= one <= "z" for one in text)) - length + 1


def many_words(text: str, *, words: re.Pattern[str]) -> int:
    return len(words.findall(text[:MOST_TEXT]))


def windows(codes: Any, length: int) -> Any:
    if len(codes) < length:
        return numpy.zeros((0, length), "i8")
    return numpy.lib.stride_tricks.sliding_window_view(codes, length)


def by_codes(text: str, *, size: int, length: int, other: int, in_bytes: bool) -> Any:
    """Counts by an alphabet: the first letter changes the place most."""
    found = windows(in_alphabet(codes_of(text, in_bytes=in_bytes), other), length)
    places = found @ (size ** numpy.arange(length)[::-1])
    return numpy.bincount(places, minlength=size**length).astype("f8")


def by_hash(
    text: str,
    *,
    width: int,
    lengths: Sequence[int],
    way: Hash | None,
    pad: str,
    in_bytes: bool = False,
    are_signed: bool = False,
) -> Any:
    """Counts of so many letters by their hash; None: a checksum (CRC-32)."""
    codes = codes_of(pad + text + pad, in_bytes=in_bytes)
    codes, made = signed(codes) if are_signed else codes, numpy.zeros(width)
    for length in lengths:
        found = windows(codes, length)[:MOST_TEXT]
        if way is None:
            numbers = numpy.array([crc32(bytes(row)) for row in (found % 256).astype("u1")], "u4")
        else:
            numbers = way.of(found)
        made += numpy.bincount((numbers % numbers.dtype.type(width)).astype("i8"), minlength=width)
    return made


def by_words(text: str, *, width: int, way: Hash | None, words: re.Pattern[str]) -> Any:
    """Counts of words by their hash."""
    made = numpy.zeros(width)
    for word in words.findall(text[:MOST_TEXT]):
        codes = numpy.array([[*word.encode()]])
        number = crc32(word.encode()) if way is None else int(way.of(codes)[0])
        made[number % width] += 1
    return made


def by_words_of_bytes(
    text: str, *, width: int, way: Hash, words: re.Pattern[str], are_signed: bool = False
) -> Any:
    """Counts of words by their hash, in a text whose letters are bytes."""
    made = numpy.zeros(width)
    for word in words.findall(text[:MOST_TEXT]):
        codes = codes_of(word, in_bytes=False)[None]
        made[int(way.of(signed(codes) if are_signed else codes)[0]) % width] += 1
    return made


@lru_cache(4)
def recipes(width: int) -> tuple[Recipe, ...]:
    """All ways to make counts of so many elements."""
    return tuple(all_ways(width))


def all_ways(width: int) -> Iterator[Recipe]:
    for size, others in ((LETTERS, (-1,)), (LETTERS + 1, (0, LETTERS))):
        for length, other, in_bytes in product((1, 2, 3), others, (False, True)):
            if size**length == width:
                made = partial(by_codes, size=size, length=length, other=other, in_bytes=in_bytes)
                total = partial(many_codes, length=length, other=other, in_bytes=in_bytes)
                yield Recipe(made, total, True)
    ways = (*HASHES, None)
    for lengths, pad, in_bytes in product(LENGTHS, PADS, (True, False)):
        total = partial(many_letters, lengths=lengths, pad=pad, in_bytes=in_bytes)
        for way in ways if in_bytes else HASHES:
            hashed = partial(by_hash, width=width, lengths=lengths, way=way, pad=pad, in_bytes=in_bytes)
            yield Recipe(hashed, total, False)
    for pattern in WORDS:
        total = partial(many_words, words=pattern)
        for way in ways:
            yield Recipe(partial(by_words, width=width, way=way, words=pattern), total, False)


@lru_cache(4)
def signed_recipes(width: int) -> tuple[Recipe, ...]:
    """All ways to make counts of so many elements of a text whose letters are bytes that are taken as signed.
    A checksum's table is looked up by a byte, so that its sign is lost."""
    return tuple(all_signed_ways(width))


def all_signed_ways(width: int) -> Iterator[Recipe]:
    for lengths, pad in product(LENGTHS, PADS):
        total = partial(many_letters, lengths=lengths, pad=pad, in_bytes=False)
        for way in HASHES:
            plain = partial(by_hash, width=width, lengths=lengths, way=way, pad=pad)
            yield Recipe(partial(plain, are_signed=True), total, False, plain)
    for pattern in WORDS_OF_BYTES:
        total = partial(many_words, words=pattern)
        for way in HASHES:
            whole = partial(by_words_of_bytes, width=width, way=way, words=pattern)
            yield Recipe(partial(whole, are_signed=True), total, False, whole)


def by_own_alphabets(alphabets: Iterable[str], width: int) -> Iterator[Recipe]:
    """The ways to count so many elements by alphabets that have the small letters and no capitals. Other
    texts may stand right before an alphabet, and behind it."""
    for one, length in product(alphabets, (1, 2)):
        size = round(width ** (1 / length))
        is_size = size**length == width and size > LETTERS
        first = one.find(ALPHABET[0])
        for start in sorted({0, max(0, first - 1), max(0, first)}) if is_size else ():
            letters = one[start : start + size]
            if len(letters) == size and ALPHABET in letters and letters == letters.lower():
                places = {letter: place for place, letter in enumerate(letters)}
                made = partial(by_places, places=places, length=length)
                yield Recipe(made, partial(many_places, places=places, length=length), True)


def by_places(text: str, *, places: Mapping[str, int], length: int) -> Any:
    """Counts of the letters of an alphabet, or pairs of them; others are left out."""
    codes = numpy.array([places[one] for one in text[:MOST_TEXT] if one in places], "i8")
    numbers = windows(codes, length) @ (len(places) ** numpy.arange(length)[::-1])
    return numpy.bincount(numbers, minlength=len(places) ** length).astype("f8")


def many_places(text: str, *, places: Mapping[str, int], length: int) -> int:
    return sum(one in places for one in text[:MOST_TEXT]) - length + 1


def total_of(vector: Any) -> int:
    """Returns how many letters, pairs or words a vector counts, whatever divided them, or 0 for none."""
    least = vector[vector > 0].min()
    for by in SMALLEST:
        counts = vector / least * by
        if abs(counts - numpy.round(counts)).max() < WHOLE:
            return round(float(counts.sum()))
    return 0


def is_made_of(vector: Any, counts: Any) -> bool:
    """Whether a vector is counts, divided by any number."""
    length = float(numpy.linalg.norm(counts))
    return length > 0 and bool(abs(vector / numpy.linalg.norm(vector) - counts / length).max() < NEAR)
