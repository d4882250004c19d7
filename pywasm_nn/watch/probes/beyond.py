"""Whether a guest reads more of its buffer than get_output wrote.

What is here: `unwritten`.
"""

from __future__ import annotations

from .asked import Asked

FILLS = (0x7F, 0x42)
"""Bytes of which elements of any type are large, and others."""


def unwritten(asked: Asked) -> str:
    """Returns a hint if what a guest writes changes with the bytes behind the answer, or "" if it doesn't, or
    there are none."""
    texts, behind = [], 0
    if any(one.array.dtype.kind != "f" for _, one in asked.fetched()):  # bytes may be a text
        return ""
    for fill in FILLS:
        reply = asked.reply({}, fill)
        if reply is None or reply.end == "trap" or not reply.behind:
            return ""
        texts.append(reply.text)
        behind = reply.behind
    if asked.control.text in texts:
        return ""
    again = asked.reply({})
    if again is None or again.text != asked.control.text:  # it writes something else each time
        return ""
    return (
        "the guest reads more of its buffer than get_output wrote: what it writes changes with the "
        f"{behind} bytes behind the answer: does it take the buffer's size for that of the answer?"
    )
