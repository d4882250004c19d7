"""Models in zip archives, recognised by the names of the members, as PyTorch does.

Only the archive's directory is read; nothing is unpacked.
Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from

from .look import Look

MOST_ENTRIES = 65_536
MOST_BYTES = 8 << 20
"""The most members, and bytes of the directory, that are read."""
LONGEST_END = 65_557
"""Bytes at the end of the file that contain the end record of the directory."""


def is_torch_export(look: Look) -> bool:
    found = look.once(members)
    return "archive_format" in found and _has_folder(found, "models/") and not is_aotinductor(look)


def is_aotinductor(look: Look) -> bool:
    return _has_folder(look.once(members), "data/aotinductor/")


def is_torchscript(look: Look) -> bool:
    found = look.once(members)
    return "constants.pkl" in found and _has_folder(found, "code/")


def is_torch_pickle(look: Look) -> bool:
    """Weights, or any other file of `torch.save`."""
    return "data.pkl" in look.once(members) and not is_torchscript(look)


def _has_folder(names: frozenset[str], folder: str) -> bool:
    return any(name.startswith(folder) for name in names)


def members(look: Look) -> frozenset[str]:
    """Names of the members below the archive's own folder; empty if this is no zip archive."""
    if look[:4] != b"PK\3\4":
        return frozenset()
    return frozenset(name.partition("/")[2] or name for name in _names(look))


def _names(look: Look) -> Iterator[str]:
    """Members' names from the central directory, up to the first error."""
    tail = look[-LONGEST_END:]
    end = tail.rfind(b"PK\5\6")
    if end < 0 or end + 22 > len(tail):
        return
    size, at = unpack_from("<II", tail, end + 12)
    locator = end - 20
    if at == 0xFFFF_FFFF and locator >= 0 and tail[locator : locator + 4] == b"PK\6\7":
        (place,) = unpack_from("<Q", tail, locator + 8)
        record = look[place : place + 56]
        if len(record) < 56 or record[:4] != b"PK\6\6":
            return
        size, at = unpack_from("<QQ", record, 40)
    directory = look[at : at + min(size, MOST_BYTES)]
    at = 0
    for _ in range(MOST_ENTRIES):
        if at + 46 > len(directory) or directory[at : at + 4] != b"PK\1\2":
            return
        name, extra, comment = unpack_from("<HHH", directory, at + 28)
        yield directory[at + 46 : at + 46 + name].decode("utf-8", "backslashreplace")
        at += 46 + name + extra + comment
