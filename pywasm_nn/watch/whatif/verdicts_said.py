"""Models that say of a board who wins: does the guest write "loss" where the model says that the side to move
wins?

What is here: `said_lost`, for boards that the guest writes with the letter of the side to move, whose marks
come first, and `contrary_words`, which asks the model. What is not: whose marks come first
(`verdicts_on_boards.py`), and how boards are known (`sides_to_move.py`).

Three signs are asked for: in positions in which the side to move can win at once, by the letter that the
guest writes beside the board, it writes that this side loses; the model gives all of them one verdict; and
it gives that one to all positions that are made up here to be won at once, and the opposite one to those that
the other side could win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..regex import regex
from .values_of_boards import EACH, MOST_SIDE, Wins, positions
from .verdicts_on_boards import Scores, told_apart

FEWEST = 2
"""Positions that are won at once, and said to be lost."""
LOST, WON, DRAWN = (
    regex(rf"(?<![\w-])(?<!\b\w )(?:{words})(?![\w-]|\W{{0,3}}\d)", re.IGNORECASE)
    for words in ("loss|los[et]|loses|losing|lost", "win|wins|winning|won", "draw|draws|drawn|tied?")
)
"""Words for what the side to move will do, and no number's name; behind a letter it may be the other one."""
AGAINST = regex(
    r"(?<!\w)(?:not|no|never|or|if|unless|without|opponent|enemy|other|mis[eè]re|avoid\w*)(?!\w)|n't",
    re.IGNORECASE,
)
"""With one of these a line may mean the other side, or another game."""
Mover = Callable[[Any, str], int]
"""Returns 1 or -1 for the side of a board, in one dimension, that a line says to be the one to move, or 0."""


def is_lost(line: str) -> bool | None:
    """Whether a line says lost (or won), or None if it says neither or both."""
    ways = [kind.search(line) is not None for kind in (LOST, WON, DRAWN)]
    return None if sum(ways) != 1 or ways[2] or AGAINST.search(line) else ways[0]


def said_lost(boards: Sequence[Any], lines: Sequence[str], wins: Wins, mover: Mover) -> list[int]:
    """Returns which boards are said to be lost for the side that comes first, though it is to move and can
    win at once, or [] if one that can is said to be anything else, or another side is to move."""
    found = []
    for at, marks in enumerate(boards):
        about = [(side, line) for line in lines if (side := mover(marks.reshape(-1), line))]
        if not about or any(side != 1 for side, _ in about):
            return []
        can_win = any(wins(marks, 1, one) for one in range(marks.size) if not marks.reshape(-1)[one])
        if can_win and {is_lost(line) for _, line in about} != {True}:
            return []
        found += [at] * can_win
    return found


def contrary_words(
    boards: Sequence[Any], answers: Sequence[Any], lost: Sequence[int], wins: Wins, scores_of: Scores
) -> str:
    """Returns what is wrong if a model says that these boards are won, or "". `answers` are those to the
    boards."""
    verdicts = {int(answers[at].argmax()) for at in lost}
    if len(lost) < FEWEST or len(verdicts) != 1 or max(boards[0].shape) > MOST_SIDE:
        return ""
    own, other, _ = positions(boards, wins)
    if min(len(own), len(other)) < EACH:
        return ""
    won = told_apart([scores_of(-one) for one in own], [scores_of(-one) for one in other])
    if won is None or {won} != verdicts:
        return ""
    lowest = answers[0].size - 1 - won
    return (
        f"in {len(lost)} positions the side to move can win at once, and the guest writes that it loses; "
        f"the model says {won} of these, as of others that are won at once, and {lowest} of those that the "
        "other side could win: are the words for who wins in another order than the model's?"
    )
