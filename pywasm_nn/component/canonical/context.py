"""Namespaces for generated functions: one for each combination of component instance, memory and encoding.

What is here: `Context`, which keeps the generated functions, and the code for accesses in the two flavours of
memory. What is not: the code for types (`reading.py`, `writing.py`).
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
"""The longest text (in characters) of a function whose code is cached, as others probably have the same text,
and the number of cached ones."""


class Context:
    """`resolve` returns the resource type for a resource in this component instance, `face` returns the
    Python class of a type."""

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
        """Set the memory: necessary before any function is generated that needs one."""
        memory = area.memory
        self.pointer = memory.type.addrtype
        self.view = memory.flavour is Flavour.VIEW
        memory.bind(self.namespace, 0)
        self.namespace |= helpers_of(area, encoding, self.pointer.bits)

    @property
    def address(self) -> str:
        """The access for addresses."""
        return "u64" if self.pointer is I64 else "u32"

    @property
    def address_size(self) -> int:
        """Bytes of an address."""
        return self.pointer.bits // 8

    def load(self, access: str, at: str) -> str:
        """An expression for the value at an address."""
        return f"{access}[{at}]" if self.view else f"load_{access}(mem, {at})[0]"

    def store(self, access: str, at: str, value: str) -> str:
        """A statement that stores a value at an address."""
        return f"{access}[{at}] = {value}" if self.view else f"store_{access}(mem, {at}, {value})"

    def constant(self, value: Any) -> str:
        """The name of a constant object in the namespace."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = self.name("k")
            self.namespace[name] = value
        return name

    def name(self, stem: str) -> str:
        """A new name."""
        self._count += 1
        return f"{stem}{self._count}"

    def function(self, verb: str, type_: Compound, write: Callable[[str], list[str]]) -> str:
        """The name of the function for an operation on values of a type; `write` returns its lines."""
        known = self._made.get((verb, id(type_)))
        if known is None:
            known = self._made[verb, id(type_)] = self.name(f"{verb}_{type_.kind.value}_")
            self._kept.append(type_)
            exec(compiled("\n".join(write(known))), self.namespace)
        return known

    def later(self, count: int, write: Callable[[str], list[str]]) -> Callable[..., Any]:
        """A function of `count` parameters whose code is generated on the first call."""
        name = self.name("adapter")
        function = FunctionType(waiting(count), self.namespace, name)

        def make() -> Callable[..., Any]:
            function.__code__ = code_of("\n".join(write(name)))
            function.__kwdefaults__ = None
            return function

        function.__kwdefaults__ = {"make": make}
        return function


def waiting(count: int) -> CodeType:
    """The code of a function of `count` parameters that first makes its own code."""
    given = "".join(f"a{index}, " for index in range(count))
    return code_of(f"def waiting({given}*, make):\n    return make()({given})\n")


def compiled(text: str) -> CodeType:
    return compile(text, "<canonical ABI>", "exec", dont_inherit=True)


def code_of(text: str) -> CodeType:
    """The code of the function in a text; equal short texts share it."""
    return short_code(text) if len(text) <= SHORT else new_code(text)


def new_code(text: str) -> CodeType:
    (code,) = (const for const in compiled(text).co_consts if isinstance(const, CodeType))
    return code


short_code = lru_cache(KEPT)(new_code)
