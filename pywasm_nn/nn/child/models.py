"""A guest's own models as its session sees them: graphs and contexts whose work is done in a child.

What is here: `GuestModels`, which loads, and the graphs and contexts that it gives. Tensors lie in memory
that both processes see: an input is copied there once, and an output is read where the child wrote it.
What is not: the process (`process`), and what it does (`serve`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from ..backend import Backend, Context, Graph, GraphConfig, Target, for_ever
from ..errors import Code, Nature, NNError
from ..tensor import DType, Tensor, TensorSpec, byte_size
from .arena import Slot
from .process import Answer, Child, Patience, available

LEAST = 256 << 20
"""Bytes of tensors that a child has room for at least, however small one may be."""
WITHIN = 3
"""So many times the room is what a child may take beyond its frameworks: tensors, weights and all between."""
SHARED = 2
"""So many times the room is what tensors may take that both processes see."""


class GuestModels:
    """What loads models of one guest, who has at most one child at a time."""

    def __init__(self, tensor_bytes: int) -> None:
        self.tensor_bytes = tensor_bytes
        self.patience: Patience = for_ever
        self._child: Child | None = None
        self._lock = Lock()

    def targets(self, backend: Backend) -> frozenset[Target]:
        """Where the backend can run graphs. The framework is imported in the child only."""
        said = self._running().ask({"op": "targets", **identity(backend)}, (), self.patience)
        return frozenset(Target(name) for name in said["targets"])

    def load(
        self, backend: Backend, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig
    ) -> Graph:
        """Load a model. Raises NNError with the framework's reason, RUNTIME_ERROR if the child ends of it,
        DeadlineError if the guest's time is over.
        """
        child = self._running()
        question = {
            "op": "load",
            **identity(backend),
            "format": format,
            "target": config.target.value,
            "options": {key: value for key, value in config.options.items() if plain(value)},
            "tensor_bytes": self.tensor_bytes,
        }
        return ChildGraph(self, child, child.ask(question, parts, self.patience))

    def _running(self) -> Child:
        with self._lock:
            if self._child is None or not self._child.alive:
                self._child = self._started()
            return self._child

    def _started(self) -> Child:
        room = max(self.tensor_bytes, LEAST)
        reason = available()
        if reason is None:
            try:
                return Child(WITHIN * room, SHARED * room)
            except OSError as error:
                reason = str(error)
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f"no child process can be started for the guest's own model ({reason}); name the model, or trust"
            " the guest's models",
            Nature.SECURITY,
        )

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()


class ChildGraph(Graph):
    """A graph that is in a child."""

    def __init__(self, models: GuestModels, child: Child, said: Answer) -> None:
        super().__init__(
            said["backend"],
            specs_of(said["inputs"]),
            specs_of(said["outputs"]),
            said["device"],
            said["notes"],
        )
        self.models = models
        self.child = child
        self._number: int = said["graph"]

    def ask(self, op: str, **what: Any) -> Answer:
        """Ask the child about this graph. Raises NNError, DeadlineError."""
        return self.child.ask({"op": op, "graph": self._number, **what}, (), self.models.patience)

    def context(self) -> ChildContext:
        return ChildContext(self, self.ask("context"))

    def configured_context(self, config: GraphConfig) -> ChildContext:
        options = {key: value for key, value in config.options.items() if plain(value)}
        return ChildContext(self, self.ask("context", target=config.target.value, options=options))

    def close(self) -> None:
        if self.child.alive:
            self.ask("close")


class ChildContext(Context):
    """A context that is in a child. Inputs are told at compute, or at once to backends that look at them."""

    graph: ChildGraph

    def __init__(self, graph: ChildGraph, said: Answer) -> None:
        super().__init__(graph)
        self._number: int = said["context"]
        self._looks: bool = said["looks"]
        self._given: dict[int, Slot] = {}
        self._made: dict[int, Slot] = {}
        """Where inputs and outputs lie, by index."""

    def ask(self, op: str, **what: Any) -> Answer:
        return self.graph.ask(op, context=self._number, **what)

    def snapshot(self, index: int, source: memoryview) -> memoryview:
        self._given.pop(index, None)
        self._given[index] = slot = self.graph.child.arena.take(len(source))
        view = slot.view(len(source))
        view[:] = source
        return view

    def accept_input(self, index: int, tensor: Tensor) -> None:
        super().accept_input(index, tensor)
        if self._looks:
            self.ask("accept", index=index, input=self._told(index, tensor))

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        given = [None if self._looks else self._told(index, tensor) for index, tensor in enumerate(inputs)]
        wanted = sorted(self.targets) or list(range(len(self.graph.outputs)))
        places = {index: slot for index in wanted if (slot := self._room(index)) is not None}
        said = self.ask(
            "compute",
            inputs=given,
            wanted=wanted,
            places=[[index, slot.place, slot.size] for index, slot in places.items()],
        )
        outputs: list[Tensor | None] = [None] * len(self.graph.outputs)
        for index, (dtype, shape, placed) in zip(wanted, said["outputs"], strict=True):
            outputs[index] = self._fetched(
                index, DType(dtype), tuple(shape), places.get(index) if placed else None
            )
        return outputs

    def _told(self, index: int, tensor: Tensor) -> list[Any]:
        """An input as the child is told: type, shape and place, where it is copied unless it lies there."""
        source = tensor.view()
        slot = self._given.get(index)
        if self._snapshots[index] is not tensor or slot is None:
            if slot is None or slot.size != len(source) or slot.lent:
                self._snapshots[index] = None
                self.snapshot(index, source)
            else:
                slot.view(len(source))[:] = source
            slot = self._given[index]
        return [tensor.dtype.value, tensor.shape, slot.place, len(source)]

    def _room(self, index: int) -> Slot | None:
        """Where an output of a known size, or that of the last time, may go: nobody holds what lay there."""
        slot, spec = self._made.get(index), self.graph.outputs[index]
        shape = spec.shape
        size = slot.size if slot else None
        if shape and all(isinstance(length, int) for length in shape):
            size = byte_size(spec.dtype, [length for length in shape if isinstance(length, int)])
        if size is None:
            return None
        if slot is None or slot.size != size or slot.lent:
            self._made.pop(index, None)
            del slot
            self._check(index, size)
            self._made[index] = self.graph.child.arena.take(size)
        return self._made[index]

    def _fetched(self, index: int, dtype: DType, shape: tuple[int, ...], slot: Slot | None) -> Tensor:
        """An output of the last run, from where the child put it or is asked to put it now."""
        size = byte_size(dtype, shape)
        self._check(index, size)
        if slot is None:
            self._made.pop(index, None)
            self._made[index] = slot = self.graph.child.arena.take(size)
            self.ask("fetch", index=index, place=slot.place, size=size)
        return Tensor(dtype, shape, slot.view(size))

    def _check(self, index: int, size: int) -> None:
        """Raise NNError(TOO_LARGE) for an output beyond the limit."""
        limit = self.graph.models.tensor_bytes
        if not 0 <= size <= limit:
            name = self.graph.outputs[index].name
            raise NNError(Code.TOO_LARGE, f'output {index} "{name}" is {size} bytes, the limit is {limit}')

    def interrupt(self) -> bool:
        """The framework may not listen, so the child ends, and the guest's other models with it."""
        self.graph.child.kill()
        return True

    def compute_single(self) -> None:
        self.ask("compute_single")

    def output_single(self, index: int) -> Tensor:
        said = self.ask("output_single", index=index)
        return Tensor(DType(said["dtype"]), tuple(said["shape"]), bytes.fromhex(said["data"]))

    def finish_single(self) -> None:
        self.ask("finish_single")

    def close(self) -> None:
        super().close()
        self._given, self._made = {}, {}
        if self.graph.child.alive:
            self.ask("finalize")


def identity(backend: Backend) -> Mapping[str, str]:
    """How the child finds the backend's class, which it calls with nothing."""
    kind = type(backend)
    there = sys.modules.get(kind.__module__)
    importable = kind.__module__ != "__main__" and getattr(there, kind.__qualname__, kind) is kind and there
    file = "" if importable else inspect.getfile(kind.load)
    return {"module": kind.__module__, "class": kind.__qualname__, "file": file}


def plain(value: Any) -> bool:
    """Whether a value can be told to the child."""
    return value is None or isinstance(value, bool | int | float | str | list | dict)


def specs_of(said: Sequence[Mapping[str, Any]]) -> list[TensorSpec]:
    """Inputs or outputs as the child says them."""
    return [
        TensorSpec(
            one["name"],
            DType(one["dtype"]),
            None if one["shape"] is None else tuple(one["shape"]),
            tuple(one["aliases"]),
            None if one["quantization"] is None else tuple(one["quantization"]),
            one["takes_bytes"],
        )
        for one in said
    ]
