"""Whether anything that a guest writes depends on the answer at all, or on more than its first elements.

What is here: `unheard`, `first_alone`, and `moves`, which asks of a few answers whether anything changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..spoken import filled_lines
from .asked import Asked, Given, places_that_differ
from .copies import Reply
from .sequences import few_letters
from .suppression import without_scores
from .unreached import changes_below

LONGEST, FEWEST = 40, 3
NUMBER = regex(r"\d+")
CLASS = regex(
    r"\b(?:class|kind|label|category|type|species|best|predict(?:ion|ed)?|answer|result|winner|language)\b"
    r"\W{0,3}[^\W\d]\w*",
    re.IGNORECASE,
)
"""A class that is said by a name."""
ABOUT = regex(r"^[^:=>]{1,40}?\s*(?::|=>?|->)\s*(?=\w)")
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


def first_alone(asked: Asked) -> str:
    """Returns a hint if what is written of several different inputs depends on as many first elements of the
    answer as fit into a pointer, or an object that has one, and on no other, or "" if it doesn't."""
    lines = filled_lines(asked.control.text)
    for index, output in asked.fetched():
        rows, width = len(output.array), output.array.dtype.itemsize
        if not FEWEST <= rows <= len(lines) or not asked.is_batch(output) or not are_different(asked, rows):
            continue
        for size in POINTERS if output.array.size > FEWEST else ():
            count = size // width
            if not 0 < count <= output.array.size // 2:
                continue
            if (row := output.array.size // rows) > 1 and count % row == 0:
                continue  # it is whole rows that are copied
            if not depends(asked, index, output, count):
                return (
                    f"{output.what}: of {output.array.size} elements, for {rows} inputs, only the first "
                    f"{'one changes' if count == 1 else f'{count} change'} what the guest writes: is the "
                    f"size of a pointer or of an object (sizeof, {size} bytes) taken for that of the "
                    "elements that it copies?"
                )
    return ""


POINTERS = (4, 8, 12)
"""Bytes of a pointer, of one with a length (a slice), and of a vector."""


def are_different(asked: Asked, rows: int) -> bool:
    """Whether each of several inputs is another: no place of a batch is empty."""
    for one in asked.sent:
        if one.array is not None and one.shape[:1] == (rows,):
            return len({row.tobytes() for row in one.array.reshape(rows, -1)}) == rows
    return False


def depends(asked: Asked, index: int, output: Given, count: int) -> bool:
    """Whether what is written depends on elements behind so many first ones, or not on these alone: each of
    them is that of one input, of which one line is about."""
    flat, size = output.array.reshape(-1), output.array.size
    own = asked.control.text
    for begin, step in ((count, 1), (size, 1), (count, 2), (count + 1, 2)):  # all, none, every second one
        made = output.filled(range(begin, size, step), clearly=True).reshape(-1)
        made[:count] = flat[:count]
        if asked.text(index, made.reshape(output.array.shape)) != own:
            return True
    few = False
    for lowest in (False, True):
        made = output.filled(range(count), lowest=lowest, clearly=True).reshape(-1)
        made[count:] = flat[count:]
        text = asked.text(index, made.reshape(output.array.shape))
        if text is None:
            return True
        moved = places_that_differ(filled_lines(own), filled_lines(text))
        few = few or 0 < len(moved) < len(output.array)
    return not few


def moves(asked: Asked) -> bool:
    """Whether anything that is written depends on the answer. A guest that looks for boxes gets an
    answer without any scores first: of others it may keep all boxes, and compare each with each. One that
    reads letters gets a few, which another rule looks at, as each copy takes long."""
    for index, _, array in few_letters(asked):
        if asked.text(index, array) not in (None, asked.control.text):
            return True
    if (none := without_scores(asked)) and asked.said(none) not in (None, asked.control.text):
        return True
    if changes_below(asked):  # all shares may pass a level that is on another scale
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
        if alone and float(line) <= 0:  # nothing was found, as may be right for answers that make no sense
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
