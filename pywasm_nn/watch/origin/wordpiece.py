"""The numbers of a text's pieces in a vocabulary of words and their parts ("##ing"), as BERT's are.

What is here: `has_pieces` and `pieces_wrong`, which splits texts as it should be done and as mistakes do, and
compares. What is not: vocabularies of whole words (`vocabulary.py`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from ..regex import regex
from .wordings import CLASS, PADS, SEPARATOR, pieces

INSIDE = "##"
OF_BERT = "input_ids"
"""The name of the input of words in models of BERT's kind."""
PART = 0.01
"""So many entries of such a vocabulary are insides of words, at least."""
FEWEST = 4
"""Fewer pieces are alike by chance."""
LONGEST_WORD, MOST_CHARACTERS, MOST_TEXTS = 100, 4000, 96
FARTHEST = 3
"""Numbers are moved by at most so many."""
WORD = regex(r"\w+|[^\w\s]")
CASED = 0.03
"""So many entries of a vocabulary with capitals have one, at least."""


def has_pieces(words: Sequence[str]) -> bool:
    """Whether a vocabulary has insides of words."""
    return sum(word.startswith(INSIDE) for word in words) > PART * len(words)


def pieces_wrong(
    words: Sequence[str], numbers: Mapping[str, int], texts: Sequence[str], flat: Sequence[int], name: str
) -> str:
    """Returns what is wrong with the numbers of a text's pieces, or "" if nothing is, or if no text has
    them."""
    unknown = numbers.get("[UNK]", -1)
    ends = {numbers[one] for one in (CLASS, SEPARATOR, *PADS) if one in numbers}
    core = [one for one in flat if one not in ends]
    if len(core) < FEWEST:
        return ""
    cased = sum(word != word.lower() and word[0] != "[" for word in words if word) > CASED * len(words)
    found = ""
    for text in list(pieces(texts))[:MOST_TEXTS]:
        text = text[:MOST_CHARACTERS]
        wanted = [of_text(numbers, one, unknown) for one in as_wanted(text, cased)]
        if any(are_alike(core, one, flat) for one in wanted):
            return without_ends(numbers, flat, name)
        found = found or otherwise(numbers, text, cased, core, flat, wanted)
    return found


def as_wanted(text: str, cased: bool) -> Iterator[list[str]]:
    """The words of a text as a tokenizer may rightly take them: accents may be left."""
    for one in (text, without_accents(text)):
        yield WORD.findall(one if cased else one.lower())
        yield [word for word in WORD.findall(one if cased else one.lower()) if word.isalnum()]


def without_accents(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


def of_text(
    numbers: Mapping[str, int], words: Sequence[str], unknown: int, inside: str = INSIDE
) -> list[int]:
    """The numbers of the longest pieces, from the left."""
    return [number for word in words for number in of_word(numbers, word, unknown, inside)]


def of_word(numbers: Mapping[str, int], word: str, unknown: int, inside: str) -> list[int]:
    found: list[int] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        before = inside if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if before + word[start:end] in numbers), 0)
        if not end:
            return [unknown]
        found.append(numbers[before + word[start:end]])
        start = end
    return found or [unknown]


def are_alike(core: Sequence[int], wanted: Sequence[int], flat: Sequence[int]) -> bool:
    """Whether pieces are those of a text, or its beginning where there is no room for more."""
    full = len(core) + 2 >= len(flat)
    return list(core) == (list(wanted[: len(core)]) if full else list(wanted))


def without_ends(numbers: Mapping[str, int], flat: Sequence[int], name: str) -> str:
    """Words of a text without the entries that stand before and behind them, in an input that is named as
    BERT's is: others may use its vocabulary, too."""
    if name != OF_BERT:
        return ""
    if CLASS not in numbers or SEPARATOR not in numbers or {numbers[CLASS], numbers[SEPARATOR]} & {*flat}:
        return ""
    return f"the vocabulary has {CLASS} and {SEPARATOR}, and neither is around the words"


def otherwise(
    numbers: Mapping[str, int],
    text: str,
    cased: bool,
    core: Sequence[int],
    flat: Sequence[int],
    wanted: Sequence[Sequence[int]],
) -> str:
    """How a text was split, if it was by a usual mistake."""
    unknown = numbers.get("[UNK]", -1)
    own = WORD.findall(text if cased else text.lower())
    ways = {
        f"words were {'' if not cased else 'all '}{'not ' * (not cased)}made lower case": of_text(
            numbers, WORD.findall(text.lower() if cased else text), unknown
        ),
        "marks were left on words": of_text(numbers, (text if cased else text.lower()).split(), unknown),
        f"parts inside of words were looked up without {INSIDE}": of_text(numbers, own, unknown, ""),
        "words that are not in the vocabulary were not split into its parts": [
            numbers.get(word, unknown) for word in own
        ],
    }
    start = " ".join(text.split()[:4])
    for said, made in ways.items():
        if are_alike(core, made, flat):
            return f'of "{start} ..." {said}'
    for shift in (1, -1, 2, -2, 3, -3)[: 2 * FARTHEST]:
        moved = [one - shift for one in core]
        if any(are_alike(moved, one, flat) for one in wanted):
            return f'the numbers of "{start} ..." are {abs(shift)} too {"high" if shift > 0 else "low"}'
    return ""
