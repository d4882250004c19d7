"""What stands in place of a model, and models that were cut short, for messages about bytes that don't load.

What is here: `in_place` and `cut_short`. What is not: the bytes' format (`known`), and what
frameworks say of them. Source of the pointer: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
"""

from __future__ import annotations

from collections.abc import Sequence

from .look import Look
from .messages import TooShortError, whole
from .texts import is_xml

BEGINNINGS = (
    (
        b"version https://git-lfs",
        "a pointer of Git LFS, not the model: `git lfs pull` brings the file itself",
    ),
    (b"\x1f\x8b", "packed with gzip: unpack the model first"),
    (b"<!doctype html", "a page of HTML, not the model: was the page that leads to it saved?"),
    (b"<html", "a page of HTML, not the model: was the page that leads to it saved?"),
    *(
        (beginning, "a program in WebAssembly, not a model: `pywasm-nn run` runs it")
        for beginning in (b"\0asm", b"(module", b"(component")
    ),
)
"""The beginnings, in small letters, of what often stands in place of a model."""
END_OF_XML = b"</net>"
FEWEST, ZEROS = 1 << 10, 64
"""A size from which on a buffer is supposed, and so many bytes that are 0 at its end."""
TENS, PAGE = 10_000, 1 << 16
"""Sizes of buffers are multiples of these, or powers of two."""


def in_place(looks: Sequence[Look]) -> str:
    """Returns what stands in place of a model that doesn't load, or "" if that isn't known."""
    for number, look in enumerate(looks, 1):
        which = f"part {number} is" if len(looks) > 1 else "the bytes are"
        start = look[:64].lstrip().lower()
        if what := next((what for beginning, what in BEGINNINGS if start.startswith(beginning)), ""):
            return f"{which} {what}"
    return ""


def cut_short(looks: Sequence[Look]) -> str:
    """Returns how a model that doesn't load was cut short, or "" if nothing tells that."""
    for number, look in enumerate(looks, 1):
        which = f"part {number}" if len(looks) > 1 else "the model"
        if what := cut(look):
            return f"{which} {what}"
    return ""


def cut(look: Look) -> str:
    """How a model was cut short."""
    size = len(look)
    is_round = size >= FEWEST and (not size & (size - 1) or not size % PAGE or not size % TENS)
    if is_round and not any(look[-ZEROS:]):
        return f"ends with zeros: is {size:,} the size of a buffer, and the file shorter?"
    asked = (
        f": is that the size of a buffer, and the file longer than its {size:,} bytes?" if is_round else ""
    )
    try:
        whole(look)
    except TooShortError as short:
        said = f"is cut short: its graph has {short.wanted:,} bytes, of which {short.there:,} are there"
        return said + (asked or ": was the file read to its end?")
    if is_xml(look) and look[:512].find(b"<net") >= 0 and END_OF_XML not in look[-512:]:
        return f"is cut short: {END_OF_XML.decode()} is missing at its end" + asked
    if is_round:
        return f"may be cut short{asked}"
    return ""
