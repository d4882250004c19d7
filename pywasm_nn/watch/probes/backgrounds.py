"""Parts of a picture by the names of classes: is the class that a model says of empty pictures
said by the name of something?

What is here: `misnamed`, for a class for each pixel. By a list without the background, or with it at its end,
all names are a class too early. What is not: names that the model itself has (`owned.py`), and one class of a
whole picture (`neighbours.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..spoken import NUMBER, Word, filled_lines, fit
from ..whatif.views import View
from .asked import Asked, Given
from .maps import layouts

FEWEST, MOST = 3, 256
"""Classes."""
EMPTY = (View(level=0.0), View(level=0.5), View(level=1.0))
MOSTLY, NEXT_TO_NONE, SEEN = 0.5, 0.002, 2
"""The part of an empty picture that is background, and that is something which is there by no chance; and how
many classes must be in the guest's own picture."""
BACKGROUND = regex(r"(?:^|[^a-z])(?:back[ _-]?ground|bg|nothing)(?:[^a-z]|$)", re.IGNORECASE)
"""Other last classes, such as void and unlabelled, are never said by models that have them there."""
OTHERS = regex(r"^\W*(?:others?|unknown|none|rest|no|empty|un\w+)\b", re.IGNORECASE)
"""A first class that may be that of empty pictures under another name."""
NAME = regex(r"[^\W\d_]{2}")


def misnamed(asked: Asked) -> str:
    """Returns what is wrong with the names of classes, or "" if nothing is known to be."""
    for index, output in asked.fetched():
        read = layouts(output) if len(output.lengths) == 3 else None
        if read is None or not FEWEST <= read[2] <= MOST:
            continue
        named = said_of(asked.control.text, parts_of(output, output.array), output.array.size // read[2])
        if named and (wrong := compared(asked, index, named)):
            return f"{output.what}: {wrong}"
    return ""


def parts_of(output: Given, array: Any) -> Any:
    """The part of all pixels that is of each class."""
    channels = min(output.lengths)
    axis = output.lengths.index(channels)
    best = array.reshape(output.lengths).argmax(axis=axis)
    return numpy.bincount(best.reshape(-1), minlength=channels) / best.size


def said_of(text: str, parts: Any, size: int) -> list[str]:
    """The names before the parts of all classes, one a line in their order, perhaps without the last class.
    [] if they aren't said so: in percent, as shares, or as how many of `size` pixels."""
    lines = [(line, NUMBER.findall(line)) for line in filled_lines(text)]
    known = [(line, Word.of(found[0])) for line, found in lines if len(found) == 1 and NAME.search(line)]
    for count in (len(parts), len(parts) - 1):
        for few in windows(known, count):
            words = [word for _, word in few]
            if any(fit(words, parts[:count], times) for times in (100.0, 1.0, size)):
                return [NUMBER.split(line)[0].strip(" :=\t-") for line, _ in few]
    return []


def windows(lines: Sequence[Any], count: int) -> Iterator[Sequence[Any]]:
    """All runs of so many lines."""
    return (lines[start : start + count] for start in range(len(lines) - count + 1))


def compared(asked: Asked, index: int, named: Sequence[str]) -> str:
    """Returns what is wrong if the first class is that of empty pictures and has the name of something, and
    the last one has that of the background, or none."""
    output = asked.outputs[index]
    last = min(output.lengths) - 1
    behind = [at for at, name in enumerate(named) if BACKGROUND.search(name)]
    if behind not in ([], [last]) or (not behind and len(named) > last) or OTHERS.search(named[0]):
        return ""
    if (parts_of(output, output.array) > 0).sum() < SEEN:
        return ""
    for view in EMPTY:
        array = asked.answer_to(view).get(index)
        if array is None or array.shape != output.array.shape:
            return ""
        parts = parts_of(output, array)
        if parts[0] < MOSTLY or parts[last] > NEXT_TO_NONE:
            return ""
    if not behind and not is_left_out(asked, index, named):
        return ""
    rest = f'"{named[last]}" of class {last}' if behind else f"nothing of class {last}"
    return (
        f'the guest says "{named[0]}" of class 0, and {rest}; of pictures with nothing in them (black, grey, '
        f"white) the model says mostly class 0 and nowhere class {last}: is class 0 the background, which "
        "the list of names lacks at its beginning?"
    )


def is_left_out(asked: Asked, index: int, named: Sequence[str]) -> bool:
    """Whether the last class is said by no name even if all of the picture is of it: small parts of other
    classes may be left out, too."""
    output = asked.outputs[index]
    made = output.filled([]).reshape(output.lengths)
    last = min(output.lengths) - 1
    numpy.moveaxis(made, output.lengths.index(last + 1), 0)[last] = output.array.max()
    text = asked.text(index, made.reshape(output.array.shape)) or ""
    return said_of(text, parts_of(output, made), made.size // (last + 1)) == [*named]
