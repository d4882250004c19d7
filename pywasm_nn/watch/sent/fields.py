"""Fields of numbers that have a file to themselves: grids, scans, slices and the pixels of telescopes.

What is here: `misread_field`, which asks all kinds. What is not: pictures (`origin`), and tables (`sheets`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...nn.tensor import Tensor
from .fits import from_header
from .grids import misread_grid
from .scans import misread_scan
from .slices import misread_slice
from .text_grids import misread_text_grid


def misread_field(tensor: Tensor, files: Sequence[tuple[str, bytes]], left: Callable[[], bool]) -> str:
    """Returns what is wrong with an input that is a part of a field in a file, or "" if nothing is."""
    return (
        misread_text_grid(tensor, files)
        or misread_grid(tensor, files, left)
        or misread_scan(tensor, files)
        or from_header(tensor, files)
        or misread_slice(tensor, files, left)
    )
