"""Pictures and sounds that lie beside one that the guest sent, in the same directory and of the same kind.

What is here: `siblings`, which reads and resizes pictures, and `sounds_beside`. What is
not: what a model says to them (`whatif.beside`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ..budget import Left
from ..facts import Picture
from ..regex import regex
from .colours import GREY_CHANNEL, in_channels
from .decoding import decoded, pictures
from .headerless import as_pixels
from .matching import Origin
from .resizing import averaged, resized

MOST, MOST_BYTES, MOST_SEEN = 7, 1 << 22, 1000
"""So many pictures are read, of so many bytes, of the files in a directory."""
CLOSE = 10.0
"""Pixels that were prepared in the same way differ by less on average: by the interpolation."""
DIGITS = regex(r"\d+")
COLOURS = 3

Sibling = tuple[str, Any]
"""A file's name, and its pixels [height, width, channels] from 0 to 255, with the channels as they were
sent."""


def siblings(origin: Origin, place: Path, own: Any, picture: Picture, left: Left) -> list[Sibling]:
    """Other pictures as the one of an origin, whose file is at a place, was prepared; `own` are its pixels as
    they were sent. [] if it was prepared in a way that isn't known here."""
    found: list[Sibling] = []
    again = prepared(origin.source.array, origin, picture)
    if again.shape != own.shape:
        return []
    is_inverted = apart(255 - again, own) < CLOSE
    if not is_inverted and apart(again, own) >= CLOSE:
        return []
    for path in beside(place):
        if not left() or len(found) >= MOST:
            break
        try:
            data = path.read_bytes()
        except OSError:
            continue
        shape = numpy.empty((picture.height, picture.width, picture.channels))
        sources = pictures(path.name, data) or as_pixels(path.name, data, shape)
        if len(sources) == 1 and sources[0].is_picture and sources[0].top == origin.source.top:
            made = prepared(sources[0].array, origin, picture)
            found.append((path.name, 255 - made if is_inverted else made))
    return found


def apart(pixels: Any, others: Any) -> float:
    return float(abs(pixels - others).mean())


def sounds_beside(origin: Origin, place: Path, left: Left) -> list[Sibling]:
    """Other sounds of one channel and the same rate."""
    found: list[Sibling] = []
    for path in beside(place):
        if not left() or len(found) >= MOST:
            break
        try:
            source = decoded(path.name, path.read_bytes())
        except OSError:
            continue
        if source is not None and source.rate == origin.source.rate and source.array.ndim == 1:
            found.append((path.name, source.array))
    return found


def beside(place: Path) -> Iterator[Path]:
    """The files with the same ending, those first that are named alike, and of about the same length."""
    try:
        own = place.stat().st_size
        entries = [one for one in os.scandir(place.parent) if one.is_file(follow_symlinks=False)]
        known = [(Path(one.path), one.stat().st_size) for one in entries[:MOST_SEEN]]
    except OSError:
        return
    suffix, letters = place.suffix.lower(), DIGITS.sub("", place.stem)
    alike: dict[tuple[bool, bool, int], list[Path]] = {}
    for path, size in sorted(known):
        if path.name != place.name and path.suffix.lower() == suffix and 0 < size <= MOST_BYTES:
            is_named_alike = DIGITS.sub("", path.stem) == letters
            key = not is_named_alike, size != own, round(abs(log2(size / max(1, own))))
            alike.setdefault(key, []).append(path)
    for key in sorted(alike):
        yield from spaced(alike[key])


def spaced(paths: Sequence[Path]) -> Iterator[Path]:
    """All paths, first some from the whole list: neighbours by name may show the same."""
    step = max(1, len(paths) // MOST)
    for start in range(step):
        yield from paths[start::step]


def prepared(array: Any, origin: Origin, picture: Picture) -> Any:
    """A picture in the input's size: the same part of it, and the channels in the same order."""
    pixels = in_channels(array)
    pixels = pixels[..., GREY_CHANNEL:] if picture.channels < COLOURS else pixels[..., :COLOURS]
    if origin.order == "BGR":
        pixels = pixels[..., ::-1]
    high, wide = pixels.shape[:2]
    if origin.part is not None:
        down, across = (new / old for new, old in zip((high, wide), origin.source.array.shape, strict=False))
        top, first, bottom, last = origin.part
        rows, columns = (
            slice(round(top * down), round(bottom * down)),
            slice(round(first * across), round(last * across)),
        )
        pixels = pixels[rows, columns]
    size = picture.height, picture.width
    if pixels.shape[:2] == size:
        return pixels
    shrinks = pixels.shape[0] >= 2 * size[0] and pixels.shape[1] >= 2 * size[1]
    return (averaged if shrinks else resized)(pixels, *size)
