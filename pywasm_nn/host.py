"""The host seam: a typed Python function becomes a Wasm import.

What is here: how single values cross (`Crossing` and its kinds), `Face` (a namespace of host functions over
one model, with one mapping from exceptions to numbers) and `host_function` for a user's own plain functions.
Inside, code raises; only this file makes numbers. Pointers are checked before the function runs, so that
nothing has happened yet when one is bad. What is not: any particular ABI, and how engines call the result
(`interpreter.runtime.HostFunc`).
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from struct import Struct, calcsize, pack_into
from time import perf_counter
from types import CodeType
from typing import Annotated, Any, Generic, Protocol, TypeVar

from .errors import ExhaustionError, GuestExit, HostError, Trap, TrapKind, WasmError
from .frames import CallToHost
from .interpreter.observe import HostEvent
from .interpreter.runtime import Func, HostFunc, Instance
from .interpreter.types import F32, F64, I32, I64, FuncType, NumType
from .interpreter.values import to_guest
from .limits import Limits
from .records import record

T = TypeVar("T")


class Memory(Protocol):
    """What a host function may do with guest memory. Every method traps out of bounds; none clamps."""

    @property
    def size(self) -> int: ...
    def view(self, address: int, count: int) -> memoryview: ...
    def read(self, address: int, count: int) -> bytes: ...
    def write(self, address: int, data: bytes | memoryview) -> None: ...


class Caller(Protocol):
    """The guest instance that called: a host function gets it by naming a parameter's type `Caller`."""

    @property
    def memory(self) -> Memory: ...
    def patience(self) -> float | None: ...
    def call(self, names: Sequence[str], type_: FuncType, *arguments: Any) -> Any: ...


class PointerError(Trap):
    """A guest pointer or length reaches outside memory. A face may map it to a number; else it is a trap."""

    def __init__(self, address: int, count: int, size: int) -> None:
        super().__init__(
            TrapKind.OUT_OF_BOUNDS_MEMORY, f"{count} bytes at 0x{address:x}, memory is 0x{size:x} bytes"
        )


class AlignmentError(Trap):
    """A guest pointer is no multiple of what its type wants, at an ABI that insists."""

    def __init__(self, address: int, alignment: int) -> None:
        super().__init__(TrapKind.UNALIGNED_POINTER, f"0x{address:x} is no multiple of {alignment}")


class NoSuchValueError(Trap):
    """A number from the guest that its type has no value for: an enumeration, flags, a byte."""

    def __init__(self, detail: str) -> None:
        super().__init__(TrapKind.NO_SUCH_VALUE, detail)


def checked(memory: Memory, address: int, count: int, alignment: int = 1) -> memoryview:
    """A writable view of guest memory. Raises PointerError or AlignmentError."""
    if address + count > memory.size:
        raise PointerError(address, count, memory.size)
    if alignment > 1 and address % alignment:
        raise AlignmentError(address, alignment)
    return memory.view(address, count)


class Crossing:
    """How one parameter crosses: its core types, and how its value is made of them."""

    points = True
    """Whether memory is looked at."""

    @property
    def flat(self) -> tuple[NumType, ...]:
        return (I32,)

    def within(self, limits: Limits) -> Crossing:
        """The same for a guest with these limits."""
        return self

    def lift(self, memory: Memory, *flat: Any) -> Any:
        """The Python value for core values. PointerError if something is outside memory."""
        raise NotImplementedError

    def text(self, lift: str, flat: Sequence[str]) -> str:
        """The same as a Python expression, where the method goes by the name `lift`."""
        return f"{lift}({', '.join(['memory' if self.points else 'None', *flat])})"


@record
class Scalar(Crossing):
    """A number: itself as a parameter, packed as `format` (of `struct`) in memory."""

    type: NumType
    format: str
    signed: bool = False
    points = False

    @property
    def flat(self) -> tuple[NumType, ...]:
        return (self.type,)

    @cached_property
    def size(self) -> int:
        return calcsize("<" + self.format)

    @property
    def alignment(self) -> int:
        return self.size

    def lift(self, memory: Memory, *flat: Any) -> Any:
        value = flat[0]
        if self.signed and value >> self.type.bits - 1:
            return value - (1 << self.type.bits)
        if self.format in "BH" and value >> 8 * self.size:
            raise NoSuchValueError(f"{value} in {8 * self.size} bits")
        return value

    def text(self, lift: str, flat: Sequence[str]) -> str:
        return Crossing.text(self, lift, flat) if self.signed or self.format in "BH" else flat[0]

    def lower(self, value: Any) -> Any:
        """The canonical core value of a result."""
        return to_guest(self.type, value) if self.format in "fd" else int(value) & (1 << self.type.bits) - 1

    def pack(self, target: memoryview, value: Any) -> None:
        pack_into("<" + self.format, target, 0, value)


@record
class Record(Crossing):
    """A struct in memory: `format` of `struct` without byte order; its value is a tuple, or one value for one
    field."""

    format: str

    @cached_property
    def struct(self) -> Struct:
        return Struct("<" + self.format)

    @property
    def size(self) -> int:
        return self.struct.size

    @property
    def alignment(self) -> int:
        """That of the largest field."""
        return max(Struct("<" + char).size for char in self.format if char.isalpha())

    def lift(self, memory: Memory, *flat: Any) -> Any:
        return self.struct.unpack(checked(memory, flat[0], self.struct.size))

    def pack(self, target: memoryview, value: Any) -> None:
        self.struct.pack_into(target, 0, *value)


U8 = Annotated[int, Scalar(I32, "B")]
U16 = Annotated[int, Scalar(I32, "H")]
U32 = Annotated[int, Scalar(I32, "I")]
U64 = Annotated[int, Scalar(I64, "Q")]
S64 = Annotated[int, Scalar(I64, "q", signed=True)]
Float32 = Annotated[float, Scalar(F32, "f")]
Pointer = U32
"""An address that the function looks at by itself, through `Caller.memory`."""


class Out(Generic[T]):
    """A pointer through which the function answers: `size.set(3)`. It was checked before the function ran."""

    __slots__ = ("_pack", "_target", "value")

    def __init__(self, target: memoryview, pack: Callable[[memoryview, Any], None]) -> None:
        self._target = target
        self._pack = pack
        self.value: T | None = None
        """What was set, for those who watch."""

    def set(self, value: T) -> None:
        self._pack(self._target, value)
        self.value = value


class _OutCrossing(Crossing):
    def __init__(self, content: Scalar | Record, aligned: bool) -> None:
        self.pack = content.pack
        self.size = content.size
        self.alignment = content.alignment if aligned else 1

    def lift(self, memory: Memory, *flat: Any) -> Any:
        return Out(checked(memory, flat[0], self.size, self.alignment), self.pack)


class _Span(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> memoryview:
        return checked(memory, flat[0], flat[1])


class _Text(Crossing):
    flat = (I32, I32)

    def lift(self, memory: Memory, *flat: Any) -> str:
        return bytes(checked(memory, flat[0], flat[1])).decode("utf-8")


Span = Annotated[memoryview, _Span()]
"""Two parameters, pointer and length in bytes: a writable view of guest memory."""
Text = Annotated[str, _Text()]
"""Two parameters, pointer and length in bytes: UTF-8. UnicodeDecodeError goes to the face's mapping."""


def crossing_of(annotation: Any, owner: str, aligned: bool = False) -> Crossing:
    """The crossing that a parameter's annotation names; `aligned`: pointers for answers must be."""
    if typing.get_origin(annotation) is Out:
        content = crossing_of(typing.get_args(annotation)[0], owner)
        if not isinstance(content, Scalar | Record):
            raise TypeError(f"{owner}: Out[...] takes a number or a record")
        return _OutCrossing(content, aligned)
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Crossing):
            return extra
    plain = {int: Scalar(I32, "i", signed=True), float: Scalar(F64, "d"), bool: Scalar(I32, "I")}
    if annotation in plain:
        return plain[annotation]
    raise TypeError(f"{owner}: no way to pass {annotation!r} between guest and host")


@record
class Parameter:
    """A parameter of a host function: where its core values stand and how they are lifted. `crossing` None:
    the Caller."""

    name: str
    crossing: Crossing | None
    start: int
    stop: int


@record
class Signature:
    """What a host function's annotations say, read once."""

    parameters: tuple[Parameter, ...]
    result: Crossing | None
    type: FuncType

    @classmethod
    def of(
        cls, function: Callable[..., Any], *, skip_first: bool, errno: bool, aligned: bool = False
    ) -> Signature:
        """Read annotations. `skip_first`: the first parameter is the model. `errno`: an i32 error number is
        the result. `aligned`: pointers for answers must be."""
        owner = getattr(function, "__name__", "host function")
        hints = typing.get_type_hints(function, include_extras=True)
        names = list(inspect.signature(function).parameters)[1 if skip_first else 0 :]
        parameters: list[Parameter] = []
        flat: list[NumType] = []
        for name in names:
            if name not in hints:
                raise TypeError(f"{owner}: parameter {name!r} has no type annotation")
            label = f"{owner}, parameter {name!r}"
            crossing = None if hints[name] is Caller else crossing_of(hints[name], label, aligned)
            width = crossing.flat if crossing else ()
            parameters.append(Parameter(name, crossing, len(flat), len(flat) + len(width)))
            flat += width
        returned = hints.get("return", type(None))
        result: Crossing | None = None
        if errno and returned is not typing.NoReturn:
            result = Scalar(I32, "I")
        elif returned not in (type(None), typing.NoReturn):
            result = crossing_of(returned, f"{owner}, result")
        return cls(tuple(parameters), result, FuncType(tuple(flat), result.flat if result else ()))


class BoundCaller:
    """A caller: the instance that imported the function, seen through the memory that it exports."""

    __slots__ = ("_memory", "instance", "memory_name")

    def __init__(self, instance: Instance, memory_name: str = "memory") -> None:
        self.instance = instance
        self.memory_name = memory_name
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        if self._memory is None:
            self._memory = self.instance.exported_memory(self.memory_name)
            if self._memory is None:
                raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, f"the guest exports no memory {self.memory_name!r}")
        return self._memory

    def patience(self) -> float | None:
        """Seconds that the guest still has, so that nobody waits longer; None without a limit. Raises
        DeadlineError if there are none."""
        return self.instance.meter.patience()

    def call(self, names: Sequence[str], type_: FuncType, *arguments: Any) -> Any:
        """Call back into the guest with canonical values: the first of `names` that it exports as a function
        of this type. Traps if there is none, and with whatever trap the guest meets.
        """
        exports = self.instance.exports
        for name in filter(exports.__contains__, names):
            exported = exports[name]
            if isinstance(exported, Func) and exported.type == type_:
                return exported.call(*arguments)
        raise Trap(TrapKind.CANONICAL_ABI, f"the guest exports no function {' or '.join(names)} {type_}")


ToErrno = Callable[[Exception], int | None]


class Face:
    """A namespace of host functions over one model: `@face.function` on plain typed functions, the model
    first.

    Every function answers an error number: 0, or what `to_errno` makes of the exception that was raised.
    Where it makes None the exception goes on: traps, exits and other errors of ours as they are, anything
    else wrapped as HostError. A face without `to_errno` has functions that answer what they return.
    `aligned`: a pointer for an answer must be a multiple of the answer's alignment, else the guest traps.
    `halt` gets the model from another thread when the guest's time is over: to end what goes on in it.
    """

    def __init__(
        self,
        module: str,
        to_errno: ToErrno | None,
        *,
        memory: str = "memory",
        aligned: bool = False,
        halt: Callable[[Any], None] | None = None,
    ) -> None:
        self.module = module
        self.to_errno = to_errno
        self.memory = memory
        self.aligned = aligned
        self.halt = halt
        self._functions: dict[str, Callable[..., Any]] = {}
        self._signatures: dict[str, Signature] = {}

    def function(self, function: Callable[..., T]) -> Callable[..., T]:
        """Add a function under its own name, or under the name without a trailing `_`."""
        self.add(function.__name__.rstrip("_"), function)
        return function

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Add a function under a name that no Python function can have, or under several."""
        self._functions[name] = function

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def signature(self, name: str) -> Signature:
        """Core type and parameters of a function, read from its annotations when first asked for."""
        if name not in self._signatures:
            errno = self.to_errno is not None
            self._signatures[name] = Signature.of(
                self._functions[name], skip_first=True, errno=errno, aligned=self.aligned
            )
        return self._signatures[name]

    def lookup(self, name: str, model: Any) -> HostFunc | None:
        """The import of this name over a model, or None."""
        function = self._functions.get(name)
        if function is None:
            return None
        signature = self.signature(name)

        def bind(instance: Instance) -> Callable[..., Any]:
            caller = BoundCaller(instance, self.memory)
            if self.halt is not None:
                instance.meter.when_halted(self.halt, model)
            call = caller_of(function, signature, caller, (model,), f"{self.module}.{name}", self.to_errno)
            return callable_for(instance, call, self.module, name, signature)

        return HostFunc(signature.type, bind, self.module, name)


OWN_FRAMES = 500
"""A host function that went so deep itself used up the stack by its own fault."""


def is_deep(error: BaseException) -> bool:
    """Whether the error rose from deep within the host function, rather than near its beginning."""
    entry, frames = error.__traceback__, 0
    while entry is not None and frames <= OWN_FRAMES:
        entry, frames = entry.tb_next, frames + 1
    return frames > OWN_FRAMES


def blamed(owner: str, error: Exception) -> WasmError:
    """What the caller of a guest gets for an exception that a host function didn't foresee."""
    if isinstance(error, RecursionError) and not is_deep(error):
        return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED, f"{owner} was called with no stack left")
    wrapped = HostError(owner, error)
    wrapped.__cause__ = error
    return wrapped


@record
class HostCall:
    """The two ways into a host function: `plain` answers the guest; `explained` also gives arguments and the
    error."""

    plain: Callable[..., Any]
    explained: Callable[..., tuple[Any, list[Any], BaseException | None]]


def plain_text(signature: Signature, models: int, lowers: bool) -> str:
    """Python for `plain` of a host function: a loop over its parameters would take longer than they do."""
    flat = [f"a{index}" for index in range(len(signature.type.params))]
    arguments = [f"model{index}" for index in range(models)]
    for index, parameter in enumerate(signature.parameters):
        values = flat[parameter.start : parameter.stop]
        crossing = parameter.crossing
        arguments.append(crossing.text(f"lift{index}", values) if crossing else "caller")
    points = any(parameter.crossing and parameter.crossing.points for parameter in signature.parameters)
    call = f"function({', '.join(arguments)})"
    given = "".join(f"{name}, " for name in flat)
    return "\n".join(
        [
            f"def plain({given}):",
            "  try:",
            *(["    memory = caller.memory"] if points else []),
            *([f"    answer = lower({call})"] if lowers else [f"    {call}", "    answer = success"]),
            f'    instance.last_host_call = tell, ({given}), answer, ""',
            "    return answer",
            "  except Exception as error:",
            "    number = number_of(error)",
            f'    instance.last_host_call = tell, ({given}), number, "" if number is None else str(error)',
            "    if number is not None:",
            "      return number",
            "    if foreseen(error):",
            "      raise",
            "    raise raised(error) from error",
        ]
    )


@cache
def compiled(text: str) -> CodeType:
    """The code for a text, which many functions have in common."""
    return compile(text, "<host function>", "exec", dont_inherit=True)


def caller_of(
    function: Callable[..., Any],
    signature: Signature,
    caller: BoundCaller,
    models: tuple[Any, ...],
    owner: str,
    to_errno: ToErrno | None,
) -> HostCall:
    """Make the callable that lifts core values, calls `function` and turns what it raises into what the guest
    may see."""
    result = signature.result
    lower = result.lower if to_errno is None and isinstance(result, Scalar) else None

    def number_of(error: Exception) -> int | None:
        return to_errno(error) if to_errno else None

    def foreseen(error: Exception) -> bool:
        return isinstance(error, WasmError | GuestExit)

    def raised(error: Exception) -> WasmError:
        return blamed(owner, error)

    instance = caller.instance
    tell = partial(told, owner, signature)
    success = 0 if result else None
    crossings = [p.crossing and p.crossing.within(instance.limits) for p in signature.parameters]
    plan = [(crossing, p.start, p.stop) for crossing, p in zip(crossings, signature.parameters, strict=True)]
    lifts = [crossing and crossing.lift for crossing in crossings]
    namespace: dict[str, Any] = {
        "function": function,
        "caller": caller,
        "lower": lower,
        "success": success,
        "instance": instance,
        "tell": tell,
        "number_of": number_of,
        "foreseen": foreseen,
        "raised": raised,
        **{f"model{index}": model for index, model in enumerate(models)},
        **{f"lift{index}": lift for index, lift in enumerate(lifts)},
    }
    exec(compiled(plain_text(signature, len(models), lower is not None)), namespace)
    plain: Callable[..., Any] = namespace["plain"]

    def explained(*flat: Any) -> tuple[Any, list[Any], BaseException | None]:
        values: list[Any] = []
        try:
            for crossing, start, stop in plan:
                if crossing is None:
                    values.append(caller)
                else:
                    memory: Any = caller.memory if crossing.points else None
                    values.append(crossing.lift(memory, *flat[start:stop]))
            value = function(*models, *values)
            answer = lower(value) if lower else success
            instance.last_host_call = tell, flat, answer, ""
            return answer, values, None
        except Exception as error:
            number = number_of(error)
            instance.last_host_call = tell, flat, number, "" if number is None else str(error)
            if number is None and not isinstance(error, WasmError | GuestExit):
                return None, values, blamed(owner, error)
            return number, values, error

    return HostCall(plain, explained)


def told(owner: str, signature: Signature, flat: Sequence[Any], answer: Any, reason: str) -> CallToHost:
    """A finished call, for whoever asks later. Of two core values of a parameter the second is a length."""
    arguments: list[tuple[str, int | float]] = []
    for parameter in signature.parameters:
        names = (parameter.name, f"{parameter.name}_len")
        arguments += zip(names, flat[parameter.start : parameter.stop], strict=False)
    return CallToHost(owner, tuple(arguments), answer, reason)


def callable_for(
    instance: Instance, call: HostCall, module: str, name: str, signature: Signature
) -> Callable[..., Any]:
    """What the instance calls: the function itself, or the one point that every observed or counted host call
    passes."""
    function = observed(instance, call, module, name, signature) if instance.watches("host") else call.plain
    if not instance.meter.counts_host_calls:
        return function
    meter = instance.meter

    def counted(*flat: Any) -> Any:
        meter.host_call()
        return function(*flat)

    return counted


def observed(
    instance: Instance, call: HostCall, module: str, name: str, signature: Signature
) -> Callable[..., Any]:
    """A host function whose calls the instance's observer sees."""
    observer = instance.observer

    def seen(*flat: Any) -> Any:
        began = perf_counter()
        result, values, error = call.explained(*flat)
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
            del error  # with its traceback it would keep this frame, and this frame it

    return seen


def host_function(function: Callable[..., Any], module: str = "host", name: str | None = None) -> HostFunc:
    """A user's plain function as an import: `int` is a signed i32, `float` an f64; U64, Text, Span ... as
    annotated.

    What it raises reaches the caller of the guest as HostError, never as a trap.
    """
    signature = Signature.of(function, skip_first=False, errno=False)
    label = name or str(getattr(function, "__name__", "function"))

    def bind(instance: Instance) -> Callable[..., Any]:
        call = caller_of(function, signature, BoundCaller(instance), (), f"{module}.{label}", None)
        return callable_for(instance, call, module, label, signature)

    return HostFunc(signature.type, bind, module, label)
