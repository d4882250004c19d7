"""`File`: what a guest has read of a file, and what that is decoded as, once.

What is here: the bytes of one file, and its readings as pictures, sounds, tables, lists and words. What is
not: which files there are, and which of them an input came from (`following.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from ...records import changed
from ..facts import picture_of
from .bags import Lexicon, lexicon_in
from .buffers import buffers
from .decoding import Source, pictures
from .headerless import as_pixels, as_samples
from .scalers import lists_in
from .tables import Table, table_in
from .time_order import NEWEST
from .vocabulary import Vocabulary, words_in

T = TypeVar("T")

MOST_OF_A_BUFFER = 1 << 23
MOST_HEADER = 4096
"""The header of an uncompressed picture is shorter, and so is what is read of one that was passed over."""
MOST_PUTS = 64
"""A file keeps this many places of memory into which the guest read it."""
MOST_OF_A_TEXT = 1 << 16
"""Bytes of a file in which the words of an input are looked for."""
MOST_OF_A_SCALER = 1 << 14
"""Longer files have no means and deviations of columns."""


class File:
    """What was read of a file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data = bytearray()
        self.at = 0
        self.begins = 0
        """The first byte that was read."""
        self.ended = False
        """Whether a read reached the file's end."""
        self.place: Path | None = None
        """Where the host has it."""
        self.is_left = False
        """Whether it would take too long to decode it."""
        self.pieces: set[int] = set()
        """The lengths that were asked for, without what C's library asks for beyond them."""
        self.again = 0
        """How often bytes were read that had been read before."""
        self.puts: list[tuple[int, int]] = []
        """Addresses in this process, and lengths, of the guest's memory into which bytes were read."""
        self._readings: dict[Callable[[File], Any], tuple[Any, ...]] = {}
        """By reading, the length that the file had, and its result."""

    def read(self, data: bytes, at: int) -> None:
        if not self.data and 0 < at <= MOST_HEADER and (passed := self._first(at)):
            self.data += passed
        elif not self.data:
            self.begins = at
        elif self.begins <= at < len(self.data):
            self.again += 1
        self.begins = min(self.begins, at)
        if at > len(self.data):
            self.data += bytes(at - len(self.data))
        self.data[at : at + len(data)] = data

    def put(self, at: int, length: int) -> None:
        """The guest read bytes into its memory."""
        if self.puts and sum(self.puts[-1]) == at:
            at, length = self.puts[-1][0], self.puts.pop()[1] + length
        self.puts = [*self.puts[-MOST_PUTS:], (at, length)]

    def _first(self, count: int) -> bytes:
        """The first bytes of the file, a header that the guest passed over, or b"" if the host hasn't it."""
        try:
            if self.place is None or not self.place.is_file():
                return b""
            with self.place.open("rb") as file:
                data = file.read(count)
        except OSError:
            return b""
        return data if len(data) == count else b""

    def size(self) -> str:
        """How many bytes the file has, as far as that is known."""
        try:
            size = self.place.stat().st_size if self.place is not None else 0
        except OSError:
            size = 0
        return f"{max(size, len(self.data)):,} bytes"

    def sources(self) -> list[Source]:
        """The picture, sound or array in the file, or several pictures."""
        return [] if self.is_left else self._as(decode)

    def samples(self) -> list[Source]:
        """The samples in the file if it has no header."""
        return self._as(bare_samples)

    def table(self) -> Table | None:
        """The table of numbers in the file."""
        return self._as(as_table)

    def vocabulary(self) -> Vocabulary | None:
        """The list of words in the file."""
        return self._as(as_words)

    def lists(self) -> list[Any]:
        """The lists of numbers in the file, if it is short."""
        return self._as(as_lists)

    def lexicon(self) -> Lexicon | None:
        """The list of words in the file, perhaps with weights."""
        return self._as(as_lexicon)

    def sum(self) -> int:
        """A checksum."""
        return self._as(checksum)

    def text(self) -> str:
        return self.data.decode("utf-8", "replace")

    def _as(self, reading: Callable[[File], T]) -> T:
        """The file in a reading, which is worked out again only if more was read since."""
        if self._readings.get(reading, (-1,))[0] != len(self.data):
            self._readings[reading] = len(self.data), reading(self)
        found: T = self._readings[reading][1]
        return found


def checksum(file: File) -> int:
    return crc32(file.data)


def decode(file: File) -> list[Source]:
    return pictures(file.name, bytes(file.data))


def as_table(file: File) -> Table | None:
    table = table_in(bytes(file.data))
    if table is None or table.direction or not NEWEST.search(file.name):
        return table
    return changed(table, direction=-1)


def as_lists(file: File) -> list[Any]:
    return lists_in(file.text()) if len(file.data) <= MOST_OF_A_SCALER else []


def as_words(file: File) -> Vocabulary | None:
    return words_in(bytes(file.data))


def as_lexicon(file: File) -> Lexicon | None:
    return lexicon_in(bytes(file.data))


def bare_samples(file: File) -> list[Source]:
    return as_samples(file.name, bytes(file.data[:MOST_OF_A_BUFFER]))


def samples_in(file: File) -> list[Source]:
    """The sound of a file, with or without a header."""
    found = file.sources()
    return [one for one in found if one.rate] if found else file.samples()


def sources_of(file: File, array: Any) -> list[Source]:
    """A file as pictures and sounds, or its bytes as as many pixels as an input has."""
    return (
        file.sources()
        or as_pixels(file.name, bytes(file.data[file.begins :]), array)
        or in_buffer(file, array)
        or file.samples()
    )


def is_text(file: File) -> bool:
    return len(file.data) <= MOST_OF_A_TEXT and b"\0" not in file.data


def is_data(file: File) -> bool:
    """Whether a file is a picture, a sound or an array, or has nothing but zeros."""
    return bool(file.sources()) or not any(file.data)


def in_buffer(file: File, array: Any) -> list[Source]:
    """Bytes without a header as pixels in a format of cameras, unless they are the very numbers."""
    picture = picture_of(array.shape)
    if picture is None or len(file.data) > MOST_OF_A_BUFFER or has_numbers(file, array):
        return []
    found = buffers(file.name, bytes(file.data[file.begins :]), picture)
    is_ppm = file.name.lower().endswith(".ppm")  # of which the header was passed over, unread
    return [
        Source(file.name, one.pixels, one.said, True, others=one.others, is_ordered=one.is_ordered or is_ppm)
        for one in found
    ]


def has_numbers(file: File, array: Any) -> bool:
    """Whether a file has the elements of an input one after the other, each of several bytes."""
    return bool(array.itemsize > 1 and array.tobytes() in file.data)
