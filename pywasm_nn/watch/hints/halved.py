"""Pictures of which a side can't be halved as often as a network halves it, which then fails to add or join
what it has doubled again.

What is here: `unhalved`. The framework names two lengths, and halving and doubling the side has to give just
these. What is not: sides that the model declares, which set_input compares.
"""

from __future__ import annotations

from ...records import Frozen
from ..facts import Input
from ..regex import regex

PAIR = regex(r"(?<![\w.])(\d{1,5}) (?:by|and|vs\.?|versus|!=) (\d{1,5})(?![\w]|\.\d)")
"""Two lengths that should be equal: "broadcast ... 23 by 24", "mismatched dimensions of 24 and 23"."""
STEPS = (2, 4, 8, 16, 32, 64)
"""The divisor of a side after one, two, three ... halvings."""
USUAL = 32
"""The divisor of a side in most networks, which halve it five times."""


class Failed(Frozen):
    """A compute that failed: its inputs, and why."""

    inputs: tuple[Input, ...]
    reason: str


def unhalved(failed: Failed) -> str | None:
    """Returns what is wrong with the sides of a picture whose lengths vary, or None if nothing is known to
    be."""
    pairs = [{int(one), int(other)} for one, other in PAIR.findall(failed.reason)]
    for given in failed.inputs:
        picture, declared = given.picture, given.spec.shape
        if picture is None or declared is None or len(declared) != len(given.tensor.shape):
            continue
        at = len(declared) - (2 if picture.planar else 3)
        for what, side, wanted in (
            ("height", picture.height, declared[at]),
            ("width", picture.width, declared[at + 1]),
        ):
            step = next(
                (step for step in STEPS if not isinstance(wanted, int) and is_odd(side, step, pairs)), 0
            )
            if step:
                return f"{given}: {sentence(what, side, step)}"
    return None


def sentence(what: str, side: int, step: int) -> str:
    """What is wrong with one side."""
    multiple = max(USUAL, step)
    near = dict.fromkeys([side // multiple * multiple or multiple, -(-side // multiple) * multiple])
    return (
        f"halved until it is {step} times smaller, a {what} of {side} differs from what the model doubles "
        f"again, so that it failed: is the {what} to be a multiple of {multiple}, such as "
        f"{' or '.join(map(str, near))}?"
    )


def is_odd(side: int, step: int, pairs: list[set[int]]) -> bool:
    """Whether a side that is halved to its part of `step`, and doubled to that from the half, has two
    lengths that a model failed to bring together."""
    down, last = rounded(side, step), rounded(side, step // 2)
    ways = [{one, 2 * two} for one, two in zip(last, down, strict=True)]
    return side % step > 0 and any(way in pairs for way in ways if len(way) > 1)


def rounded(side: int, step: int) -> tuple[int, int]:
    """A side divided by so much, rounded up and down."""
    return -(-side // step), side // step
