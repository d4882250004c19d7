"""Windows that begin so near to each other that the end of the data is never sent: `too_near`, and
`counted_in_bytes` of windows of a sound with something between them; or so far apart that the last ones lie
behind the end: `behind_the_end`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy

FEWEST = 4
"""Windows that show a step."""
APART = 5
"""The fewest windows with something between them: here what is heard in them has to say the rest."""
PIECES, SILENT, MANY, FEW = 8, 0.1, 0.25, 0.05
"""The number of pieces of a window; how loud a silent piece is at most, as a part of the loudest; the least
part of silent pieces as sent, and the most at the right places."""
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


def behind_the_end(step: int, rows: int, windows: tuple[int, int], length: int) -> str:
    """Returns what is wrong with windows that begin as many times their length apart as an element has bytes,
    though there are as many of them as lie one behind the other, or "" if they don't. `windows`: how many
    were sent, and how many of these lay within the length."""
    count, inside = windows
    times = step // rows if rows > 0 and step > 0 and not step % rows else 0
    if times not in WIDTHS or count != length // rows or not 2 <= inside < count:
        return ""
    if (inside - 1) * step + rows > length or inside * step + rows <= length:
        return ""
    return (
        f"{count} windows of {rows:,} began {step:,} apart, {times} times their length, and those from "
        f"number {inside + 1} on lie behind the end, at {length:,}, which {count} windows one behind the "
        "other just reach: was a number of bytes (sizeof) added to a pointer to elements?"
    )


WIDTHS = frozenset({2, 4, 8})
"""Bytes of an element."""


def counted_in_bytes(starts: Sequence[int], rows: int, samples: Any, length: int) -> str:
    """Returns a hint about windows that begin at even distances, and leave something out between them, if
    their starts were samples that were taken as bytes (two a sample), or "" if that isn't known. As many
    windows as were sent then fill the sound, of `length` samples, and are nowhere silent, as those are that
    were sent. `samples` are those that were read, from the first on; a start that isn't known is negative."""
    count = len(starts)
    known = [(at, start) for at, start in enumerate(starts) if start >= 0]
    if count < APART or len(known) < FEWEST:
        return ""
    step, rest = divmod(known[-1][1] - known[0][1], known[-1][0] - known[0][0])
    begin = known[0][1] - step * known[0][0]
    if (
        rest
        or step < rows
        or rows < PIECES
        or begin < 0
        or any(start != begin + step * at for at, start in known)
    ):
        return ""
    if (length - rows - 2 * begin) // (2 * step) + 1 != count:
        return ""
    sent, meant = (
        loudness(samples, [factor * (begin + step * at) for at in range(count)], rows) for factor in (1, 2)
    )
    if len(sent) < count or len(meant) < count // 2:
        return ""
    silence = SILENT * sent.max()
    if (sent <= silence).mean() < MANY or (meant <= silence).mean() > FEW:
        return ""
    return (
        f"{count} windows of {rows} samples began {step} apart from sample {begin} on, which are {2 * step} "
        f"bytes, and {(sent <= silence).mean():.0%} of them is silence; {count} windows {2 * step} samples "
        f"apart from sample {2 * begin} on take up the whole sound, and hold none: was a place in samples "
        "taken as one in bytes (fseek), and not multiplied by the size of a sample?"
    )


def loudness(samples: Any, starts: Sequence[int], rows: int) -> Any:
    """How loud the pieces of windows are, as far as there are samples, [windows, pieces]."""
    size = rows // PIECES
    inside = [samples[start : start + size * PIECES] for start in starts if start + rows <= len(samples)]
    return numpy.array(inside, "f8").reshape(len(inside), PIECES, size).std(axis=2)
