"""Columns of words that a guest turns into zeros and ones wrongly: ones of the lines before that are not
reset, and words that it compares with others, so that their elements stay 0.

What is here: `never_reset`, `never_equal` and `one_never_equal`. What is not: ones at the place beside
(`origin/elements.py`), and kinds as numbers (`orders.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..origin.tables import ANSWERS, COUNTED
from .sheet import Sheet

RESULTS = ANSWERS | {
    "outcome", "type", "diagnosis", "survived", "result", "risk", "approved", "default", "churn", "quality",
    "status", "kind",
}  # fmt: skip
"""Headings of what a model is to find out, which it doesn't get."""
MOST_KINDS, FEWEST_SHOWN, FEWEST_ELEMENTS = 12, 2, 2
"""The most words of a column, and how many elements show that ones are not reset."""
FEWEST_LETTERS, FEWEST_OF_ONE = 3, 3
"""Shorter words are in any program by chance; and the fewest words of a column that has all but one."""
EXACT = 3e-6


def never_reset(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong if ones for the words of columns stay in the lines behind, or "" if they don't.
    `rows` are inputs, and `lines` the lines of the table that they come from."""
    ones = binary(rows)
    found = []
    for column, texts in columns_of_kinds(sheet, lines, are_numbers=True):
        kept: list[tuple[int, int, str]] = []
        if is_grouped(texts):
            continue  # so are the steps of grades
        for word in dict.fromkeys(texts):
            own = numpy.array([one == word for one in texts])
            since = numpy.logical_or.accumulate(own)
            if (since == own).all() or since.all():
                continue
            if any((one == own).all() for one in ones.values()):
                kept = []
                break
            kept += [(element, column, word) for element, one in ones.items() if (one == since).all()][:1]
        found += kept
    if len({element for element, *_ in found}) < FEWEST_ELEMENTS:
        return ""
    element, column, word = found[0]
    texts = [sheet.rows[line][column] for line in lines]
    first = texts.index(word)
    later = next(at for at in range(first, len(texts)) if texts[at] != word)
    more = len(found) - 1
    return (
        f'element {element} is 1 since the first line whose {sheet.named(column)} is "{word}", and stays 1 '
        f'in input {later + 1}, which has "{texts[later]}"; so {"does" if more == 1 else "do"} {more} more '
        f"element{'s' * (more > 1)}: the ones of the lines before have to be set back to 0"
    )


def never_equal(sheet: Sheet, rows: Any, lines: Sequence[int], known: Callable[[str], bool]) -> str:
    """Returns what is wrong if no element depends on columns of words, and elements are always 0 where those
    columns stand among the others, or "" if that is not so. `known` says whether a text is in the program."""
    used = [element for element, own in enumerate(rows.T) if len(numpy.unique(own)) > 1]
    columns = {one: column_of(sheet, rows[:, one], lines) for one in used}
    places = {element: column for element, column in columns.items() if column is not None}
    numeric, silent, unsure = {*places}, dict[int, list[str]](), set[int]()
    for column, texts in columns_of_kinds(sheet, lines):
        told = {one for one in used if one not in numeric and depends(rows[:, one], texts)}
        places |= dict.fromkeys(told, column)
        if not told:
            silent[column] = [*dict.fromkeys(texts)]
        elif not is_whole([row[column] for row in sheet.rows], [rows[:, one] for one in told]):
            unsure |= told
    zeros = [element for element, own in enumerate(rows.T) if not own.any()]
    if not numeric or places.keys() != {*used} or len(used) + len(zeros) < rows.shape[1]:
        return ""
    if has_zeros(sheet, lines):
        return ""
    names: set[int] = set()
    shown = []
    for run in runs_of(zeros):
        before, behind = run[0] - 1, run[-1] + 1
        first, last = places.get(before, -1), places.get(behind, len(sheet.rows[0]))
        between = {one for one in silent if first < one < last}
        if (
            between
            and not unsure & {before, behind}
            and len(run) in needed([len(silent[one]) for one in between])
        ):
            names |= between
            shown += run
    return said_of(sheet, shown, {one: silent[one] for one in sorted(names)}, len(rows), known)


def said_of(
    sheet: Sheet,
    zeros: Sequence[int],
    silent: Mapping[int, list[str]],
    count: int,
    known: Callable[[str], bool],
) -> str:
    """Says which elements are always 0 for which columns, or "" if there are none."""
    if not silent:
        return ""
    verb, places = ("are", "elements") if len(zeros) > 1 else ("is", "element")
    words = next(iter(silent.values()))
    return (
        f"{places} {', '.join(map(str, zeros))} {verb} 0 in all {count} inputs, and no element depends on "
        f"{' and '.join(map(sheet.named, silent))}, which {'has' if len(silent) == 1 else 'have'} "
        + " and ".join(f'"{one}"' for one in words[:FEWEST_SHOWN])
        + f": {meant(words, known)}"
    )


def runs_of(places: Sequence[int]) -> list[list[int]]:
    """Places in runs that follow each other."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def is_whole(every: Sequence[str], told: Sequence[Any]) -> bool:
    """Whether elements have all words of a column, so that one beside them is of no further word."""
    count = len({*every})
    return count == 2 or len(told) >= count or any(len(numpy.unique(one)) >= count for one in told)


def one_never_equal(sheet: Sheet, rows: Any, lines: Sequence[int], known: Callable[[str], bool]) -> str:
    """Returns what is wrong if all words of a column but one have an element, and the program has that one in
    other letters, or "" if that is not so."""
    ones = [*binary(rows).values()]
    if all(own.any() for own in rows.T):
        return ""
    for column, texts in columns_of_kinds(sheet, lines):
        words = [*dict.fromkeys(texts)]
        wanted = [numpy.array([one == word for one in texts]) for word in words]
        lost = [
            word
            for word, own in zip(words, wanted, strict=True)
            if not any((one == own).all() for one in ones)
        ]
        if len(words) >= FEWEST_OF_ONE and len(lost) == 1 and (other := spelt(lost[0], known)):
            return (
                f'no element is 1 for "{lost[0]}" in {sheet.named(column)}, as there is for its other '
                f'{len(words) - 1} words: the program has "{other}", which is never equal to "{lost[0]}"'
            )
    return ""


def spelt(word: str, known: Callable[[str], bool]) -> str:
    """Returns a word in other letters, if the program has it so and not as it is, or ""."""
    others = (word.capitalize(), word.upper(), word.lower(), word.title(), word[:1].lower() + word[1:])
    if len(word) < FEWEST_LETTERS or known(word):
        return ""
    return next((other for other in others if other != word and known(other)), "")


def meant(words: Sequence[str], known: Callable[[str], bool]) -> str:
    """Says with which words those of the file may be compared."""
    for word in words:
        if other := spelt(word, known):
            return f'the program has "{other}", which is never equal to "{word}"'
    return "are they compared with words in other letters, quotes, or with an end of the line behind them?"


def is_grouped(texts: Sequence[str]) -> bool:
    """Whether the lines of each word follow each other."""
    changes = sum(one != other for one, other in pairwise(texts))
    return changes < len({*texts})


def binary(rows: Any) -> dict[int, Any]:
    """The elements that are 0 or 1, and whether they are 1 in each input."""
    ones = {element: own == 1 for element, own in enumerate(rows.T)}
    return {element: one for element, one in ones.items() if (one | (rows[:, element] == 0)).all()}


def columns_of_kinds(
    sheet: Sheet, lines: Sequence[int], *, are_numbers: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Columns of a few different words, none of which is a number, with those of some lines; with
    `are_numbers` also columns of a few whole numbers."""
    for column in range(len(sheet.rows[0])):
        every = [row[column] for row in sheet.rows]
        numbers = sheet.numbers[:, column]
        heading = sheet.headings[column].strip().lower() if sheet.headings else ""
        is_text = not numpy.isfinite(numbers).any() or (are_numbers and bool((numbers % 1 == 0).all()))
        count = len({*every})
        if not is_text or not all(every) or heading in RESULTS | COUNTED:
            continue
        texts = [every[line] for line in lines]
        if 1 < count <= MOST_KINDS and 2 * count <= len(every) and len({*texts}) > 1:
            yield column, texts


def depends(own: Any, texts: Sequence[str]) -> bool:
    """Whether an element has one value for each word."""
    return len({*zip(texts, own.tolist(), strict=True)}) == len({*texts})


def column_of(sheet: Sheet, own: Any, lines: Sequence[int]) -> int | None:
    """The column of numbers that an element is, as it stands or scaled."""
    for column, there in enumerate(sheet.numbers[list(lines)].T):
        if not numpy.isfinite(there).all() or not numpy.ptp(there):
            continue
        slope, height = numpy.polyfit(there, own, 1)
        if abs(own - slope * there - height).max() <= EXACT * (abs(own).max() + 10 * numpy.ptp(own)):
            return column
    return None


def has_zeros(sheet: Sheet, lines: Sequence[int]) -> bool:
    """Whether a column of numbers is 0 in all lines, or empty in one of them."""
    there = sheet.numbers[list(lines)]
    some = numpy.isfinite(there).any(axis=0)
    return bool((~there[:, some].any(axis=0) | ~numpy.isfinite(there[:, some]).all(axis=0)).any())


def needed(counts: Sequence[int]) -> set[int]:
    """How many elements columns of so many words may need: one, one a word, or one for each but one."""
    sums = {0}
    for count in counts:
        sums = {one + more for one in sums for more in (1, count - 1, count)}
    return sums
