"""What pictures and sounds show, by the names of their files: `cat.jpg`, `four.wav`, `digit3.pgm`.

What is here: `Depicted`, which compares names of files with the names of classes, from a list that the guest
read or from its own data. What is not: whether answers are those (`whatif.several`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from ..arrays import numpy
from ..interpreter.module import Module
from ..nn.formats import KNOWN
from ..records import Frozen
from .classes import belongs_at, lists_for
from .regex import regex
from .surroundings import Files

WORD = regex(r"[^\W\d_]{3,}")
DIGIT = regex(r"(?<!\d)(\d)(?!\d)")
COUNTED = regex(
    r"^(?:img|image|pic|picture|photo|frame|test|sample|input|file|page|scan)s?[-_ ]*\d", re.IGNORECASE
)
"""Names with a number that only counts."""
DIGITS = 10
"""Models of so many classes may know digits, of which files may have the number in their names."""
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MOST_KINDS = 0.05
"""The part of the classes that may be kinds of the same."""
MOST_CLASSES, MOST_DATA, LONGEST = 1024, 1 << 20, 40
ROOM = regex(rb"([ -~]{2,40})\0+")
"""A name in a room of its own, which zeros fill."""
COLUMNS, COLUMN = regex(rb"(?:[A-Za-z_-]+ *){2,}"), regex(r"[A-Za-z_-]{2,}")
LINES = regex(rb"(?:[ -~]{1,40}\r?\n){2,}(?:[ -~]{1,40})?")
"""Names in lines, as in a text that was put into the program whole."""
ZEROS = 4
WIDE_HEADER, MIN_WIDTH = 8, 3
"""So many bytes are before a text of AssemblyScript at least."""


class Depicted(Frozen):
    """The class of a picture by its file's name, or the classes, such as several kinds of cats. `is_number`:
    by a digit there, which may also count; `is_counted`: as it mostly does in such names. `is_label`: by a
    file of labels, `file` says of which picture."""

    file: str
    places: tuple[int, ...]
    is_number: bool = False
    is_label: bool = False
    is_counted: bool = False

    def __str__(self) -> str:
        return self.file if self.is_label else f"{self.file} is named after"


class Names:
    """Knows the names of classes."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._module: Module | None = None
        self._own: dict[int, list[tuple[str, ...]]] = {}
        """Names in the guest's own data, by their number."""

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def depicted(self, file: str, count: int, *, may_count: bool = False) -> Depicted | None:
        """Returns what a file shows that was sent, of so many classes. If the file isn't known (""), it is
        the only one whose name says what it shows. `may_count`: also by a digit in names that mostly
        count."""
        if not 2 < count <= MOST_CLASSES:
            return None
        read = [name for name, _ in self._files() if KNOWN.of_file(name) is None]
        lists = [*self._lists(count)]
        found = [self._of(name, lists) for name in ([file] if file else read)]
        known = {one.file: one for one in found if one is not None}
        if len(known) == 1:
            return next(iter(known.values()))
        stem = PurePosixPath(file).stem
        digits = digits_in(stem) if file and not known and count == DIGITS else []
        is_counted = COUNTED.match(stem) is not None
        if not digits or (is_counted and not may_count):
            return None
        return Depicted(file, (digits[0],), True, is_counted=is_counted)

    @staticmethod
    def _of(file: str, lists: Sequence[Sequence[str]]) -> Depicted | None:
        words = {*WORD.findall(PurePosixPath(file).stem.lower())}
        for names in lists:
            places = [place for place, name in enumerate(names) if name.lower() in words]
            if not places:
                places = [place for place, name in enumerate(names) if words & stems_of(name.lower())]
            if not places:
                kinds = [words & kinds_in(name) for name in names]
                places = (
                    [place for place, of in enumerate(kinds) if of] if len(set.union(*kinds)) == 1 else []
                )
            if 0 < len(places) <= max(1, MOST_KINDS * len(names)):
                return Depicted(file, tuple(places))
        return None

    def _lists(self, count: int) -> Iterator[Sequence[str]]:
        for classes in lists_for(self._files(), count):
            yield classes.in_order(count, belongs_at(classes, count) or 0)
        if count not in self._own:
            self._own[count] = [*own_names(self._module, count)] if self._module is not None else []
        yield from self._own[count]


def digits_in(stem: str) -> list[int]:
    """The digits in a name, or those that it has as English words: 3 of "digit3" and of "three-mirrored"."""
    found = [int(digit) for digit in DIGIT.findall(stem)]
    words = WORD.findall(stem.lower())
    spelt = [place for place, word in enumerate(NUMERALS) if word in words]
    return found or (spelt if len(spelt) == 1 else [])


def stems_of(name: str) -> set[str]:
    """The word from which a name of what somebody does is made: "run" of "running", "cycle" of "cycling"."""
    stem = name.removesuffix("ing")
    if stem == name or not WORD.fullmatch(stem):
        return set()
    single = {stem[:-1]} if stem[-1] == stem[-2] else set()
    return {stem, f"{stem}e", *single}


def kinds_in(name: str) -> set[str]:
    """The last words of a name and of others for the same: "cat" of "tabby, tabby cat"."""
    found = [WORD.findall(one) for one in re.split(r"[,;(/]", name.lower())]
    return {words[-1] for words in found if words}


def own_names(module: Module, count: int) -> Iterator[tuple[str, ...]]:
    """Lists of so many different names in a module's data."""
    if data_of(module) > MOST_DATA:
        return
    yield from (run for run in pointed(module) if len(run) == count)
    for data in module.datas:
        if at_of(data) is not None:
            yield from in_rooms(data.init, count)
            yield from in_columns(data.init, count)
            yield from in_lines(data.init, count)


def data_of(module: Module) -> int:
    """How many bytes the data have whose addresses are known."""
    return sum(len(data.init) for data in module.datas if at_of(data) is not None)


def pointed(module: Module) -> Iterator[tuple[str, ...]]:
    """Different names in a module's data, whose addresses stand there in a row, with their lengths, as in
    Rust, or without."""
    segments = [(at_of(data), data.init) for data in module.datas if at_of(data) is not None]
    low = min((start or 0 for start, _ in segments), default=0)
    high = max(((start or 0) + len(init) for start, init in segments), default=0)
    whole = padded(segments)
    for start, init in whole:
        first = -(start or 0) % 4
        room = max(0, len(init) - first) // 4
        known = numpy.frombuffer(init, "<u4", room, first) if room else numpy.zeros(0, "u4")
        inside = (known >= low) & (known < high)
        words = numpy.where(inside | (known <= LONGEST), known, 0).tolist()
        for step in (1, 2):
            for begin in range(step):
                run: list[str] = []
                for at in range(begin, len(words) - step + 1, step):
                    length = words[at + 1] if step == 2 else None
                    name = text_at(whole, words[at], length) if words[at] >= low else ""
                    if name:
                        run.append(name)
                        continue
                    if run and len(run) == len(set(run)):
                        yield tuple(run)
                    run = []
                if run and len(run) == len(set(run)):
                    yield tuple(run)


def padded(segments: Sequence[tuple[int | None, bytes]]) -> list[tuple[int | None, bytes]]:
    """Segments with the zeros behind them that compilers leave out."""
    return [(start, init + bytes(-len(init) % ZEROS)) for start, init in segments]


def in_rooms(init: bytes, count: int) -> Iterator[tuple[str, ...]]:
    """Names that stand in rooms of one size, as in an array of arrays of letters. Zeros that follow the last
    one, or that are left out at the end, don't count."""
    run: list[str] = []
    size = end = 0
    for found in ROOM.finditer(init):
        name, room, follows = found[1].decode(), len(found[0]), found.start() == end
        is_last = follows and len(name) < size and (room > size or found.end() == len(init))
        if run and follows and (room == size or is_last):
            if room < size and len(run) == count == len(set(run)):
                yield tuple(run)  # what follows may be another text
            run.append(name)
        else:
            if len(run) == count == len(set(run)):
                yield tuple(run)
            run, size = [name], room
        if is_last and room != size:
            if len(run) == count == len(set(run)):
                yield tuple(run)
            run = []
        end = found.end()
    if len(run) == count == len(set(run)):
        yield tuple(run)


def at_of(data: Any) -> int | None:
    """Returns the address of a data segment, or None if that isn't known."""
    offset = getattr(data.mode, "offset", None)
    values = [value for _, value in offset if isinstance(value, int)] if offset is not None else []
    return values[0] if len(values) == 1 else None


def text_at(segments: Sequence[tuple[int | None, bytes]], address: int, length: int | None) -> str:
    """Returns the name at an address, of a length or up to a byte 0, or "" if there is none."""
    for start, init in segments:
        at = address - (start or 0)
        if not 0 <= at < len(init):
            continue
        if length is None and (wide := wide_text(init, at)):
            return wide
        end = init.find(b"\0", at, at + LONGEST) if length is None else at + length
        if length is None and at and init[at - 1]:
            return ""
        text = init[at:end] if 0 < end - at <= LONGEST else b""
        return text.decode() if text.isascii() and text.decode().isprintable() else ""
    return ""


def wide_text(init: bytes, at: int) -> str:
    """Returns the name in UTF-16 at a place, as AssemblyScript has it, with its length in bytes before it, or
    "" if there is none."""
    length = int.from_bytes(init[at - 4 : at], "little") if at >= WIDE_HEADER else 0
    if not 0 < length <= 2 * LONGEST or length % 2 or at + length > len(init):
        return ""
    found = init[at : at + length].decode("utf-16-le", "replace")
    return found if found.isascii() and found.isprintable() else ""


def in_lines(init: bytes, count: int) -> Iterator[tuple[str, ...]]:
    """Names that stand in a text of as many lines as there are classes."""
    for found in LINES.finditer(init):
        names = tuple(line.strip() for line in found[0].decode().splitlines())
        if len(names) == count == len({*names} - {""}):
            yield names


def in_columns(init: bytes, count: int) -> Iterator[tuple[str, ...]]:
    """Words in columns of one width, which blanks fill, as many as there are classes. Behind the last one
    they may be missing."""
    for found in COLUMNS.finditer(init):
        text = found[0].decode()
        for begin, width in product(range(min(len(text), LONGEST)), range(MIN_WIDTH, LONGEST)):
            rest = text[begin:]
            if not (count - 1) * width < len(rest) <= count * width:
                continue
            words = [rest[at * width :][:width].rstrip() for at in range(count)]
            is_list = "  " in rest.rstrip()  # a sentence has single blanks
            if is_list and len({*words}) == count and all(map(COLUMN.fullmatch, words)):
                yield tuple(words)
