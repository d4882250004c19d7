"""What the numbers of words mean in a vocabulary that the guest read, one word in each line.

What is here: `words_in`, which recognises a vocabulary, `looked_up`, and `without_entries`, for a list that
lacks padding and the like. What is not: how a model splits words into pieces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from ...records import Frozen
from ..regex import regex
from .tables import Part
from .tokens import tokens_wrong
from .unknown_words import unknown_wrong
from .wordings import (
    PADDED,
    changed_wrong,
    cut_wrong,
    filled_from,
    filled_with,
    none_found,
    padding_wrong,
    pieces,
    split_wrong,
)
from .wordpiece import has_pieces, pieces_wrong, without_ends

MOST_TEXT = 8 << 20
FEWEST_LINES, LONGEST_WORD = 20, 40
FEWEST = 3
"""Fewer words are in another order by chance."""
UNKNOWN = ("[UNK]", "<unk>", "[unk]", "<UNK>", "UNK", "unk", "<oov>", "<OOV>")
SPECIAL = regex(r"\[[A-Z0-9]+\]|</?[A-Za-z_0-9]+>")
"""Entries that are no words: [CLS], <s>."""
NO_WORD = regex(r"[\W_]*|[\W_]*(?:pad(?:ding)?|unk(?:nown)?|oov|none|null|empty|blank)[\W_]*", re.IGNORECASE)
"""What may stand for padding among words."""
WORD = regex(r"[\w']+|[^\w\s]")
FEWEST_WORDS, MOST_WORDS, MOST_CHARACTERS = 4, 200, 4000
MOSTLY, CLEARLY = 0.75, 0.4
FARTHEST = 16
"""Numbers are moved by at most so many: as many special entries as are usual."""
SHOWN = 6
MOST_ENTRIES, FEWEST_PADS, MOST_LOOKED_UP = 4, 3, 6
"""The most entries for padding and the like that a list of words lacks, the fewest elements of padding, and
the rows of a batch that are looked up in such a list."""
OTHERS = ("mask", "type", "segment", "position")
"""Parts of names of inputs beside the words."""


class Vocabulary(Frozen):
    """The words of a file, and the number of each, which is that of its line, from 0."""

    words: tuple[str, ...]
    numbers: Mapping[str, int]
    has_pieces: bool = False
    """Whether it has parts of words, too."""
    has_returns: bool = False
    """Whether its lines end in CR LF."""

    def ends(self) -> str:
        """Returns what to say if no word is found, or "" if the ends of lines are no reason for that."""
        return (
            " (the vocabulary's lines end in CR LF: is the CR left on each word?)" if self.has_returns else ""
        )

    def __str__(self) -> str:
        return f"{len(self.words)} words"


def words_in(data: bytes) -> Vocabulary | None:
    """The vocabulary in the bytes of a file, None if they are something else."""
    if not 0 < len(data) <= MOST_TEXT:
        return None
    try:
        words = tuple(data.decode("utf-8").splitlines())
    except UnicodeDecodeError:
        return None
    if len(words) < FEWEST_LINES or max(map(len, words)) > LONGEST_WORD:
        return None
    numbers = {word: number for number, word in reversed([*enumerate(words)])}
    spaced = sum(" " in word.strip() for word in words)
    if len(numbers) < 0.95 * len(words) or spaced > 0.05 * len(words):
        return None
    return Vocabulary(words, numbers, has_pieces(words), b"\r\n" in data)


def looked_up(
    vocabulary: Vocabulary, texts: Sequence[str], array: Any, name: str = "", rows: int = 0
) -> Part | None:
    """Returns what the numbers of an input mean, and what is wrong with them, or None if they are not those
    of words. `name` is the input's, and `rows` how many numbers the model knows (0: unknown): as many more
    than there are words may come before them."""
    flat = [int(one) for one in array.reshape(-1)[: 1 << 12]]
    known = vocabulary.words
    if array.dtype.kind not in "iu" or len(flat) < FEWEST:
        return None
    unknown = {vocabulary.numbers[one] for one in UNKNOWN if one in vocabulary.numbers}
    if is_bare(known, rows) and (part := without_entries(vocabulary, texts, array, rows)) is not None:
        return part
    if wrong := filled_with(vocabulary.numbers, texts, flat, unknown):
        return Part("its words", wrong)
    if not all(0 <= one < len(known) for one in flat):
        return beyond(vocabulary, texts, flat, rows)
    if wrong := unknown_wrong(known, vocabulary.numbers, texts, array, next(iter(unknown), None)):
        return Part("its words", wrong)
    if is_of_words(name) and (wrong := none_found(vocabulary.numbers, texts, flat, unknown)):
        return Part("its words", wrong)
    if max(flat) < 2 and not (vocabulary.has_returns and is_of_words(name)):  # a mask
        return None
    used = [one for one in flat if one and not is_special(known[one])]
    missed = sum(one in unknown for one in flat)
    if missed >= FEWEST and missed >= 4 * len(used) and is_padded(flat):
        return Part(
            "its words",
            f"{missed} words are {known[next(iter(unknown))]}: is none of them found?{vocabulary.ends()}",
        )
    if vocabulary.has_pieces:
        start = " ".join(known[one] for one in flat[: SHOWN + 1])
        wrong = pieces_wrong(known, vocabulary.numbers, texts, flat, name)
        wrong = wrong or compared(vocabulary, texts, flat, None, name)
        return Part(f'"{start} ..."', wrong) if wrong else None
    shift = moved(vocabulary, texts, used)
    said = " ".join(known[one] for one in used[:SHOWN])
    if is_meant(vocabulary, shift, rows):
        return None
    if shift:
        way = "high" if shift > 0 else "low"
        return Part(f'"{said} ..."', f'the words are "{said} ...": are the numbers {abs(shift)} too {way}?')
    wrong = compared(vocabulary, texts, flat, next(iter(unknown), None), name)
    wrong = wrong or tokens_wrong(vocabulary.numbers, texts, flat)
    return Part(f'"{said} ..."', wrong) if wrong else None


def without_entries(vocabulary: Vocabulary, texts: Sequence[str], array: Any, rows: int) -> Part | None:
    """As `looked_up`, of a list of nothing but words and a model that knows so many numbers: as many more
    than there are words come before these."""
    missing = rows - len(vocabulary.words)
    if array.dtype.kind not in "iu" or array.ndim < 1 or not 0 <= missing <= MOST_ENTRIES:
        return None
    known = (*(f"<{number}>" for number in range(missing)), *vocabulary.words)
    numbers = {word: number for number, word in enumerate(known)}
    whole = Vocabulary(known, numbers)
    for row in array.reshape(-1, array.shape[-1])[:MOST_LOOKED_UP].tolist():
        end = filled_from(row)
        core = row[:end] if len(row) - end >= FEWEST_PADS else row
        if len(core) < FEWEST or not all(0 <= one < rows for one in row):
            continue
        shift = moved(whole, texts, core)
        wrong = counted_too_low(vocabulary.words, row, missing + shift) if shift < 0 and core != row else ""
        if wrong := wrong or ("" if shift else compared(whole, texts, row, None, "")):
            said = " ".join(known[one - shift] for one in core[:SHOWN] if one - shift < rows)
            return Part(f'"{said} ..."', wrong)
    return None


def counted_too_low(words: Sequence[str], row: Sequence[int], first: int) -> str:
    """Returns a hint about a text of which the words are counted from `first` on, so that its padding has the
    number of a word, or "" if it hasn't, or if other entries than words come behind these."""
    pad, behind = row[-1], first + len(words)
    if not 0 <= first <= pad < behind or max(row) >= behind or NO_WORD.fullmatch(words[pad - first]):
        return ""
    return (
        f'"{words[row[0] - first]}" was sent as {row[0]}, and padding as {pad}, which is '
        f'"{words[pad - first]}" then; the model knows more numbers than there are words: are the numbers of '
        "words too low?"
    )


def is_meant(vocabulary: Vocabulary, shift: int, rows: int) -> bool:
    """Whether words are counted from a number on because others, such as padding, come before them. Of a list
    that has none of these others may come behind the words, too."""
    behind = len(vocabulary.words) + shift
    return shift > 0 and (rows == behind or (behind < rows and is_bare(vocabulary.words, rows)))


def is_bare(words: Sequence[str], rows: int) -> bool:
    """Whether a list has nothing but words, and a model knows a few numbers more."""
    return 0 < rows - len(words) <= MOST_ENTRIES and not any(map(is_special, words))


def beyond(vocabulary: Vocabulary, texts: Sequence[str], flat: Sequence[int], rows: int = 0) -> Part | None:
    """Numbers of a text's words that are too high, some of them beyond the last word."""
    count = len(vocabulary.words)
    if not 0 <= min(flat) <= count <= max(flat) < count + FARTHEST:
        return None
    used = [one for one in flat if one >= count or (one and not is_special(vocabulary.words[one]))]
    shift = moved(vocabulary, texts, used)
    if shift <= 0 or is_meant(vocabulary, shift, rows):
        return None
    return Part(
        f"its words, with {max(flat)} beyond the last one, {count - 1}",
        f"the numbers of words are {shift} too high: the vocabulary has {count}, whose numbers are 0 to "
        f"{count - 1}, and {max(flat)} was sent",
    )


def compared(
    vocabulary: Vocabulary, texts: Sequence[str], flat: Sequence[int], unknown: int | None, name: str
) -> str:
    """Returns what is wrong with the numbers of a text's words, or "" if nothing is, or if they are those of
    no text."""
    known, numbers = vocabulary.words, vocabulary.numbers
    end = filled_from(flat)
    if len(flat) - end >= PADDED:
        core = [one for one in flat[:end] if one == unknown or not is_special(known[one])]
    else:
        core = [one for one in flat if one == unknown or not is_special(known[one])]
    for text in pieces(texts, with_ends=True):
        words = [one for one in WORD.findall(text[:MOST_CHARACTERS]) if one in numbers or one[0].isalnum()]
        wanted = [numbers.get(word, numbers.get(word.lower(), -1)) for word in words]
        found = [one for one in wanted if one >= 0]
        if len(words) == len(core) and (wrong := changed_wrong(numbers, text, core, unknown)):
            return wrong
        if len(found) < max(FEWEST_WORDS, MOSTLY * len(words)):
            continue
        if wrong := split_wrong(numbers, text[:MOST_CHARACTERS], core, unknown):
            return wrong
        if wrong := cut_wrong(numbers, text[:MOST_CHARACTERS], flat, unknown):
            return wrong
        used = [one for one in core if one != unknown]
        if not used and vocabulary.has_returns and len({*flat}) > 2:  # else it may be a warm-up
            return f'none of the words "{" ".join(words[:SHOWN])} ..." is found{vocabulary.ends()}'
        if len(used) >= FEWEST_WORDS and shared(used, found) >= MOSTLY:
            wrong = padding_wrong(known, numbers, flat, len(text.split()))
            if wrong := wrong or without_ends(numbers, flat, name):
                return wrong
    return ""


def is_of_words(name: str) -> bool:
    """Whether an input's name says that it has the numbers of words."""
    name = name.lower()
    return ("ids" in name or "token" in name) and not any(one in name for one in OTHERS)


def is_padded(flat: Sequence[int]) -> bool:
    """Whether zeros are at the ends alone, as in a text; they are everywhere in counts of words."""
    filled = [place for place, one in enumerate(flat) if one]
    return len(filled) == filled[-1] - filled[0] + 1


def moved(vocabulary: Vocabulary, texts: Sequence[str], used: Sequence[int]) -> int:
    """Returns by how many the numbers of words differ from those of the words of a text, or 0 if they don't,
    or if they are those of no text."""
    for text in texts:
        words = WORD.findall(text[:MOST_CHARACTERS])
        wanted = [
            [vocabulary.numbers[word] for word in reading if word in vocabulary.numbers]
            for reading in (words, [word.lower() for word in words])
        ]
        read = max(wanted, key=len)
        if min(len(read), len(used)) < FEWEST_WORDS:
            continue
        near = range(-FARTHEST, FARTHEST + 1)
        own, other = {*used[:MOST_WORDS]}, {*read[:MOST_WORDS]}
        most = max(len({one - shift for one in own} & other) for shift in near)
        if most < MOSTLY * len(own):
            continue
        parts = {
            shift: shared([one - shift for one in used[:MOST_WORDS]], read[:MOST_WORDS]) for shift in near
        }
        best = max(parts, key=lambda shift: (parts[shift], -abs(shift)))
        if parts[best] >= MOSTLY:
            return best if parts[best] - parts[0] > CLEARLY else 0
    return 0


def shared(one: Sequence[int], other: Sequence[int]) -> float:
    """The part of a sequence that is in another one, in its order."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(one)


def is_special(word: str) -> bool:
    return bool(SPECIAL.fullmatch(word))
