"""The state of a session: a guest's graphs and contexts, the current operation, and its event.

What is not here: the operations (`session`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from time import perf_counter, process_time
from typing import Protocol, Self

from ..brief import summarised
from ..interpreter.runtime.quota import Quota
from ..records import Frozen
from .backend import Context, Graph, Target
from .errors import Code, NNError
from .shared import Lease
from .tensor import DType, Tensor, TensorSpec, byte_size


class NNEvent(Frozen):
    """A finished operation, successful or not (`error`).

    `arguments` is text; `graph_id` and `context_id` are handles, including those that a load or an init
    returned. `tensors` go with `specs`: the input that was set, the outputs of a compute, the output that was
    fetched. A tensor that was set is a view of guest memory, valid only during the observer's call; outputs
    are the backend's own and may be kept.
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
    asked: Target | None = None
    """The device that a load asked for."""
    delivered: bool = False
    """Whether the guest gets this compute's outputs without fetching them."""
    given: tuple[tuple[int, TensorSpec, Tensor], ...] = ()
    """Inputs that were passed with a compute, by index; also views of guest memory."""
    wanted: str | None = None
    """The name in a load, even if there is no such model."""
    parts: tuple[bytes | memoryview | Path, ...] = ()
    """The model that was loaded: the guest's bytes, valid only during the observer's call, or the host's
    files."""
    room: int | None = None
    """Bytes of the guest's buffer for the output that is fetched, if the dialect says."""
    worked: float = 0.0
    """Seconds of the processor's time, of all threads of this process, that a compute took."""
    floats: Tensor | None = None
    """The f32 that the guest passed, of which the host made the type of a quantised input."""


Observer = Callable[[NNEvent], None]
OutputTarget = Callable[[], memoryview]
"""Returns a buffer for an output when it is needed, because guest memory may move when it grows."""


@summarised
@dataclass(slots=True)
class LoadedGraph:
    """A graph as this guest sees it. It exists until it is unloaded and its last context is closed."""

    lease: Lease
    model: str | None
    """Its name, if the host gave it one."""
    size: int = 0
    """Bytes of the model, if the guest supplied it."""
    lock: RLock = field(default_factory=RLock)
    number: int = -1
    loaded: bool = True
    contexts: int = 0
    orphans_compute: bool = False
    """Whether contexts may still compute after the handle is gone, as in the component model."""

    @property
    def graph(self) -> Graph:
        return self.lease.graph

    def __str__(self) -> str:
        return f'model "{self.model}"' if self.model else f"graph {self.number}"

    def release(self, models: Quota) -> None:
        """Release the graph if this guest no longer needs it, and return its bytes to the quota."""
        if not self.loaded and not self.contexts:
            models.left += self.size
            self.size = 0
            self.lease.release()


@summarised
@dataclass(slots=True)
class OpenContext:
    """A context, which keeps its graph loaded."""

    owner: LoadedGraph
    context: Context
    targets: dict[int, OutputTarget] = field(default_factory=dict)
    """The guest's targets of outputs, by index."""
    held: dict[int, int] = field(default_factory=dict)
    """Bytes of inputs that it holds, by index."""
    shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Shapes of the last inputs, by index."""
    made: int = 0
    """Bytes of outputs that it holds, or is about to make."""
    foreseen: bool | None = None
    """Whether the sizes of all wanted outputs are known before a run; None if unknown, because an input's
    shape or a target has changed."""
    floats: bool = False
    """Whether the guest has passed f32 for a quantised input, and so gets f32 for quantised outputs."""

    @property
    def live_graph(self) -> Graph:
        """The graph. Raises NNError(INVALID_ARGUMENT) if it was unloaded, so that outputs can only be
        fetched.
        """
        if not self.owner.loaded and not self.owner.orphans_compute:
            raise NNError(Code.INVALID_ARGUMENT, f"graph {self.owner.number} of this context was unloaded")
        return self.owner.graph

    @property
    def wanted(self) -> Sequence[int]:
        """The outputs that compute fetches."""
        return sorted(self.targets) or range(len(self.owner.graph.outputs))

    def sizes(self) -> dict[int, int | None]:
        """Bytes of each wanted output, computed from its declared shape and the shapes of the inputs; None if
        that is impossible. An empty shape may mean an unknown rank."""
        graph, lengths = self.owner.graph, dict[str, int]()
        for index, shape in self.shapes.items():
            named = zip(graph.inputs[index].shape or (), shape, strict=False)
            lengths.update((name, length) for name, length in named if isinstance(name, str))
        sizes: dict[int, int | None] = {}
        for index in self.wanted:
            spec = graph.outputs[index]
            told = [
                one if isinstance(one, int) else lengths.get(one or "", -1) for one in spec.shape or (-1,)
            ]
            known = min(told) >= 0 and spec.dtype is not DType.ANY
            sizes[index] = byte_size(spec.dtype, told) if known else None
        return sizes


COMPUTING = frozenset({"compute", "compute_single"})
"""Operations of which it is asked how long this process worked: asking takes longer than some others do."""
Arguments = str | Callable[[], str]
"""The arguments of an operation as text for users; computed only if it is needed."""


class Watcher(Protocol):
    """Receives reports and events of operations."""

    report: Callable[[str], None]
    observer: Observer | None


class Operation:
    """The current operation, as a context manager: its failure is reported, and its end observed by who was
    there when it began.

    `whole`: a successful block is the end of the operation; otherwise only a failure is. Facts learned during
    the operation are attributes, for the report and the event.
    """

    owner: LoadedGraph | None = None
    context_id: int | None = None
    index: int | None = None
    specs: tuple[TensorSpec, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    asked: Target | None = None
    delivered = False
    given: tuple[tuple[int, TensorSpec, Tensor], ...] = ()
    wanted: str | None = None
    parts: tuple[bytes | memoryview | Path, ...] = ()
    room: int | None = None
    floats: Tensor | None = None
    context: Context | None = None
    """The context that computes."""

    def __init__(self, watcher: Watcher, name: str, arguments: Arguments, whole: bool = True) -> None:
        self._watcher = watcher
        self._whole = whole
        self.name = name
        self.arguments = arguments

    def __enter__(self) -> Self:
        self._observer = self._watcher.observer
        if self._observer:
            self._began = perf_counter()
            self._worked = process_time() if self.name in COMPUTING else None
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        watcher = self._watcher
        if error is None:
            if self._whole and self._observer:
                self._observer(self._ended(None))
        elif isinstance(error, NNError):
            if error.code is not Code.END_OF_SEQUENCE:  # the normal end of a text
                watcher.report(f"wasi-nn {self.name}({self._text()}) -> {error}")
            if self._observer:
                self._observer(self._ended(error))

    def _text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else self.arguments()

    def _remarked(self) -> str:
        """The arguments, and what the context says about its compute."""
        remark = self.context.remark if self.context else ""
        return f"{self._text()}, {remark}" if remark else self._text()

    def _ended(self, error: NNError | None) -> NNEvent:
        owner = self.owner
        return NNEvent(
            self.name, self._remarked(), perf_counter() - self._began, error,
            owner.model if owner else None, owner.number if owner else None, self.context_id,
            owner.graph if owner else None, self.index, self.specs, self.tensors, self.asked, self.delivered,
            self.given, self.wanted, self.parts, self.room,
            0.0 if self._worked is None else process_time() - self._worked, self.floats,
        )  # fmt: skip
