"""What the graph of an ONNX model says of its inputs and outputs, read once.

What is here: `facts`. What is not: what it looks at (`onnx_firsts.py`, `onnx_columns.py`, `onnx_layers.py`,
`onnx_filters.py`, `onnx_lasts.py`), and facts that aren't in the graph (`onnx.py`).
"""

from __future__ import annotations

from ..protobuf import Budget
from .format import Facts, known
from .onnx_columns import columns
from .onnx_filters import filters
from .onnx_firsts import firsts
from .onnx_graph import MOST_FIELDS, graph_of
from .onnx_lasts import lasts
from .onnx_layers import layers


def facts(data: memoryview) -> Facts:
    """All that is known. Raises ValueError for broken bytes."""
    graph = graph_of(data, Budget(MOST_FIELDS))
    return Facts(
        known(firsts, graph), known(columns, graph), known(lasts, graph), known(layers, graph),
        known(filters, graph),
    )  # fmt: skip
