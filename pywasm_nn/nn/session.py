"""One guest's inference: its graphs and contexts by handle, every operation of wasi-nn on Python values.

What is here: `Session`, which checks everything before a backend sees it, serialises what threads of the
guest do to one graph, and tells the person why something failed (`report`) and what happened (`observer`).
What is not: guest memory and numbers (faces such as `witx`), choosing backends (`registry`), statistics on
tensors (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from time import perf_counter

from .backend import Context, Graph, GraphConfig, Target, blaming
from .errors import Code, NNError
from .handles import Handles
from .inputs import fitting, parse_options
from .registry import Registry, Report
from .tensor import Tensor, TensorSpec


@dataclass(frozen=True, slots=True)
class NNLimits:
    """What one guest may hold. Beyond it: too_large."""

    graphs: int = 256
    contexts: int = 4096
    model_bytes: int = 2 << 30
    """All parts of a model that the guest gives."""
    tensor_bytes: int = 1 << 30
    """One input."""


@dataclass(frozen=True, slots=True)
class NNEvent:
    """A finished operation, successful or not (`error`).

    `arguments` is text; `graph_id` and `context_id` are handles, the result of a load or an init included.
    `tensors` go with `specs`: the input that was set, the outputs of a compute, the output that was fetched.
    A tensor that was set is a view of guest memory, good only during the call of the observer; outputs are
    the backend's own and may be kept.
    """

    operation: str
    arguments: str
    seconds: float
    error: NNError | None
    model: str | None
    graph_id: int | None
    context_id: int | None
    graph: Graph | None
    """The backend's graph, with `inputs`, `outputs`, `backend` and `device`."""
    index: int | None
    specs: tuple[TensorSpec, ...]
    tensors: tuple[Tensor, ...]


Observer = Callable[[NNEvent], None]


class BufferTooSmallError(NNError):
    """An output doesn't fit where the guest wants it: `needed` bytes would do."""

    def __init__(self, reason: str, needed: int) -> None:
        super().__init__(Code.TOO_LARGE, reason)
        self.needed = needed


@dataclass(slots=True)
class LoadedGraph:
    """A graph as this guest sees it. It lives until it is unloaded and its last context is gone."""

    graph: Graph
    model: str | None
    """Its name, if the host gave it one."""
    shared: bool
    """Of a named model: the registry's, so not closed here."""
    lock: RLock = field(default_factory=RLock)
    number: int = -1
    loaded: bool = True
    contexts: int = 0

    def __str__(self) -> str:
        return f'model "{self.model}"' if self.model else f"graph {self.number}"

    def release(self) -> None:
        """Close the graph if nobody needs it any more and it is this guest's own."""
        if not self.loaded and not self.contexts and not self.shared:
            self.shared = True  # closed once
            with blaming(self.graph.backend):
                self.graph.close()


@dataclass(slots=True)
class OpenContext:
    """A context, which holds its graph."""

    owner: LoadedGraph
    context: Context

    @property
    def live_graph(self) -> Graph:
        """The graph. Raises NNError(INVALID_ARGUMENT) once it was unloaded and only outputs can be
        fetched.
        """
        if not self.owner.loaded:
            raise NNError(Code.INVALID_ARGUMENT, f"graph {self.owner.number} of this context was unloaded")
        return self.owner.graph


@dataclass(slots=True)
class Operation:
    """An operation under way: what is learnt about it while it runs, for report and event."""

    name: str
    arguments: str
    context_id: int | None = None
    index: int | None = None
    owner: LoadedGraph | None = None
    specs: tuple[TensorSpec, ...] = ()
    tensors: tuple[Tensor, ...] = ()

    def on(self, owner: LoadedGraph) -> None:
        self.owner = owner

    def ended(self, seconds: float, error: NNError | None) -> NNEvent:
        owner = self.owner
        return NNEvent(
            self.name, self.arguments, seconds, error,
            owner.model if owner else None, owner.number if owner else None, self.context_id,
            owner.graph if owner else None, self.index, self.specs, self.tensors,
        )  # fmt: skip


class Session:
    """The state of one guest instance. Every operation raises NNError and leaves nothing half done."""

    def __init__(
        self,
        registry: Registry,
        report: Report,
        *,
        limits: NNLimits | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.registry = registry
        self.report = report
        self.limits = limits or NNLimits()
        self.observer = observer
        self.graphs: Handles[LoadedGraph] = Handles("graph", self.limits.graphs)
        self.contexts: Handles[OpenContext] = Handles("context", self.limits.contexts)
        self._named: dict[tuple[str, bytes | None], int] = {}

    @contextmanager
    def refusing(self, name: str, arguments: str) -> Iterator[Operation]:
        """A failure inside is reported and observed as one of operation `name`; success says nothing yet."""
        operation = Operation(name, arguments)
        began = perf_counter()
        try:
            yield operation
        except NNError as error:
            if error.code is not Code.END_OF_SEQUENCE:  # the way in which a text ends
                self.report(f"wasi-nn {name}({arguments}) -> {error}")
            if self.observer:
                self.observer(operation.ended(perf_counter() - began, error))
            raise

    @contextmanager
    def operation(self, name: str, arguments: str) -> Iterator[Operation]:
        """The whole of an operation: its failure is reported, and either end is observed."""
        began = perf_counter()
        with self.refusing(name, arguments) as operation:
            yield operation
        if self.observer:
            self.observer(operation.ended(perf_counter() - began, None))

    # Graphs

    def load(self, parts: Sequence[bytes | memoryview], encoding: str | None, target: Target) -> int:
        """Load a model from the guest's bytes, by their looks if `encoding` is None. Returns a graph."""
        size = sum(len(part) for part in parts)
        declared = encoding or "autodetect"
        with self.operation(
            "load", f"{len(parts)} part(s), {size} bytes, {declared}, {target.value}"
        ) as operation:
            self.graphs.make_room()
            if size > self.limits.model_bytes:
                raise NNError(
                    Code.TOO_LARGE, f"the model is {size} bytes, the limit is {self.limits.model_bytes}"
                )
            config = GraphConfig(target)
            graph = self.registry.load(parts, encoding, config, self.report)
            return self._keep(LoadedGraph(graph, None, shared=False), operation)

    def load_by_name(self, name: str) -> int:
        """The graph of a named model: the same handle each time until it is unloaded."""
        with self.operation("load_by_name", f'"{name}"') as operation:
            return self._load_named(name, None, operation)

    def load_by_name_with_config(self, name: str, config: bytes) -> int:
        """As `load_by_name`, with options as JSON text (a graph of its own for each text)."""
        with self.operation(
            "load_by_name_with_config", f'"{name}", {len(config)} bytes of options'
        ) as operation:
            return self._load_named(name, config, operation)

    def _load_named(self, name: str, options: bytes | None, operation: Operation) -> int:
        number = self._named.get((name, options))
        if number is not None:
            operation.on(self.graphs[number])
            return number
        self.graphs.make_room()
        parsed = None if options is None else parse_options(options)
        graph, shared = self.registry.load_named(name, parsed, self.report)
        number = self._keep(LoadedGraph(graph, name, shared), operation)
        self._named[name, options] = number
        return number

    def _keep(self, owner: LoadedGraph, operation: Operation) -> int:
        owner.number = self.graphs.add(owner)
        operation.on(owner)
        return owner.number

    def unload(self, graph: int) -> None:
        """The handle dies now; contexts go on to give their outputs, no more."""
        with self.operation("unload", f"graph {graph}") as operation:
            owner = self.graphs.pop(graph)
            operation.on(owner)
            self._named = {key: number for key, number in self._named.items() if number != graph}
            with owner.lock:
                owner.loaded = False
                owner.release()

    # Contexts

    def init_execution_context(self, graph: int) -> int:
        """A new context of a graph."""
        with self.operation("init_execution_context", f"graph {graph}") as operation:
            owner = self.graphs[graph]
            operation.on(owner)
            self.contexts.make_room()
            with owner.lock, blaming(owner.graph.backend):
                context = owner.graph.context()
                owner.contexts += 1
            operation.context_id = self.contexts.add(OpenContext(owner, context))
            return operation.context_id

    def set_input(self, ctx: int, index: int, tensor: Tensor) -> None:
        """Set an input to a copy of a tensor, which may be a view of guest memory."""
        text = f"ctx {ctx}, index {index}, {tensor} {tensor.view().nbytes} bytes"
        with self.operation("set_input", text) as operation:
            entry = self._context(ctx, operation)
            graph = entry.live_graph
            spec = declared(graph.inputs, index, entry.owner, "input", operation)
            owner = f'{entry.owner} input {index} "{spec.name}"'
            tensor = fitting(spec, tensor, owner, self.limits.tensor_bytes)
            operation.tensors = (tensor,)
            with entry.owner.lock, blaming(graph.backend):
                entry.context.set_input(index, tensor)

    def compute(self, ctx: int) -> None:
        """Run the graph once on the inputs that were set; they stay."""
        with self.operation("compute", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            graph = entry.live_graph
            with entry.owner.lock, blaming(graph.backend):
                entry.context.compute()
                if self.observer:
                    operation.specs = graph.outputs
                    operation.tensors = tuple(entry.context.output(i) for i in range(len(graph.outputs)))

    def get_output(self, ctx: int, index: int, room: int | None = None) -> Tensor:
        """An output of the last compute, the backend's own value.

        Raises BufferTooSmallError if it is larger than `room` bytes, NNError(RUNTIME_ERROR) before a compute.
        """
        with self.operation("get_output", f"ctx {ctx}, index {index}") as operation:
            entry = self._context(ctx, operation)
            graph = entry.owner.graph
            spec = declared(graph.outputs, index, entry.owner, "output", operation)
            with entry.owner.lock, blaming(graph.backend):
                tensor = entry.context.output(index)
            operation.tensors = (tensor,)
            return with_room(tensor, room, f'{entry.owner} output {index} "{spec.name}"')

    def finalize_execution_context(self, ctx: int) -> None:
        """Let go of a context."""
        with self.operation("finalize_execution_context", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            self.contexts.pop(ctx)
            self._finalize(entry)

    def _finalize(self, entry: OpenContext) -> None:
        owner = entry.owner
        with owner.lock:
            owner.contexts -= 1
            with blaming(owner.graph.backend):
                entry.context.close()
            owner.release()

    def _context(self, ctx: int, operation: Operation) -> OpenContext:
        entry = self.contexts[ctx]
        operation.on(entry.owner)
        operation.context_id = ctx
        return entry

    # Text, token by token

    def compute_single(self, ctx: int) -> None:
        """One more token. Raises NNError: END_OF_SEQUENCE after the last, UNSUPPORTED_OPERATION without
        text.
        """
        with self.operation("compute_single", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            with entry.owner.lock, blaming(entry.live_graph.backend):
                entry.context.compute_single()

    def get_output_single(self, ctx: int, index: int, room: int | None = None) -> Tensor:
        """The last token (index 0) or metadata as JSON (1), as u8."""
        with self.operation("get_output_single", f"ctx {ctx}, index {index}") as operation:
            entry = self._context(ctx, operation)
            operation.index = index
            with entry.owner.lock, blaming(entry.owner.graph.backend):
                tensor = entry.context.output_single(index)
            operation.tensors = (tensor,)
            return with_room(tensor, room, f"{entry.owner} single output {index}")

    def fini_single(self, ctx: int) -> None:
        """End the text that `compute_single` began."""
        with self.operation("fini_single", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            with entry.owner.lock, blaming(entry.owner.graph.backend):
                entry.context.finish_single()

    def close(self) -> None:
        """The guest is gone: finalise all contexts, let go of all graphs. A failure is reported and stops
        nothing.
        """
        for number in self.contexts.numbers():
            entry = self.contexts.pop(number)
            with self._going_on():
                self._finalize(entry)
        for number in self.graphs.numbers():
            owner = self.graphs.pop(number)
            owner.loaded = False
            with self._going_on():
                owner.release()

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        try:
            yield
        except NNError as error:
            self.report(f"wasi-nn close -> {error}")


def declared(
    specs: Sequence[TensorSpec], index: int, owner: LoadedGraph, kind: str, operation: Operation
) -> TensorSpec:
    """The spec of an input or output. Raises NNError(INVALID_ARGUMENT) if there is none of this index."""
    operation.index = index
    if index >= len(specs):
        names = ", ".join(f'"{spec.name}"' for spec in specs)
        raise NNError(
            Code.INVALID_ARGUMENT,
            f"{owner} has {len(specs)} {kind}(s) ({names}), none has index {index}",
        )
    operation.specs = (specs[index],)
    return specs[index]


def with_room(tensor: Tensor, room: int | None, owner: str) -> Tensor:
    """The tensor. Raises BufferTooSmallError if it has more than `room` bytes."""
    size = tensor.view().nbytes
    if room is not None and size > room:
        raise BufferTooSmallError(f"{owner} {tensor} is {size} bytes, the buffer has {room}", size)
    return tensor
