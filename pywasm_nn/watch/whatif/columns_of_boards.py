"""Models that say for each column of a board how good it is to let a mark fall there: are the rows upside
down, or the marks those of one player, where the side to move is wanted first?

What is here: `falling`, by the way the marks lie and by asking the model. What is not: models with a score
for each square, or one value for a board, and following the guest (`sides_to_move.py`).

Marks that fall lie on the last row or on the first one, so that elements show where the guest has the bottom.
Both are right, and so are both meanings of the planes. So the model is asked about positions made up here, in
which each side can win at once, in a column of its own: it finds these where the bottom is its own, and those
of the side whose turn it is for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .values_of_boards import Wins, are_held, squares

EACH, GAMES, HALF = 4, 2000, 0.5
"""Positions with either side to move that are made up, of so many games, and in which part of them a model
may find the right column by chance. There are as many runs as these take in three ways."""
MOST_SIDE, FEWEST = 8, 6
"""The longest side of a board on which marks in a row are made by chance, and the fewest marks."""
Best = Callable[[Any], "int | None"]
"""The free column that a model says of a board, or None if there is no time left."""


class Chance(Frozen):
    """A position, [rows, columns] with 1 and -1, whose last row is the bottom, and the only columns in which
    the first and the second side can win at once."""

    marks: Any
    first: int
    second: int


def are_on_last(boards: Sequence[Any]) -> bool | None:
    """Whether the marks of all boards lie on the last row, or None if it may be either row, or neither."""
    last, first = (all(map(are_held, some)) for some in (boards, [one[::-1] for one in boards]))
    return last if last != first else None


def falling(boards: Sequence[Any], made_up: Sequence[Sequence[Chance]], best_of: Best, second: int) -> str:
    """Returns what is wrong with boards that were sent, or "" if nothing is. `made_up` are the positions
    that the model is asked about, as `chances` gives them, and in `second` of the boards the second marks are
    known to be those of the side to move."""
    on_last = are_on_last(boards)
    if on_last is None or any(len(one) < EACH for one in made_up):
        return ""
    even, odd = made_up
    if is_upside_down(even, best_of, on_last=on_last):
        rows, other = ("last", "first") if on_last else ("first", "last")
        return (
            f"the marks fall onto the {rows} row; asked about {len(even)} positions made up with such rows, "
            "in which both sides can win at once, the model finds few of their columns, and with the "
            f"{other} row as the bottom all of one side's: are the rows to be sent in the other order, with "
            f"the {other} row as the bottom?"
        )
    if second and is_of_mover(odd, best_of, on_last=on_last):
        return (
            "the side to move has the second marks, by the letter beside the board in a file; asked about "
            f"{len(odd)} positions with the second side to move, in which both can win at once, the model "
            "finds the column of the first one, and with the two kinds of marks exchanged that of the side "
            "to move: does the model want the own marks of the side to move first, and not always those of "
            "one player?"
        )
    return ""


def is_upside_down(even: Sequence[Chance], best_of: Best, *, on_last: bool) -> bool:
    """Whether a model finds the columns in which one side wins only with the bottom at the other end."""
    boards = [one.marks for one in even]
    for turned, marks in ((False, boards), (True, boards), (False, [-one for one in boards])):
        said = [best_of(laid(one, on_last=on_last != turned)) for one in marks]
        if None in said:
            return False
        most = max(found(even, said))
        if most < len(even) if turned else most > HALF * len(even):
            return False
    return True


def is_of_mover(odd: Sequence[Chance], best_of: Best, *, on_last: bool) -> bool:
    """Whether a model lets the first side win though the second one is to move, and that one if the marks are
    exchanged."""
    as_sent = [best_of(laid(one.marks, on_last=on_last)) for one in odd]
    exchanged = [best_of(laid(-one.marks, on_last=on_last)) for one in odd]
    if None in as_sent or None in exchanged:
        return False
    return found(odd, as_sent)[0] == found(odd, exchanged)[1] == len(odd)


def found(positions: Sequence[Chance], said: Sequence[Any]) -> tuple[int, int]:
    """In how many positions a model says the column of the first side, and that of the second one."""
    pairs = [*zip(positions, said, strict=True)]
    return sum(one.first == at for one, at in pairs), sum(one.second == at for one, at in pairs)


def laid(marks: Any, *, on_last: bool) -> Any:
    """A board with its bottom at the last row or at the first one."""
    return marks if on_last else marks[::-1]


def chances(shape: tuple[int, int], wins: Wins) -> tuple[list[Chance], list[Chance]]:
    """Positions with the first and with the second side to move, in which each can win in one column only,
    not the same. They are the same each time; there are none for large boards."""
    chosen = Random(2)
    even, odd = list[Chance](), list[Chance]()
    for _ in range(GAMES if max(shape) <= MOST_SIDE else 0):
        marks, side = numpy.zeros(shape), 1
        for _ in range(chosen.randrange(FEWEST, max(FEWEST + 1, marks.size // 2))):
            place = chosen.choice(squares(marks, falls=True))
            if wins(marks, side, place):
                break
            marks.reshape(-1)[place] = side
            side = -side
        there = squares(marks, falls=True)
        first, second = ([at % shape[1] for at in there if wins(marks, one, at)] for one in (1, -1))
        kind = even if side > 0 else odd
        if len(first) == len(second) == 1 and first != second and len(kind) < EACH:
            kind.append(Chance(marks, *first, *second))
        if min(len(even), len(odd)) == EACH:
            break
    return even, odd
