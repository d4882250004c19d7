"""Pictures of a series whose names count, such as t00.pgm, t05.pgm and t10.pgm, in the order of the numbers,
whatever the order in which they were read.

What is here: `by_number`. What is not: the order in which they were sent (`clips.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..regex import regex

NUMBER = regex(r"\d+")
FEWEST = 3


def by_number(pictures: Sequence[tuple[str, Any]], arguments: Sequence[str]) -> list[tuple[str, Any]]:
    """Names and pixels in the order of the only number in which the names differ; in the order in which they
    are if there is none, or the guest's arguments name them in another order."""
    names = [name for name, _ in pictures]
    numbers = [NUMBER.findall(name) for name in names]
    alike = len({NUMBER.sub("0", name) for name in names}) == 1 == len({len(one) for one in numbers})
    if len({*names}) != len(names) or len(names) < FEWEST or not alike:
        return [*pictures]
    moving = [column for column in zip(*numbers, strict=True) if len({*column}) > 1]
    if len(moving) != 1 or len({int(one) for one in moving[0]}) != len(names):
        return [*pictures]
    order = sorted(range(len(names)), key=lambda at: int(moving[0][at]))
    named = [at for one in arguments for at in order if one == names[at] or one.endswith("/" + names[at])]
    if named != [at for at in order if at in named]:
        return [*pictures]
    return [pictures[at] for at in order]
