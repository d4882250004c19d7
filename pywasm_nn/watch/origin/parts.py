"""Where the pictures begin in a file that holds several of them, one after the other.

What is here: `starts`, and the header of PGM and PPM. What is not: decoding (`decoding.py`).
"""

from __future__ import annotations

from ..regex import regex

PORTABLE = regex(rb"P([56])(?:\s+#[^\n]*)*\s+(\d{1,6})\s+(\d{1,6})\s+(\d{1,5})\s")
"""The header of PGM and PPM (https://netpbm.sourceforge.net/doc/pgm.html)."""
AGAIN = regex(rb"\s*(?=P[56]\s)")
"""What may lie between two of them."""
PNG = b"\x89PNG\r\n\x1a\n"
MOST_PICTURES = 64
"""So many pictures of one file are found."""
BYTE = 255


def starts(data: bytes) -> list[int]:
    """The places of pictures in PGM, PPM or PNG; of one if there is anything else."""
    found = [0]
    while len(found) < MOST_PICTURES:
        following = after(data, found[-1])
        if not following:
            break
        found.append(following)
    return found


def after(data: bytes, start: int) -> int:
    """Returns where the picture begins that follows the one at a place, or 0 if none does."""
    if data.startswith(PNG, start):
        return max(0, data.find(PNG, start + len(PNG)))
    head = PORTABLE.match(data, start)
    if head is None:
        return 0
    size = int(head[2]) * int(head[3]) * (1 if head[1] == b"5" else 3) * (2 if int(head[4]) > BYTE else 1)
    following = AGAIN.match(data, head.end() + size)
    return following.end() if following else 0
