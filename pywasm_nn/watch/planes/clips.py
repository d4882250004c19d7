"""Inputs of several frames of a film, or of a series of pictures: their order, how they lie, where they were
read, and sums of pixels that ran over.

What is here: `misplaced_frames` and `summed`. What is not: single frames (`films.py`), and colours that were
added up (`wrapped.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .films import FRAME, Film
from .levels import by_levels
from .wrapped import ways

FEWEST, MOST_FRAMES = 4, 96
"""Frames of an input, of which fewer may be the colours of a picture; and those of a film that are looked at.
"""
MOST_NUMBERS = 1 << 22
SAME, ROUNDED, OTHER = 0.999, 0.995, 0.98
"""The correlation of frames that are the same, also if sums were divided as whole numbers, and the most of a
frame with what isn't meant."""
COLOURS = 3
LEAST_SIDE = 8


class Series(Frozen):
    """Frames of one size in their order, and by what they are read wrongly, with what is wrong then."""

    name: str
    frames: Any
    others: tuple[tuple[str, Any], ...] = ()


def frames_of(name: str, data: bytes, film: Film) -> Series | None:
    """The brightness of a film's frames, [frames, height, width]."""
    starts = film.starts[:MOST_FRAMES]
    if len(starts) < FEWEST or len(starts) * film.width * film.height > MOST_NUMBERS:
        return None
    frames = read_at(data, starts, film)
    size, line, apart = film.width * film.height, len(FRAME) + 1, starts[1] - starts[0]
    share = (apart - line) / size
    begin = starts[0]
    others = []
    for first, step, said in (
        (begin, size + line, f"counts the brightness alone ({size} bytes), and not the colours behind it"),
        (begin - line, apart - line, 'leaves out the line "FRAME" before each'),
        (begin, size, 'counts the brightness alone, without the colours and the line "FRAME"'),
        (begin, COLOURS * size + line, "counts three bytes a pixel"),
    ):
        places = range(first, len(data) - size + 1, step)[:MOST_FRAMES]
        if step != apart and share >= 1 and (made := read_at(data, places, film)) is not None:
            text = f"its frames were read {step} bytes apart, and they lie {apart} apart: that {said}"
            others.append((text, made))
    return Series(name, frames, tuple(others))


def in_series(pictures: Sequence[tuple[str, Any]]) -> Series:
    """Pictures of one size [height, width, channels] as frames in grey."""
    first, last = pictures[0][0], pictures[-1][0]
    name = last if first == last else f"{first} to {last}"
    return Series(name, numpy.stack([one[..., :COLOURS].mean(axis=2) for _, one in pictures]))


def read_at(data: bytes, starts: Sequence[int], film: Film) -> Any:
    """Returns pixels from each of several bytes on, or None if there are none."""
    size = film.width * film.height
    found = [numpy.frombuffer(data, "u1", size, at) for at in starts if 0 <= at <= len(data) - size]
    return numpy.stack(found).reshape(-1, film.height, film.width) if found else None


def may_be_frames(array: Any) -> bool:
    """Whether an input may be several frames by its shape, or one."""
    return next(layouts(array), None) is not None


def misplaced_frames(array: Any, series: Series) -> str:
    """Returns what is wrong with the frames of an input, or "" if nothing is."""
    for right, wrong, said in layouts(array):
        places = places_of(right, series.frames)
        if places is not None:
            is_clip = len(places) >= FEWEST and array.shape[0] == 1  # a batch may be in any order
            return out_of_order(places, series.frames) if is_clip else ""
        for text, frames in series.others:
            if places_of(right, frames) is not None:
                return text
        if wrong is not None and places_of(wrong, series.frames) is not None:
            return said
    return ""


def numbers_of(array: Any, series: Series) -> Any:
    """Returns the number of each frame that an input has by its shape, or None if one is none of these."""
    found = (places_of(right, series.frames) for right, _, _ in layouts(array))
    return next((one for one in found if one is not None and len(one) >= FEWEST), None)


def out_of_order(places: Any, frames: Any) -> str:
    """Returns what is wrong with the numbers of the frames that were sent, or "" if nothing is."""
    count = len(frames)
    if (numpy.diff(places) < 0).all():
        return f"its frames stand in the reversed order, the last one first: {shown(places)} of {count}"
    if (places == places[0]).all() and found(frames[[0, count // 2, count - 1]], frames[:1], SAME) is None:
        return (
            f"all {len(places)} frames are the same, number {places[0] + 1} of {count}: does the place that "
            "is read not move from frame to frame?"
        )
    return ""


def shown(places: Any) -> str:
    """The numbers of frames, from 1."""
    numbers = [str(int(at) + 1) for at in places]
    return ", ".join([*numbers[:3], "..."] if len(numbers) > FEWEST else numbers)


def layouts(array: Any) -> Iterator[tuple[Any, Any, str]]:
    """The frames [frames, height, width] of an input as its shape says, and how they lie if it was filled in
    another order, with what is wrong then."""
    lengths = [one for one in array.shape if one != 1]
    if len(lengths) == COLOURS + 1 and COLOURS in lengths:
        axis = len(lengths) - 1 if lengths[-1] == COLOURS else lengths.index(COLOURS)
        planes = array.reshape(lengths).mean(axis=axis)
        if min(planes.shape[1:]) >= LEAST_SIDE:
            yield planes, None, ""
        return
    if len(lengths) == 2 and min(lengths) >= LEAST_SIDE:
        yield array.reshape(1, *lengths), None, ""
    if len(lengths) != COLOURS:
        return
    flat, (first, middle, last) = array.reshape(-1), lengths
    if first >= FEWEST and min(middle, last) >= LEAST_SIDE:
        said = (
            f"its elements lie pixel by pixel, {first} frames of each, and the shape says frame after frame "
            f"of {last} x {middle} pixels"
        )
        by_pixel = flat.reshape(middle, last, first).transpose(2, 0, 1)
        yield flat.reshape(lengths), by_pixel, said
    if last >= FEWEST and min(first, middle) >= LEAST_SIDE:
        said = (
            f"its elements lie frame after frame of {middle} x {first} pixels, and the shape says pixel by "
            f"pixel, {last} frames of each"
        )
        by_frame = flat.reshape(last, first, middle)
        yield flat.reshape(lengths).transpose(2, 0, 1), by_frame, said


def places_of(planes: Any, frames: Any, same: float = SAME) -> Any:
    """Returns which frame each plane is, made smaller in a simple way, or None if one is none."""
    size = planes.shape[1:]
    if len(frames) * size[0] * size[1] > MOST_NUMBERS:
        return None
    places = next(
        (one for made in resized(frames, size) if (one := found(planes, made, same)) is not None), None
    )
    return by_levels(planes, frames) if places is None and len(planes) >= FEWEST else places


def resized(frames: Any, size: tuple[int, int]) -> Iterator[Any]:
    """All frames, made smaller in each simple way."""
    for way in ways(frames.shape[1:], size):
        yield numpy.stack([way(one) for one in frames])


def found(planes: Any, frames: Any, same: float) -> Any:
    """Returns the number of the frame that each plane is most like, if it is the same, or None if one is
    none."""
    own, there = (levelled(one) for one in (planes, frames))
    if own is None or there is None:
        return None
    like = own @ there.T
    return like.argmax(axis=1) if bool((like.max(axis=1) >= same).all()) else None


def levelled(planes: Any) -> Any:
    """Returns planes as rows of length 1 without their means, or None if one is the same throughout."""
    rows = planes.reshape(len(planes), -1).astype("f8")
    rows = rows - rows.mean(axis=1, keepdims=True)
    lengths = numpy.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return rows / lengths if lengths.min() > 0 else None


def summed(array: Any, series: Series) -> str:
    """Returns what is wrong with an input of frames, or of one, that are sums of pixels, or "" if nothing
    is."""
    for planes, _, _ in layouts(array):
        if said := ran_over(planes, series.frames):
            return said
    return ""


def ran_over(planes: Any, frames: Any) -> str:
    """Returns what is wrong with planes that are sums of pixels, kept in a type that is too small for these,
    or "" if nothing is."""
    (tall, wide), (height, width) = frames.shape[1:], planes.shape[1:]
    if tall % height or wide % width or tall * wide == height * width:
        return ""
    high, broad = tall // height, wide // width
    boxes = frames.reshape(len(frames), height, high, width, broad).astype("i8").sum(axis=(2, 4))
    for bits in (8, 16):
        if boxes.max() < 1 << bits:
            continue
        places = found(planes, boxes % (1 << bits), ROUNDED)
        if places is None:
            continue
        own, right = levelled(planes), levelled(boxes[places])
        if right is not None and float(abs((right * own).sum(axis=1)).max()) < OTHER:
            return (
                f"the sum of {high * broad} pixels ({broad} x {high}) was kept in {bits} bits, which hold "
                f"{(1 << bits) - 1} at most: brighter ones begin again at 0, and come out dark"
            )
    return ""
