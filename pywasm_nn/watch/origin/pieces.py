"""Where an input that comes from a picture isn't it: elements that were never filled, overwritten, or moved.

What is here: `stops`, `rows_left` and `moved`, which compare the elements with those that the picture gives.
What is not: finding the picture (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy

OFF = 14.0
"""Elements of another thing are further away, in pixels."""
LEAST = 0.04
"""The least part of an input that counts."""
CHUNK = 64
"""Elements are compared in pieces of so many."""
WITH_ALPHA = 4
"""Channels of an input of which the last one is alpha, or what else a guest puts there."""
SHIFTS = 4
"""Elements are moved by at most so many."""
BETTER = 0.55
"""Moved elements are nearer to the picture by this factor."""
Lines = Mapping[int, tuple[float, float, float]]
OTHER = ", but something else"
"""What elements are that neither count nor are equal."""


def in_order(pixels: Any, planar: bool) -> Any:
    """Pixels [height, width, channels] as they lie in the input."""
    return (pixels.transpose(2, 0, 1) if planar else pixels).reshape(-1)


def differences(elements: Any, made: Any, order: Sequence[int], lines: Lines, planar: bool) -> Any:
    """How far each element is from the picture's, in pixels, in the order of the input; NaN where nothing is
    known."""
    apart = numpy.full(elements.shape, numpy.nan, "f4")
    usual = next(iter(lines.values()))
    for channel in range(elements.shape[2]):
        scale, shift, _ = lines.get(channel, usual)
        if channel in lines:
            apart[..., channel] = (elements[..., channel] - shift) / scale - made[..., order[channel]]
    return in_order(apart, planar)


def stops(elements: Any, made: Any, order: Sequence[int], lines: Lines, planar: bool) -> str:
    """Returns where the elements are not those of the picture: "from element 49,152 on it is not the picture:
    zeros", or "" if they are everywhere, or if there is no long part where they aren't."""
    flat = in_order(elements, planar)
    if flat.std() == 0 or not lines:
        return ""
    apart = abs(differences(elements, made, order, lines, planar))
    unknown = [channel for channel in range(elements.shape[2]) if channel not in lines]
    if unknown and planar:
        plane = apart.reshape(elements.shape[2], -1)
        plane[unknown] = 255.0
    if planar and elements.shape[2] == WITH_ALPHA:
        apart.reshape(WITH_ALPHA, -1)[-1] = 0.0  # what it holds is no part of the picture
    count = len(flat) // CHUNK
    pieces = apart[: count * CHUNK].reshape(count, CHUNK)
    known = numpy.isfinite(pieces).all(axis=1)
    usual = float(sum(line[2] for line in lines.values()) / len(lines))
    off = known & (numpy.nan_to_num(numpy.median(pieces, axis=1)) > max(OFF, 5 * usual))
    if off.mean() < LEAST or off.mean() > 0.97:
        return ""
    start, end = longest(off)
    if end - start < LEAST * count or off.sum() > 1.35 * (end - start):
        return ""
    first, last = start * CHUNK, end * CHUNK
    tail = numpy.flatnonzero(flat != flat[-1])
    tail_start = int(tail[-1]) + 1
    if end >= count - 2 and abs(tail_start - first) < 0.1 * len(flat):
        value = float(flat[-1])
        there = f"all {value:.4g}" if value else "zeros"
        return f"from element {tail_start:,} on it is not the picture: {there}"
    where = f"from element {first:,} on" if end >= count - 2 else f"elements {first:,} to {last - 1:,}"
    what = contents(flat[first:last])
    if not what:
        return ""
    return f"{where} it is not the picture{what}: was its buffer freed, or used for something else?"


def rows_left(elements: Any, made: Any, order: Sequence[int], lines: Lines) -> str:
    """Returns a hint about the row from which on all pixels are the same, though the picture goes on: rows
    that no loop came to, whatever the layout, or "" if there are none."""
    height = elements.shape[0]
    same = (elements == elements[-1:, -1:]).all(axis=(1, 2))
    others = numpy.flatnonzero(~same)
    first = int(others[-1]) + 1 if len(others) else 0
    if not 0 < first < height * (1 - LEAST) or not lines:
        return ""
    there = made[first:, :, list(order)]
    if not numpy.isfinite(there).all() or float(there.std(axis=(0, 1)).min()) < OFF:
        return ""
    values = [float(one) for one in elements[-1, -1]]
    level = (
        "zeros" if not any(values) else f"all {values[0]:.4g}" if len(set(values)) == 1 else "all the same"
    )
    return f"from row {first} of {height} on it is not the picture: {level}"


def longest(off: Any) -> tuple[int, int]:
    """The longest run, over gaps of a few pieces."""
    places = numpy.flatnonzero(off)
    cuts = numpy.flatnonzero(numpy.diff(places) > max(4, len(off) // 50))
    starts = numpy.concatenate([[0], cuts + 1])
    ends = numpy.concatenate([cuts, [len(places) - 1]])
    best = int((places[ends] - places[starts]).argmax())
    return int(places[starts[best]]), int(places[ends[best]]) + 1


def contents(part: Any) -> str:
    """Returns what the elements are instead, or "" for one value in the midst, as of a drawn box."""
    if part.min() == part.max():
        return ""
    steps = numpy.diff(part[:4096])
    if float(numpy.median(steps)) and float((abs(steps - numpy.median(steps)) < 1e-6).mean()) > 0.9:
        return f", but numbers that count ({part[0]:.4g}, {part[1]:.4g}, {part[2]:.4g} ...)"
    return "" if is_like_pixels(part) else OTHER


def is_like_pixels(part: Any) -> bool:
    """Whether elements go on like a picture, as those of another picture would."""
    steps = [float(abs(part[by:] - part[:-by]).mean()) for by in (1, 3)]
    return min(steps) < 0.5 * float(abs(part - numpy.roll(part, len(part) // 3)).mean())


def moved(elements: Any, made: Any, order: Sequence[int], lines: Lines, planar: bool) -> str:
    """By how many places the elements lie before or behind where the picture has them, if they do: then
    channels seem to be in an order that nobody uses."""
    channels = elements.shape[2]
    if len(lines) != channels or planar or sorted(order) != [0, 1, 2] or list(order) in ORDERS:
        return ""
    own = in_order(elements, planar).astype("f8")
    least = BETTER * float(numpy.nanmean(abs(differences(elements, made, order, lines, planar))))
    scale = float(numpy.median([line[0] for line in lines.values()]))
    shift = float(numpy.median([line[1] for line in lines.values()]))
    best = 0
    for colours in ORDERS:
        flat = in_order(made[..., colours], planar) * scale + shift
        for by in (*range(-SHIFTS, 0), *range(1, SHIFTS + 1)):
            a, b = (own[by:], flat[:-by]) if by > 0 else (own[:by], flat[-by:])
            apart = float(numpy.nanmean(abs(a - b))) / abs(scale)
            if apart < least:
                least, best = apart, by
    if not best:
        return ""
    places = f"{abs(best)} place{'s' if abs(best) > 1 else ''}"
    side = "late: something lies before the pixels" if best > 0 else "early: the first is missing"
    return f"all elements lie {places} too {side}, so that the channels are mixed up"


ORDERS = [0, 1, 2], [2, 1, 0]
"""Orders of channels that are usual."""
