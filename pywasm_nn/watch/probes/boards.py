"""Games on a board whose answer is a score for each square: are squares that are taken left out when the best
move is chosen, and is its row said as the row?

What is here: `taken` and `turned`, for boards of two kinds of marks, as planes of zeros and ones, or as 1 and
-1. What is not: whose marks come first (`whatif/sides_to_move.py`), and games in which something is moved
from square to square, whose answers have a score for each pair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..surroundings import text_in
from ..whatif.sides_to_move import MOST_BYTES, is_written, marks_in
from .asked import NUMBER, Asked, Given

FEWEST, MOST = 9, 361
"""Squares of a board."""
MARKS, PLANES = 2, (2, 3)
"""Kinds of marks; and the planes of an input, of which a third one is all 0 or 1, for whose turn it is."""
TRIED = 4
"""So many squares that are taken, and so many that are free, are made the best one."""
MOVE = regex(r"\b(?:moves?|plays?|places?|puts?|stone|board|square)\b|policy", re.IGNORECASE)
"""Words for a move, and names of what is asked about one."""
WORD = regex(r"[^\W\d_]{3,}")
PLAYED = regex(r"(?<![\w.])[^\W\d_] (?:plays|moves|goes|puts)\b[^(;:,\n]*", re.IGNORECASE)
"""A side of which a move is said to be made, and where."""
JUDGED = regex(
    r"illegal|invalid|not (?:legal|allowed|valid)|forfeit|los[et]|error|would|wants|skip|pass|instead|again"
    r"|model|net(?:work)?\b|choice|first|raw|\b(?:as|because|since|but|though|was)\b",
    re.IGNORECASE,
)
"""With one of these the moves of a model are told from those that are made, or another one is made."""

ROW, COLUMN = (
    regex(rf"\b(?:{words})[ :=#]{{0,3}}(\d{{1,2}})\b", re.IGNORECASE)
    for words in ("row|zeile|reihe|fila|ligne", "col(?:umn)?|spalte|columna|colonne")
)
FEWEST_TOLD = 2
"""Squares off the diagonal whose rows and columns are said."""


def taken(asked: Asked) -> str:
    """Returns a hint if the guest says the best square though it is taken, and would say any other one that
    is taken, or "" if it doesn't."""
    for index, output in asked.fetched():
        marks = marks_of(asked, output)
        names = " ".join([asked.control.text, output.what, *(one.name for one in asked.sent)])
        if marks is None or not MOVE.search(names.replace("_", " ")):
            continue
        best = int(output.array.argmax())
        full, free = numpy.flatnonzero(marks).tolist(), numpy.flatnonzero(marks == 0).tolist()
        if best not in full or not free or len(NUMBER.findall(asked.control.text)) >= marks.size:
            continue  # free squares alone, or the scores of all are written
        texts = [asked.text(index, output.filled([at])) for at in (*full[:TRIED], *free[:TRIED])]
        if None in texts or len({*texts}) < len(texts):
            continue
        is_told = are_told(texts[: len(full[:TRIED])], texts)
        if is_told and not are_played(texts):
            continue  # of those that are taken, the first free square is said, or that they are taken
        how = (
            "such squares are played all the same" if is_told else "it says such squares as it says free ones"
        )
        side = isqrt(marks.size)
        where = f" (row {best // side + 1}, column {best % side + 1})" if side * side == marks.size else ""
        return (
            f"{output.what}: the largest element is {best}{where}, a square that is taken in input "
            f'"{asked.sent[0].name}", and by what the guest says {how}: are those that '
            "are taken to be left out?"
        )
    return ""


def are_told(of_full: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Whether all texts of squares that are taken have a word that none of the others has."""
    words = [{*WORD.findall((text or "").lower())} for text in texts]
    return bool(set.intersection(*words[: len(of_full)]) - set().union(*words[len(of_full) :]))


def are_played(texts: Sequence[str | None]) -> bool:
    """Whether moves, also to squares that are taken, are said to be made, each to another place, and not to
    be mistakes."""
    found = [None if one is None or JUDGED.search(one) else PLAYED.search(one) for one in texts]
    return None not in found and len({one[0].strip() for one in found if one}) == len(texts)


def turned(asked: Asked) -> str:
    """Returns a hint if the guest says the row of a square as its column and the other way round, though a
    file has the board row by row, or "" if it doesn't."""
    for index, output in asked.fetched():
        marks, told = marks_of(asked, output), ROW.search(asked.control.text)
        array: Any = asked.sent[0].array if marks is not None and told else None
        board = None if array is None else marks_in(array.reshape(asked.sent[0].shape))
        if board is None or not COLUMN.search(asked.control.text):
            continue
        columns = board.shape[1]
        free = [at for at in numpy.flatnonzero(board == 0).tolist() if len({*divmod(at, columns)}) > 1]
        said = [
            said_square(asked.text(index, output.filled([at], clearly=True)) or "") for at in free[:TRIED]
        ]
        squares = [divmod(at, columns) for at in free[:TRIED]]
        if len({*squares}) < FEWEST_TOLD or not fits(said, [(one[1], one[0]) for one in squares]):
            continue
        if is_written(board, [text_in(data, MOST_BYTES) for _, data in asked.files()]):
            row, column = squares[0]
            return (
                f"{output.what}: of element {free[0]} the guest says row {said[0][0]}, column {said[0][1]}, "
                f'but the board lies row by row in input "{asked.sent[0].name}" and in its file, so that it '
                f"is in row {row + 1} and column {column + 1}, from 1: are / and % exchanged?"
            )
    return ""


def said_square(text: str) -> tuple[int, int]:
    """The row and column that a text says, or -1 for both."""
    row, column = ROW.search(text), COLUMN.search(text)
    return (int(row[1]), int(column[1])) if row and column else (-1, -1)


def fits(said: Sequence[tuple[int, int]], squares: Sequence[tuple[int, int]]) -> bool:
    """Whether rows and columns that are said, from 0 or from 1, are those of squares."""
    return any([(row + by, column + by) for row, column in squares] == [*said] for by in (0, 1))


def marks_of(asked: Asked, output: Given) -> Any:
    """Returns 1 and -1 for the squares that have a mark, and 0 for the free ones, or None if the only input
    is no board with a square for each element of the answer."""
    array: Any = asked.sent[0].array if len(asked.sent) == 1 else None
    count = output.array.size
    if array is None or len(output.lengths) != 1 or not FEWEST <= count <= MOST or array.size % count:
        return None
    flat = array.astype("f8").reshape(-1)
    if array.size == count:
        return flat if {*flat.tolist()} == {-1.0, 0.0, 1.0} else None
    number = array.size // count
    is_last = number == array.shape[-1] and number not in array.shape[:-1]
    planes = flat.reshape(count, number).T if is_last else flat.reshape(number, count)
    if number not in PLANES or not {*flat.tolist()} <= {0.0, 1.0} or (planes[2:] != planes[2:, :1]).any():
        return None
    is_board = planes[:MARKS].any(axis=1).all() and planes[:MARKS].sum(axis=0).max() == 1
    return planes[0] - planes[1] if is_board else None
