"""Texts that are continued token by token: is the next token that of the last position?

What is here: `wrong_token`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .round import Kept, Round

FEWEST, MOST = 3, 4
"""At least three of the last four tokens must agree on a mistake."""
FEWEST_KINDS = 8
"""Kinds of tokens."""
PLACES = {0: "row 0", -2: "the row before the last"}


def wrong_token(rounds: Sequence[Round], index: int, now: Kept) -> str:
    """Returns from which row of the answers before the last tokens of an input come, if that isn't the last
    row, or "" if they come from there, or from none."""
    added = [*tokens(rounds, index, now)][-MOST:]
    telling = [one for one in added if one[0] != one[1][-1]]
    if len(telling) < FEWEST or len(telling) < len(added) - 1:
        return ""
    for place, what in PLACES.items():
        if all(len(rows) >= -place and token == rows[place] for token, rows in added):
            _, rows = telling[-1]
            return (
                f"{now.what} goes on with the largest of {what} of each answer, {len(added)} times; the next "
                f"token is that of the last row ({rows[-1]} of row {len(rows) - 1} the last time, not "
                f"{rows[place]})"
            )
    return ""


def tokens(rounds: Sequence[Round], index: int, now: Kept) -> Iterator[tuple[int, list[int]]]:
    """The token that each input has more than the one before, and the largest of each row of the answer
    between them."""
    inputs = [*(one.inputs.get(index) for one in rounds), now]
    for (before, after), one in zip(pairwise(inputs), rounds, strict=True):
        if before is None or after is None or after.array.dtype.kind not in "iu":
            continue
        count = before.flat.size
        if after.flat.size != count + 1 or not (after.flat[:-1] == before.flat).all():
            continue
        for answer in one.outputs.values():
            shape = answer.array.shape
            if (
                answer.array.dtype.kind == "f"
                and shape[-1] >= FEWEST_KINDS
                and answer.flat.size == count * shape[-1]
            ):
                best = answer.flat.reshape(count, -1).argmax(axis=1)
                yield int(after.flat[-1]), [int(row) for row in best]
                break
