"""Converts the running functions of an engine to frames for backtraces.

Both engines give activations, and only this module makes values from them, so a backtrace is the same text
with either engine. What is not here: writing a backtrace (`backtrace`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Any, Protocol

from ...errors import WasmException
from ...frames import GuestFrame, GuestLocal
from ..instructions import Op
from ..module import Module
from ..names import Names
from ..numerics import round32
from ..types import F32, F64, I32, I64, V128, ValType
from .heap import Array, I31Value, Struct, fields_of
from .instance import Func, Instance
from .values import from_guest

ENDS = 16
"""The number of frames at each end of a stack that get values; between them may be fifty thousand others."""
MOST_LOCALS = 64
"""The number of values that are kept of one frame."""


class Activation(Protocol):
    """A running function of a guest."""

    @property
    def knows_locals(self) -> bool:
        """Whether the values of locals can be read."""

    @property
    def instance(self) -> Instance: ...
    @property
    def funcidx(self) -> int: ...

    @property
    def instr(self) -> int:
        """Index of the instruction that was started last; -1 if unknown."""

    def local(self, index: int) -> Any:
        """The value of a local; an integer may be correct only modulo 2^bits. Raises KeyError if the local
        still has its initial value."""


def op_of(activation: Activation) -> tuple[Op, Any] | None:
    """The current instruction and its immediate, None if unknown."""
    body = body_of(activation)
    return (body.ops[activation.instr], body.imms[activation.instr]) if activation.instr >= 0 else None


def body_of(activation: Activation) -> Any:
    module = activation.instance.module
    return module.funcs[activation.funcidx - module.imported_funcs].body


def guest_frames(activations: Sequence[Activation]) -> tuple[GuestFrame, ...]:
    """Frames for a backtrace, in the same order. Those between the ends of the stack are shared by all
    activations at the same place."""
    last = len(activations) - ENDS
    shared: dict[tuple[int, int, int], GuestFrame] = {}
    frames = []
    for number, one in enumerate(activations):
        if number < ENDS or number >= last:
            frames.append(guest_frame(one))
            continue
        place = id(one.instance), one.funcidx, one.instr
        if (frame := shared.get(place)) is None:
            frame = shared[place] = guest_frame(one, with_values=False)
        frames.append(frame)
    return tuple(frames)


def guest_frame(activation: Activation, with_values: bool = True) -> GuestFrame:
    module = activation.instance.module
    offsets = body_of(activation).offsets
    return GuestFrame(
        module.name,
        activation.funcidx,
        Names.of(module).function(activation.funcidx),
        offsets[activation.instr] if offsets and activation.instr >= 0 else -1,
        tuple(islice(values_of(activation), MOST_LOCALS)) if with_values and activation.knows_locals else (),
        module,
    )


def values_of(activation: Activation) -> Iterator[GuestLocal]:
    """Values of the parameters, and of named locals."""
    module, funcidx = activation.instance.module, activation.funcidx
    names = Names.of(module).locals.get(funcidx, {})
    wanted = {*range(len(module.func_types[funcidx].params)), *names}
    for index, type_ in enumerate(islice(types_of(module, funcidx), max(wanted, default=-1) + 1)):
        if index in wanted:
            try:
                value = activation.local(index)
            except KeyError:
                value = type_.default
            yield GuestLocal(index, names.get(index), str(type_), shown(type_, value))


def types_of(module: Module, funcidx: int) -> Iterator[ValType]:
    """Types of the parameters and locals of a defined function."""
    yield from module.func_types[funcidx].params
    for count, type_ in module.funcs[funcidx - module.imported_funcs].locals:
        yield from repeat(module.closed(type_), count)


def shown(type_: ValType, value: Any) -> int | float | str:
    """A value of a local in its Python form."""
    if type_ is I32 or type_ is I64 or type_ is V128:
        number: int = from_guest(type_, value & (1 << type_.bits) - 1)
        return number
    if type_ is F32 or type_ is F64:
        return round32(value) if type_ is F32 else float(value)
    return reference_text(value)


def reference_text(value: Any) -> str:
    """ "null", "func[3]", "array(5)". It never calls methods of the host's objects, which could run any
    code."""
    match value:
        case None:
            return "null"
        case Func():
            return f"func[{value.funcidx}]" if value.funcidx >= 0 else "func(host)"
        case I31Value():
            return f"i31({int(value)})"
        case Struct():
            return f"struct({len(fields_of(value.deftype))})"
        case Array():
            return f"array({len(value.elements)})"
        case WasmException():
            return "exception"
    return type(value).__name__
