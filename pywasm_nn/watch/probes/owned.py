"""Names that the model itself has for its classes: does the guest say them of the same ones?

What is here: `misnamed`. Each of a few classes is made the largest in turn. What is not: names in files that
the guest reads (`named.py`, `classes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..regex import regex
from .asked import Asked, Given
from .classes import tried

FEWEST, TWO = 2, 2
LOW, HIGH = (0.02, 0.98), (-6.0, 6.0)
"""One number for two classes: as a share, and as a logit."""
PLAIN = regex(r"[\W_]+")


def plain(text: str) -> str:
    """Words in small letters, with one blank around each."""
    return f" {PLAIN.sub(' ', text.lower()).strip()} "


def misnamed(asked: Asked) -> str:
    """Returns a hint about classes that are said by the names of others, or "" if there are none."""
    for index, output in asked.fetched():
        for names in asked.names_of_model:
            is_list = len({*map(plain, names)}) == len(names)
            texts = texts_of(asked, index, output, len(names)) if is_list else {}
            if wrong := compared(names, texts):
                return f"{output.what}: {wrong}"
    return ""


def texts_of(asked: Asked, index: int, output: Given, count: int) -> dict[int, str]:
    """Returns what is written for some classes as the largest, or {} if an output has other classes."""
    array = output.array
    made: Mapping[int, Any] = {}
    if count == TWO and (array.size == 1 or (array.shape[-1] == 1 and len(output.lengths) == 1)):
        levels = LOW if array.min() >= 0 and array.max() <= 1 else HIGH
        made = (
            {one: (array * 0 + levels[one]).astype(array.dtype) for one in (0, 1)}
            if array.dtype.kind == "f"
            else {}
        )
    elif array.shape[-1] == count and len(output.lengths) <= TWO:
        made = {one: output.filled(range(one, array.size, count)) for one in tried(count)}
    texts = {one: asked.text(index, array) or "" for one, array in made.items()}
    return texts if len({*texts.values()}) == len(texts) else {}


def compared(names: Sequence[str], texts: Mapping[int, str]) -> str:
    """Returns what is wrong with what is said of some classes, or "" if nothing is."""
    named = said_alone(names, texts)
    differ = [one for one, place in named.items() if place != one]
    if len(differ) < FEWEST or 2 * len(differ) < len(named) or len({*named.values()}) < len(named):
        return ""
    one = min(differ)
    how = order(names, named)
    return (
        f'class {one} is said as "{names[named[one]]}", which is "{names[one]}" in the list that the model '
        f"itself has, and so {len(differ)} of the {len(texts)} classes that were tried: {how}"
    )


def said_alone(names: Sequence[str], texts: Mapping[int, str]) -> dict[int, int]:
    """By class, the only name that is said of it, and not of all, as one in a file's name is."""
    spaced = [*map(plain, names)]
    said = {one: {at for at, name in enumerate(spaced) if name in plain(text)} for one, text in texts.items()}
    always = set.intersection(*said.values()) if said else set()
    alone = {one: [*places - always] for one, places in said.items()}
    return {one: places[0] for one, places in alone.items() if len(places) == 1}


def order(names: Sequence[str], named: Mapping[int, int]) -> str:
    """In which order a guest has the names."""
    by_name = sorted(range(len(names)), key=lambda at: names[at])
    shifts = {place - one for one, place in named.items()}
    if len(names) == TWO:
        return "are the two names exchanged?"
    if all(by_name[one] == place for one, place in named.items()):
        return "were the names sorted?"
    if all(place == len(names) - 1 - one for one, place in named.items()):
        return "is the list of names backwards?"
    return "is the index off by one?" if shifts in ({1}, {-1}) else "has the guest another list of names?"
