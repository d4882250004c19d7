"""Parts of a text that a guest cuts out at the wrong places: offsets of characters that are taken for offsets
of bytes.

What is here: `Broken`, which compares what a guest writes with the texts that it read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...interpreter.runtime.observe import HostEvent
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard
from ..surroundings import Files

MOST_FILE = 1 << 16
SHORTEST, LONGEST = 4, 200
"""Bytes of a part."""
MOST_PARTS = 64
QUOTED = regex(rb"[\"'\xab\xe2][^\"'\n]{2,200}[\"'\xbb]|[^\s:=,;|\[\](){}\"'][^\n:=|\t\"]{2,200}")


class Broken(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._heard = Heard()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for name, data in self._files():
            if len(data) > MOST_FILE or data.isascii() or not self._heard.data:
                continue
            try:
                text = data.decode()
            except UnicodeDecodeError:
                continue
            if wrong := shifted(text, data, parts(bytes(self._heard.data))):
                yield "answer", f"{wrong} in {name}: are offsets in characters taken for offsets in bytes?"
                return


def parts(said: bytes) -> list[bytes]:
    """Returns what may be cut out of a text: what is quoted, and words without signs between."""
    found = [one.strip(b" \t\"'.") for line in said.splitlines() for one in QUOTED.findall(line)]
    found += [line.strip() for line in said.splitlines()]
    return [one for one in dict.fromkeys(found) if SHORTEST <= len(one) <= LONGEST][:MOST_PARTS]


def shifted(text: str, data: bytes, said: Sequence[bytes]) -> str:
    """A part that is cut out of words by its bytes, and by characters would be whole words."""
    wrong = []
    for one in said:
        at = data.find(one)
        if at < 0 or data.find(one, at + 1) >= 0 or data[:at].isascii():
            continue
        if data[at - 1 : at] == b"\n":  # the first bytes of a line, as people show long ones
            continue
        if is_whole(data, at, len(one)):
            return ""
        if meant := by_characters(text, data, at, len(one)):
            wrong.append((one, meant))
    if not wrong:
        return ""
    one, meant = wrong[0]
    return f'the guest writes "{one.decode("utf-8", "replace")}", which are the bytes of "{meant}"'


def by_characters(text: str, data: bytes, at: int, size: int) -> str:
    """Returns the words at a part's offsets, taken as those of characters, or "" if they aren't whole. Blanks
    around a part may have been taken away."""
    blanks = range(1 + (data[at - 1 : at] == b" "))
    behind = range(1 + (data[at + size : at + size + 1] == b" "))
    for start in (at - one for one in blanks):
        for end in (at + size + one for one in behind):
            meant = text[start:end]
            edges = text[max(0, start - 1) : start] + text[end : end + 1]
            whole = len(meant) == end - start and meant[0].isalnum() and meant[-1].isalnum()
            if whole and not any(one.isalnum() for one in edges):
                return meant
    return ""


def is_whole(data: bytes, at: int, size: int) -> bool:
    """Whether a part begins and ends at the ends of words."""
    return not (inside(data, at) or inside(data, at + size))


def inside(data: bytes, at: int) -> bool:
    """Whether a place is within a word, or a character."""
    before = data[max(0, at - 4) : at].decode("utf-8", "replace")[-1:]
    behind = data[at : at + 4].decode("utf-8", "replace")[:1]
    return all(one.isalnum() or one == "\ufffd" for one in (before or " ", behind or " "))
