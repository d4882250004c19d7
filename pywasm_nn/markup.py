"""HTML for notebooks: everything that is shown passes through `escaped`, because a module chooses its names.

What is here: tables, preformatted text and pictures (PNG). What is not: the contents (`_repr_html_` of each
class), and self-contained pages (`watch.page`).
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from .printable import visible, visible_lines

MOST_ROWS = 100
"""Longer tables are cut, with a note."""
COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
"""PNG's numbers for grey, RGB and RGBA, by channels (https://www.w3.org/TR/png/#11IHDR)."""


def escaped(text: object) -> str:
    """Text as HTML that shows it literally, also inside an attribute's quotes; invisible characters are
    escaped as in Python."""
    return escape(visible(str(text)))


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A table of text cells. The first MOST_ROWS of `count` rows are shown."""
    if not count:
        return ""
    head = "".join(f"<th>{escaped(header)}</th>" for header in headers)
    lines = [
        "<tr>" + "".join(f"<td><code>{escaped(cell)}</code></td>" for cell in row) + "</tr>"
        for row in islice(rows, MOST_ROWS)
    ]
    if count > MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(headers)}">and {count - MOST_ROWS} more</td></tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def paragraph(text: object) -> str:
    return f"<p>{escaped(text)}</p>"


def preformatted(text: object) -> str:
    return f"<pre>{escape(visible_lines(str(text)))}</pre>"


def image(png: bytes, description: str, width: int) -> str:
    """A PNG as part of the page, `width` pixels wide on the screen, scaled without smoothing."""
    return (
        f'<img alt="{escaped(description)}" width="{width}" style="image-rendering: pixelated" '
        f'src="{data_url(png)}">'
    )


def frame(page: str, title: str) -> str:
    """A whole page inside another. Its scripts are isolated from the page around it."""
    return (
        f'<iframe title="{escaped(title)}" srcdoc="{escape(page)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 40rem; border: 1px solid #888"></iframe>'
    )


def data_url(png: bytes) -> str:
    """The picture as a data URL, so that nothing is fetched."""
    return "data:image/png;base64," + b64encode(png).decode()


def png(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """Pixels as a PNG file: rows from the top, one byte per channel, 1 (grey), 3 (RGB) or 4 (RGBA)
    channels."""
    stride = width * channels
    # Each row begins with its filter type, here 0.
    raw = b"".join(b"\0" + pixels[y * stride : (y + 1) * stride] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, COLOUR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
