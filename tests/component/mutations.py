"""Components, changed by chance: sections come and go, and bytes in them change, while sizes stay right.

What is here: `mutated`. Whether what comes out is valid is the question of `test_mutated.py`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

COMPONENT = b"\0asm\r\0\1\0"
NESTED = 4
"""The section that holds a component."""
SKIPPED = (0, 1)
"""Custom sections and core modules: nothing of a component's own is in them."""


@dataclass
class Section:
    """A section of a component: bytes, or for a component in it sections."""

    id: int
    content: bytes | list[Section]

    def bytes(self) -> bytes:
        content = self.content if isinstance(self.content, bytes) else component(self.content)
        return bytes([self.id]) + unsigned(len(content)) + content


def unsigned(value: int) -> bytes:
    """A number in LEB128."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def component(sections: list[Section]) -> bytes:
    return COMPONENT + b"".join(section.bytes() for section in sections)


def sections(data: bytes) -> list[Section]:
    """The sections of a valid component."""
    found, at = [], len(COMPONENT)
    while at < len(data):
        size, start = read_unsigned(data, at + 1)
        content = data[start : start + size]
        found.append(Section(data[at], sections(content) if data[at] == NESTED else content))
        at = start + size
    return found


def mutated(chance: random.Random, data: bytes) -> bytes:
    """A component like this one, but for one to three changes."""
    root = sections(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        change(chance, inner(chance, root))
    return component(root)


def inner(chance: random.Random, root: list[Section]) -> list[Section]:
    """The sections of this component, or of one in it."""
    nested = [each.content for each in root if isinstance(each.content, list)]
    return inner(chance, chance.choice(nested)) if nested and chance.random() < 0.6 else root


def change(chance: random.Random, among: list[Section]) -> None:
    """Change one section, or the order of sections."""
    plain = [each for each in among if isinstance(each.content, bytes) and each.id not in SKIPPED]
    if not plain:
        return
    how = chance.random()
    if how < 0.7:
        section = chance.choice(plain)
        assert isinstance(section.content, bytes)
        section.content = tweaked(chance, section.content)
    elif how < 0.8:
        among.remove(chance.choice(plain))
    elif how < 0.9:
        among.insert(chance.randint(0, len(among)), chance.choice(plain))
    else:
        one, other = chance.randrange(len(among)), chance.randrange(len(among))
        among[one], among[other] = among[other], among[one]


def tweaked(chance: random.Random, content: bytes) -> bytes:
    """Bytes, one of them changed: mostly to what may be another index or type."""
    data = bytearray(content)
    if not data:
        return b"\0"
    at = chance.randrange(len(data))
    how = chance.random()
    if how < 0.4:
        data[at] = (data[at] + chance.choice([-1, 1])) % 256
    elif how < 0.7:
        data[at] = chance.choice(data)
    elif how < 0.85:
        data[at] = chance.randint(0x60, 0x7F)
    elif how < 0.95:
        data[at] ^= 1 << chance.randrange(8)
    elif how < 0.975:
        del data[at]
    else:
        data.insert(at, chance.choice(data))
    return bytes(data)
