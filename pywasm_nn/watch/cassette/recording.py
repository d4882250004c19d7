"""`Recording`: a run of a guest whose host calls are written to a cassette.

What is here: finding out what a host function reads and writes in the guest's memory, from the views that it
takes; its answer; and its outputs and inferences. What is not: the file (`tape.py`).

A recording is between a guest and its hosts. Neither of them sees a difference.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from ...api import Host, Provider
from ...checks import check_path
from ...errors import CassetteError, GuestExit, HostError, LimitError, LinkError, Trap
from ...imports import Importable, Imports, importable
from ...interpreter.runtime.instance import Func, HostFunc, Instance, UntypedFunc
from ...interpreter.types import ExternKind, FuncType, RefType
from ...nn import NN, NNEvent
from ...printable import printable
from ...wasi import Wasi
from ...wasi.provider import WasiHost
from ..inference import inferences
from ..overhearing import Listening, Overheard, changed_part
from . import tape

EVERY_BYTE = 1 << 62
"""The limit on the bytes of recorded tensors: none."""


class Recording(Listening):
    """A cassette that is being recorded. Use it in a `with` block, or close it.

        with Recording("run.cassette") as recording:
            with module.instantiate(**recording.through(Wasi(), NN(models="models"))) as app:
                app.exports._start()

    It records one instance. Each call is written to the file when it ends.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises OSError if the file can't be created, TypeError if `path` is no path."""
        check_path("path", path)
        self.path = os.fspath(path)
        self._file = open(path, "wb")  # noqa: SIM115 # the recording closes it
        self._instance: Instance | None = None
        self.count = 0
        """The number of calls that have begun."""
        self._steps: list[tape.Step] = []
        """The steps of the current call."""
        self._calls: list[tape.Call] | None = None
        """Calls that ended during the current call back into the guest; None outside of one, when calls go to
        the file."""
        self._touched: dict[tuple[str, int, int], bytes] = {}
        """The memory that the current host call has viewed so far, with its bytes at that time: by name of
        the memory, address and count."""

    def through(
        self, wasi: Wasi | None = None, nn: NN | None = None, imports: Imports | None = None
    ) -> dict[str, Any]:
        """The arguments for `Module.instantiate` with which the answers of these hosts and imports are
        recorded.

        Raises LinkError for an import that the host and a guest share: a memory, a table, a global, or a
        function of another instance.
        """
        given: dict[str, Mapping[str, Importable]] = {}
        for module, space in (imports or {}).items():
            if isinstance(space, Instance):
                raise LinkError(f"{printable(module)} is another instance, whose exports can't be recorded")
            given[module] = {
                name: self._recorded_import(module, name, importable(value, module, name))
                for name, value in space.items()
            }
        return {
            "wasi": None if wasi is None else Recorded(self, wasi),
            "nn": None if nn is None else Recorded(self, nn.watched_by(self._hearing(nn))),
            "imports": given,
        }

    def _recorded_import(self, module: str, name: str, value: Importable) -> HostFunc | UntypedFunc:
        if isinstance(value, UntypedFunc):
            return UntypedFunc(lambda wanted: self.recorded(value.of(wanted), module, name))
        if isinstance(value, HostFunc):
            return self.recorded(value, module, name)
        if isinstance(value, Func) and value.instance is None:
            return self.recorded(HostFunc(value.type, lambda instance: value.callable), module, name)
        place = printable(f"{module}::{name}")
        raise LinkError(f"{place}: a cassette can record only functions of the host")

    def _hearing(self, nn: NN) -> Callable[[NNEvent], None]:
        """An observer of inferences: this recording, and the previous observer."""

        def hear(event: NNEvent) -> None:
            self._steps.extend(map(inference, inferences(event, EVERY_BYTE)))
            if nn.observer is not None:
                nn.observer(event)

        return hear

    # Events

    def recorded(self, given: HostFunc, module: str, name: str) -> HostFunc:
        """A host function whose calls are recorded. Raises LinkError if it has references."""
        check_numbers(given.type, module, name)

        def bind(instance: Instance) -> Callable[..., Any]:
            self._begin(instance)
            overheard: Any = Overheard(instance, self)
            function = given.bind(overheard)

            def call(*flat: Any) -> Any:
                return self._call(instance, module, name, function, flat)

            return call

        return HostFunc(given.type, bind, given.module, given.name)

    def _begin(self, instance: Instance) -> None:
        """Write the header of the file, once. Raises LinkError for a second instance."""
        if self._instance is instance:
            return
        if self._instance is not None:
            raise LinkError("a cassette holds one instance, and this is the second one")
        self._instance = instance
        module = instance.module
        functions = [each for each in module.imports if each.kind is ExternKind.FUNC]
        tape.write_header(
            self._file,
            tape.Header(
                module.name,
                hashlib.sha256(module.data).hexdigest(),
                tuple([(each.module, each.name) for each in functions]),
            ),
        )

    def _call(
        self, instance: Instance, module: str, name: str, function: Callable[..., Any], flat: Sequence[Any]
    ) -> Any:
        self.count += 1
        number = self.count
        instance.last_host_call = None
        outer, self._steps, self._touched = self._steps, [], {}

        def keep(answer: tape.Answer) -> None:
            self._look()
            names, reason = self._said(instance)
            steps = tuple(self._steps)
            self._keep(tape.Call(number, module, name, tuple(flat), steps, answer, names, reason))

        try:
            result = function(*flat)
            keep(tape.Answer("returned", values_of(result)))
            return result
        except CassetteError:
            raise
        except Exception as error:
            keep(raised(error))
            raise
        finally:
            self._steps, self._touched = outer, {}

    def _keep(self, call: tape.Call) -> None:
        if self._calls is not None:
            self._calls.append(call)
        else:
            tape.write_call(self._file, call)

    def _said(self, instance: Instance) -> tuple[tuple[str, ...], str]:
        """Names of parameters, and the reason why the call failed."""
        if instance.last_host_call is None:
            return (), ""
        tell, *about = instance.last_host_call
        told = tell(*about)
        return tuple([name for name, _ in told.arguments]), told.reason

    def touch(self, name: str, memory: Any, address: int, count: int) -> None:
        """The host is about to view this part of the guest's memory, and perhaps to write to it."""
        place = name, address, count
        if count and place not in self._touched and address + count <= memory.size:
            self._touched[place] = memory.read(address, count)

    def _look(self) -> None:
        """Find out which of the viewed parts have changed."""
        assert self._instance is not None  # which has called
        for (name, address, count), before in self._touched.items():
            memory = self._instance.exported_memory(name)
            assert memory is not None  # as it was when the host looked
            after = memory.read(address, count)
            if after == before:
                self._steps.append(tape.Sent(name, address, before))
            else:
                start, stop = changed_part(before, after)
                self._steps.append(tape.Written(name, address + start, after[start:stop], address))
        self._touched = {}

    def wrote(self, stream: int, data: bytes) -> None:
        """Bytes were written to the user's standard output or error."""
        self._steps.append(tape.Output(stream, data))

    @contextmanager
    def reentering(self, export: str, arguments: Sequence[Any]) -> Iterator[list[Any]]:
        """The host calls the guest back; the list receives the function's results."""
        self._look()
        outer, steps, self._calls = self._calls, self._steps, []
        results: list[Any] = []
        try:
            yield results
        finally:
            given = values_of(results[0]) if results else None
            calls, self._calls, self._steps = tuple(self._calls), outer, steps
            self._steps.append(tape.Reentered(export, tuple(arguments), given, calls))

    # The end

    def close(self) -> None:
        """End the recording. Closing twice does nothing."""
        self._file.close()

    def finish(self) -> None:
        """The guest has ended, and the file is complete."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, entry: TracebackType | None) -> None:
        self.close()


class Recorded(Provider):
    """A provider whose hosts are recorded."""

    def __init__(self, recording: Recording, provider: Wasi | NN) -> None:
        self._recording = recording
        self._provider = provider

    def open(self, report: Callable[[str], None], limits: Any) -> Host:
        host = self._provider.open(report, limits)
        if isinstance(host, WasiHost):
            host.hear(self._recording.wrote)
        return RecordedHost(self._recording, host)


class RecordedHost(Host):
    """A host whose calls are recorded."""

    def __init__(self, recording: Recording, host: Host) -> None:
        self._recording = recording
        self._host = host

    def lookup(self, module: str, name: str) -> HostFunc | None:
        found = self._host.lookup(module, name)
        return None if found is None else self._recording.recorded(found, module, name)

    def close(self) -> None:
        self._host.close()


def check_numbers(type_: FuncType, module: str, name: str) -> None:
    """Raises LinkError for a function with references."""
    if any(isinstance(each, RefType) for each in (*type_.params, *type_.results)):
        place = printable(f"{module}::{name}")
        raise LinkError(f"{place} {type_}: references belong to one process, so they can't be recorded")


def values_of(result: Any) -> tuple[Any, ...]:
    """A function's results as a tuple."""
    if result is None:
        return ()
    return result if isinstance(result, tuple) else (result,)


def raised(error: Exception) -> tape.Answer:
    """The answer of a call that raised an exception."""
    match error:
        case GuestExit():
            return tape.Answer("exited", (error.code,))
        case Trap():
            return tape.Answer("trap", (), (str(error.kind), error.detail))
        case LimitError():
            return tape.Answer("limit", (), (error.limit, str(error)))
        case HostError():
            return tape.Answer("host", (), (error.function, str(error).removeprefix(f"{error.function}: ")))
    return tape.Answer("host", (), ("", str(error)))


def inference(facts: dict[str, Any]) -> tape.Inference:
    """An operation of wasi-nn in the form for the file."""
    kept = [
        tape.KeptTensor(tensor.name, tensor.wants, tensor.dtype, tensor.shape, tensor.data or b"")
        for tensor in facts["tensors"]
    ]
    told = {name: facts[name] for name in ("operation", "model", "index", "error", "reason")}
    return tape.Inference(**told, tensors=tuple(kept))
