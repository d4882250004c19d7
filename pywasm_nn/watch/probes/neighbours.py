"""Names of the guest's own, or behind a heading in a file: is each class said by the name beside its own?

What is here: `neighbouring`. Each of a few classes is made the largest in turn, and the names that are said
are looked for in the arrays of names among the program's data. What is not: names in files with one for each
class (`classes.py`, `named.py`), and those that a model has (`owned.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..classes import BACKGROUND, SHORTEST
from ..regex import regex
from ..spoken import filled_lines
from .asked import Asked, Given
from .classes import tried
from .ordered import file_of
from .owned import plain

FEWEST, MOST = 3, 1024
ENOUGH = 3
"""So many classes must be said by the names at the same distance."""
NONE = regex(r"^\W*(?:none|null|nothing|unknown|other|others|end|n/?a|\?+)\W*$", re.IGNORECASE)
"""The last name of a list that has one more than there are classes."""
FIRST = regex(r"^\W*(?:unknown|other|nothing|no[ -]?\w+|null|n/?a)\W*$", re.IGNORECASE)
"""A first name that stands for no class, beside those for the background."""
KINDS = (
    "name|label|class|classe|categorie|category|specie|species|genus|breed|variety|varietie|cultivar|kind|type|"
    "target|caption|title|description|meaning"
)
HEADING = regex(
    rf"^\W*(?:[#;]|//|(?:(?:class|label|category|target|common|display|human)[ _-]?)?(?:{KINDS})s?\W*$)",
    re.IGNORECASE,
)
"""The first line of a file of names that is none: a word for what all names are, of which no class would be
named."""


def neighbouring(asked: Asked) -> str:
    """Returns what is wrong with the names of classes, or "" if nothing is."""
    for index, output in asked.fetched():
        count = output.array.size
        if len(output.lengths) != 1 or not FEWEST <= count <= MOST:
            continue
        texts = {place: asked.text(index, output.filled([place])) or "" for place in tried(count)}
        if len({*texts.values()}) < ENOUGH:
            continue
        wrong = by_headings(asked, texts, count) or by_own(asked, output, texts)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def by_headings(asked: Asked, texts: Mapping[int, str], count: int) -> str:
    """The heading of a file is taken for the name of class 0."""
    for file, data in asked.files():
        text = data.decode("utf-8", "replace") if len(data) < 64 * MOST else ""
        names = [line.strip() for line in filled_lines(text)]
        if len(names) == count + 1 and HEADING.match(names[0]) and shift_of(names, texts) == 0:
            place = max(texts)
            return (
                f'class {place} is said as "{names[place]}", which is "{names[place + 1]}" in {file}: its '
                f'first line, "{names[0]}", is a heading, and was taken for the name of class 0'
            )
    return ""


def by_own(asked: Asked, output: Given, texts: Mapping[int, str]) -> str:
    """The names beside their own in the program's data."""
    count, best = output.array.size, int(output.array.argmax())
    for names in (*asked.own_names(count), *asked.own_names(count + 1)):
        shift = shift_of(names, texts)
        if shift == 0 and len(names) == count + 1 and BACKGROUND.match(names[0]):
            place = best if best in texts else max(texts)
            return (
                f'class {place} is said as "{names[place]}"; the program\'s own list has one name more than '
                f'the model has classes, and its first one, "{names[0]}", stands for none of these: class '
                f'{place} is then "{names[place + 1]}"; is 1 to be added, or is it the list of another model?'
            )
        if shift not in (1, -1):
            continue
        file = file_of(asked, [names[best].lower()]) if best < len(names) else ""
        if not is_told(names, count, shift, is_named=bool(file)):
            continue
        known = [place for place in sorted(texts) if 0 <= place + shift < len(names)]
        place = best if best in texts or 0 <= best + shift < len(names) else known[-1]
        shown = f" ({file} is named so)" if file and place == best else ""
        return (
            f'class {place} is said as "{names[place + shift]}", and is "{names[place]}"{shown} in the '
            f"program's own list of {len(names)} names; it is so with {len(known)} of the classes that were "
            "tried: is the index off by one?"
        )
    return ""


def is_told(names: Sequence[str], count: int, shift: int, *, is_named: bool) -> bool:
    """Whether a list says that the names are beside their own: the model may have a class more, before all
    others or behind them, or the list a name. `is_named`: by a file's name, too."""
    is_first = bool(BACKGROUND.match(names[0]) or FIRST.match(names[0]))
    is_last = bool(BACKGROUND.match(names[-1]) or NONE.match(names[-1]))
    if shift < 0:
        return is_named or not is_last
    return not is_first and (len(names) == count or is_named or is_last)


def shift_of(names: Sequence[str], texts: Mapping[int, str]) -> int | None:
    """Returns how far behind its own the name is by which each class is said, the same for nearly all, or
    None if it isn't, or if they are said by no names."""
    said = {place: {*said_in(names, text)} for place, text in texts.items()}
    always = set.intersection(*said.values()) if said else set()
    for shift in (0, 1, -1):
        told = [place for place in texts if 0 <= place + shift < len(names)]
        right = [place for place in told if said[place] - always == {place + shift}]
        if len(right) >= ENOUGH and len(right) >= len(told) - 1:
            return shift
    return None


def said_in(names: Sequence[str], text: str) -> Iterator[int]:
    """The places of names that stand in a text as whole words; a longer name is no shorter one."""
    words = plain(text)
    for place in sorted(range(len(names)), key=lambda at: -len(names[at])):
        name = plain(names[place])
        if len(name) >= SHORTEST + 1 and name in words:
            words = words.replace(name, " # ")
            yield place
