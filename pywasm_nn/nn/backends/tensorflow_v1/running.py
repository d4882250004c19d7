"""Graphs and contexts on TensorFlow: one session serves all contexts, unless a run changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...backend import Context, Graph, GraphConfig
from ...tensor import DType, Tensor
from .reading import Program, read


def loaded(backend: str, source: Path | bytes, config: GraphConfig) -> TensorFlowGraph:
    """The graph of the model in a directory, or in bytes."""
    return TensorFlowGraph(backend, read(source, config), lambda: read(source, config))


class TensorFlowGraph(Graph):
    def __init__(self, backend: str, program: Program, again: Callable[[], Program]) -> None:
        super().__init__(backend, program.inputs, program.outputs)
        self._program = program
        self._again = again

    @property
    def keeps_state(self) -> bool:
        return self._program.keeps

    def context(self) -> Context:
        if not self._program.keeps:
            return TensorFlowContext(self, self._program, owns=False)
        return TensorFlowContext(self, self._again(), owns=True)

    def close(self) -> None:
        self._program.session.close()


class TensorFlowContext(Context):
    def __init__(self, graph: TensorFlowGraph, program: Program, owns: bool) -> None:
        super().__init__(graph)
        self._session = program.session
        self._owns = owns
        graph_ = program.session.graph
        with graph_.as_default():
            self._call = program.session.make_callable(
                [graph_.get_tensor_by_name(name) for name in program.fetches],
                feed_list=[graph_.get_tensor_by_name(name) for name in program.feeds],
            )
        self._types = [graph_.get_tensor_by_name(name).dtype.as_numpy_dtype for name in program.feeds]

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        arrays = [self._fed(index, tensor) for index, tensor in enumerate(inputs)]
        results = self._call(*arrays)
        return [self._output(index, value, arrays) for index, value in enumerate(results)]

    def _fed(self, index: int, tensor: Tensor) -> Any:
        array = self.array(index, tensor)
        return array.view(self._types[index]) if tensor.dtype is DType.BF16 else array

    def _output(self, index: int, value: Any, inputs: Sequence[Any]) -> Tensor | None:
        """An output as our tensor, in memory of its own."""
        import numpy

        spec = self.graph.outputs[index]
        if self.targets and index not in self.targets:
            return None
        array = numpy.asarray(value)
        if spec.dtype is DType.BF16:
            array = array.view("<u2")
        if not array.flags.c_contiguous or any(numpy.may_share_memory(array, one) for one in inputs):
            array = array.copy()
        return Tensor(spec.dtype, array.shape, array)

    def close(self) -> None:
        super().close()
        self._call = None
        if self._owns:
            self._session.close()
