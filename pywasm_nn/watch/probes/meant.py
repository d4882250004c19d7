"""What a guest would write if it had sent what most models want: is that what its file is named after?

What is here: `as_named`. What is not: which other answer that is (`whatif.points`); the names of its classes
only the guest knows.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ..regex import regex
from ..whatif.points import Meant
from .asked import Asked

WORD = regex(r"[^\W\d_]{3,}")


def as_named(asked: Asked, meant: Meant | None) -> str:
    """Returns what is wrong with an input, if the guest writes a word of its file's name only with the other
    answer, or "" if nothing is."""
    if meant is None:
        return ""
    name = PurePosixPath(meant.file)
    shown = {*WORD.findall(name.stem.lower())}

    def says(text: str | None) -> set[str]:
        bare = (text or "").replace(name.name, "")
        return shown & {*WORD.findall(bare.lower())}

    if says(asked.control.text) or not says(asked.said(meant.outputs)):
        return ""
    return meant.said
