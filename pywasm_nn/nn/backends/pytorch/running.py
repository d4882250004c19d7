"""Graphs and contexts on PyTorch: one module serves all contexts, unless it keeps state between runs.

What is here: `Program`, a model that was read, and running it. What is not: reading models (`script`,
`exported`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import torch

from ....records import Frozen
from ...backend import Context, Graph
from ...errors import Code, NNError
from ...tensor import Tensor, TensorSpec
from .values import Device

TRACE = "Traceback of TorchScript"
"""Text in error messages that end with the actual error."""
WHOLE = "iub"
"""Kinds of numpy types that can be passed for an int or a bool."""
Scalar = type[int] | type[float] | type[bool]


@contextmanager
def quiet() -> Iterator[None]:
    """A block without PyTorch's warnings that its formats are old: users can't change the format here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Program(Frozen):
    """A model that was read. `scalars` are the inputs that are numbers in the model, by index; `arguments`
    turns values into the arguments of a call, and `results` turns the call's result into a list. A model that
    `writes` may change its inputs, one that `keeps` has state that a run may change.
    """

    module: Any
    inputs: Sequence[TensorSpec]
    outputs: Sequence[TensorSpec]
    scalars: dict[int, Scalar]
    arguments: Callable[[Sequence[Any]], tuple[Sequence[Any], dict[str, Any]]]
    results: Callable[[Any], Sequence[Any]]
    writes: bool
    keeps: bool


class TorchGraph(Graph):
    def __init__(self, backend: str, program: Program, on: Device, threads: int) -> None:
        super().__init__(backend, program.inputs, program.outputs, on.name.upper())
        self.program = program
        self.on = on
        self._threads = threads

    @property
    def keeps_state(self) -> bool:
        return self.program.keeps

    def context(self) -> TorchContext:
        return TorchContext(self, self._own_module() if self.program.keeps else self.program.module)

    def _own_module(self) -> Any:
        """A copy of the module, so that contexts share no state; they share the weights."""
        module = self.program.module
        with quiet():
            copied = deepcopy(module)
        for own, shared in zip(copied.parameters(), module.parameters(), strict=True):
            own.data = shared.data
        return copied

    @contextmanager
    def running(self) -> Iterator[None]:
        """A block without gradients, with the requested number of threads, which PyTorch stores for each
        thread."""
        before = torch.get_num_threads()
        if self._threads and self._threads != before:
            torch.set_num_threads(self._threads)
        try:
            with torch.inference_mode():
                yield
        finally:
            if self._threads and self._threads != before:
                torch.set_num_threads(before)


class TorchContext(Context):
    graph: TorchGraph

    def __init__(self, graph: TorchGraph, module: Any) -> None:
        super().__init__(graph)
        self._module = module

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        graph, program = self.graph, self.graph.program
        with graph.running():
            values = [self._value(index, tensor) for index, tensor in enumerate(inputs)]
            arguments, named = program.arguments(values)
            results = program.results(called(self._module, arguments, named))
            shared = {address(value) for value in values if isinstance(value, torch.Tensor)}
            return [self._output(index, value, shared) for index, value in enumerate(results)]

    def _value(self, index: int, tensor: Tensor) -> Any:
        """The argument of the model for an input."""
        kind = self.graph.program.scalars.get(index)
        if kind is not None:
            return number(kind, tensor, self.graph.inputs[index].name)
        value = self.graph.on.put(tensor)
        return value.clone() if self.graph.program.writes else value

    def _output(self, index: int, value: Any, shared: set[int]) -> Tensor | None:
        """An output as our tensor, in memory that later runs don't change."""
        if self.targets and index not in self.targets:
            return None
        if not isinstance(value, torch.Tensor):
            if not isinstance(value, int | float):
                what = f'output "{self.graph.outputs[index].name}" is {type(value).__name__}, no tensor'
                raise NNError(Code.RUNTIME_ERROR, what)
            value = torch.tensor(value)
        self._check(index, value.numel() * value.element_size())
        if self.graph.program.keeps or address(value) in shared:
            value = value.clone()
        return self.graph.on.take(value)

    def _check(self, index: int, size: int) -> None:
        """Raise NNError(TOO_LARGE) for an output that is larger than it may be: a value may show a few bytes
        many times, and a copy has them all."""
        if self.most is not None and size > self.most:
            name = self.graph.outputs[index].name
            raise NNError(
                Code.TOO_LARGE, f'output {index} "{name}" is {size} bytes, the limit is {self.most}'
            )

    def close(self) -> None:
        super().close()
        self._module = None


def called(module: Any, arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """The result of the module. For TorchScript, the error is reduced to the last line of its long
    message."""
    try:
        return module(*arguments, **named)
    except RuntimeError as error:
        text = str(error).strip()
        if TRACE not in text:
            raise
        raise NNError(Code.RUNTIME_ERROR, f"torch: {text.splitlines()[-1]}") from error


def address(value: Any) -> int:
    """The address of a value's memory."""
    return int(value.untyped_storage().data_ptr())


def number(kind: Scalar, tensor: Tensor, name: str) -> int | float | bool:
    """The single element of a tensor as a Python number. Raises NNError(INVALID_ARGUMENT)."""
    array = tensor.numpy()
    if kind is not float and array.dtype.kind not in WHOLE:
        what = f'input "{name}" is {kind.__name__}, given was {tensor}'
        raise NNError(Code.INVALID_ARGUMENT, what)
    return kind(array.item())
