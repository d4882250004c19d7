"""Pictures that are sent turned, mirrored or without their colours, and lines whose columns are shifted: a
mistake, unless the guest means it.

What is here: `Turned`, and what anybody may mean. What is not: how a picture was turned (`origin`), and what
the model says of it (`whatif/turned_back.py`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from zlib import crc32

from ...records import changed
from ..origin import Origin
from ..origin.colours import ALL_GREY, SPACES
from ..origin.formulas import BRIGHTER, CONTRASTED
from ..origin.tables import NEWEST_FIRST, REVERSED
from ..regex import regex
from ..whatif.turned_back import Held, TurnedBack

MIRRORED = "the picture is mirrored"
MEANT = (MIRRORED, ALL_GREY)
"""A camera's preview is mirrored, and a guest asks a model about a mirror image, or about a picture without
its colours, to see what it makes of that. `from` says so."""

TWICE = frozenset({f"pixels are {BRIGHTER}", f"pixels are {CONTRASTED}"})
"""So are those of a guest that gives a picture more and more light, or contrast (2 (p - 0.5) + 0.5), to see
what a model makes of that."""
NEWEST = regex(r"newest|latest|recent|(?<![a-z])lags?(?![a-z])", re.IGNORECASE)
ORDERED = regex(rf"oldest|{NEWEST.pattern}", re.IGNORECASE)
"""Words in the name of an input that say in which order it wants numbers; a file without times may have the
other one. The first lag is that of the newest number."""
IN_A_SPACE = regex(r"y_?c[br]_?c[br]|(?<![a-z])(?:ycc|yuv|hsv)(?![a-z])", re.IGNORECASE)
"""An input with such a name doesn't want red, green and blue."""


def without_meant(found: Origin) -> Origin:
    """An origin without what may be meant of a picture that is sent so alone."""
    return changed(found, wrong="") if found.wrong in MEANT else found


class Turned:
    """Knows which pictures, and lines of tables, were sent as they are."""

    def __init__(self, back: TurnedBack) -> None:
        """`back` holds hints back until the model has said something of them."""
        self._back = back
        self._as_is: set[tuple[str, Hashable]] = set()

    def wrong(self, graph: int | None, index: int, name: str, found: Origin) -> str:
        """Returns what is wrong with an input of this origin, or "" if nothing is, or if it is to be said
        later: a guest that also sends the picture as it is, perhaps to another model, turns it on purpose, as
        such a model may say how a text lies."""
        varied = found.varied or (found.wrong if found.wrong in TWICE else "")
        source, lines = found.source.name, found.lines_at
        if (found.wrong == REVERSED and ORDERED.search(name)) or is_named(found.wrong, name):
            return ""
        if not varied:
            if lines is None or not found.wrong:
                self._as_is.add((source, lines))
            if not found.wrong:
                self._back.sent_as_it_is(source, place_of(found))
        elif found.wrong == varied:
            if (source, lines) in self._as_is:
                return ""
            text = f"{name}: compared with {source}, {found.wrong}"
            held = Held(index, source, found.turn, text, place_of(found))
            row = found.part[0] if found.part is not None else None
            if (found.turn or lines is not None) and self._back.holds(graph, held, row):
                return ""
        return found.wrong


def is_named(wrong: str, name: str) -> bool:
    """Whether an input's name says that what seems wrong is what it wants."""
    if wrong == NEWEST_FIRST:
        return NEWEST.search(name) is not None and "oldest" not in name.lower()
    return any(said in wrong for said in SPACES.values()) and IN_A_SPACE.search(name) is not None


def place_of(found: Origin) -> Hashable:
    """Returns which lines, or pixels, of a file an input is: others may look the same turned and not."""
    pixels = found.source.array
    return found.lines_at or (None if pixels is None else (crc32(pixels.tobytes()), found.part))
