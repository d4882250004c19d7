"""Inputs of which all elements are equal, as the palette of a picture was read where its file has none.

What is here: `palette_in_header`. What is not: pictures of which something is left (`origin.long_headers`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..origin.decoding import indexed
from ..origin.long_headers import from_byte_54


def palette_in_header(files: Sequence[tuple[str, bytes]]) -> str:
    """Returns why an input may have one value, by the last BMP with a palette that was read, or "" if that
    isn't known."""
    for name, data in reversed(files):
        try:
            numbered = indexed(data)
        except ValueError:  # a broken file
            numbered = None
        if numbered is None:
            continue
        if numbered[0].min() == numbered[0].max():
            return ""
        for said, pixels in from_byte_54(data, numbered[0]):
            if (pixels == pixels[0, 0]).all():
                return f"all elements are equal; compared with {name}, {said}"
        return ""
    return ""
