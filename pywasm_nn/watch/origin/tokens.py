"""Words of a text that were cut into pieces of a fixed length, and empty words between two blanks.

What is here: `tokens_wrong`. What is not: marks and capitals on words (`wordings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .wordings import MARKS, MOST, WORD, pieces

FEWEST, FEWEST_KNOWN = 3, 2
"""Words of a text, and those that are in the vocabulary."""
SHORTEST, LONGEST = 3, 40
"""Buffers for a word hold so many letters."""
MOST_BEFORE = 2
"""Entries that may stand before the first word, such as [CLS]."""


def tokens_wrong(numbers: Mapping[str, int], texts: Sequence[str], flat: Sequence[int]) -> str:
    """Returns what is wrong with how a text was split into the words of an input, or "" if nothing is."""
    read = [*pieces(texts)]
    if any(is_of(words, numbers, flat) for text in read for words in rightly(text)):
        return ""
    for text in read:
        for words, said in wrongly(text):
            if is_of(words, numbers, flat):
                return said
    return ""


def rightly(text: str) -> Iterator[list[str]]:
    """The words of a text as people read them."""
    words = text.split()[:MOST]
    for one in (words, [word.strip(MARKS) for word in words], WORD.findall(text)[:MOST]):
        yield one
        yield [word.lower() for word in one]


def wrongly(text: str) -> Iterator[tuple[list[str], str]]:
    """Words that come of a mistake, and what it is."""
    line = text.strip("\n")
    blanks = line.split(" ")[:MOST]
    if "" in blanks:
        begin = " ".join(line.split()[:4])
        said = (
            f'the words of "{begin} ..." were split at each single blank: where there are two, an empty word '
            "between them was looked up"
        )
        yield blanks, said
        yield [word.lower() for word in blanks], said
    words = line.split()[:MOST]
    for length in range(SHORTEST, min(LONGEST, max(map(len, words), default=0))):
        long = next(word for word in words if len(word) > length)
        said = (
            f'"{long}" was looked up in pieces, as words of more letters than fit into a buffer: is it too '
            "short (such as %9s in scanf)?"
        )
        cut = [word[at : at + length] for word in words for at in range(0, len(word), length)]
        yield cut, said
        yield [word.lower() for word in cut], said


def is_of(words: Sequence[str], numbers: Mapping[str, int], flat: Sequence[int]) -> bool:
    """Whether an input has the numbers of words, one number for all that are unknown, behind a few others
    and before padding."""
    wanted = [numbers.get(word) for word in words]
    known = {one for one in wanted if one is not None}
    if len(words) < FEWEST or len(known) < FEWEST_KNOWN:
        return False
    for before in range(MOST_BEFORE + 1):
        own = flat[before : before + len(wanted)]
        if len(own) < min(len(wanted), len(flat) - before) or len(own) < FEWEST:
            continue
        pairs = [*zip(own, wanted, strict=False)]
        unknown = {one for one, want in pairs if want is None}
        if any(one != want for one, want in pairs if want is not None) or len(unknown) > 1 or unknown & known:
            continue
        behind = flat[before + len(wanted) :]
        if len({*behind[1:]}) <= 1 and not {*behind} & (known - {flat[-1]}):
            return True
    return False
