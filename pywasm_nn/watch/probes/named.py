"""Names that a guest says for classes: are they those of the list that it read?

What is here: `misnamed`, which is asked at the end, because many guests read their names last, and `beside`,
which is also asked before, where they have read them first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..classes import FILE_NAME, Classes, belongs_at, classes_in, first_said, said_in
from ..regex import regex

SPLIT = "were names split at their blanks?"
WHOLE = regex(r"\d{1,12}")
TEN = 10
FEWEST = 2
"""So many classes must have another name, at least."""
ENOUGH = 3
"""The fewest classes that must be said by the name beside their own."""


def misnamed(files: Sequence[tuple[str, bytes]], count: int, texts: Mapping[int, str]) -> str:
    """Returns how names are mistaken, by what was written for each class as the largest, or "" if they
    aren't."""
    read = [(classes_in(file, data, of_numbers=True), data) for file, data in files]
    known = [(found, data) for found, data in read if found is not None]
    texts = without_common(texts)
    for found, data in known:
        if belongs_at(found, count) != 0:
            continue
        right = dict(zip(found.numbers, found.names, strict=True))
        are_numbers = all(name.isdecimal() for name in found.names)
        if not are_numbers and (wrong := never_said(right, texts)):
            return f"{wrong} ({found.file})"
        for what, others in orders([right[one] for one in sorted(right)], found.names, data):
            differ = [
                one for one in texts if one in right and one < len(others) and others[one] != right[one]
            ]
            enough = FEWEST if what != SPLIT else 1
            if len(differ) < enough or any(says(texts[one], right[one]) for one in differ):
                continue
            by_class = [one for one in differ if not all(says(text, others[one]) for text in texts.values())]
            if by_class and all(one < len(others) and says(text, others[one]) for one, text in texts.items()):
                one = by_class[0]
                return (
                    f'class {one} is said as "{others[one]}", which is "{right[one]}" in {found.file}, and '
                    f"so {len(differ)} of the {len(texts)} classes that were tried: {what}"
                )
    lists = [found for found in (classes_in(*each) for each in files) if found is not None]
    return "" if any(goes_round(one, count, texts) for one in lists) else beside(lists, count, texts)


def without_common(texts: Mapping[int, str]) -> dict[int, str]:
    """Texts without the lines before and behind that are the same in all of them: a guest that writes when
    its buffer is full, or when it ends, writes the names of the inputs before in all."""
    lines = {one: text.splitlines() for one, text in texts.items()}
    first = next(iter(lines.values()), [])
    shortest = min(map(len, lines.values()), default=0)
    before = next((at for at in range(shortest) if len({one[at] for one in lines.values()}) > 1), shortest)
    left = shortest - before
    behind = next((at for at in range(left) if len({one[-1 - at] for one in lines.values()}) > 1), left)
    if before == shortest == len(first):
        return dict(texts)  # nothing follows the answer
    return {one: "\n".join(each[before : len(each) - behind]) for one, each in lines.items()}


def goes_round(known: Classes, count: int, texts: Mapping[int, str]) -> bool:
    """Whether the last class is said by the first name of a list of as many, or the first one by the last
    name: that may be meant."""
    if belongs_at(known, count) != 0 or known.is_numbered:
        return False
    return says(texts.get(count - 1, ""), known.names[0]) or says(texts.get(0, ""), known.names[-1])


def goes_round_alone(known: Classes, count: int, texts: Mapping[int, str]) -> bool:
    """The same, if no text says more than one name, as of all that are equal."""
    are_alone = all(len([*said_in(known, text)]) == 1 for text in texts.values())
    return are_alone and goes_round(known, count, texts)


def beside(known: Sequence[Classes], count: int, texts: Mapping[int, str]) -> str:
    """Returns a hint if each class is said by the name beside its own, in a list with a name for each, and
    perhaps one for the background before them, which is no class, or "" if that isn't so. Of several names in
    each text the first one is the surest, if that follows the class."""
    lists = [one for one in known if belongs_at(one, count) in (0, 1) and not one.is_numbered]
    if not lists:
        return ""
    at, names = belongs_at(lists[0], count) or 0, lists[0].names
    named = of_first_names(lists[0], at, texts) or varying(
        {place: [number - at for number in said_in(lists[0], text)] for place, text in texts.items()}
    )
    for by in (1, -1):
        off, right = ([place for place, said in named.items() if place + shift in said] for shift in (by, 0))
        alone = [
            place for place in off if sum(place + by in said for said in named.values()) == 1
        ]  # the others may be said because all but one are equal
        if len(off) < ENOUGH or len(right) > 1 or len(alone) < FEWEST:
            continue
        place = max(alone)
        why = f"it has a name for each of {count} classes: is the line off by one?"
        if at:
            why = (
                f'its first name, "{names[0]}", is none of the {count} classes of this model: is 1 to be '
                "added, or is it the list of another model?"
            )
        return (
            "whichever element is the largest, the guest says the name beside its own in "
            f'{lists[0].file} ("{names[place + by + at]}" for {place}, which is "{names[place + at]}"); {why}'
        )
    return ""


def of_first_names(known: Classes, at: int, texts: Mapping[int, str]) -> dict[int, list[int]]:
    """The class that each text names first, if each names several and the first follows the largest element
    as far as there are names, or {} if that isn't so. A class's number is lower by `at` than its name's."""
    found = {place: first_said(known, text) for place, text in texts.items()}
    first = {place: number - at for place, number in found.items() if number is not None}
    shift = Counter(number - place for place, number in first.items()).most_common(1)[0][0] if first else 0
    follow = {place for place in texts if 0 <= place + shift + at < len(known.names)}
    are_several = all(len([*said_in(known, text)]) > 1 for text in texts.values())
    is_followed = len(follow) >= ENOUGH and all(first.get(place) == place + shift for place in follow)
    return {place: [first[place]] for place in follow} if are_several and is_followed else {}


def varying(named: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """The names that are said of some classes only: others are in the name of a file."""
    always = set[int]().union(*named.values()).intersection(*named.values())
    return {place: [name for name in names if name not in always] for place, names in named.items()}


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
    if all(map(WHOLE.search, names)):
        by_number = sorted(names, key=numbers_of)
        yield "were the names sorted by the numbers in them?", by_number
        yield "were the names sorted by the numbers in them, the largest first?", by_number[::-1]
    for several in (names, sorted(names), sorted(names, key=str.lower)):
        yield "were the names sorted by their length?", sorted(several, key=len)
        yield (
            "were the names sorted by their length, the longest first?",
            sorted(several, key=len, reverse=True),
        )
    for key in (None, str.lower):
        yield "were the names sorted, the last of the alphabet first?", sorted(names, key=key, reverse=True)
    yield "is the list of names backwards?", names[::-1]
    words = data.decode("utf-8", "replace").split()
    if all(word.isalpha() for word in words):  # numbers before names may be meant
        yield SPLIT, words


def numbers_of(name: str) -> tuple[list[int], str]:
    """The numbers in a name, and the name, by which names are sorted."""
    return [int(one) for one in WHOLE.findall(name)], name


def says(text: str, name: str) -> bool:
    """Whether a name stands in a text, as whole words, and not in a file's name. One that is a number is no
    part of another number, and no percents."""
    if name.isdecimal():
        whole = rf"(?<![\w.,]){name}(?!\w|[.,]\d| ?%)"
        return re.search(whole, FILE_NAME.sub(" ", text)) is not None
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", FILE_NAME.sub(" ", text)) is not None
