"""ONNX on numpy alone: the backend that works without any framework.

What is here: the backend, which imports numpy when it loads a model. `model` reads models, `graph` and
`execute` run them within the limits of a `room`, `operators` is the table of operators; the operators are in
files by subject. What is not: control flow, sequences, quantized operators, training. A model with these is
refused when it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from ...backend import Backend, Graph, GraphConfig, OptionKinds
from ...blame import blaming
from ..options import THREADS
from ..selfcontained import self_contained_onnx


class NumpyBackend(Backend):
    name = "numpy"
    formats = ("onnx",)
    from_guests = frozenset(formats)
    packages = ("numpy",)
    apart = True
    rank = 3  # the fallback without a framework

    def host_options(self) -> OptionKinds:
        return THREADS

    def prepare(self) -> None:
        import_module(".execute", __package__)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        from .graph import graph_of
        from .model import read_model

        with blaming(self.name):
            model = read_model(self_contained_onnx(parts[0]))
            return graph_of(model, self.name, config.tensor_bytes)
