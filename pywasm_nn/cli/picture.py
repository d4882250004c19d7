"""Pictures as arrays, laid out for a model's input.

What is here: readers of PGM, PPM and PNG (8 bits, not interlaced) without any package; Pillow reads other
files if it is installed. Resizing is bilinear, with aligned pixel centres.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from struct import unpack
from typing import TYPE_CHECKING, Any

from .failure import Failure

if TYPE_CHECKING:
    from ..nn.tensor import TensorSpec

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Channels by colour type of PNG."""
PALETTE = 3
BYTE = 255
MOST_PIXELS = 100_000_000
MODEL_CHANNELS = (1, 3)


def read(path: str) -> Any:
    """A picture as u8 [height, width, 1 or 3]. Raises Failure."""
    data = Path(path).read_bytes()
    try:
        if data[:2] in (b"P5", b"P6"):
            return portable(data)
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return png(data)
        return pillow(path)
    except (ValueError, IndexError, zlib.error) as error:
        raise Failure(f"{path}: {error}") from None


def pillow(path: str) -> Any:
    import numpy

    try:
        from PIL import Image
    except ImportError:
        raise Failure(f"{path} is no PNG, PGM or PPM; others want Pillow", "pip install pillow") from None
    try:
        with Image.open(path) as image:
            return numpy.asarray(image.convert("RGB"))
    except OSError as error:
        raise Failure(f"{path}: {error}") from None


def portable(data: bytes) -> Any:
    """PGM or PPM, binary (https://netpbm.sourceforge.net/doc/pgm.html)."""
    import numpy

    head = re.match(rb"P([56])(?:\s+#[^\n]*)*\s+(\d{1,6})\s+(\d{1,6})\s+(\d{1,3})\s", data)
    if head is None or not 0 < int(head[4]) <= BYTE:
        raise ValueError("the header is no PGM or PPM of 8 bits")
    channels, width, height = 1 if head[1] == b"5" else 3, int(head[2]), int(head[3])
    size = sized(width, height) * channels
    if len(data) - head.end() < size:
        raise ValueError("the picture ends early")
    pixels = numpy.frombuffer(data, "u1", size, head.end()).reshape(height, width, channels)
    return (pixels.astype("f4") * (BYTE / int(head[4])) + 0.5).astype("u1")


def png(data: bytes) -> Any:
    """PNG (https://www.w3.org/TR/png-3/), without alpha."""
    import numpy

    at, packed, palette, header = 8, b"", b"", b""
    while at + 8 <= len(data):
        (length,) = unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        header = body if kind == b"IHDR" else header
        palette = body if kind == b"PLTE" else palette
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    if len(header) != 13:
        raise ValueError("the PNG has no header")
    width, height, depth, colour, _, _, interlaced = unpack(">IIBBBBB", header)
    if depth != 8 or interlaced or colour not in CHANNELS:
        raise ValueError("only PNG of 8 bits, not interlaced, is read without Pillow")
    channels = CHANNELS[colour]
    stride = width * channels
    size = sized(width, height) * channels + height
    raw = zlib.decompressobj().decompress(packed, size)
    if len(raw) < size:
        raise ValueError("the picture ends early")
    rows = numpy.frombuffer(raw, "u1").reshape(height, stride + 1)
    pixels = unfiltered(rows, channels).reshape(height, width, channels)
    if colour == PALETTE:
        table = numpy.zeros((256, 3), "u1")
        table[: len(palette) // 3] = numpy.frombuffer(palette, "u1").reshape(-1, 3)
        return table[pixels[:, :, 0]]
    return pixels[:, :, : 1 if channels <= 2 else 3]


def sized(width: int, height: int) -> int:
    """The number of pixels of a picture. Raises ValueError if it is zero or too large."""
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"a picture of {width} x {height} pixels")
    return width * height


def unfiltered(rows: Any, step: int) -> Any:
    """Lines of a PNG without their filters (section 9)."""
    import numpy

    height, stride = rows.shape[0], rows.shape[1] - 1
    out = numpy.zeros((height, stride), "u1")
    above = numpy.zeros(stride, "u1")
    for y in range(height):
        kind, line = int(rows[y, 0]), rows[y, 1:]
        if kind == 0:
            out[y] = line
        elif kind == 1:
            out[y] = numpy.cumsum(line.reshape(-1, step), axis=0, dtype="u1").reshape(-1)
        elif kind == 2:
            out[y] = line + above
        elif kind in (3, 4):
            out[y] = predicted(kind, line.tolist(), above.tolist(), step)
        else:
            raise ValueError(f"PNG filter {kind}")
        above = out[y]
    return out


def predicted(kind: int, line: list[int], above: list[int], step: int) -> list[int]:
    """A line filtered by average (3) or by Paeth (4), in which each byte depends on the one before."""
    made: list[int] = []
    for i, value in enumerate(line):
        left = made[i - step] if i >= step else 0
        up, corner = above[i], above[i - step] if i >= step else 0
        guess = (left + up) // 2 if kind == 3 else paeth(left, up, corner)
        made.append((value + guess) & BYTE)
    return made


def paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def laid_out(picture: Any, spec: TensorSpec, scale: float | None) -> tuple[Any, str]:
    """The picture as an array of the input's shape and type, and a description of the steps. Raises
    Failure."""
    height, width, channels, layout = wanted(spec, picture.shape)
    done = [f"{picture.shape[1]} x {picture.shape[0]} pixels"]
    if (height, width) != picture.shape[:2]:
        picture = resized(picture.astype("f4"), height, width)
        done.append(f"resized to {width} x {height}")
    if picture.shape[2] != channels:
        grey = picture.astype("f4") @ [0.299, 0.587, 0.114] if channels == 1 else picture[:, :, 0]
        picture = grey[:, :, None].repeat(channels, axis=2)
        done.append("made grey" if channels == 1 else "grey in three channels")
    is_float = spec.dtype.value.startswith("f")
    factor = scale if scale is not None else 1 / BYTE if is_float else 1.0
    if factor != 1:
        picture = picture.astype("f4") * factor
        done.append(f"times {factor:.4g}")
    array = (picture if is_float else (picture + 0.5).clip(0, BYTE)).astype(spec.dtype.numpy_name)
    done.append(f"{layout} {spec.dtype}")
    array = array.transpose(2, 0, 1) if "CHW" in layout else array
    return array.reshape((1,) * layout.startswith("N") + array.shape), ", ".join(done)


def wanted(spec: TensorSpec, shape: tuple[int, ...]) -> tuple[int, int, int, str]:
    """Height, width, channels and layout of an input for pictures; the picture gives unknown lengths."""
    lengths = list(spec.shape or ())
    if len(lengths) in (3, 4):
        batch = "N" * (len(lengths) == 4)
        *_, first, second, third = lengths
        if first in MODEL_CHANNELS and third not in MODEL_CHANNELS:
            return known(second, shape[0]), known(third, shape[1]), int(first), batch + "CHW"
        if third in MODEL_CHANNELS:
            return known(first, shape[0]), known(second, shape[1]), int(third), batch + "HWC"
    raise Failure(f'input "{spec.name}" is {spec}, which is no picture of 1 or 3 channels; give a .npy')


def known(length: int | str | None, otherwise: int) -> int:
    return length if isinstance(length, int) else otherwise


def resized(picture: Any, height: int, width: int) -> Any:
    """Bilinear resizing of floats."""
    import numpy

    def places(new: int, old: int) -> tuple[Any, Any, Any]:
        at = ((numpy.arange(new) + 0.5) * old / new - 0.5).clip(0, old - 1)
        low = at.astype(int)
        return low, numpy.minimum(low + 1, old - 1), (at - low).astype("f4")

    top, bottom, down = places(height, picture.shape[0])
    left, right, across = places(width, picture.shape[1])
    rows = picture[top] * (1 - down)[:, None, None] + picture[bottom] * down[:, None, None]
    return rows[:, left] * (1 - across)[None, :, None] + rows[:, right] * across[None, :, None]
