"""Tensors of a trace as the page shows them.

What is not here: which tensors are pictures (`nn.picture`).
"""

from __future__ import annotations

from typing import Any

from ...nn.tensor import DType, Tensor
from ...printable import printable
from .. import events
from ..text import statistics, typed


def pictured(kept: events.Tensor) -> dict[str, Any] | None:
    """Returns caption, address and width of the picture in a tensor, or None if it is no picture, or its
    bytes weren't kept."""
    if kept.data is None:
        return None
    picture = Tensor(DType(kept.dtype), kept.shape, kept.data).picture()
    if picture is None:
        return None
    caption = f'"{printable(kept.name)}" {typed(kept)}  {statistics(kept)}  {picture.said}'
    return {"x": caption, "src": picture.url(), "width": picture.shown_width}
