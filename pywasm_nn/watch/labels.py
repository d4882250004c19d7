"""What functions and locals of a module are called, and how its instructions are written.

What is not here: what an instruction did (`explain.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..frames import LONGEST_LOCAL
from ..interpreter.instructions import Op
from ..interpreter.instructions.row import Imm
from ..interpreter.module import Module
from ..interpreter.names import Names
from ..interpreter.types import ExternKind, FuncType, NumType
from ..printable import printable
from .values import signed

if TYPE_CHECKING:
    from ..interpreter.text.printer import Printer


class Labels:
    """What functions and locals of a module are called: by the name section, else as exported or imported."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._names = Names(module)
        self._imported = [f"{i.module}.{i.name}" for i in module.imported(ExternKind.FUNC)]
        self.function = cache(self._function)
        self._written: dict[tuple[str, int], tuple[Any, str]] = {}
        """Instructions by mnemonic and id of their immediate, which is kept, so that the id stays its own:
        one may have a million labels, and be told again and again."""

    def _function(self, funcidx: int) -> str:
        """ "$square", or "func[3]" for one without a name."""
        name = self._names.function(funcidx)
        if name is None and funcidx < len(self._imported):
            name = printable(self._imported[funcidx])
        return f"${name}" if name else f"func[{funcidx}]"

    def local(self, funcidx: int, localidx: int) -> str:
        """ "$x", or "0" for one without a name."""
        name = self._names.locals.get(funcidx, {}).get(localidx)
        return f"${printable(name, LONGEST_LOCAL)}" if name else str(localidx)

    def instruction(self, funcidx: int, op: Op, imm: Any) -> str:
        """ "local.get $x", "call $fib", "i32.mul": as in the text format, with names where there are some.
        What is very long is cut."""
        if op.imms == (Imm.LOCAL,):
            return f"{op.name} {self.local(funcidx, imm)}"
        key = op.name, id(imm)
        known = self._written.get(key)
        if known is None:
            known = self._written[key] = imm, printable(self._printer.instruction(op, imm))
        return known[1]

    @cached_property
    def _printer(self) -> Printer:
        from ..interpreter.text.printer import Printer  # slow to import, and only instructions need it

        return Printer(self.module)

    def type(self, funcidx: int) -> FuncType:
        return self.module.func_types[funcidx]

    def is_last(self, funcidx: int, offset: int) -> bool:
        """Whether the instruction at a byte offset, as instruction events give it, ends its function."""
        func = self.module.funcs[funcidx - self.module.imported_funcs]
        return offset == func.body.offsets[-1]


def typed(values: Sequence[Any], types: Sequence[Any]) -> tuple[Any, ...]:
    """Values of known types, integers signed."""
    return tuple(
        signed(v, t.bits) if isinstance(t, NumType) and isinstance(v, int) else v
        for v, t in zip(values, types, strict=True)
    )
