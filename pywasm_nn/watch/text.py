"""Events as lines of text, in columns that stay where they are.

What is here: how an instruction, a call and a host call are written. What is not: which of them are asked
for, and where the lines go (`trace.py`); tensors (`nn.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..interpreter.module import Module
from ..interpreter.names import Names, printable
from ..interpreter.observe import HostEvent, InstructionEvent
from ..interpreter.types import ExternKind, FuncType, NumType
from .explain import explain, shown, signed

MOST_VALUES = 6
"""So many values of the stack are shown, the topmost ones."""
LONGEST_TEXT = 40
"""Longer strings and bytes are cut."""


class Labels:
    """What functions and locals of a module are called: by the name section, else by exports and imports."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._names = Names(module)
        imported = module.imported(ExternKind.FUNC)
        self._outside = {e.index: e.name for e in module.exports if e.kind is ExternKind.FUNC}
        self._outside.update({i: f"{imp.module}.{imp.name}" for i, imp in enumerate(imported)})

    def function(self, funcidx: int) -> str:
        """ "$square", or "func[3]" for one without a name."""
        name = self._names.function(funcidx) or printable(self._outside.get(funcidx, ""))
        return f"${name}" if name else f"func[{funcidx}]"

    def local(self, funcidx: int, localidx: int) -> str | None:
        name = self._names.locals.get(funcidx, {}).get(localidx)
        return f"${name}" if name else None

    def type(self, funcidx: int) -> FuncType:
        return self._module.func_types[funcidx]

    def last_offset(self, funcidx: int) -> int:
        """Byte offset of the `end` of a function defined here, as instruction events give it."""
        func = self._module.funcs[funcidx - self._module.imported_funcs]
        return func.body.offsets[-1]


def typed(values: Sequence[Any], types: Sequence[Any]) -> str:
    """Values of known types, integers signed: "3, -1, 2.5"."""
    return ", ".join(
        shown(signed(v, t.bits) if isinstance(t, NumType) and isinstance(v, int) else v)
        for v, t in zip(values, types, strict=True)
    )


def instruction_line(
    number: int,
    event: InstructionEvent,
    written: str,
    label: str,
    pushed: Sequence[Any],
    explanation: str = "",
) -> str:
    """ "   14  0x0045  $square  i32.mul        | 9            3 x 3" """
    values = [shown(v) for v in event.stack[-MOST_VALUES:]]
    stack = " ".join(["..."] * (len(event.stack) > MOST_VALUES) + values)
    said = explanation or explain(event.op, event.imm, event.popped, pushed)
    return f"{number:5}  0x{event.offset:04x}  {label:<12}  {written:<22} | {stack:<14} {said}".rstrip()


def call_line(depth: int, text: str) -> str:
    """A call or a return, indented by how deep it is."""
    return f"call  {'  ' * min(depth, 30)}{text}"


def host_line(event: HostEvent) -> str:
    """ "host  fd_write(fd 1, iovs 0x10) -> 0   0.02 ms" """
    arguments = ", ".join(f"{name} {argument(value)}" for name, value in event.arguments)
    if event.error is not None:
        outcome = f" -> {'' if event.result is None else f'{event.result}, '}{printable(str(event.error))}"
    else:
        outcome = "" if event.result is None else f" -> {event.result}"
    return f"host  {event.name}({arguments}){outcome}   {event.seconds * 1e3:.2f} ms"


def argument(value: Any) -> str:
    """A lifted argument: text and short bytes as they are, longer bytes by their length."""
    if isinstance(value, memoryview | bytes | bytearray):
        return f"<{len(value)} bytes>"
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 3] + "...")
    return printable(str(value))
