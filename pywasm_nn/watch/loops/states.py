"""A state that is fetched and not sent back, or sent back to another input than its own.

What is here: `wrong_state`. What is not: a state that is all 0 in many computes, fetched or not
(`feedback.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from .round import Kept, Round

ROUNDS = 3
"""So many computes in a row with the same state show that it is never carried on."""
FEWEST = 32
"""Elements of the data that go on: fewer may be what is tried from one state, such as actions."""
MOSTLY = 0.5
"""At least this part of them is new in each round. A guest may cover a smaller part to see how much it
counts."""


def wrong_state(rounds: Sequence[Round], pairs: Sequence[tuple[int, int]], fetches: Mapping[int, int]) -> str:
    """Returns what is wrong with the states of the last round, or "" if nothing is known to be wrong. `pairs`
    are an input and the output that is its next value, `fetches` how often each output was fetched."""
    return exchanged(rounds[-2], rounds[-1], pairs) or kept(rounds, pairs, fetches) or in_part(rounds, pairs)


def kept(rounds: Sequence[Round], pairs: Sequence[tuple[int, int]], fetches: Mapping[int, int]) -> str:
    """A state that is not all 0, and is sent again each time, though the next one was fetched. One that is
    all 0 may begin a series."""
    last = rounds[-ROUNDS:]
    is_one = len({frozenset(one.opened) for one in last}) == 1  # each file may begin with what was learnt
    for index, output in pairs if len(last) == ROUNDS and is_one else ():
        sent = [one.inputs.get(index) for one in last]
        first, made = sent[0], last[0].outputs.get(output)
        moving = [
            other for other, one in last[0].inputs.items()
            if all(other != place for place, _ in pairs) and one.flat.size >= FEWEST
            and all(is_new(one, later.inputs.get(other)) for later in last[1:])
        ]  # fmt: skip
        if first is None or made is None or not first.flat.any() or not moving:
            continue
        same = all(one is not None and first.equals(one) for one in sent)
        changed = not any(first.equals(one.outputs.get(output)) for one in last)
        if same and changed and fetches.get(output, 0) >= ROUNDS - 1:
            return (
                f"{first.what} was the same in {ROUNDS} computes though {made.what}, which is what it "
                "becomes, was fetched after each: it has to be sent back"
            )
    return ""


def is_new(one: Kept, later: Kept | None) -> bool:
    """Returns whether most elements of an input are others in a later round."""
    if later is None or one.flat.shape != later.flat.shape:
        return True
    return bool((one.flat != later.flat).mean() >= MOSTLY)


def in_part(rounds: Sequence[Round], pairs: Sequence[tuple[int, int]]) -> str:
    """A state of which only the first elements are sent back, and the others stay as they were."""
    for index, output in pairs if len(rounds) >= ROUNDS else ():
        counts: set[int] = set()
        what = ""
        for before, now in pairwise(rounds[-ROUNDS:]):
            old, made, mine = before.inputs.get(index), before.outputs.get(output), now.inputs.get(index)
            if old is None or made is None or mine is None or mine.flat.shape != made.flat.shape:
                return ""
            what = f"of {mine.what} only the first {{}} of {mine.flat.size} elements are those of {made.what}"
            behind = int((mine.flat != made.flat).argmax())
            stayed = (mine.flat[behind:] == old.flat[behind:]).all() and (mine.flat != made.flat)[
                behind:
            ].any()
            counts.add(behind if stayed else 0)
        count = counts.pop()
        if count and not counts:
            return (
                f"{what.format(count)} of the compute before, and the others stay as they were: was less "
                "copied than the state has (a count of elements for one of bytes, or one of two layers)?"
            )
    return ""


def exchanged(before: Round, now: Round, pairs: Sequence[tuple[int, int]]) -> str:
    """Two states that were sent back to each other's inputs."""
    for index, output in pairs:
        for other, theirs in pairs:
            mine, its = now.inputs.get(index), now.inputs.get(other)
            right, wrong = before.outputs.get(output), before.outputs.get(theirs)
            if index >= other or None in (mine, its, right, wrong) or output == theirs:
                continue
            assert mine is not None and its is not None and right is not None and wrong is not None
            if mine.equals(wrong) and its.equals(right) and not mine.equals(right) and mine.flat.any():
                return (
                    f"{mine.what} was given {wrong.what}, and {its.what} {right.what}, of the compute "
                    "before: are the two states exchanged?"
                )
    return ""
