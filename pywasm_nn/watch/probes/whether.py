"""Whether anything that a guest writes depends on the answer at all.

What is here: `unheard`, and `moves`, which asks the same of a few answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ..spoken import filled_lines
from .asked import Asked, Given
from .copies import Reply
from .suppression import without_scores

LONGEST, FEWEST = 40, 3
NUMBER = re.compile(r"\d+")
CLASS = re.compile(
    r"\b(?:class|kind|label|category|type|species|best|predict(?:ion|ed)?|answer|result|winner|language)\b"
    r"\W{0,3}[^\W\d]\w*",
    re.IGNORECASE,
)
"""A class that is said by a name."""
ABOUT = re.compile(r"^[^:=>]{1,40}?\s*(?::|=>?|->)\s*(?=\w)")
"""What a line is about."""
PEAKS = (0.0, 0.5, 1.0)
"""Parts of an answer at which one element is far larger than any: that counts even if something else does."""


def unheard(asked: Asked) -> str:
    """A guest that came to its end and wrote the same for different answers, though it fetched them."""
    control = asked.control
    said = said_of(asked, control)
    if not control.is_whole or not said or len(control.texts) > 1:  # the other computes get the same answer
        return ""
    for way in (reversed_, spread, doubled, *map(peak, PEAKS)):
        made = {index: way(one) for index, one in asked.fetched()}
        if all((made[index] == one.array).all() for index, one in asked.fetched()):
            continue
        reply = asked.reply(made)
        if reply is None or not reply.is_whole or reply.text != control.text:
            return ""
    titles = ", ".join(one.what for _, one in asked.fetched())
    return (
        f'{titles}: the guest writes "{said[:LONGEST]}" whatever the answer is: is another buffer read in '
        "place of that which get_output filled, or before it did?"
    )


def moves(asked: Asked) -> bool:
    """Whether anything that is written depends on the answer. A guest that looks for boxes gets an
    answer without any scores first: of others it may keep all boxes, and compare each with each."""
    if (none := without_scores(asked)) and asked.said(none) not in (None, asked.control.text):
        return True
    for way in (last, first, spread, *map(peak, PEAKS)):
        reply = asked.reply({index: way(one) for index, one in asked.fetched()})
        if reply is not None and reply.text != asked.control.text:
            return True
    return False


def always(asked: Asked) -> str:
    """The same class of each of several inputs, whatever the answers are; only its number differs, or what
    the line is about."""
    lines = filled_lines(asked.control.text)
    if not asked.control.is_whole or len(lines) < FEWEST or len({*lines}) < len(lines):
        return ""
    said = next(
        (
            ways[0]
            for ways in (lines, [ABOUT.sub("", line) for line in lines])
            if len({NUMBER.sub("#", way) for way in ways}) == 1
        ),
        "",
    )
    said = class_of(asked, said)
    if not said or moves(asked):
        return ""
    titles = ", ".join(one.what for _, one in asked.fetched())
    return (
        f'{titles}: the guest says "{said}" of each of {len(lines)} inputs, whatever the answers are: '
        f"{reason(asked, said)}?"
    )


def reason(asked: Asked, said: str) -> str:
    """Why a guest may always say the same classes."""
    names = next(filter(None, (asked.names(said, one.array.size) for _, one in asked.fetched())), [])
    if len(names) > 1 and sorted(names) == [*range(len(names))]:
        return "these are the first names of its list: were values sorted, and their numbers not with them"
    return (
        "are they multiplied by 0 (as by 1 / 3 of whole numbers), or is another buffer read than the one "
        "that was filled (freed, or a local array of a function that has returned)"
    )


def class_of(asked: Asked, line: str) -> str:
    """Returns the words by which a line says a class, or "" if it says none."""
    if found := CLASS.search(line):
        return found[0]
    named = any(asked.names(line, one.array.size) for _, one in asked.fetched())
    return line.strip() if named else ""


def said_of(asked: Asked, reply: Reply) -> str:
    """Returns the first line that says a class, or a number that may be one, or "" if none does."""
    sizes = [one.array.size for _, one in asked.fetched()]
    for line in reply.text.splitlines():
        alone = line.strip().lstrip("-").replace(".", "", 1).isdecimal()
        if alone and not float(line):  # nothing was found, as may be right for answers that make no sense
            return ""
        if alone or any(asked.names(line, size) for size in sizes):
            return line.strip()
    return ""


def last(one: Given) -> Any:
    """The last element is the largest."""
    return one.filled([one.array.size - 1])


def first(one: Given) -> Any:
    return one.filled([0])


def peak(part: float) -> Callable[[Given], Any]:
    """One element that is far larger than the others."""
    return lambda one: one.filled([round(part * (one.array.size - 1))], clearly=True)


def reversed_(one: Given) -> Any:
    array = one.array
    return numpy.ascontiguousarray(array.reshape(-1)[::-1]).reshape(array.shape)


def spread(one: Given) -> Any:
    """Other elements in another order, in the range of those that there are."""
    array = one.array
    flat = array.reshape(-1)
    steps = numpy.linspace(0, 1, flat.size)
    made = flat.min() + (flat.max() - flat.min() + (flat.max() == flat.min())) * steps
    return numpy.roll(made, flat.size // 3).astype(array.dtype).reshape(array.shape)


def doubled(one: Given) -> Any:
    """Other elements, also of a single one."""
    array = one.array
    return (2 * array.astype("f8") + 1).astype(array.dtype)
