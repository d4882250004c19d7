"""Films without compression (Y4M): where the frames begin, and inputs that begin elsewhere.

What is here: `film_in` and `begins_early`. Source: https://wiki.multimedia.cx/index.php/YUV4MPEG2
"""

from __future__ import annotations

from typing import Any

from ...records import Frozen
from ..regex import regex

MAGIC = b"YUV4MPEG2 "
SIZE = regex(rb"\s([WH])(\d+)")
FRAME = b"FRAME"
SHARES = {b"420": 1.5, b"422": 2.0, b"444": 3.0, b"411": 1.5, b"mono": 1.0}
"""Bytes a pixel, by the beginning of the colour space."""
COLOURS = regex(rb"\sC(\w+)")
CHROMA = {b"420": (2, 2), b"422": (1, 2), b"444": (1, 1), b"411": (1, 4)}
"""How many rows and columns share a U and a V, by the beginning of the colour space."""
MOST_LINE, MOST_FRAMES = 200, 512
LIVELY = 16


class Film(Frozen):
    """The size of a film's frames, where the brightness of each begins in the file, and how many rows and
    columns share a U and a V."""

    width: int
    height: int
    starts: tuple[int, ...]
    chroma: tuple[int, int] | None = None


def film_in(data: bytes) -> Film | None:
    """Returns the film in the bytes of a file, or None if there is none."""
    end = data.find(b"\n", 0, MOST_LINE)
    if not data.startswith(MAGIC) or end < 0:
        return None
    sizes = {match[1]: int(match[2]) for match in SIZE.finditer(data[:end])}
    width, height = sizes.get(b"W", 0), sizes.get(b"H", 0)
    colours = COLOURS.search(data[:end])
    kind = colours[1] if colours else b"420"
    share = next((one for name, one in SHARES.items() if kind.startswith(name)), 0.0)
    starts: list[int] = []
    at = end + 1
    while share and width * height and data.startswith(FRAME, at) and len(starts) < MOST_FRAMES:
        begin = data.find(b"\n", at, at + MOST_LINE) + 1
        if not begin:
            break
        starts.append(begin)
        at = begin + int(width * height * share)
    chroma = next((one for name, one in CHROMA.items() if kind.startswith(name)), None)
    return Film(width, height, tuple(starts), chroma) if starts else None


def begins_early(film: Film, own: Any, data: bytes) -> str:
    """Returns what is wrong with pixels [height, width] that are bytes of a film, or "" if nothing is."""
    if own.shape != (film.height, film.width) or len(set(own.reshape(-1).tolist())) < LIVELY:
        return ""
    at = data.find(own.tobytes())
    frame = next((number for number, start in enumerate(film.starts) if start > at), -1)
    if at < 0 or at in film.starts or frame < 1:
        return ""
    by = film.starts[frame] - at
    if by % len(FRAME + b"\n") or by > len(FRAME + b"\n") * len(film.starts):
        return ""
    return (
        f"its pixels begin {by} bytes before those of frame {frame + 1}: before each frame is a line "
        '"FRAME", which was taken for pixels (it has to be passed over each time)'
    )
