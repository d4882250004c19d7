"""Alphabets that a guest has among its own data: a text in which each character stands once, by whose places
it counts the characters of other texts.

What is here: `alphabets_in`. What is not: alphabets in files, and what inputs say of them (`characters.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...interpreter.module import Module
from .characters import LETTERS, MOST, Alphabets

MOST_DATA, MOST_TIMES = 1 << 22, 8
ZERO = b"\0"
"""A byte of the last character that is 0: optimisers cut such bytes off at the end of data."""
NO_TEXT = "\ufffd"
"""Python decodes bytes that are no character as this one."""


def alphabets_in(module: Module) -> Alphabets:
    """The alphabets as C, Zig and Rust keep them (UTF-8, and arrays of their numbers), and AssemblyScript
    (UTF-16): the places of their characters."""
    left = MOST_DATA
    found: dict[str, dict[str, int]] = {}
    for data in module.datas:
        for code in ("utf-8", "utf-16-le", "utf-32-le"):
            for one in alphabets(data.init[:left] + 3 * ZERO, code):
                found[one] = {letter: place for place, letter in enumerate(one)}
        left -= min(left, len(data.init))
    return found


def alphabets(data: bytes, code: str) -> Iterator[str]:
    """The longest texts around the letters in which no character stands twice."""
    for letters in (LETTERS, LETTERS.upper()):
        word = letters.encode(code)
        reach, width, at = 4 * MOST, len("a".encode(code)), -1
        for _ in range(MOST_TIMES):  # libraries have tables of letters, too
            at = data.find(word, at + 1)
            if at < 0:
                break
            before = data[max(0, at - reach // width * width) : at].decode(code, "replace")
            after = data[at + len(word) : at + len(word) + reach].decode(code, "replace")
            seen = {*letters}
            yield beside(before[::-1], seen)[::-1] + letters + beside(after, seen)


def beside(text: str, seen: set[str]) -> str:
    """Returns what a text begins with until a character that can't be written, or that was seen; these are
    seen from then on."""
    kept = []
    for one in text[:MOST]:
        if one in seen or one == NO_TEXT or not one.isprintable():
            break
        seen.add(one)
        kept.append(one)
    return "".join(kept)
