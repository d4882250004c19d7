"""What is wrong with the numbers of the words of a text that the guest read.

What is here: `split_wrong`, `none_found`, `filled_with`, `padding_wrong` and
`cut_wrong`. What is not: recognising a vocabulary, and numbers that are all off by some (`vocabulary.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ..regex import regex
from ..spoken import filled_lines

FEWEST = 4
"""Fewer words are found by chance."""
FEWEST_LOST = 2
"""Words of a text that has no others."""
MOST = 200
MARKS = ".,;:!?\"'()[]"
CLASS, SEPARATOR = "[CLS]", "[SEP]"
PADS = ("[PAD]", "<pad>", "<PAD>")
PADDED = 4
"""So many equal numbers at the end are padding."""
MOST_LINES = 64
MARK, RETURN = "\ufeff", "\r\n"
MARKED = "the mark of UTF-8 at the beginning of the file (BOM) was left on it"
CASED, MARKED_WORDS = "words were not made lower case", "marks were left on words"
LETTERS = regex(r"[^\W_]+")
WORD = regex(r"[\w']+|[^\w\s]")


def filled_from(row: Sequence[Any]) -> int:
    """The element from which on all are equal to the last one; behind the last one if all are."""
    return len(row) - next((at for at, one in enumerate(reversed(row)) if one != row[-1]), 0)


def pieces(texts: Sequence[str], *, with_ends: bool = False) -> Iterator[str]:
    """Texts, and each of their lines, which a guest may take for texts of their own."""
    for text in texts:
        yield text
        lines = filled_lines(text, with_ends=with_ends)
        if 1 < len(lines) <= MOST_LINES:
            yield from lines


def split_wrong(numbers: Mapping[str, int], text: str, core: Sequence[int], unknown: int | None) -> str:
    """Marks or capitals that were left on words, which are not found therefore."""
    tokens = text.split()[:MOST]
    for lower, bare in ((True, True), (False, False)):
        words = [word.lower() for word in tokens] if lower else tokens
        lost = [word for word in words if word not in numbers and right(word, bare) in numbers]
        if not lost or len(words) < FEWEST:
            continue
        with_unknown = [numbers.get(word, unknown) for word in words]
        left_out = [numbers[word] for word in words if word in numbers]
        for expected in (with_unknown, left_out):
            if len(core) >= FEWEST and list(core) == expected[: len(core)] and len(expected) - len(core) < 2:
                what = MARKED_WORDS if bare else CASED
                return f'"{lost[0]}" is not found, and "{right(lost[0], bare)}" is in the vocabulary: {what}'
    return capitals_left(numbers, text, core, unknown) or changed_wrong(numbers, text, core, unknown)


def capitals_left(numbers: Mapping[str, int], text: str, core: Sequence[int], unknown: int | None) -> str:
    """Returns a hint about words without marks that were not made lower case, or "" if the vocabulary has
    words with capitals."""
    if any(word[:1].isupper() and not word.isupper() for word in numbers) or len(core) < FEWEST:
        return ""
    stripped = [one for word in text.split()[:MOST] if (one := word.strip(MARKS))]
    for words in (stripped, LETTERS.findall(text)[:MOST]):
        lost = [word for word in words if word not in numbers and word.lower() in numbers]
        with_unknown = [numbers.get(word, unknown) for word in words]
        left_out = [numbers[word] for word in words if word in numbers]
        if lost and list(core) in (with_unknown, left_out):
            return f'"{lost[0]}" is not found, and "{lost[0].lower()}" is in the vocabulary: {CASED}'
    return ""


def changed_wrong(numbers: Mapping[str, int], text: str, core: Sequence[int], unknown: int | None) -> str:
    """Words that are not found because of what was done to them: a line's end left on the last one, letters
    beyond ASCII dropped or each byte taken for one."""
    words = [right(word.lower(), bare=True) for word in text.split()[:MOST]]
    known = [numbers.get(word, unknown) for word in words]
    if unknown is None or len(core) < FEWEST_LOST or list(core) == known[: len(core)]:
        return ""
    end = "the CR of CR LF" if text.endswith(RETURN) else "the line's end"
    is_bare = (
        bool(words) and text.endswith("\n") and text.split()[-1].lower() == words[-1]
    )  # else it may be its mark
    ways = {
        f"{end} was left on it": [*words[:-1], words[-1] + "\n"] if is_bare else words,
        "letters beyond ASCII were left out": [word.encode("ascii", "ignore").decode() for word in words],
        "its letters beyond ASCII were changed": [word.encode("ascii", "replace").decode() for word in words],
    }
    for what, made in ways.items():
        expected = [numbers.get(word, unknown) for word in made if word]
        lost = [word for word, one in zip(words, made, strict=True) if one != word and word in numbers]
        if lost and list(core) == expected and {*core} != {unknown}:
            return f'"{lost[0]}" is not found, though it is in the vocabulary: {what}'
    return ""


def none_found(
    numbers: Mapping[str, int], texts: Sequence[str], flat: Sequence[int], unknown: Set[int]
) -> str:
    """Why no word of a text is found, though all would be if they were written otherwise."""
    core = flat[: len(flat) - next((at for at, one in enumerate(reversed(flat)) if one), len(flat))]
    if not core or len({*core}) > 1 or core[0] not in unknown or len(core) == len(flat):
        return ""
    for text in pieces(texts):
        bare = text.removeprefix(MARK)
        words, wanted = text.split()[:MOST], [right(word.lower(), bare=True) for word in bare.split()[:MOST]]
        lost = [word for word in words if word not in numbers]
        if len(words) != len(core) or lost != words or any(word not in numbers for word in wanted):
            continue
        if bare != text:
            return f'"{wanted[0]}" is not found, though it is in the vocabulary: {MARKED}'
        if len(words) >= FEWEST_LOST:
            why = left_on(words, numbers)
            return f'"{words[0]}" is not found, and "{wanted[0]}" is in the vocabulary: {why}'
    return ""


def left_on(words: Sequence[str], numbers: Mapping[str, int]) -> str:
    """Returns what was left on words, each of which is in the vocabulary without that."""
    if all(word.lower() in numbers for word in words):
        return CASED
    if all(word.strip(MARKS) in numbers for word in words):
        return MARKED_WORDS
    return f"{CASED}, and {MARKED_WORDS}"


def filled_with(
    numbers: Mapping[str, int], texts: Sequence[str], flat: Sequence[int], unknown: Set[int]
) -> str:
    """Another number than that of padding behind the words of a text: -1, which is the last word to a model
    that counts from the end, or that of unknown words."""
    pad = next((numbers[one] for one in PADS if one in numbers), None)
    core = flat[: filled_from(flat)]
    run, last = len(flat) - len(core), flat[-1]
    if pad is None or run < PADDED or last not in {-1, *unknown} - {pad}:
        return ""
    for text in pieces(texts):
        words = [right(word.lower(), bare=True) for word in text.removeprefix(MARK).split()[:MOST]]
        wanted = [numbers.get(word) for word in words]
        if len(words) >= FEWEST_LOST and None not in wanted and wanted == list(core):
            what = "the model may count that from the end" if last == -1 else "which stands for unknown words"
            return f"the last {run} elements are {last} ({what}); padding is {pad}"
    return ""


def right(word: str, bare: bool) -> str:
    """A word as it should be looked up."""
    return word.strip(MARKS) if bare else word.lower()


def cut_wrong(numbers: Mapping[str, int], text: str, flat: Sequence[int], unknown: int | None) -> str:
    """The separator was cut off with the end of a long text. Its beginning may be cut off on purpose."""
    if CLASS not in numbers or SEPARATOR not in numbers or flat[0] != numbers[CLASS]:
        return ""
    ends = {numbers[CLASS], numbers[SEPARATOR], *(numbers[one] for one in PADS if one in numbers)}
    core = [one for one in flat if one not in ends]
    if len(core) < max(FEWEST, len(flat) - 2):
        return ""
    for known in (WORD.findall(text), re.findall(r"[\w']+", text), text.split()):
        wanted = [numbers.get(word.lower(), unknown) for word in known]
        if len(wanted) <= len(core):
            continue
        if wanted[: len(core)] == core and numbers[SEPARATOR] not in flat:
            return f"{SEPARATOR} behind the words was cut off with the end of the text"
    return ""


def padding_wrong(words: Sequence[str], numbers: Mapping[str, int], flat: Sequence[int], count: int) -> str:
    """Another number at the end than that of padding. `count` is that of the words of the text."""
    pad = next((numbers[one] for one in PADS if one in numbers), None)
    run = len(flat) - filled_from(flat)
    if pad is None or flat[-1] == pad or run < PADDED or len(flat) - run < count:
        return ""
    last = f'the last {run} elements are {flat[-1]}, which is "{words[flat[-1]]}"'
    return f'{last}; padding is "{words[pad]}", {pad}'
