"""The ways in which a picture may fit an input, the likely and cheap ones first.

What is here: `fits`, and the search at usual places and elsewhere. What is not: which of them it is, and what
is wrong with that (`matching.py`), and the search for a part itself (`locating.py`, `pointing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..budget import Left, always
from ..facts import Picture
from .alike import Fit, compared, sharply, smoothness, smoothness_of, spread_out, templates, varying
from .as_grey import with_other_bytes
from .colours import in_channels
from .decoding import Source
from .locating import Copies, Place, at_usual, locate
from .misreadings import misreadings
from .placing import geometry_of
from .pointing import are_at_points, at_points, begins_elsewhere, between_bars
from .readings import Reading, in_other_layout, misread, misstepped, readings
from .resizing import TURNS
from .tiny import turn_wrong

SURELY = 0.85
"""The correlation of a place that is no usual one."""
ENOUGH = 0.3
"""The part of the pieces that must be alike."""
FEWEST = 6
"""So many pieces must say something."""
SMOOTH = 0.15
"""The least correlation of pixels with those beside and below them, in a picture."""
NOISE = 0.08
"""Neighbours of noise correlate by less."""
SMOOTHER = 0.02
"""An input in the right order is smoother by this than in a wrong one."""
ROUGH = 0.8
"""Pictures whose bytes were misread are less smooth."""
MOSTLY = 0.5
"""An input of which more is filled may have its empty borders from the picture, such as a page's margins."""
MOST_AT_FIRST = 1 << 20
"""Usual places are tried pixel by pixel before all others in pictures of so many bytes."""
TURNED_FIRST = ("upside down", "mirrored", "turned by 180 degrees")
"""How rows are stored that begin at another corner."""


def fits(
    array: Any, picture: Picture, pixels: Any, source: Source, left: Left
) -> Iterator[tuple[Reading, Any, Fit | None]]:
    """Readings of an input with the picture as it may have been read, and how they fit, until time is up."""
    others = readings(array, picture)
    plain, grey = next(others), in_grey(pixels)
    yield from pixel_by_pixel(plain, pixels)
    yield from in_its_own_order(array, picture, plain, pixels)
    yield plain, pixels, search(plain.pixels, pixels, ("",), usual=tuple(TURNS), left=left, grey=grey)
    yield plain, pixels, by_points(plain.pixels, pixels)
    for wrong, other in source.others:
        made = in_channels(other)
        own = Reading(wrong, plain.pixels, plain.planar)
        yield own, made, by_points(own.pixels, made) or search(own.pixels, made, ("",), left=left, sharp=True)
    yield from turned_first(plain, pixels, source, left)
    least = smoothness_of(plain) + SMOOTHER
    wrongly = [
        *misreadings(source, len(set(plain.pixels.reshape(-1).tolist()))),
        *(misread(source.array) if least < ROUGH else ()),
        *with_other_bytes(source.array),
    ]
    stepped = misstepped(source.array, picture.width) if least < ROUGH else ()
    for wrong, other in (*wrongly, *stepped):
        own, made = Reading(wrong, plain.pixels, plain.planar), in_channels(other)
        yield own, made, by_points(own.pixels, made)
        if not left():
            return
    for reading in others:
        if not left():
            return
        if reading.is_certain or smoothness_of(reading) > least:
            yield reading, pixels, search(reading.pixels, pixels, ("",), left=left, grey=grey)
    if least > SMOOTH:
        yield plain, pixels, search(plain.pixels, pixels, ("",), alone=True, left=left, grey=grey)
    if least < ROUGH:  # a grained picture is only like itself pixel by pixel
        yield plain, pixels, search(plain.pixels, pixels, ("",), left=left, sharp=True, grey=grey)
    for wrong, other in wrongly:
        made = in_channels(other)
        own = Reading(wrong, plain.pixels, plain.planar)
        yield own, made, search(own.pixels, made, ("",), left=left, sharp=True)
        if not left():
            return
    yield plain, pixels, search(plain.pixels, pixels, tuple(TURNS), left=left, grey=grey)
    if least - SMOOTHER > NOISE and left():
        # Thin lines that were squeezed without being averaged are like nothing in small copies.
        yield plain, pixels, search(plain.pixels, pixels, tuple(TURNS), sharp=True, left=left, grey=grey)


def pixel_by_pixel(plain: Reading, pixels: Any) -> Iterator[tuple[Reading, Any, Fit | None]]:
    """How an input fits a picture exactly, at a usual place or between bars: what takes hardly any time."""
    if slid := begins_elsewhere(plain.pixels, pixels):
        own = Reading(slid[0], slid[1], plain.planar)
        yield own, pixels, by_points(own.pixels, pixels)
    if pixels.size > MOST_AT_FIRST:
        return
    place = at_points(plain.pixels, pixels, exactly=True)
    if place is not None:  # small copies of other places may be nearly as like
        yield plain, pixels, at_place(place, plain.pixels, pixels)
    if (inset := between_bars(plain.pixels, pixels)) is not None:
        yield plain, pixels, fitted(inset.place, inset.part, inset.part, plain.pixels, pixels, True)


def in_its_own_order(
    array: Any, picture: Picture, plain: Reading, pixels: Any
) -> Iterator[tuple[Reading, Any, Fit | None]]:
    """How an input fits a picture of its size exactly in the other layout, as large ones take a search
    long."""
    if picture.channels == 1 or are_at_points(plain.pixels, pixels):
        return
    own = in_other_layout(array, picture)
    if are_at_points(own.pixels, pixels):
        yield own, pixels, at_place(Place(0, 0, *pixels.shape[:2]), own.pixels, pixels)


def turned_first(
    plain: Reading, pixels: Any, source: Source, left: Left
) -> Iterator[tuple[Reading, Any, Fit | None]]:
    """How an input fits the picture turned before it was resized, also between bars: other pixels are the
    nearest ones then."""
    if pixels.size > MOST_AT_FIRST:
        return
    for turn in TURNED_FIRST if left() else ():
        made, wrong = TURNS[turn](pixels), turn_wrong(turn, source)
        if not wrong:
            continue
        own = Reading(wrong, plain.pixels, plain.planar, is_turned=True)
        place = at_points(own.pixels, made, exactly=True)
        if place is not None and not place.turn:
            yield own, made, at_place(place, own.pixels, made)
        elif (inset := between_bars(own.pixels, made)) is not None and not inset.place.turn:
            yield own, made, fitted(inset.place, inset.part, inset.part, own.pixels, made, True)


def search(
    elements: Any,
    pixels: Any,
    turns: tuple[str, ...],
    *,
    usual: tuple[str, ...] = ("",),
    alone: bool = False,
    sharp: bool = False,
    left: Left = always,
    grey: Copies | None = None,
) -> Fit | None:
    """Returns the way from a picture [height, width, 4] to elements [height, width, channels], or None if
    there is none. Turned as in `turns`, or as in `usual` at a usual place. `alone`: by each channel alone,
    and not by all. `sharp`: neighbouring pixels may differ, as where bytes were taken for others. `grey` is
    the picture without colours."""
    grey = grey or in_grey(pixels)
    for part, template in islice(templates(elements), int(alone), None if alone else 1):
        if smoothness(template) < SMOOTH and not sharp:
            continue
        whole, filled = spread_out(template, part, elements.shape[:2])
        everywhere = slice(0, elements.shape[0]), slice(0, elements.shape[1])
        place = at_usual(Copies(whole), Copies(filled), grey, usual)
        if fit := fitted(place, everywhere, part, elements, pixels, sharp):
            return fit
        channels = varying(elements)
        if filled.mean() > MOSTLY and part != everywhere and channels and not sharp:
            plane = elements[..., channels].mean(axis=2)
            if fit := fitted(
                locate(Copies(plane), grey, turns, left), everywhere, part, elements, pixels, sharp
            ):
                return fit
        if fit := fitted(locate(Copies(template), grey, turns, left), part, part, elements, pixels, sharp):
            return fit
    return None


def by_points(elements: Any, pixels: Any) -> Fit | None:
    """The way from a picture to elements if they are at a usual place of it, found by some of their pixels:
    pictures of which nothing is left in a small copy, such as text, or those in wrong colours."""
    return at_place(at_points(elements, pixels), elements, pixels)


def at_place(place: Place | None, elements: Any, pixels: Any) -> Fit | None:
    """The way from a picture to all elements if they are at a place of it."""
    everywhere = slice(0, elements.shape[0]), slice(0, elements.shape[1])
    return fitted(place, everywhere, everywhere, elements, pixels, True)


def in_grey(pixels: Any) -> Copies:
    """The mean of the colours."""
    return Copies((pixels[..., 0].astype("f4") + pixels[..., 1] + pixels[..., 2]) / 3)


def fitted(
    place: Place | None,
    own: tuple[slice, slice],
    part: tuple[slice, slice],
    elements: Any,
    pixels: Any,
    sharp: bool,
) -> Fit | None:
    """How elements fit the picture if `own`, a part of them, lies at a place; they are compared in `part`."""
    if place is None:
        return None
    geometry, is_usual = geometry_of(place, own, pixels.shape[:2], elements.shape[:2])
    if geometry is None or (abs(place.like) < SURELY and not is_usual and not sharp):
        return None
    fit = sharply(geometry, elements, pixels) if sharp else compared(geometry, elements, pixels, part)
    return fit if fit is not None and len(fit.alike) >= FEWEST and fit.share >= ENOUGH else None
