"""The callable that an instance gets for a host function: it lifts values, turns exceptions into results for
the guest, and is the one point where host calls are observed and counted.

What is not here: declaring functions (`face.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from time import perf_counter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import ExhaustionError, GuestExit, HostError, Trap, TrapKind, WasmError, WasmException
from ..interpreter.runtime.depth import CALL_DEPTH, aside
from ..interpreter.runtime.instance import Exports, Func, Instance
from ..interpreter.runtime.observe import HostEvent
from ..interpreter.types import FuncType
from .crossing import Memory, Out
from .signature import Signature

if TYPE_CHECKING:
    from ..frames import CallToHost


class BoundCaller:
    """The caller of a host function (`Caller`): the instance that imported it."""

    __slots__ = ("instance", "known", "memory_name")

    def __init__(self, instance: Instance, memory_name: str = "memory") -> None:
        self.instance = instance
        self.memory_name = memory_name
        self.known: Memory | None = None
        """The memory, once it has been looked up."""

    @property
    def memory(self) -> Memory:
        if self.known is None:
            self.known = self.instance.exported_memory(self.memory_name)
            if self.known is None:
                raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, f"the guest exports no memory {self.memory_name!r}")
        return self.known

    @property
    def exports(self) -> Exports:
        return self.instance.exports

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline of the host's outermost call, whichever instance was called; None
        without a deadline. Raises DeadlineError if it is over, so a function that waits in steps only has to
        read this before each step."""
        return self.patience()

    def patience(self) -> float | None:
        """Seconds that the guest has left, as an upper bound for waiting; None without a limit. Raises
        DeadlineError if none are left."""
        return self.instance.meter.patience()

    def call(self, names: Sequence[str], type_: FuncType, *arguments: Any) -> Any:
        """Call back into the guest with canonical values: the first of `names` that it exports as a function
        of this type. Traps if there is none, and passes on traps of the guest.
        """
        exports = self.instance.exports
        for name in filter(exports.__contains__, names):
            exported = exports[name]
            if isinstance(exported, Func) and exported.type == type_:
                return exported.call(*arguments)
        raise Trap(TrapKind.CANONICAL_ABI, f"the guest exports no function {' or '.join(names)} {type_}")


ToErrno = Callable[[Exception], int | None]


OWN_FRAMES = 500
"""A host function with so many frames of its own has caused a stack overflow itself."""


def is_deep(error: BaseException) -> bool:
    """Whether the error was raised deep inside the host function, rather than near its start."""
    entry, frames = error.__traceback__, 0
    while entry is not None and frames <= OWN_FRAMES:
        entry, frames = entry.tb_next, frames + 1
    return frames > OWN_FRAMES


def blamed(owner: str, error: Exception) -> WasmError:
    """The error for an unexpected exception of a host function."""
    if isinstance(error, RecursionError) and not is_deep(error):
        return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED, f"{owner} was called with no stack left")
    wrapped = HostError(owner, error)
    wrapped.__cause__ = error
    return wrapped


def plain_text(signature: Signature, models: int, lowers: bool) -> str:
    """Python source of `plain` for a host function: unrolled, because a loop over parameters would be
    slow."""
    flat = [f"a{index}" for index in range(len(signature.type.params))]
    arguments = [f"model{index}" for index in range(models)]
    for index, parameter in enumerate(signature.parameters):
        values = flat[parameter.start : parameter.stop]
        crossing = parameter.crossing
        arguments.append(crossing.text(f"lift{index}", values) if crossing else "caller")
    points = any(parameter.crossing and parameter.crossing.points for parameter in signature.parameters)
    call = f"function({', '.join(arguments)})"
    lowered = signature.result.text("lower", "result") if signature.result else ""
    given = "".join(f"{name}, " for name in flat)
    return "\n".join(
        [
            f"def plain({given}):",
            "  for _ in depth.room: break",
            "  try:",
            *(
                ["    memory = caller.known", "    if memory is None: memory = caller.memory"]
                if points
                else []
            ),
            *(
                [
                    f"    result = {call}",
                    "    try:",
                    f"      answer = {lowered}",
                    "    except (TypeError, ValueError, OverflowError) as error:",
                    "      raise misfit(result, error) from error",
                ]
                if lowers
                else [f"    {call}", "    answer = success"]
            ),
            f'    instance.last_host_call = tell, answer, "", {given}',
            "    return answer",
            "  except Exception as error:",
            "    number = number_of(error)",
            f'    instance.last_host_call = tell, number, "" if number is None else str(error), {given}',
            "    if number is not None:",
            "      return number",
            "    if foreseen(error):",
            "      raise",
            "    raise raised(error) from error",
        ]
    )


@cache
def compiled(text: str) -> CodeType:
    """The code of the function that a text defines; host functions with the same text share it."""
    whole = compile(text, "<host function>", "exec", dont_inherit=True)
    (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
    return code


def waiting_text(count: int) -> str:
    """Python source of a `plain` that compiles the real one on its first call: guests call few of their
    imports."""
    given = ", ".join(f"a{index}" for index in range(count))
    return f"def plain({given}):\n  ready()\n  return plain({given})\n"


class HostCall:
    """A host function as one instance calls it: its core values are lifted, it is called, what it returns or
    raises is lowered, and the call is reported.

    `plain` does that in a generated function, because a loop over parameters would be slow; it returns the
    guest's result. `explained` does it step by step and returns what an observer is told.
    """

    __slots__ = (
        "caller", "function", "instance", "lowers", "models", "owner", "plain", "plan", "success", "tell",
        "to_errno", "wanted",
    )  # fmt: skip

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Signature,
        caller: BoundCaller,
        models: tuple[Any, ...],
        owner: str,
        to_errno: ToErrno | None,
    ) -> None:
        result, limits = signature.result, caller.instance.limits
        self.function = function
        self.caller = caller
        self.instance = caller.instance
        self.models = models
        self.owner = owner
        self.to_errno = to_errno
        self.lowers = result.lower if to_errno is None and result is not None else None
        """Lowers the result; None if the guest gets `success` instead."""
        self.success = 0 if result else None
        self.wanted = signature.type.results
        self.tell = partial(told, owner, signature)
        crossings = [(p.crossing and p.crossing.within(limits), p) for p in signature.parameters]
        self.plan = [(crossing, p.start, p.stop) for crossing, p in crossings]
        self.plain = plain_of(self, signature)

    def call(self, values: Sequence[Any]) -> Any:
        return self.function(*self.models, *values)

    def lower(self, value: Any) -> Any:
        """The guest's result for a returned value."""
        if self.lowers is None:
            return self.success
        try:
            return self.lowers(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.misfit(value, error) from error

    def misfit(self, value: Any, error: Exception) -> Exception:
        """The error for a returned value that isn't of the result's type, or doesn't fit it, with the
        function's place."""
        from ..brief import brief  # needed for mistakes only

        code = getattr(getattr(self.function, "__wrapped__", self.function), "__code__", None)
        place = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else ""
        wanted = " ".join(map(str, self.wanted))
        if isinstance(error, TypeError):
            return TypeError(f"{brief(value)} was returned, {wanted} is wanted{place}")
        return ValueError(f"{brief(value)} was returned, which doesn't fit {wanted}{place}")

    def number_of(self, error: Exception) -> int | None:
        """The guest's result for an exception; None if the call ends with an exception."""
        return self.to_errno(error) if self.to_errno else None

    def foreseen(self, error: Exception) -> bool:
        """Whether an exception passes through the guest as it is; what it carries gets into the instance."""
        if isinstance(error, WasmException):
            self.instance.admit(error.payload)
        return isinstance(error, WasmError | GuestExit)

    def raised(self, error: Exception) -> WasmError:
        """What is raised for an exception that isn't foreseen."""
        return blamed(self.owner, error)

    def report(self, answer: Any, reason: str, flat: Sequence[Any]) -> None:
        """Note the call, which a backtrace may show."""
        self.instance.last_host_call = self.tell, answer, reason, *flat

    def explained(self, *flat: Any) -> tuple[Any, list[Any], BaseException | None]:
        """Call the function. Returns the guest's result (None if an exception leaves the function), the
        lifted values and the exception."""
        next(iter(CALL_DEPTH.room), None)
        values: list[Any] = []
        try:
            for crossing, start, stop in self.plan:  # those before one that can't be lifted are shown
                if crossing is None:
                    values.append(self.caller)
                else:
                    memory: Any = self.caller.memory if crossing.points else None
                    values.append(crossing.lift(memory, *flat[start:stop]))
            answer = self.lower(self.call(values))
            self.report(answer, "", flat)
            return answer, values, None
        except Exception as error:
            number = self.number_of(error)
            self.report(number, "" if number is None else str(error), flat)
            if number is None and not self.foreseen(error):
                return None, values, self.raised(error)
            return number, values, error


def plain_of(call: HostCall, signature: Signature) -> Callable[..., Any]:
    """The generated function of a host call."""
    namespace: dict[str, Any] = {
        "depth": CALL_DEPTH,
        "function": call.function,
        "caller": call.caller,
        "lower": call.lowers,
        "misfit": call.misfit,
        "success": call.success,
        "instance": call.instance,
        "tell": call.tell,
        "number_of": call.number_of,
        "foreseen": call.foreseen,
        "raised": call.raised,
    }
    namespace |= {f"model{index}": model for index, model in enumerate(call.models)}
    namespace |= {f"lift{n}": crossing and crossing.lift for n, (crossing, *_) in enumerate(call.plan)}
    plain: Any = FunctionType(compiled(waiting_text(len(signature.type.params))), namespace)

    def ready() -> None:
        text = plain_text(signature, len(call.models), call.lowers is not None)
        plain.__code__ = aside(partial(compiled, text))

    namespace |= {"plain": plain, "ready": ready}
    made: Callable[..., Any] = plain
    return made


def told(owner: str, signature: Signature, answer: Any, reason: str, *flat: Any) -> CallToHost:
    """A record of a finished call. If a parameter has two core values, the second one is a length."""
    from ..frames import CallToHost  # few programs need it
    from ..printable import printable

    arguments: list[tuple[str, int | float]] = []
    for parameter in signature.parameters:
        names = (parameter.name, f"{parameter.name}_len")
        arguments += zip(names, flat[parameter.start : parameter.stop], strict=False)
    return CallToHost(owner, tuple(arguments), answer, "\n".join(map(printable, reason.splitlines())))


def callable_for(
    instance: Instance, call: HostCall, module: str, name: str, signature: Signature
) -> Callable[..., Any]:
    """The callable for the instance: the function itself, or a wrapper that observes or counts each call."""
    function = observed(instance, call, module, name, signature) if instance.watches("host") else call.plain
    if not instance.meter.counts_host_calls:
        return function
    meter = instance.meter

    def counting(*flat: Any) -> Any:
        meter.host_call()
        answer = function(*flat)
        meter.patience()
        return answer

    return counting


def observed(
    instance: Instance, call: HostCall, module: str, name: str, signature: Signature
) -> Callable[..., Any]:
    """A host function whose calls the instance's observer sees."""
    observer = instance.observer
    names = [p.name for p in signature.parameters if p.crossing]
    are_plain = all(p.crossing and not p.crossing.gives for p in signature.parameters[: len(names)])

    def seen(*flat: Any) -> Any:
        if (stand_in := observer.stand_in) is not None:
            return stand_in(module, name, flat, call.plain)
        began = perf_counter()
        result, values, error = call.explained(*flat)
        if are_plain:  # but for a Caller, which comes last and has no name
            arguments = tuple(zip(names, values, strict=False))
        else:
            arguments = tuple(
                (p.name, value.value if isinstance(value, Out) else value)
                for p, value in zip(signature.parameters, values, strict=False)
                if p.crossing
            )
        observer.host_call(HostEvent(module, name, arguments, result, error, perf_counter() - began))
        try:
            if error is not None and result is None:
                raise error
            return result
        finally:
            del error  # break the cycle of this frame and the error's traceback

    return seen
