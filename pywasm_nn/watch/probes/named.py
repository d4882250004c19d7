"""Names that a guest says for classes: are they those of the list that it read?

What is here: `misnamed`, which is asked at the end, because many guests read their names last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..classes import FILE_NAME, belongs_at, classes_in

SPLIT = "were names split at their blanks?"
TEN = 10
FEWEST = 2
"""So many classes must have another name, at least."""


def misnamed(files: Sequence[tuple[str, bytes]], count: int, texts: Mapping[int, str]) -> str:
    """Returns how names are mistaken, by what was written for each class as the largest, or "" if they
    aren't."""
    for file, data in files:
        found = classes_in(file, data)
        if found is None or belongs_at(found, count) != 0:
            continue
        right = dict(zip(found.numbers, found.names, strict=True))
        if wrong := never_said(right, texts):
            return f"{wrong} ({file})"
        for what, others in orders([right[one] for one in sorted(right)], found.names, data):
            differ = [
                one for one in texts if one in right and one < len(others) and others[one] != right[one]
            ]
            enough = FEWEST if what != SPLIT else 1
            if len(differ) < enough or any(says(texts[one], right[one]) for one in differ):
                continue
            if all(one < len(others) and says(text, others[one]) for one, text in texts.items()):
                one = differ[0]
                return (
                    f'class {one} is said as "{others[one]}", which is "{right[one]}" in {file}, and '
                    f"so {len(differ)} of the {len(texts)} classes that were tried: {what}"
                )
    return ""


def never_said(right: Mapping[int, str], texts: Mapping[int, str]) -> str:
    """Returns what is wrong if the last classes get the first one's name, as where all that are looked at are
    equal, and those before them their own, or "" if that is not so."""
    own = [one for one in sorted(texts) if one in right and says(texts[one], right[one])]
    others = [one for one in sorted(texts) if one in right and one not in own]
    if len(own) < FEWEST or len(others) < FEWEST or own[-1] > others[0] or 0 not in own:
        return ""
    if any(not says(texts[one], right[0]) or says(right[one], right[0]) for one in others):
        return ""
    return (
        f'if class {others[0]} or {others[-1]} is the largest, the guest says "{right[0]}", the name of '
        f"class 0, and of classes up to {own[-1]} their own: does the search end before the last of "
        f"{len(right)} classes?"
    )


def orders(names: Sequence[str], lines: Sequence[str], data: bytes) -> Iterator[tuple[str, Sequence[str]]]:
    """How lists of names are usually mistaken: names by their numbers, and as they follow each other in the
    file."""
    if [*names] != [*lines]:
        yield "was the order in the file taken, and not the numbers that stand there?", lines
    if len(names) > TEN:
        by_text = [names[int(one)] for one in sorted(map(str, range(len(names))))]
        yield "were the numbers sorted as texts (0, 1, 10, 11 ... 2)?", by_text
    yield "were the names sorted?", sorted(names)
    yield "were the names sorted?", sorted(names, key=str.lower)
    yield "is the list of names backwards?", names[::-1]
    words = data.decode("utf-8", "replace").split()
    if all(word.isalpha() for word in words):  # numbers before names may be meant
        yield SPLIT, words


def says(text: str, name: str) -> bool:
    """Whether a name stands in a text, as whole words, and not in a file's name."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", FILE_NAME.sub(" ", text)) is not None
