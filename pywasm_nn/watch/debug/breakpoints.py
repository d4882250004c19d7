"""Breakpoints: the notation for one, and the places in the code that it means.

sum, shop::*, 12        a function by name (globs too) or index
0x1f40                  the instruction at a byte offset
main.c:41               a source line, or the next one that has code
host fd_write           host calls by name (globs too; `host` alone: all)
nn compute              operations of wasi-nn by name (`nn` alone: all)
sum if local 0 > 3      if the condition holds there (`conditions.py`)
sum after 10            not the first ten times
"""

from __future__ import annotations

import re
from bisect import bisect_right
from difflib import get_close_matches
from fnmatch import fnmatchcase

from ...interpreter.module import Module
from ...interpreter.names import Names
from ...interpreter.types import ExternKind
from ...printable import printable
from ...records import Frozen, changed
from ...sources import SECONDS_OF_A_PERSON, Sources
from .conditions import Condition
from .dwarf import Variables

Place = tuple[int, int]
"""Index of a function, and of an instruction in it."""


class NotFoundError(Exception):
    """No function, line or offset matches. The message says what there is instead."""


class Breakpoint(Frozen):
    """Stops at each of `places` if the condition holds, and after host calls or operations of wasi-nn whose
    name matches; not the first `skips` times."""

    number: int
    text: str
    places: frozenset[Place] = frozenset()
    host: str | None = None
    nn: str | None = None
    condition: Condition | None = None
    skips: int = 0

    def stops_at_host(self, module: str, name: str) -> bool:
        full = f"{module}.{name}"
        return self.host is not None and (fnmatchcase(name, self.host) or fnmatchcase(full, self.host))

    def stops_at_nn(self, operation: str) -> bool:
        return self.nn is not None and fnmatchcase(operation, self.nn)


class Places:
    """Finds functions, offsets and source lines of one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.names = Names.of(module)
        self.sources = Sources(module, seconds=SECONDS_OF_A_PERSON)
        self.variables = Variables(module)

    def breakpoint(self, number: int, text: str) -> Breakpoint:
        """Read a breakpoint. Raises NotFoundError, BadInputError for a condition, and MalformedError for a
        body that can't be decoded."""
        match = re.fullmatch(r"(.*?)(?: if (.*?))?(?: after (\d+))?", text)
        assert match is not None  # every text matches
        where, condition, skips = match.groups()
        made = self._place(number, where.strip())
        return changed(
            made,
            text=text,
            condition=None if condition is None else Condition(condition),
            skips=0 if skips is None else int(skips),
        )

    def _place(self, number: int, text: str) -> Breakpoint:
        word, _, rest = text.partition(" ")
        if word == "host":
            return Breakpoint(number, text, host=rest.strip() or "*")
        if word == "nn":
            return Breakpoint(number, text, nn=rest.strip() or "*")
        if re.fullmatch(r"0x[0-9a-fA-F]+", text):
            return Breakpoint(number, text, frozenset({self.at_offset(int(text, 16))}))
        if match := re.fullmatch(r"(.*[^:]):(\d+)", text):
            return Breakpoint(number, text, self.at_line(match[1], int(match[2])))
        defined, imported = self.functions(text)
        if defined:
            return Breakpoint(number, text, frozenset((funcidx, 0) for funcidx in defined))
        if imported:
            return Breakpoint(number, text, host=imported[0])
        known = [self.label(funcidx) for funcidx in range(len(self.module.func_types))]
        close = get_close_matches(text, known, 3, 0.5)
        raise NotFoundError(f"no function {text}" + (f"; there is {', '.join(close)}" if close else ""))

    def label(self, funcidx: int) -> str:
        """The name of a function: "sum", "wasi_snapshot_preview1.fd_write", "func[3]"."""
        if name := self.names.function(funcidx):
            return name
        imports = self.module.imported(ExternKind.FUNC)
        if funcidx < len(imports):
            return printable(f"{imports[funcidx].module}.{imports[funcidx].name}")
        return f"func[{funcidx}]"

    def functions(self, text: str) -> tuple[list[int], list[str]]:
        """Indices of the defined functions that `text` names, and full names of imported ones."""
        total, first = len(self.module.func_types), self.module.imported_funcs
        if text.isdecimal():
            found = [int(text)] if int(text) < total else []
        else:
            names = {funcidx: self.label(funcidx) for funcidx in range(total)}
            found = [
                funcidx
                for funcidx, name in names.items()
                if text in (name, self.names.functions.get(funcidx))
            ]
            found = found or [funcidx for funcidx, name in names.items() if fnmatchcase(name, text)]
        imports = self.module.imported(ExternKind.FUNC)
        imported = [
            f"{imports[funcidx].module}.{imports[funcidx].name}" for funcidx in found if funcidx < first
        ]
        return [funcidx for funcidx in found if funcidx >= first], imported

    def at_offset(self, offset: int) -> Place:
        """The instruction that begins at a byte offset or contains it."""
        for index, func in enumerate(self.module.funcs):
            if func.offset <= offset < func.offset + func.size:
                at = bisect_right(func.body.offsets, offset) - 1
                return self.module.imported_funcs + index, max(at, 0)
        raise NotFoundError(f"there is no code at 0x{offset:x}")

    def at_line(self, file: str, line: int) -> frozenset[Place]:
        """The first instruction of a source line in each function that has code of the line."""
        firsts: dict[int, int] = {}
        for offset in self.sources.offsets(file, line):
            funcidx, instr = self.at_offset(offset)
            firsts.setdefault(funcidx, instr)
        if not firsts:
            files = self.sources.files()
            known = (
                f"there are lines of {', '.join(files[:8])}" if files else "the module tells no source lines"
            )
            if self.sources.cut_short:
                known += f", as far as they were read in {SECONDS_OF_A_PERSON:g} s"
            raise NotFoundError(f"no code of {file}:{line}; {known}")
        return frozenset(firsts.items())
