"""Windows that begin so near to each other that the end of the data is never sent: `too_near`."""

from __future__ import annotations

from collections.abc import Sequence

FEWEST = 4
"""Windows that show a step."""
MOST_USED = 0.6
"""More of the data was used by someone who stops on purpose."""


def too_near(starts: Sequence[int], count: int, rows: int, length: int, *, any_step: bool = False) -> str:
    """Returns what is wrong with where the first of `count` windows of so many rows (or samples) began, of
    `length` ones, or "" if nothing is. As many windows must take up all at a larger step: one behind the
    other or by a half over each other, or at `any_step`."""
    step = starts[1] - starts[0] if len(starts) >= FEWEST else 0
    if step <= 0 or starts[0] or list(starts) != [step * at for at in range(len(starts))]:
        return ""
    used, larger = (count - 1) * step + rows, (length - rows) // (count - 1)
    if used > MOST_USED * length or larger <= step or (length - rows) // larger + 1 != count:
        return ""
    if not any_step and larger not in (rows, rows // 2):
        return ""  # someone may look at the first ones alone
    return (
        f"{count} windows of {rows} began {step} apart, and what is behind number {used} of {length} was "
        f"never sent: as many windows take up all if they begin {larger} apart"
    )
