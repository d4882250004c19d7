"""What is known of the inputs of contexts before a model is asked about them.

What is here: `OfInputs`. What is not: who finds that out (`sent/inputs.py`), and the questions
(`following.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..origin import Origin
from ..origin.counted import Counted
from .cut_lines import CutLines
from .grounds import Grounds
from .heights import Squeezed


class OfInputs:
    """By context, an input of each kind by its index, and what is known of it."""

    def __init__(self) -> None:
        self.lines: dict[int | None, tuple[int, Any]] = {}
        """An input that is a line of a table that the guest read, and the numbers of all its lines."""
        self.units: dict[int | None, tuple[int, str, Sequence[tuple[str, float]]]] = {}
        """An input of lines, the unit that their headings name, and others with what they are multiplied by
        for these."""
        self.otherwise: dict[int | None, tuple[int, Any]] = {}
        """An input of features of a sound, and how they are by other recipes."""
        self.of_sounds: dict[int | None, Any] = {}
        """The last such features, also when they were asked about."""
        self.bytes: dict[int | None, tuple[int, str]] = {}
        """An input that is the bytes of a file, and the file's name, or "" if they were changed."""
        self.grounds: dict[int | None, Grounds] = {}
        """An input that is a picture with alpha."""
        self.counted: dict[int | None, tuple[int, Counted]] = {}
        """An input of characters or words, and how they are counted."""
        self.squeezed: dict[int | None, Squeezed] = {}
        """An input that is a picture in other proportions than its own."""
        self.as_in_file: dict[int | None, set[int]] = {}
        """Inputs that are pictures of files, as they should be."""
        self.cut_lines = CutLines()
        """Inputs that may be the left columns of a line of text."""

    def come_from(self, context: int | None, index: int, found: Origin) -> None:
        """An input has this origin, of which no model was asked yet."""
        if found.lines is not None:
            self.lines[context] = index, found.lines
        if found.otherwise is not None:
            self.otherwise[context] = index, found.otherwise
            self.of_sounds[context] = found.otherwise
        if found.is_bytes:
            self.bytes[context] = index, "" if found.wrong else found.source.name
        self.cut_lines.come_from(context, found)
        self.squeezed.pop(context, None)
        if not found.wrong and (squeezed := Squeezed.of(found.resized)) is not None:
            self.squeezed[context] = squeezed

    def come_as_in_file(self, context: int | None, index: int, found: Origin) -> None:
        """Keep whether an input is a picture as its file has it, by its origin."""
        known = self.as_in_file.setdefault(context, set())
        if found.source.is_picture and not found.wrong:
            known.add(index)
        else:
            known.discard(index)

    def are_counted(self, context: int | None, index: int, how: Counted | None) -> None:
        """An input is the numbers of characters or words, if it is known how they are counted."""
        if how is not None:
            self.counted[context] = index, how
        elif self.counted.get(context, (None,))[0] == index:
            del self.counted[context]

    def forget(self, context: int | None) -> None:
        """A context was closed."""
        of_files = self.lines, self.otherwise, self.of_sounds, self.bytes, self.squeezed, self.as_in_file
        for known in (*of_files, self.units):
            known.pop(context, None)
