"""wasi-nn: inference for guests, and for plain Python. Start with `NN`.

Names are imported on first use (PEP 562): a trace needs only the event classes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .backend import Backend, Context, Graph, GraphConfig, OptionKinds, Target
    from .errors import Code, NNError
    from .formats import Encoding, Format, Look
    from .models import Models, NamedModel
    from .operation import NNEvent
    from .provider import NN, Model
    from .tensor import DType, Tensor, TensorSpec

__all__ = [
    "NN",
    "Backend",
    "Code",
    "Context",
    "DType",
    "Encoding",
    "Format",
    "Graph",
    "GraphConfig",
    "Look",
    "Model",
    "Models",
    "NNError",
    "NNEvent",
    "NamedModel",
    "OptionKinds",
    "Target",
    "Tensor",
    "TensorSpec",
]

_HOMES = {
    ".backend": ("Backend", "Context", "Graph", "GraphConfig", "OptionKinds", "Target"),
    ".errors": ("Code", "NNError"),
    ".formats": ("Encoding", "Format", "Look"),
    ".models": ("Models", "NamedModel"),
    ".operation": ("NNEvent",),
    ".provider": ("NN", "Model"),
    ".tensor": ("DType", "Tensor", "TensorSpec"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
