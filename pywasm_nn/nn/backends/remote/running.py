"""Graphs and contexts of models on one or several servers.

What is not here: the messages (`protocol`) and the transport (`http`, `grpc`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar

from ...backend import Context, Graph
from ...errors import Code, NNError
from ...tensor import Tensor, TensorSpec
from .address import Place
from .call import Call, UnreachableError
from .protocol import specs_of
from .settings import Settings

LATER = 0.05
"""Seconds."""
T = TypeVar("T")
Specs = tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]


class Server(Protocol):
    """A server, for either transport."""

    def metadata(self, place: Place, settings: Settings, call: Call) -> Mapping[str, Any]: ...
    def infer(
        self,
        place: Place,
        settings: Settings,
        call: Call,
        inputs: Sequence[TensorSpec],
        tensors: Sequence[Tensor],
        outputs: Sequence[TensorSpec],
        wanted: Sequence[str],
    ) -> list[Tensor | None]: ...


class Servers:
    """Servers by address: models on one server share its connections, and the knowledge about it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[Hashable, Server] = {}

    def at(self, place: Place) -> Server:
        """Raises NNError(INVALID_ENCODING) if the package for its protocol isn't installed."""
        with self._lock:
            if place.server not in self._known:
                self._known[place.server] = made(place)
            return self._known[place.server]


def made(place: Place) -> Server:
    over_grpc = place.scheme.startswith("grpc")
    package, extra = ("tritonclient", "remote-grpc") if over_grpc else ("urllib3", "remote")
    if find_spec(package) is None:
        what = f"models at oip+{place.scheme} need {package}: pip install 'pywasm-nn[{extra}]'"
        raise NNError(Code.INVALID_ENCODING, what)
    if over_grpc:
        from .grpc import GRPCServer

        return GRPCServer(place)
    from .http import HTTPServer

    return HTTPServer(place)


def seconds_left(settings: Settings, patience: Callable[[], float | None]) -> float:
    """The time limit for a request: a little longer than the guest has left, so that the guest's own deadline
    ends it. Raises DeadlineError from `patience`."""
    left = patience()
    return settings.timeout if left is None else min(left + LATER, settings.timeout)


def loaded(
    backend: str, servers: Servers, places: Sequence[Place], settings: Settings,
    patience: Callable[[], float | None],
) -> RemoteGraph:  # fmt: skip
    """The graph of a model, as described by the first reachable server. Raises NNError."""
    found = Fleet([(servers.at(place), place) for place in places], settings)
    try:
        specs = found.ask(Call(seconds_left(settings, patience)), lambda server, place, specs: specs)
    except NNError:
        patience()  # raises DeadlineError if that was the cause
        raise
    return RemoteGraph(backend, specs, found)


class Fleet:
    """The servers of one model. The one that answered last is asked first; if it can't be reached, the next
    is asked. All must describe the model in the same way."""

    def __init__(self, members: Sequence[tuple[Server, Place]], settings: Settings) -> None:
        self.settings = settings
        self._members = members
        self._specs: dict[int, Specs] = {}
        self._first = 0

    @property
    def title(self) -> str:
        return ", ".join(str(place) for _, place in self._members)

    def ask(self, call: Call, what: Callable[[Server, Place, Specs], T]) -> T:
        """Ask the servers in turn. Raises NNError: the last server's if none can be reached."""
        count = len(self._members)
        order = [(self._first + step) % count for step in range(count)]
        for at in order:
            server, place = self._members[at]
            try:
                found = what(server, place, self._described(at, call))
            except UnreachableError:
                call.remaining()
                if at == order[-1]:
                    raise
                continue
            self._first = at
            return found
        raise AssertionError("there is a server")

    def _described(self, at: int, call: Call) -> Specs:
        if at not in self._specs:
            server, place = self._members[at]
            said = server.metadata(place, self.settings, call)
            specs = specs_of(said, "inputs"), specs_of(said, "outputs")
            if any(specs != others for others in self._specs.values()):
                what = f'{place} has another model under the name "{place.model}" than the servers before'
                raise NNError(Code.RUNTIME_ERROR, what)
            self._specs[at] = specs
        return self._specs[at]


class RemoteGraph(Graph):
    def __init__(self, backend: str, specs: Specs, fleet: Fleet) -> None:
        super().__init__(backend, *specs, device=fleet.title)
        self.fleet = fleet

    def context(self) -> RemoteContext:
        return RemoteContext(self)

    def twin(self, parts: Sequence[bytes | Path]) -> Graph | None:
        """None: a server gets what the guest sends, and nothing else."""
        return None


class RemoteContext(Context):
    graph: RemoteGraph

    def __init__(self, graph: RemoteGraph) -> None:
        super().__init__(graph)
        self._call: Call | None = None
        self._stopped = False

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        fleet, graph = self.graph.fleet, self.graph
        wanted = [graph.outputs[index].name for index in self.targets]
        call = self._call = Call(seconds_left(fleet.settings, self.patience), self.most)
        if self._stopped:
            raise call.error()
        try:
            return fleet.ask(
                call,
                lambda server, place, specs: server.infer(
                    place, fleet.settings, call, specs[0], inputs, specs[1], wanted
                ),
            )
        finally:
            self._call = None

    def rearm(self) -> None:
        self._stopped = False

    def interrupt(self) -> bool:
        """Cut the connection; the server may continue."""
        self._stopped, call = True, self._call
        if call is not None:
            call.interrupt()
        return True
