"""Names of the program's own, such as translated ones, in another order than that of the list beside the
model.

What is here: `in_other_order`, by the names that both lists have. What is not: lists that the guest read
(`by_files.py`, `probes/named.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...nn.formats import KNOWN

FEWEST = 4
"""Fewer names are in any order by chance."""
SEVERAL = 2
"""So many names in common say enough; a single one does if the program's own are sorted, too."""


def in_other_order(own: Sequence[str], beside: Sequence[str], file: str) -> str:
    """Returns what is wrong with the order of a program's names, by those in a `file` named after the model,
    or "" if nothing is known to be: names that both have stand at other places in the one than in the
    other, and none at the same."""
    first, second = ([one.casefold() for one in names] for names in (own, beside))
    common = [name for name in first if name in second]
    moved = [name for name in common if first.index(name) != second.index(name)]
    is_sorted = first == sorted(first)
    if len(own) < FEWEST or not moved or len(moved) < len(common):
        return ""
    if len(moved) < SEVERAL and not is_sorted:
        return ""
    at, there = first.index(moved[0]), second.index(moved[0])
    order = "in alphabetical order, and " if is_sorted else ""
    others = f", and so are {len(moved) - 1} more" if len(moved) > 1 else ""
    return (
        f'the program\'s own names of {len(own)} classes are {order}"{own[at]}" is class {at}; in {file}, '
        f'which is named after the model and was never read, "{beside[there]}" is class {there}{others}: are '
        "they in the order of the model's classes?"
    )


def is_of_model(path: Path) -> bool:
    """Whether a file lies beside a model of its name."""
    try:
        others = [one for one in path.parent.iterdir() if one.stem == path.stem and one != path]
    except OSError:
        return False
    return any(KNOWN.of_file(one.name) is not None for one in others)
