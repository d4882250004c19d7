"""A namespace for generated functions: those of one component instance on one memory with one encoding.

What is here: `Context`, which keeps what was generated, and the text of accesses in the two flavours of
memory. What is not: what is generated for which type (`reading.py`, `writing.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ...interpreter.runtime.memory import Flavour, Memory
from ...interpreter.types import I32, I64, NumType
from ..types import Compound, Resource
from .helpers import COMMON, Area, Lifted, Realloc, helpers_of

INDENT = "    "
SHORT, KEPT = 2000, 2000
"""Characters of a function's text that others are likely to have as well, and how many such are kept."""


class Context:
    """`resolve` gives the resource type that a type stands for in this component instance, `face` the class
    that Python knows a type by."""

    def __init__(
        self,
        memory: Memory | None,
        realloc: Realloc | None,
        encoding: str,
        lifted: Lifted,
        resolve: Callable[[Resource], Any],
        names: dict[str, Any],
        face: Callable[[Compound], Any],
    ) -> None:
        self.pointer: NumType = I32
        self.view = True
        self.resolve = resolve
        self.face = face
        self.namespace: dict[str, Any] = COMMON | names
        self._made: dict[tuple[str, int], str] = {}
        self._constants: dict[int, str] = {}
        self._kept: list[Any] = []
        self._count = 0
        if memory is not None:
            self.attach(Area(memory, realloc, lifted), encoding)

    def attach(self, area: Area, encoding: str) -> None:
        """Have a memory from now on, which must be done before anything is generated that needs one."""
        memory = area.memory
        self.pointer = memory.type.addrtype
        self.view = memory.flavour is Flavour.VIEW
        memory.bind(self.namespace, 0)
        self.namespace |= helpers_of(area, encoding, self.pointer.bits)

    @property
    def address(self) -> str:
        """How an address is read and written."""
        return "u64" if self.pointer is I64 else "u32"

    @property
    def address_size(self) -> int:
        """Bytes of an address."""
        return self.pointer.bits // 8

    def load(self, access: str, at: str) -> str:
        """An expression for what lies at an address."""
        return f"{access}[{at}]" if self.view else f"load_{access}(mem, {at})[0]"

    def store(self, access: str, at: str, value: str) -> str:
        """A statement that puts a value at an address."""
        return f"{access}[{at}] = {value}" if self.view else f"store_{access}(mem, {at}, {value})"

    def constant(self, value: Any) -> str:
        """The name of an object in the namespace."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = self.name("k")
            self.namespace[name] = value
        return name

    def name(self, stem: str) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"{stem}{self._count}"

    def function(self, verb: str, type_: Compound, write: Callable[[str], list[str]]) -> str:
        """The name of the function that does something with values of a type; `write` gives its lines."""
        known = self._made.get((verb, id(type_)))
        if known is None:
            known = self._made[verb, id(type_)] = self.name(f"{verb}_{type_.kind.value}_")
            self._kept.append(type_)
            exec(compiled("\n".join(write(known))), self.namespace)
        return known

    def later(self, count: int, write: Callable[[str], list[str]]) -> Callable[..., Any]:
        """A function of `count` parameters whose lines are written when it is first called."""
        name, ready = self.name("adapter"), self.name("ready")
        given = ", ".join(f"a{index}" for index in range(count))
        waiting = f"def waiting({given}):\n    {ready}()\n    return {name}({given})\n"
        function = FunctionType(code_of(waiting), self.namespace, name)
        self.namespace[name] = function

        def make() -> None:
            function.__code__ = code_of("\n".join(write(name)))
            del self.namespace[ready]

        self.namespace[ready] = make
        return function


def compiled(text: str) -> CodeType:
    return compile(text, "<canonical ABI>", "exec", dont_inherit=True)


def code_of(text: str) -> CodeType:
    """The code of the function that a text defines, which many have in common if it is short."""
    return short_code(text) if len(text) <= SHORT else new_code(text)


def new_code(text: str) -> CodeType:
    (code,) = (const for const in compiled(text).co_consts if isinstance(const, CodeType))
    return code


short_code = lru_cache(KEPT)(new_code)
