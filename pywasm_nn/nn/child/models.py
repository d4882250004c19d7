"""A guest's own models as its session sees them: graphs and contexts whose work runs in a child.

What is here: `GuestModels`, which loads, and its graphs and contexts. Tensors are in memory shared with the
child: an input is copied there once, and an output is read where the child wrote it. What is not: the process
(`process`), and its work (`serve`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..backend import Backend, Context, Graph, GraphConfig, Target, for_ever
from ..errors import Code, NNError
from ..tensor import DType, Strings, Tensor, TensorSpec, byte_size
from . import Answer, Patience

if TYPE_CHECKING:
    from .arena import Slot
    from .process import Child

TWIN_SECONDS = 30.0
"""The longest answer that a twin is waited for."""
IDENTITY = ("module", "class", "file")
"""The fields of a question that say which backend is asked (`identity`)."""


class GuestModels:
    """Loads the models of one guest, in at most one child at a time; `child` is one that was started early,
    which it owns from now on."""

    def __init__(self, tensor_bytes: int, child: Child | None = None) -> None:
        self.tensor_bytes = tensor_bytes
        self.patience: Patience = for_ever
        self.meanwhile: Callable[[], object] = tuple
        """Called while the child imports a backend's framework."""
        self._child = child
        self._lock = Lock()

    def targets(self, backend: Backend) -> frozenset[Target]:
        """The devices of the backend. Only the child imports the framework."""
        question = {"op": "targets", **identity(backend)}
        said = self._running().ask(question, (), self.patience, self.meanwhile)
        return frozenset(Target(name) for name in said["targets"])

    def load(
        self, backend: Backend, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig
    ) -> Graph:
        """Load a model. Raises NNError with the framework's reason, or RUNTIME_ERROR if the child dies;
        DeadlineError if the guest's time runs out.
        """
        question = {
            "op": "load",
            **identity(backend),
            "format": format,
            "target": config.target.value,
            "options": {key: value for key, value in config.options.items() if plain(value)},
            "tensor_bytes": self.tensor_bytes,
        }
        return self.ask_to_load(question, parts)

    def ask_to_load(self, question: Mapping[str, Any], parts: Sequence[bytes | memoryview]) -> ChildGraph:
        """Load a model as the question says."""
        child = self._running()
        child.prepare({key: question[key] for key in IDENTITY}, self.patience)
        return ChildGraph(self, child, question, child.ask(question, parts, self.patience))

    def _running(self) -> Child:
        with self._lock:
            if self._child is None or not self._child.alive:
                from .process import started_for  # it takes modules that few guests need

                self._child = started_for(self.tensor_bytes)
            return self._child

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.close()


class ChildGraph(Graph):
    """A graph in a child."""

    def __init__(self, models: GuestModels, child: Child, question: Mapping[str, Any], said: Answer) -> None:
        super().__init__(
            said["backend"],
            specs_of(said["inputs"]),
            specs_of(said["outputs"]),
            said["device"],
            said["notes"],
        )
        self.models = models
        self.child = child
        self._question = question
        self._number: int = said["graph"]
        self.worked = said["worked"]

    def ask(self, op: str, **what: Any) -> Answer:
        """Send the child a question about this graph. Raises NNError, DeadlineError."""
        return self.child.ask({"op": op, "graph": self._number, **what}, (), self.models.patience)

    def context(self) -> ChildContext:
        return ChildContext(self, self.ask("context"))

    def configured_context(self, config: GraphConfig) -> ChildContext:
        options = {key: value for key, value in config.options.items() if plain(value)}
        return ChildContext(self, self.ask("context", target=config.target.value, options=options))

    def twin(self, parts: Sequence[bytes | Path]) -> Graph | None:
        """The model in a child of its own: one that dies doesn't take the guest's models with it, and its
        tensors take no room from the guest's."""
        given = [part for part in parts if isinstance(part, bytes)]
        if not given or len(given) != len(parts):
            return None
        models = GuestModels(self.models.tensor_bytes)
        models.patience = lambda: TWIN_SECONDS
        try:
            return models.ask_to_load(self._question, given)
        except BaseException:
            models.close()
            raise

    def close_twin(self) -> None:
        self.models.close()

    def close(self) -> None:
        if self.child.alive:
            self.ask("close")


class ChildContext(Context):
    """A context in a child. Inputs are sent with compute, or at once if the backend inspects them."""

    graph: ChildGraph

    def __init__(self, graph: ChildGraph, said: Answer) -> None:
        super().__init__(graph)
        self._number: int = said["context"]
        self._looks: bool = said["looks"]
        self._given: dict[int, Slot] = {}
        self._made: dict[int, Slot] = {}
        """The slots of inputs and outputs, by index."""

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
        """An input for the child: type, shape and place; it is copied into shared memory unless it is there
        already."""
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
        """A slot for an output whose size is known, or was the same last time, unless a view of the last
        output exists."""
        slot, spec = self._made.get(index), self.graph.outputs[index]
        shape = spec.shape
        size = slot.size if slot else None
        if shape and spec.dtype.size and all(isinstance(length, int) for length in shape):
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
        """An output of the last run, from its slot; without a slot, the child is asked to write it now."""
        if dtype is DType.STRING:  # they stay in the child, as no guest gets them
            return Strings(dtype, shape, b"")
        size = byte_size(dtype, shape)
        self._check(index, size)
        if slot is None:
            self._made.pop(index, None)
            self._made[index] = slot = self.graph.child.arena.take(size)
            self.ask("fetch", index=index, place=slot.place, size=size)
        return Tensor(dtype, shape, slot.view(size))

    def _check(self, index: int, size: int) -> None:
        """Raise NNError(TOO_LARGE) if an output exceeds the limit."""
        limit = self.graph.models.tensor_bytes
        if not 0 <= size <= limit:
            name = self.graph.outputs[index].name
            raise NNError(Code.TOO_LARGE, f'output {index} "{name}" is {size} bytes, the limit is {limit}')

    def interrupt(self) -> bool:
        """Kill the child, and with it the guest's other models, because the framework may ignore
        interruptions."""
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
    """How the child finds the backend's class, which it calls without arguments."""
    kind = type(backend)
    there = sys.modules.get(kind.__module__)
    importable = kind.__module__ != "__main__" and getattr(there, kind.__qualname__, kind) is kind and there
    file = "" if importable else file_of(kind)
    return {"module": kind.__module__, "class": kind.__qualname__, "file": file}


def file_of(kind: type[Backend]) -> str:
    """The file that a class is in which can't be imported by its name."""
    import inspect

    return inspect.getfile(kind.load)


def plain(value: Any) -> bool:
    """Whether a value can be sent to the child as JSON."""
    return value is None or isinstance(value, bool | int | float | str | list | dict)


def specs_of(said: Sequence[Mapping[str, Any]]) -> list[TensorSpec]:
    """Inputs or outputs from the child's answer."""
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
