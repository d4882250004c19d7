"""`Replay`: runs a guest again with the answers in a cassette, without files, network and models.

What is here: imports that answer from a cassette, and the check that the guest makes the recorded calls. What
is not: the file (`tape.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...checks import check_path
from ...errors import CassetteError, GuestExit, HostError, LimitError, LinkError, Trap, TrapKind
from ...frames import CallToHost
from ...imports import Imports
from ...interpreter.runtime.externs import canonical
from ...interpreter.runtime.instance import Func, HostFunc, Instance, UntypedFunc
from ...interpreter.types import FuncType, ValType
from ...nn import NN
from ...wasi import Wasi
from ...wasi.streams import Budget, Output, output_to
from ..overhearing import same_at_start
from . import tape
from .recording import check_numbers, values_of


class Replayed(Exception):
    """The recorded exception of a host function, as text."""


class Replay:
    """A cassette that answers the calls of one guest.

        replay = Replay("run.cassette")
        with module.instantiate(**replay.through(), engine="interpret") as app:
            app.exports._start()
        replay.finish()

    If the guest behaves differently from the recorded one, a CassetteError stops it, which names the call.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises OSError, TypeError if `path` is no path, and CassetteError if the file is no cassette."""
        check_path("path", path)
        self.cassette = tape.Cassette(path)
        self._calls: Iterator[tape.Call] = iter(self.cassette)
        self._instance: Instance | None = None
        self._outputs: dict[int, Output] = {}
        self._last = 0
        """The number of the last call that was answered."""

    def through(
        self, wasi: Wasi | None = None, nn: NN | None = None, imports: Imports | None = None
    ) -> dict[str, Any]:
        """The arguments for `Module.instantiate`: imports that answer from the cassette. Only `stdout` and
        `stderr` of `wasi` are used: the guest's recorded output is written there again."""
        settings = wasi or Wasi()
        sinks = {1: (settings.stdout, sys.stdout), 2: (settings.stderr, sys.stderr)}
        self._outputs = {number: output_to(*sink, Budget()) for number, sink in sinks.items()}
        given: dict[str, dict[str, UntypedFunc]] = {}
        for module, name in self.cassette.header.imports:
            given.setdefault(module, {})[name] = self._answering(module, name)
        return {"imports": given}

    def finish(self) -> None:
        """Call this after the guest has ended. Raises CassetteError if the recorded guest made more calls."""
        rest = next(self._calls, None)
        if rest is not None:
            raise CassetteError(
                f"the guest ended after call {self._last} of the cassette, which goes on with {rest.title}"
            )

    def _answering(self, module: str, name: str) -> UntypedFunc:
        def of(wanted: FuncType) -> HostFunc:
            check_numbers(wanted, module, name)

            def bind(instance: Instance) -> Callable[..., Any]:
                if self._instance not in (None, instance):
                    raise LinkError("a cassette answers one instance, and this is the second one")
                self._instance = instance
                return lambda *flat: self._answer(instance, wanted, module, name, flat)

            return HostFunc(wanted, bind, module, name)

        return UntypedFunc(of)

    # A call

    def _answer(
        self, instance: Instance, type_: FuncType, module: str, name: str, flat: Sequence[Any]
    ) -> Any:
        call = next(self._calls, None)
        asked = tape.Call(self._last + 1, module, name, tuple(flat), (), NOTHING)
        if call is None:
            raise CassetteError(f"call {asked.number}: the guest calls {asked.title}, and the cassette ends")
        self._last = call.number
        check_asked(call, asked)
        for steps, reentered in parts(call.steps):
            for step in steps:
                if isinstance(step, tape.Sent):
                    check_sent(call, step, self._read(instance, call, step))
                elif isinstance(step, tape.Written):
                    self._memory(instance, call, step).write(step.address, step.data)
            for step in steps:
                if isinstance(step, tape.Output) and step.stream in self._outputs:
                    self._outputs[step.stream].put(step.data)
            if reentered is not None:
                self._reenter(instance, call, reentered)
        return self._end(instance, type_, call)

    def _memory(self, instance: Instance, call: tape.Call, step: tape.Sent | tape.Written) -> Any:
        memory = instance.exported_memory(step.memory)
        if memory is None or step.address + len(step.data) > memory.size:
            where = f"{len(step.data)} bytes of memory at 0x{step.address:x}"
            raise CassetteError(f"{title(call)}: the guest has no {where}")
        return memory

    def _read(self, instance: Instance, call: tape.Call, step: tape.Sent) -> bytes:
        data: bytes = self._memory(instance, call, step).read(step.address, len(step.data))
        return data

    def _reenter(self, instance: Instance, call: tape.Call, step: tape.Reentered) -> None:
        """Call the guest back, as the host did in the recording."""
        exports = instance.exports
        if step.export not in exports or not isinstance(function := exports[step.export], Func):
            raise CassetteError(
                f"{title(call)}: the guest exports no function {step.export!r}, which the host called"
            )
        arguments = fitting(call, function.type.params, step.arguments)
        outer, self._calls = self._calls, iter(step.calls)
        try:
            results = values_of(function.call(*arguments))
            if next(self._calls, None) is not None:
                raise CassetteError(f"{title(call)}: {step.export!r} called the host less often")
        finally:
            self._calls = outer
        if step.results is None or not tape.same_values(results, step.results):
            told = "did not return" if step.results is None else f"returned {listed(step.results)}"
            raise CassetteError(
                f"{title(call)}: {step.export!r} returns {listed(results)}, in the recording it {told}"
            )

    def _end(self, instance: Instance, type_: FuncType, call: tape.Call) -> Any:
        """Return or raise what the host did in the recording."""
        answer = call.answer
        number = answer.values[0] if answer.values else None
        arguments = tuple(zip(call.names, call.arguments, strict=False))
        told = CallToHost(f"{call.module}.{call.name}", arguments, number, call.reason)  # type: ignore[arg-type] # no reference is among them
        instance.last_host_call = (lambda: told,)
        match answer.kind, answer.words, answer.values:
            case "returned", _, values if len(values) == len(type_.results):
                given = fitting(call, type_.results, values)
                return given if len(given) > 1 else given[0] if given else None
            case "exited", _, (int(code),):
                raise GuestExit(code)
            case "trap", (kind, detail), _ if kind in KINDS:
                raise Trap(KINDS[kind], detail)
            case "limit", (limit, message), _:
                raise LimitError(limit, message)
            case "host", (function, message), _:
                raise HostError(function or call.title, Replayed(message))
        raise CassetteError(f"{title(call)}: the cassette has no answer that a function {type_} can give")


NOTHING = tape.Answer("returned")
KINDS = {str(kind): kind for kind in TrapKind}


def parts(steps: Iterable[tape.Step]) -> Iterator[tuple[list[tape.Step], tape.Reentered | None]]:
    """The steps before each call back into the guest, with that call; finally the remaining steps."""
    some: list[tape.Step] = []
    for step in steps:
        if isinstance(step, tape.Reentered):
            yield some, step
            some = []
        else:
            some.append(step)
    yield some, None


def fitting(
    call: tape.Call, types: Sequence[ValType], values: Sequence[tape.Value]
) -> tuple[tape.Value, ...]:
    """The canonical values of these types. Raises CassetteError for others: the file may be damaged."""
    try:
        if len(types) == len(values):
            return canonical(types, values)
    except (TypeError, ValueError):
        pass
    wanted = " ".join(map(str, types))
    raise CassetteError(f"{title(call)}: the recorded values aren't those of types [{wanted}]")


def title(call: tape.Call) -> str:
    """ "call 12, wasi_snapshot_preview1::fd_write"."""
    return f"call {call.number}, {call.title}"


def listed(values: Sequence[tape.Value]) -> str:
    return ", ".join(map(str, values)) or "nothing"


def check_asked(call: tape.Call, asked: tape.Call) -> None:
    """Raises CassetteError unless the guest makes the recorded call, with the same numbers."""
    if (call.module, call.name) != (asked.module, asked.name):
        raise CassetteError(
            f"call {call.number}: the guest calls {asked.title}, in the recording it calls {call.title}"
        )
    if tape.same_values(call.arguments, asked.arguments):
        return
    for name, then, now in tape.differing_arguments(call, asked.arguments):
        raise CassetteError(f"{title(call)}: {name} is {now}, in the recording it is {then}")
    raise CassetteError(
        f"{title(call)}: it gives {len(asked.arguments)} numbers, in the recording {len(call.arguments)}"
    )


def check_sent(call: tape.Call, step: tape.Sent, now: bytes) -> None:
    """Raises CassetteError unless the host reads the recorded bytes from the guest."""
    if now == step.data:
        return
    first = same_at_start(step.data, now)
    shown = [piece[first : first + tape.SHOWN].hex(" ") for piece in (now, step.data)]
    raise CassetteError(
        f"{title(call)}: the guest sends other bytes from 0x{step.address + first:x} on "
        f"(byte {first} of {len(now)}): {shown[0]}, in the recording {shown[1]}"
    )
