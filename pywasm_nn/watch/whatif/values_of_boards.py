"""Models that say of a board how good it is for the side to move, whose marks come first: does the guest send
the first player's marks first, also where the second one is to move?

What is here: `are_of_one_player` and `have_second_to_move`, by the counts of marks, `valued`, which asks the
model, and `won`, the same for models with a score for each square. What is not: following the guest
(`sides_to_move.py`).

Players move in turns, so that the one with fewer marks is to move. Both meanings of the planes are right, so
the model is asked about positions made up here, in which the second player is to move and can win at once,
or only the first one could, or both. A model for the side to move says of them as sent what would be so if
the first player were to move, and with the planes exchanged what is so. One that knows from the counts whose
turn it is doesn't.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy

SECOND, FEWEST = -1, 2
"""The second player, and positions in which that one is to move."""
NO_FALL = 3
"""Rows on which nobody lets marks fall: that three by three happen to lie on each other says nothing."""
MOST_SIDE, EACH, GAMES, HIGH = 8, 2, 3000, 0.75
"""The longest side of a board on which marks in a row are made by chance; positions of each kind that the
model is asked about, of so many games; and how high those are that both could win, between those of the one
and of the other. A value for one player, whoever is to move, is in the middle."""
MORE, ONE_IN = 3, 12
"""Such positions for a model that says the best square, and of how many a small one may miss one. One that
counts whose turn it is misses a quarter."""
Wins = Callable[[Any, int, int], bool]
"""Whether on a board a side wins at a square."""


def are_of_one_player(boards: Sequence[Any]) -> bool:
    """Whether of boards, [rows, columns] with 1 and -1, the first marks are always those of who began: there
    are as many of both, or one more. None is sent with the marks exchanged, too, as who looks at both sides
    does."""
    return {int(one.sum()) for one in boards} == {0, 1} and have_second_to_move(boards)


def have_second_to_move(boards: Sequence[Any]) -> bool:
    """Whether of boards the first marks are those of who began, as far as counts tell: in some there is one
    more of them, and in no other there are fewer than of the second ones."""
    over = [int(one.sum()) for one in boards]
    return {*over} <= {0, 1} and over.count(1) >= FEWEST and not are_both_ways(boards)


def are_both_ways(boards: Sequence[Any]) -> bool:
    """Whether one of them is also sent with the marks exchanged."""
    known = {one.tobytes() for one in boards}
    return any((-one).tobytes() in known for one in boards)


def won(boards: Sequence[Any], wins: Wins, best_of: Callable[[Any], int | None]) -> bool:
    """Whether a model that says the best square of a board wins at once for the second player, who is to
    move, only with the marks exchanged, and as sent wins for the first one: whatever it is asked, it does so
    for the marks that are 1."""
    if max(boards[0].shape) > MOST_SIDE:
        return False
    own, other, both = positions(boards, wins, MORE)
    if min(map(len, (own, other, both))) < EACH:
        return False
    asked = [*(-marks for marks in (*own, *both)), *other, *both]
    missed = 0
    for marks in asked:
        if (at := best_of(marks)) is None:
            return False
        missed += not wins(marks, 1, at)
        if missed * ONE_IN > len(asked):
            return False
    return True


def valued(boards: Sequence[Any], wins: Wins, value_of: Callable[[Any], float | None]) -> bool:
    """Whether a model says of such boards what is so only with the marks of the side to move first.
    `value_of` asks it about a board, and says None if there is no time left."""
    if max(boards[0].shape) > MOST_SIDE:
        return False
    kinds = positions(boards, wins)
    if any(len(one) < EACH for one in kinds):
        return False
    as_sent, exchanged = [], []
    for kind in kinds:
        as_sent.append([value_of(one) for one in kind])
        exchanged.append([value_of(-one) for one in kind])
    if any(one is None for kind in (*as_sent, *exchanged) for one in kind):
        return False
    (own, other, both), (mine, theirs, ours) = as_sent, exchanged
    return are_above(other, both, own) and are_above(mine, ours, theirs)


def are_above(high: Sequence[Any], both: Sequence[Any], low: Sequence[Any]) -> bool:
    """Whether values are above others, and those of what both could win are about as high."""
    if min(*high, *both) <= max(low):
        return False
    top, middle, bottom = (sum(one) / len(one) for one in (high, both, low))
    return bool(middle - bottom >= HIGH * (top - bottom))


def positions(boards: Sequence[Any], wins: Wins, each: int = EACH) -> tuple[list[Any], list[Any], list[Any]]:
    """So many boards of the same kind in which the second player is to move: who can win at once, where the
    first one couldn't; who can't, where the first one could; and where both could, at different squares."""
    random, shape = numpy.random.default_rng(1), boards[0].shape
    falls = all(map(are_held, boards))
    own, other, both = list[Any](), list[Any](), list[Any]()
    for _ in range(GAMES):
        marks, side = numpy.zeros(shape), 1
        for _ in range(1 + 2 * int(random.integers(1, max(2, marks.size // 3)))):
            place = int(random.choice(squares(marks, falls=falls)))
            if wins(marks, side, place):
                break
            marks.reshape(-1)[place] = side
            side = -side
        free = squares(marks, falls=falls) if side == SECOND else []
        mine, theirs = ({at for at in free if wins(marks, one, at)} for one in (SECOND, 1))
        kind = (both if theirs else own) if mine else other if theirs else None
        if kind is not None and len(kind) < each and not mine & theirs:
            kind.append(marks)
        if min(map(len, (own, other, both))) == each:
            break
    return own, other, both


def are_held(marks: Any) -> bool:
    """Whether each mark is in the last row or lies on another one, as those that fall."""
    return len(marks) > NO_FALL and bool(((marks[:-1] == 0) | (marks[1:] != 0)).all())


def squares(marks: Any, *, falls: bool) -> list[int]:
    """The free squares, or those into which marks fall."""
    free = marks == 0
    if falls:
        free[:-1] &= marks[1:] != 0
    found: list[int] = numpy.flatnonzero(free).tolist()
    return found
