"""Pictures that are sent turned, mirrored or without their colours: a mistake, unless the guest means it.

What is here: `Turned`, and what anybody may mean. What is not: how a picture was turned (`origin`).
"""

from __future__ import annotations

from ...records import changed
from ..origin import Origin
from ..origin.colours import ALL_GREY

MIRRORED = "the picture is mirrored"
MEANT = (MIRRORED, ALL_GREY)
"""A camera's preview is mirrored, and a guest asks a model about a mirror image, or about a picture without
its colours, to see what it makes of that. `from` says so."""


def without_meant(found: Origin) -> Origin:
    """An origin without what may be meant of a picture that is sent so alone."""
    return changed(found, wrong="") if found.wrong in MEANT else found


class Turned:
    """Knows which pictures were sent as they are."""

    def __init__(self) -> None:
        self._as_is: set[str] = set()

    def wrong(self, found: Origin) -> str:
        """Returns what is wrong with an input of this origin, or "" if nothing is: a guest that also sends
        the picture as it is, perhaps to another model, turns it on purpose, as such a model may say how a
        text lies."""
        if not found.varied:
            self._as_is.add(found.source.name)
        elif found.wrong == found.varied and found.source.name in self._as_is:
            return ""
        return found.wrong
