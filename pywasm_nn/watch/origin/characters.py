"""What an input of the numbers of a text's characters lost because the alphabet has lower case only, or upper
case only.

What is here: `spelled`. What is not: alphabets whose letters are counted (`letters.py`), and words
(`vocabulary.py`).

An alphabet is a file of different characters, in one line or one in each. The first one's number is unknown,
and so are the numbers before those of a text, and what an unknown character becomes: an input is a text's
characters if one such choice explains all of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from .tables import Part
from .wordings import filled_from, pieces

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""Every alphabet of texts has these, or their capitals."""
FEWEST, MOST = 26, 512
"""Characters of an alphabet."""
LONG, MOST_TEXTS = 8, 64
"""Characters of a text, fewer of which are alike by chance, and texts that are compared."""
MANY = 20
"""Of so many characters, two numbers are enough (that of blanks, and that of all others), and else three."""
MOST_ROWS, SHOWN = 8, 24
"""Rows of an input that are looked at, and characters of a text that are shown."""
MOST_BEFORE, MOST_FIRST = 2, 4
"""Numbers before a text's, such as that of its beginning, and the largest number of the first character."""


Alphabets = Mapping[str, Mapping[str, int]]
"""The places of the characters of alphabets, by names or the alphabets themselves."""


def spelled(
    files: Sequence[tuple[str, str]], texts: Sequence[str], array: Any, own: Alphabets | None = None
) -> tuple[str, Part] | None:
    """Returns the name of an alphabet, and the text whose characters an input has the numbers of, if capitals
    (or small letters) were lost, or None otherwise. `texts` are those that are in no file, and `own`
    alphabets that are in none."""
    rows = array.reshape(-1, array.shape[-1])[:MOST_ROWS].tolist() if array.ndim else []
    known = [(name, alphabet) for name, text in files if (alphabet := alphabet_in(text))]
    for name, alphabet in (*known, *(("the program's data", one) for one in (own or {}).values())):
        read = [*(one for other, one in files if other != name), *texts]
        for line, row in product(islice(lines(read), MOST_TEXTS), rows):
            if wrong := lost(alphabet, line, row):
                return name, Part(f'the characters of "{line[:SHOWN]}"', wrong)
    return None


def alphabet_in(text: str) -> Mapping[str, int]:
    """Returns the places of the characters of an alphabet, or nothing for another text."""
    rows = text.removeprefix("\ufeff").rstrip("\r\n").splitlines()
    if len(rows) == 1:
        characters = [*rows[0]]
    else:
        characters = [row if len(row) == 1 else "" for row in rows]
    places = {one: at for at, one in enumerate(characters) if one}
    is_whole = any({*way} <= {*places} for way in (LETTERS, LETTERS.upper()))
    alone = len(places) > 0.9 * len(characters)
    return places if FEWEST <= len(characters) <= MOST and is_whole and alone else {}


def lines(texts: Sequence[str]) -> Iterator[str]:
    """Texts as they stand, and without blanks around them."""
    for text in pieces(texts):
        yield text
        if text.strip() != text:
            yield text.strip()


def lost(alphabet: Mapping[str, int], text: str, row: Sequence[int]) -> str:
    """Returns what is wrong if an input has all characters of a text that the alphabet has, and only these,
    or "" if that is not so."""
    missing = [one for one in text if one not in alphabet and swapped(one) in alphabet]
    if not missing or len(text) < LONG:
        return ""
    length = filled_from(row)
    places = [alphabet.get(one) for one in text]
    rightly = [alphabet.get(one, alphabet.get(swapped(one))) for one in text]
    if any(same(row[before : before + len(text)], rightly) for before in range(MOST_BEFORE + 1)):
        return ""
    ways: tuple[tuple[Sequence[int | None], str], ...] = (
        (places, "one number, that of unknown ones"),
        ([one for one in places if one is not None], "nothing"),
    )
    for before, (kept, what) in product(range(MOST_BEFORE + 1), ways):
        end = before + len(kept)
        if end + MOST_BEFORE >= length and same(row[before:end], kept):
            way, right = ("capital", "lower") if missing[0].isupper() else ("small", "upper")
            return (
                f'the alphabet has "{swapped(missing[0])}" and not "{missing[0]}": {len(missing)} of the '
                f'{len(text)} characters of "{text[:SHOWN]}" are {way} letters that it does not have, and '
                f"became {what}: is the text to be made {right} case first?"
            )
    return ""


def same(own: Sequence[int], places: Sequence[int | None]) -> bool:
    """Whether numbers are those of places in an alphabet, and one other number for all that are in none."""
    if len(own) < LONG or len({*own}) < 2 + (len(own) < MANY):
        return False
    return number_of_first(own, places) is not None


def number_of_first(own: Sequence[int], places: Sequence[int | None]) -> int | None:
    """Returns the number of the first place, if numbers are those of places, and one other number for all
    that have none, or None if they aren't, or if it is no usual one."""
    pairs = [*zip(own, places, strict=False)]
    shifts = {one - place for one, place in pairs if place is not None}
    unknown = {one for one, place in pairs if place is None}
    if len(shifts) != 1 or len(unknown) > 1:
        return None
    first = shifts.pop()
    return first if 0 <= first <= MOST_FIRST else None


def swapped(one: str) -> str:
    """Returns a letter in the other case, or "" for what has none, or one of several letters."""
    other = one.swapcase()
    return other if len(other) == 1 and other != one else ""
