"""Names of a module's functions and locals, and its instructions as text.

What is not here: the effect of an instruction (`explain.py`).
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
    """Names of a module's functions and locals: from the name section, else from exports or imports."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._names = Names(module)
        self._imported = [f"{i.module}.{i.name}" for i in module.imported(ExternKind.FUNC)]
        self.function = cache(self._function)
        self._written: dict[tuple[str, int], tuple[Any, str]] = {}
        """Texts of instructions by mnemonic and id of the immediate. The immediate is kept beside the text,
        so that no other object gets its id. The cache matters because one immediate may have a million labels
        and be shown again and again."""

    def _function(self, funcidx: int) -> str:
        """ "$square", or "func[3]" for a function without a name."""
        name = self._names.function(funcidx)
        if name is None and funcidx < len(self._imported):
            name = printable(self._imported[funcidx])
        return f"${name}" if name else f"func[{funcidx}]"

    def local(self, funcidx: int, localidx: int) -> str:
        """ "$x", or "0" for a local without a name."""
        name = self._names.locals.get(funcidx, {}).get(localidx)
        return f"${printable(name, LONGEST_LOCAL)}" if name else str(localidx)

    def instruction(self, funcidx: int, op: Op, imm: Any) -> str:
        """ "local.get $x", "call $fib", "i32.mul": the text format, with names where the module has them.
        Very long texts are cut."""
        if op.imms == (Imm.LOCAL,):
            return f"{op.name} {self.local(funcidx, imm)}"
        key = op.name, id(imm)
        known = self._written.get(key)
        if known is None:
            known = self._written[key] = imm, printable(self._printer.instruction(op, imm))
        return known[1]

    @cached_property
    def _printer(self) -> Printer:
        from ..interpreter.text.printer import Printer  # slow to import, needed for instructions only

        return Printer(self.module)

    def type(self, funcidx: int) -> FuncType:
        return self.module.func_types[funcidx]

    def is_last(self, funcidx: int, offset: int) -> bool:
        """Whether the instruction at a byte offset ends its function."""
        func = self.module.funcs[funcidx - self.module.imported_funcs]
        return offset == func.body.offsets[-1]


def within(module: Module) -> str:
    """The name of a core module within its component: "main" of "app.wasm/main"."""
    return printable(module.name.partition("/")[2] or module.name)


def typed(values: Sequence[Any], types: Sequence[Any]) -> tuple[Any, ...]:
    """Values with their types applied: integers become signed."""
    return tuple(
        signed(v, t.bits) if isinstance(t, NumType) and isinstance(v, int) else v
        for v, t in zip(values, types, strict=True)
    )
