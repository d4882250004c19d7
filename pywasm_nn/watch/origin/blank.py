"""Pictures and sounds that show nothing: `is_empty`, and `is_only_alpha`."""

from __future__ import annotations

from typing import Any


def is_only_alpha(pixels: Any) -> bool:
    """Whether a picture has alpha, and only that differs."""
    return bool(pixels.shape[2] == 4 and not pixels[..., :3].std() and pixels[..., 3].std())


def is_empty(array: Any) -> bool:
    """Whether pixels, samples or elements are all 0, but for alpha."""
    if array is None:
        return True
    return not (array[..., :3] if array.ndim == 3 and array.shape[2] == 4 else array).any()
