"""wasi-nn: inference for guests, and for plain Python. `NN` is where to start."""

from __future__ import annotations

from .backend import Backend, Context, Graph, GraphConfig, Target
from .errors import Code, NNError
from .models import NamedModel
from .operation import NNEvent
from .provider import NN, Model
from .tensor import DType, Tensor, TensorSpec

__all__ = [
    "NN",
    "Backend",
    "Code",
    "Context",
    "DType",
    "Graph",
    "GraphConfig",
    "Model",
    "NNError",
    "NNEvent",
    "NamedModel",
    "Target",
    "Tensor",
    "TensorSpec",
]
