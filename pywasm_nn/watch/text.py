"""Events as lines of text, in columns that stay where they are.

What is here: how an instruction, a call and a host call are written. What is not: which of them are asked
for, and where the lines go (`trace.py`); tensors (`nn.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, Flag
from typing import Any

from ..interpreter.instructions.row import Imm
from ..interpreter.module import Module
from ..interpreter.names import Names, printable
from ..interpreter.observe import HostEvent, InstructionEvent
from ..interpreter.text.printer import Printer
from ..interpreter.types import ExternKind, FuncType, NumType
from .explain import explain, shown, signed

MOST_VALUES = 6
"""So many values of the stack are shown, the topmost ones."""
LONGEST_TEXT = 40
"""Longer strings and bytes are cut."""


class Labels:
    """What functions and locals of a module are called: by the name section, else as exported or imported."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._names = Names(module)
        self._printer = Printer(module)
        self._imported = [f"{i.module}.{i.name}" for i in module.imported(ExternKind.FUNC)]

    def function(self, funcidx: int) -> str:
        """ "$square", or "func[3]" for one without a name."""
        name = self._names.function(funcidx)
        if name is None and funcidx < len(self._imported):
            name = printable(self._imported[funcidx])
        return f"${name}" if name else f"func[{funcidx}]"

    def instruction(self, event: InstructionEvent) -> str:
        """ "local.get $x", "call $fib", "i32.mul": as in the text format, with names where there are some."""
        if event.op.imms == (Imm.LOCAL,):
            name = self._names.locals.get(event.funcidx, {}).get(event.imm)
            return f"{event.op.name} ${name}" if name else f"{event.op.name} {event.imm}"
        return self._printer.instruction(event.op, event.imm)

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


def instruction_line(number: int, event: InstructionEvent, labels: Labels, label: str, returns: str) -> str:
    """ "   14  0x0045  $square  i32.mul   | 9    3 x 3".

    `label` names the function where it changed, `returns` says what it gives if it ends here.
    """
    values = [shown(v) for v in event.stack[-MOST_VALUES:]]
    stack = " ".join(["..."] * (len(event.stack) > MOST_VALUES) + values)
    said = returns or explain(event.op, event.imm, event.popped, event.stack[-1:])
    written = labels.instruction(event)
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
    """A lifted argument: text as it is, bytes as text where they are some and else by their length."""
    match value:
        case memoryview() | bytes() | bytearray():
            return text_of(bytes(value[:LONGEST_TEXT])) or f"<{len(value)} bytes>"
        case str():
            return repr(value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 3] + "...")
        case list() | tuple():
            return f"[{', '.join(map(argument, value))}]"
        case Flag():
            return f"0x{value.value:x}"
        case Enum():
            return value.name.lower()
        case int() if value >= 1 << 16:
            return f"0x{value:x}"
    return printable(str(value))


def text_of(data: bytes) -> str:
    """Bytes as quoted text, cut; "" if they are none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    shown_text = repr(text)
    return shown_text if len(shown_text) <= LONGEST_TEXT and "\\x" not in shown_text else ""
