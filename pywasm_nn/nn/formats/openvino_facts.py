"""Facts of an OpenVINO model, read once: what its first layers do, and the numbers in its second part.

What is here: `facts`. What is not: what it looks at (`openvino_firsts.py`, `openvino_columns.py`,
`openvino_filters.py`), and the options of the conversion (`openvino.py`).
"""

from __future__ import annotations

from ...records import changed
from .format import NO_FACTS, Facts, known
from .openvino_columns import columns
from .openvino_filters import filters
from .openvino_firsts import firsts, layers_of


def facts(xml: memoryview, weights: memoryview) -> Facts:
    """All that is known."""
    layers = layers_of(xml)
    found = {
        "firsts": known(firsts, layers, weights),
        "columns": known(columns, layers, weights),
        "filters": known(filters, layers, weights),
    }
    return changed(NO_FACTS, **found)
