"""A class for each place of a text or a series: is each said by its own name in the list that was read?

What is here: `off_by_one`. All places get the same class, which is another one each time. What is not: a
single row (`classes.py`), rows for the inputs of a batch (`alike.py`), and places (`tagged.py`).
"""

from __future__ import annotations

from . import classes
from .asked import Asked, Given
from .named import beside

FEWEST, MOST = 4, 1024
"""Places."""
MOST_CLASSES = 256


def off_by_one(asked: Asked) -> str:
    """Returns what is wrong with the names that are said, or "" if nothing is."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or not FEWEST <= lengths[0] <= MOST or lengths[1] != output.array.shape[-1]:
            continue
        rows, count = lengths
        if not classes.FEWEST <= count <= MOST_CLASSES or not any(
            len(one.names) == count for one in asked.lists
        ):
            continue
        texts = {place: of_all(asked, index, output, place) for place in classes.tried(count)}
        if wrong := beside(asked.lists, count, texts):
            return f"{output.what}: {wrong} (the same at all {rows} places)"
    return ""


def of_all(asked: Asked, index: int, output: Given, place: int) -> str:
    """Returns what is written if all places have one class."""
    rows, count = output.lengths
    return asked.text(index, output.filled([place + count * row for row in range(rows)])) or ""
