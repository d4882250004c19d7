"""A rate of samples that a guest writes, and that is another field of the sound's header.

What is here: `ToldRates`, which compares what is written with the headers of the WAV files that were read.
What is not: the rate that a model or a program wants (`sent/sounds.py`), and times by another rate
(`clocked.py`).

A program may resample, and say to which rate. It knows that rate itself: one that stands nowhere in it came
from the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from struct import pack, unpack_from
from typing import Any

from ...interpreter.encode import write_signed
from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...records import Frozen
from ..follower import Follower
from ..origin.constants import CONSTS, F32_CONST, F64_CONST, MOST_CODE
from ..regex import regex
from ..spoken import Heard

IN_HERTZ = regex(r"(?<![\w.])(\d{1,9}(?:\.\d{1,3})?) ?(k?)Hz\b", re.IGNORECASE)
AS_RATE = regex(
    r"(?<![a-z])(sampl(?:e|ing)[ _-]?)?(?<!byte.)(?<!bit.)(?<!data.)(?<!error.)(?:rate|sr|fs)"
    r"\s?(?:is|[:=])?\s?(\d{1,9})(?![\w.])",
    re.IGNORECASE,
)
LARGE = 1000
"""A smaller number may be that of anything, unless it is called a sample rate."""
THOUSAND = 1000
HEADER = 4096
FORMAT, RATE = b"fmt ", 12
"""The part of a WAV file that has the rate, and where it has that."""
BYTES_A_SECOND = "the number of bytes a second"
FIELDS: Mapping[str, tuple[str, int]] = {
    BYTES_A_SECOND: ("<I", 16),
    "the number of bytes of a sample in all channels": ("<H", 20),
    "the number of bits of a sample": ("<H", 22),
    "the number of channels": ("<H", 10),
}
"""Maps what stands beside the rate to its form and its offset in the part."""
FLOATS = ((F32_CONST, "<f"), (F64_CONST, "<d"))
"""Pairs the opcode of an instruction with the form of its float."""


class Header(Frozen):
    """Holds the rate of a WAV file with its offset, and the other numbers of its header with theirs."""

    name: str
    rate: int
    place: int
    others: tuple[tuple[str, int, int], ...]


class ToldRates(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Callable[[], Any]) -> None:
        """`files` gives names and bytes of the files that were read."""
        self._files = files
        self._module: Module | None = None
        self._heard = Heard()

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        said = told(self._heard.text)
        headers = [one for name, data in self._files() if said and (one := header_of(name, data)) is not None]
        if any(one.rate in said for one in headers):
            return
        for header in headers:
            for what, number, place in header.others:
                if number in said and not self._knows(number):
                    yield (
                        "answer",
                        f'the guest says "{said[number]}", and {header.name} has {header.rate:,} samples a '
                        f"second; {number:,} is {what}, which its header has at byte {place}: is the rate to "
                        f"be read at byte {header.place}?",
                    )
                    return

    def _knows(self, number: int) -> bool:
        """Whether a number of many digits stands in the program; smaller ones may mean anything."""
        return number >= LARGE and self._module is not None and stands_in(self._module, number)


def told(text: str) -> dict[int, str]:
    """The rates in a text, and how they are written."""
    found = {int(one[2]): one[0].strip() for one in AS_RATE.finditer(text) if one[1] or int(one[2]) >= LARGE}
    for match in IN_HERTZ.finditer(text):
        rate = round(float(match[1]) * (THOUSAND if match[2] else 1))
        if rate >= LARGE:
            found[rate] = match[0]
    return found


def header_of(name: str, data: bytes) -> Header | None:
    """The numbers of a WAV file's header, or None if it is another file."""
    head = bytes(data[:HEADER])
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE" or (at := head.find(FORMAT, 12)) < 0:
        return None
    if len(head) < at + 24:
        return None
    [rate] = unpack_from("<I", head, at + RATE)
    others = [(what, unpack_from(kind, head, at + by)[0], at + by) for what, (kind, by) in FIELDS.items()]
    return Header(name, rate, at + RATE, tuple(one for one in others if one[1] != rate))


def stands_in(module: Module, number: int) -> bool:
    """Whether a number is among a program's instructions, data or texts."""
    code = bytes(module.data[:MOST_CODE])
    ways = [opcode + write_signed(number) for _, opcode in CONSTS]
    ways += [bytes([opcode]) + pack(kind, number) for opcode, kind in FLOATS]
    if any(way in code for way in ways):
        return True
    kept = str(number).encode(), pack("<I", number), pack("<f", number), pack("<d", number)
    return any(way in bytes(data.init) for data in module.datas for way in kept)
