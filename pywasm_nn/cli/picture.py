"""Pictures as arrays, laid out for a model's input.

What is not here: decoding and resizing (`watch.origin`).
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..watch.origin.decoding import BYTE, png, portable
from ..watch.origin.resizing import resized
from .failure import Failure

if TYPE_CHECKING:
    from ..nn.tensor import TensorSpec

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
        what = "no .npy, no .csv, .tsv or .txt of numbers, and no PNG, PGM or PPM"
        raise Failure(f"{path} is {what}; other pictures want Pillow", "pip install pillow") from None
    try:
        with Image.open(path) as image:
            return numpy.asarray(image.convert("RGB"))
    except OSError as error:
        raise Failure(f"{path}: {error}") from None


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
