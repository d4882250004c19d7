"""A planned model as a graph of wasi-nn."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import numpy as np

from ...backend import Context, Graph
from ...errors import Code, NNError
from ...tensor import DType, Tensor, TensorSpec
from .execute import Plan, plan_of
from .model import NUMPY_TYPES, TYPE_NAMES, Array, Model, Value
from .operators import lacking
from .room import Room


class NumpyContext(Context):
    """A run has no shared state, so contexts on many threads use one plan."""

    def __init__(self, graph: NumpyGraph) -> None:
        super().__init__(graph)
        self._plan = graph.plan
        self._stopped = Event()
        self._most = graph.tensor_bytes

    def rearm(self) -> None:
        self._stopped.clear()

    def interrupt(self) -> bool:
        self._stopped.set()
        return True

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        arrays = [tensor.numpy() for tensor in inputs]
        borrowed = [*arrays, *self._plan.weights]
        room = Room(self._most, self._stopped, self.patience)
        results = []
        for spec, array in zip(self.graph.outputs, self._plan.run(arrays, room), strict=True):
            if array.dtype != np.dtype(spec.dtype.numpy_name):
                raise NNError(
                    Code.RUNTIME_ERROR,
                    f'output "{spec.name}" is declared {spec.dtype} and came as {array.dtype}',
                )
            results.append(Tensor.from_numpy(_own(array, borrowed)))
        return results


def _own(array: Array, borrowed: Sequence[Array]) -> Array:
    return array.copy() if any(np.may_share_memory(array, other) for other in borrowed) else array


class NumpyGraph(Graph):
    def __init__(
        self,
        backend: str,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        plan: Plan,
        tensor_bytes: int | None,
    ) -> None:
        super().__init__(backend, inputs, outputs)
        self.plan = plan
        self.tensor_bytes = tensor_bytes

    def context(self) -> NumpyContext:
        return NumpyContext(self)


def graph_of(model: Model, backend: str, tensor_bytes: int | None) -> NumpyGraph:
    """Check the model and prepare it for runs. Raises NNError for a wrong or unsupported model."""
    inputs = [_spec(value, "input") for value in model.inputs]
    outputs = [_spec(value, "output") for value in model.outputs]
    return NumpyGraph(backend, inputs, outputs, plan_of(model), tensor_bytes)


def _spec(value: Value, role: str) -> TensorSpec:
    if value.type not in NUMPY_TYPES:
        kind = TYPE_NAMES.get(value.type, f"type {value.type}")
        raise lacking(f"{role} {value.name!r} with elements of {kind}")
    return TensorSpec(value.name, DType.of_numpy(np.dtype(NUMPY_TYPES[value.type])), value.shape)
