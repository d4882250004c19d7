"""Which of the files that a guest read are pictures, sounds and other things that a model is asked about, one
after the other.

What is here: `media_among`. What is not: decoding them (`decoding.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Protocol

from ...nn.formats import KNOWN

PICTURES = (
    b"P5", b"P6", b"P4\n", b"P7\n", b"PF\n", b"Pf\n", b"\x89PNG", b"\xff\xd8\xff", b"BM", b"GIF8", b"qoif",
    b"II*\0",
)  # fmt: skip
"""How pictures begin."""
SOUNDS = (b"RIFF", b"FORM", b".snd")
"""Files of sounds that are decoded begin with one of these: WAV, AIFF and AU."""
MEDIA = (*PICTURES, *SOUNDS, b"fLaC", b"OggS")
"""How pictures and sounds begin."""
FEWEST = 3
"""So many files of one ending are of one kind; two may be an input and what is expected of it."""
SHORTEST, TIMES = 64, 4
"""They have so many bytes, and the longest is so many times as long as the shortest at most; means and
deviations of a scaler are shorter."""
LISTS = frozenset({"", ".txt", ".json", ".names", ".labels", ".md", ".yaml", ".ini", ".cfg"})
"""Endings of files that say something of others."""


class Read(Protocol):
    """What was read of a file."""

    name: str

    @property
    def data(self) -> bytearray: ...

    def sum(self) -> int:
        """A checksum."""


def media_among(files: Sequence[Read]) -> list[tuple[int, str, int]]:
    """The numbers, names and checksums of pictures, sounds, and files of an ending that several have."""
    items = [file for file in files if len(file.data) >= SHORTEST and is_item(file.name)]
    endings = Counter(ending(file.name) for file in items)
    sizes = {one: [len(file.data) for file in items if ending(file.name) == one] for one in endings}
    alike = {one for one, of in sizes.items() if len(of) >= FEWEST and max(of) <= TIMES * min(of)}
    return [
        (number, file.name, file.sum())
        for number, file in enumerate(files)
        if file.data.startswith(MEDIA) or (file in items and ending(file.name) in alike)
    ]


def ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def is_item(name: str) -> bool:
    """Whether a file of this name may be one of several that a model is asked about."""
    return ending(name) not in LISTS and KNOWN.of_file(name) is None
