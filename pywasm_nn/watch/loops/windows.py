"""A window into which each answer is put, for the next compute: at the wrong end, in another scale, without
moving, or by the answer to another place.

What is here: `wrong_window`. What is not: windows over a file (`origin`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.tables import column_of, tables_in
from .files import Files
from .round import Kept, Round

FEWEST = 3
"""Elements of a window, and classes of an answer."""
TWICE, THRICE = 2, 3
FAR = 10
"""A number so many times as far from a window as its own elements has another scale."""
EXACT = 1e-4
MOST_NUMBERS = 64
"""Elements of an answer one of which may be a forecast."""


class Move(Frozen):
    """How an input came from that of the round before: `to` is "up" (each element one place down, a new one
    at the end), "down" (the other way round), or "at" one place alone. `place` and `value` are those of the
    new element."""

    to: str
    place: int
    value: float


def move(before: Any, now: Any) -> Move | None:
    """Returns how elements came from those before, or None if they came in no such way, or in more than
    one."""
    if before.shape != now.shape or now.size < FEWEST or (before == now).all():
        return None
    up, down = bool((now[:-1] == before[1:]).all()), bool((now[1:] == before[:-1]).all())
    if up or down:
        if up == down:
            return None
        place = now.size - 1 if up else 0
        return Move("up" if up else "down", place, float(now[place]))
    changed = (before != now).nonzero()[0]
    return Move("at", int(changed[0]), float(now[changed[0]])) if len(changed) == 1 else None


def wrong_window(rounds: Sequence[Round], index: int, now: Kept, files: Callable[[], Files]) -> str:
    """Returns what is wrong with how an input came from the rounds before, or "" if nothing is."""
    inputs = [one.inputs.get(index) for one in rounds]
    arrays = [one.flat for one in inputs if one is not None] + [now.flat]
    if len(arrays) <= TWICE or len(arrays) <= len(rounds):
        return ""
    moves = [move(one, next_) for one, next_ in pairwise(arrays)]
    if now.array.dtype.kind in "iu":
        return of_tokens(rounds, now, moves)
    return of_numbers(rounds, now, moves, arrays[0], files) if now.array.dtype.kind == "f" else ""


def is_upwards(window: Any, files: Callable[[], Files]) -> bool:
    """Whether numbers are a part of a column of a file, the first line first."""
    parts = [column_of(table, window.astype("f8")) for _, table in tables_in(files())]
    return any(part is not None and not part.wrong for part in parts)


def of_tokens(rounds: Sequence[Round], now: Kept, moves: Sequence[Move | None]) -> str:
    last = [one for one in moves[-TWICE:] if one is not None]
    if len(last) < TWICE or len({one.to for one in last}) > 1:
        return ""
    pairs = [*zip(rounds[-TWICE:], last, strict=True)]
    for index, output in rounds[-1].outputs.items():
        if len(output.array.shape) < 2 or output.array.shape[-1] < FEWEST or output.array.dtype.kind != "f":
            continue
        best = [best_of(round_, index) for round_, _ in pairs]
        if any(len(one) == 0 for one in best) or len({one.value for one in last}) < TWICE:
            continue
        length = now.flat.size
        if last[0].to == "down" and all(one.value == rows[-1] for rows, one in zip(best, last, strict=True)):
            return (
                f"{now.what}: each answer of {output.what} is put before the other elements, which go up by "
                "one place: a text that goes on has the newest last"
            )
        if len(best[0]) == length and (wrong := by_row(now, output, best, last)):
            return wrong
    return ""


def best_of(round_: Round, index: int) -> list[int]:
    """The largest class of each row of an answer."""
    output = round_.outputs.get(index)
    if output is None:
        return []
    rows = output.array.reshape(-1, output.array.shape[-1])
    return [int(one) for one in rows.argmax(axis=1)]


def by_row(now: Kept, output: Kept, best: Sequence[Sequence[int]], moves: Sequence[Move]) -> str:
    """New elements that are the answers to the first, or the last, of all places, and not to the one before
    them."""
    if any(one.to != "at" for one in moves) or not moves[0].place < moves[1].place:
        return ""
    count = len(best[0])
    for place, said in ((count - 1, "last"), (0, "first")):
        rows = [(one.place, rows[place], int(one.value), rows) for rows, one in zip(best, moves, strict=True)]
        right = {at - 1 for at, *_ in rows} | {at for at, *_ in rows}
        if place in right or any(answer != value for _, answer, value, _ in rows):
            continue
        if any(value in (all_[at - 1], all_[at]) for at, _, value, all_ in rows):
            continue
        at = rows[-1][0]
        return (
            f"{now.what}: element {at} is the answer of {output.what} to the {said} of {count} places; what "
            f"follows element {at - 1} is the answer to that, {rows[-1][3][at - 1]} and not {rows[-1][2]}"
        )
    return ""


def of_numbers(
    rounds: Sequence[Round], now: Kept, moves: Sequence[Move | None], begin: Any, files: Callable[[], Files]
) -> str:
    last = [one for one in moves[-THRICE:] if one is not None]
    if len(last) < TWICE or len({one.to for one in last}) > 1 or last[0].to == "at":
        return ""
    answers = forecasts(rounds[-len(last) :])
    for what, values in answers:
        same = all(
            abs(one.value - value) <= EXACT * abs(value) for one, value in zip(last, values, strict=True)
        )
        if same and last[0].to == "down" and is_upwards(begin, files):
            return (
                f"{now.what}: each answer of {what} is put before the other elements, which go up by one "
                "place; the first input had the first line of the file first: the newest belongs last"
            )
        if len(last) < THRICE or same or not is_straight(values, [one.value for one in last]):
            continue
        first = rounds[-len(last)].inputs
        window = next(one.flat for one in first.values() if one.what == now.what)
        if wrong := far_off(now, what, window, values, last):
            return wrong
    return ""


def forecasts(rounds: Sequence[Round]) -> list[tuple[str, list[float]]]:
    """The numbers of answers that may be forecasts: the first and the last of each."""
    found = []
    for index, output in rounds[0].outputs.items():
        size = output.flat.size
        for place in {0, size - 1} if size <= MOST_NUMBERS and output.array.dtype.kind == "f" else ():
            several = [one.outputs.get(index) for one in rounds]
            values = [float(one.flat[place]) for one in several if one is not None and one.flat.size == size]
            if len(values) == len(rounds):
                found.append((output.what, values))
    return found


def is_straight(values: Sequence[float], sent: Sequence[float]) -> bool:
    """Whether numbers are others times a factor, and moved."""
    one, other = numpy.array(values), numpy.array(sent)
    if numpy.ptp(one) <= EXACT * abs(one).max() or numpy.ptp(other) <= EXACT * abs(other).max():
        return False
    order = one.argsort()
    low, middle, high = order[0], order[len(order) // 2], order[-1]
    slope = (other[high] - other[low]) / (one[high] - one[low])
    expected = other[low] + slope * (one[middle] - one[low])
    return bool(
        abs(expected - other[middle]) <= EXACT * numpy.ptp(other) and one[middle] not in (one[low], one[high])
    )


def far_off(now: Kept, what: str, window: Any, values: Sequence[float], moves: Sequence[Move]) -> str:
    """The answer is near the window, and what was put into it is not."""
    width = float(window.max() - window.min())
    if not width or not window.min() - width <= values[0] <= window.max() + width:
        return ""
    reach = FAR * max(width, float(abs(window).max()))
    if any(abs(one.value) <= reach for one in moves):
        return ""
    return (
        f"{now.what}: what is put into the window after each compute is {moves[0].value:.4g}, where {what} "
        f"answered {values[0]:.4g}; the window's elements are from {window.min():.4g} to {window.max():.4g}: "
        "is the answer sent back in another scale (before it is scaled again)?"
    )
