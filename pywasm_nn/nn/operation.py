"""What a session holds and does: graphs and contexts of a guest, an operation under way, the event about it.

What is not here: the operations (`session`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from time import perf_counter
from typing import Protocol, Self

from ..brief import summarised
from ..interpreter.runtime.quota import Quota
from .backend import Context, Graph, Target
from .errors import Code, NNError
from .shared import Lease
from .tensor import DType, Tensor, TensorSpec, byte_size


@summarised
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
    asked: Target | None = None
    """The device that a load asked for."""
    delivered: bool = False
    """Whether the guest gets the outputs of this compute without asking for them."""
    given: tuple[tuple[int, TensorSpec, Tensor], ...] = ()
    """Inputs that came with a compute, by index; views of guest memory too."""
    wanted: str | None = None
    """The name that a load asked for, whether there is such a model or not."""
    parts: tuple[bytes | memoryview | Path, ...] = ()
    """What was loaded: the guest's bytes, good only during the call of the observer, or the host's files."""


Observer = Callable[[NNEvent], None]
OutputTarget = Callable[[], memoryview]
"""Gives a buffer for an output when it is needed: guest memory may move when it grows."""


@summarised
@dataclass(slots=True)
class LoadedGraph:
    """A graph as this guest sees it. It lives until it is unloaded and its last context is gone."""

    lease: Lease
    model: str | None
    """Its name, if the host gave it one."""
    size: int = 0
    """Bytes that the guest gave for it."""
    lock: RLock = field(default_factory=RLock)
    number: int = -1
    loaded: bool = True
    contexts: int = 0
    orphans_compute: bool = False
    """Whether contexts compute on when the handle is gone, as in the component model."""

    @property
    def graph(self) -> Graph:
        return self.lease.graph

    def __str__(self) -> str:
        return f'model "{self.model}"' if self.model else f"graph {self.number}"

    def release(self, models: Quota) -> None:
        """Let go of the graph if this guest needs it no more, and give back what it counted for."""
        if not self.loaded and not self.contexts:
            models.left += self.size
            self.size = 0
            self.lease.release()


@summarised
@dataclass(slots=True)
class OpenContext:
    """A context, which holds its graph."""

    owner: LoadedGraph
    context: Context
    targets: dict[int, OutputTarget] = field(default_factory=dict)
    """Where the guest wants outputs, by index."""
    held: dict[int, int] = field(default_factory=dict)
    """Bytes of inputs that it keeps, by index."""
    shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Shapes of inputs that it was given last, by index."""
    made: int = 0
    """Bytes of outputs that it keeps, or is about to make."""
    foreseen: bool | None = None
    """Whether the sizes of all wanted outputs were known before a run; None if nobody has looked since an
    input's shape or a target changed."""
    floats: bool = False
    """Whether the guest has given f32 to a quantised input, and so wants f32 of quantised outputs."""

    @property
    def live_graph(self) -> Graph:
        """The graph. Raises NNError(INVALID_ARGUMENT) once it was unloaded and only outputs can be
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
        """Bytes of each wanted output, as its declared shape and the shapes of inputs tell: None where they
        don't. No lengths may be a rank that nobody knows."""
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


Arguments = str | Callable[[], str]
"""What an operation was called with, for a person; made only if somebody wants to know."""


class Watcher(Protocol):
    """Who is told about operations."""

    report: Callable[[str], None]
    observer: Observer | None


class Operation:
    """An operation under way, as a context manager: its failure is reported, and its end observed.

    `whole`: success inside is the end of the operation; else only a failure is. What is learnt about it while
    it runs is kept for report and event.
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

    def __init__(self, watcher: Watcher, name: str, arguments: Arguments, whole: bool = True) -> None:
        self._watcher = watcher
        self._whole = whole
        self.name = name
        self.arguments = arguments

    def __enter__(self) -> Self:
        self._began = perf_counter()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        watcher = self._watcher
        if error is None:
            if self._whole and watcher.observer:
                watcher.observer(self._ended(None))
        elif isinstance(error, NNError):
            if error.code is not Code.END_OF_SEQUENCE:  # the way in which a text ends
                watcher.report(f"wasi-nn {self.name}({self._text()}) -> {error}")
            if watcher.observer:
                watcher.observer(self._ended(error))

    def _text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else self.arguments()

    def _ended(self, error: NNError | None) -> NNEvent:
        owner = self.owner
        return NNEvent(
            self.name, self._text(), perf_counter() - self._began, error,
            owner.model if owner else None, owner.number if owner else None, self.context_id,
            owner.graph if owner else None, self.index, self.specs, self.tensors, self.asked, self.delivered,
            self.given, self.wanted, self.parts,
        )  # fmt: skip
