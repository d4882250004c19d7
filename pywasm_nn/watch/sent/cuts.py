"""Small inputs that a guest cuts out of files, one after the other.

What is here: `Cuts`. What is not: how one is found (`origin.cut`), and distances of parts (`tiles.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..budget import Left
from ..origin.cut import TURNS, Sheet, cut
from ..origin.matching import Origin

MOST_MISSED = 4
"""After so many inputs that come from no sheet, others are not looked for."""


class Cuts:
    """Finds small inputs in sheets: first as it found the last one."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str, tuple[int, int], str]] = {}
        """By input, the file, the place and the turn of the last part that was found."""
        self._missed: Counter[str] = Counter()

    def set(self, name: str, array: Any, sheets: Iterable[Sheet], left: Left) -> Origin | None:
        """Returns how an input is a part of one of these, or None if that isn't found."""
        if self._missed[name] >= MOST_MISSED:
            return None
        for sheet in sheets if left() else ():
            file, place, turn = self._last.get(name, ("", (0, -1), ""))
            turns = sorted(TURNS, key=lambda one: one != turn)
            found = cut(array, sheet, turns, place if file == sheet.source.name else (0, -1))
            if found is not None:
                at = found.part[:2] if found.part is not None else place
                self._last[name] = (
                    sheet.source.name,
                    at,
                    next((one for one in found.steps if one in TURNS), ""),
                )
                return found
        self._missed[name] += 1
        return None

    def again(self, name: str, array: Any, sheets: Iterable[Sheet]) -> Origin | None:
        """Returns how an input is a part of the last file, turned as the part before it was, or None if it is
        no part, or there was none before."""
        sheet = next(iter(sheets), None) if name in self._last else None
        file, place, turn = self._last.get(name, ("", (0, -1), ""))
        if sheet is None:
            return None
        return cut(array, sheet, [turn], place if file == sheet.source.name else (0, -1))
