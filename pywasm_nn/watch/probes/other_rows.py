"""An output whose rows are read as if they were as long as those of another one, which has as many and is
never fetched: the index of the output is another one's.

What is here: `misfetched`. What is not: rows and columns exchanged (`turned_rows.py`), and buffers that the
other output would fill (`hints/use.py`).

Three signs are asked for: nothing changes behind as many elements as the other output has; columns of its
length are told apart; and the answer's own are not, or those are the same to the guest that are as far apart
as the other rows are long. A right program that folds columns (octaves to pitch classes) reads all of them.
"""

from __future__ import annotations

from .asked import Asked, Given
from .thresholds import DECIMAL

FEWEST, TRIED = 8, 3
"""The fewest elements of the other output's rows, and how many columns are tried."""


def misfetched(asked: Asked) -> str:
    """Returns a hint about an output that is read as another one, or "" if none is."""
    for index, output in asked.fetched():
        if len(output.lengths) != 2 or output.array.dtype.kind != "f":
            continue
        for length, others in beside(asked, output).items():
            if is_read_as(asked, index, output, length):
                rows, width = output.lengths
                these = " and ".join(other.what for other in others)
                return (
                    f"{output.what}: it has {rows} rows of {width} elements ({output.array.nbytes} bytes), "
                    f"and the guest reads {rows} rows of {length}, which are what {these} would have "
                    f"({others[0].array.nbytes} bytes), never fetched: is that index meant?"
                )
    return ""


def beside(asked: Asked, output: Given) -> dict[int, list[Given]]:
    """The outputs that aren't fetched, of as many rows as one that is, by the length of theirs, if they are
    shorter."""
    found: dict[int, list[Given]] = {}
    rows, width = output.lengths
    for index, other in asked.outputs.items():
        if index in asked.control.fetched or other.array.dtype != output.array.dtype:
            continue
        if len(other.lengths) == 2 and other.lengths[0] == rows and FEWEST <= other.lengths[1] < width:
            found.setdefault(other.lengths[1], []).append(other)
    return found


def is_read_as(asked: Asked, index: int, output: Given, length: int) -> bool:
    """Whether the guest reads as many rows of this length as the output has."""
    rows, width = output.lengths
    for value in (output.array.max(), output.array.min()):
        behind = output.array.copy().reshape(-1)
        behind[rows * length :] = value
        if asked.text(index, behind.reshape(output.array.shape)) != asked.control.text:
            return False
    columns = [length // 5, length // 2, length - length // 5]
    told = [said_of(asked, index, output, one, length) for one in columns]
    if None in told or len({*told}) < TRIED:
        return False
    if width % length:
        return len({said_of(asked, index, output, one, width) for one in columns}) < TRIED
    few = rows * length // width  # of so many rows all is read: a guest that counts them counts as many
    pairs = [(said_of(asked, index, output, one + by, width, few) for by in (0, length)) for one in columns]
    return all(one == other for one, other in pairs)


def said_of(
    asked: Asked, index: int, output: Given, column: int, length: int, rows: int | None = None
) -> str | None:
    """Returns what the guest writes, but for decimals, of a column that is the largest in so many rows (all),
    where these have a length."""
    end = output.array.size if rows is None else rows * length
    text = asked.text(index, output.filled(range(column, end, length)))
    return None if text is None else DECIMAL.sub("#", text)
