"""Built-in monitors: calls, blocks, branches, coverage, hotness, host.

What is here: the monitors, a few lines each. They count blocks rather than instructions, so they run on
either engine. What is not: the class and its tables (`monitor.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from ..interpreter.module import Module
from ..interpreter.runtime.meter import charges
from ..interpreter.runtime.observe import HostEvent
from ..interpreter.validate import validate_func
from ..plugin import made
from .monitor import Monitor


class Calls(Monitor):
    """How often each function is called."""

    columns = ("calls", "function")

    def begin(self) -> None:
        self.calls: Counter[int] = Counter()

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        self.calls[funcidx] += 1

    def rows(self) -> Iterator[tuple[int, str]]:
        return ((count, self.function(funcidx)) for funcidx, count in self.calls.most_common())


class Host(Monitor):
    """How often each host function is called, how often it failed, and how long it took."""

    columns = ("calls", "errors", "milliseconds", "function")

    def begin(self) -> None:
        self.calls: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()

    def host_call(self, event: HostEvent) -> None:
        name = f"{event.module}.{event.name}"
        self.calls[name] += 1
        self.errors[name] += event.error is not None
        self.seconds[name] += event.seconds  # type: ignore[assignment] # Counters add any numbers

    def rows(self) -> Iterator[tuple[int, int, float, str]]:
        for name, count in self.calls.most_common():
            yield count, self.errors[name], 1e3 * self.seconds[name], name


class Blocks(Monitor):
    """How often each basic block is executed."""

    columns: Sequence[str] = ("times", "function", "offset", "instructions")

    def begin(self) -> None:
        self.times: Counter[tuple[int, int]] = Counter()
        self.blocks_of = cache(partial(blocks_of, self.module))

    def block(self, funcidx: int, offset: int) -> None:
        self.times[funcidx, offset] += 1

    def rows(self) -> Iterator[tuple[Any, ...]]:
        for (funcidx, offset), count in self.times.most_common():
            cost = self.blocks_of(funcidx)[offset]
            yield count, self.function(funcidx), f"0x{offset:04x}", cost


class Hotness(Blocks):
    """How many instructions each function executes, without the functions that it calls."""

    columns = ("instructions", "share", "function")

    def rows(self) -> Iterator[tuple[int, str, str]]:
        spent: Counter[int] = Counter()
        for (funcidx, offset), count in self.times.items():
            spent[funcidx] += count * self.blocks_of(funcidx)[offset]
        total = spent.total() or 1
        for funcidx, count in spent.most_common():
            yield count, f"{100 * count / total:.1f}%", self.function(funcidx)


class Coverage(Blocks):
    """How many of its instructions each function has executed at least once, in the order of the module."""

    columns = ("executed", "of", "share", "function")

    def rows(self) -> Iterator[tuple[int, int, str, str]]:
        seen: dict[int, set[int]] = {}
        for funcidx, offset in self.times:
            seen.setdefault(funcidx, set()).add(offset)
        for funcidx in range(self.module.imported_funcs, len(self.module.func_types)):
            blocks = self.blocks_of(funcidx)
            executed = sum(blocks[offset] for offset in seen.get(funcidx, ()))
            total = sum(blocks.values())
            yield executed, total, f"{100 * executed / total:.1f}%", self.function(funcidx)


class Branches(Blocks):
    """How often each conditional branch was reached, and how often it was taken (for an `if`: how often it
    entered `then`)."""

    columns = ("reached", "taken", "function", "offset", "instruction")

    def rows(self) -> Iterator[tuple[int, int, str, str, str]]:
        for funcidx in dict.fromkeys(funcidx for funcidx, _ in self.times):
            for offset, name, begin, after in choices_of(self.module, funcidx, self.blocks_of(funcidx)):
                reached, on = self.times[funcidx, begin], self.times[funcidx, after]
                if reached:
                    taken = on if name == "if" else reached - on
                    yield reached, taken, self.function(funcidx), f"0x{offset:04x}", name


def blocks_of(module: Module, funcidx: int) -> dict[int, int]:
    """Basic blocks of a function: the byte offset of the first instruction, and the number of
    instructions."""
    index = funcidx - module.imported_funcs
    body = module.funcs[index].body
    return {body.offsets[pc]: cost for pc, cost in charges(body, validate_func(module, index)).items()}


CHOICES = frozenset(
    {
        "if", "br_if", "br_on_null", "br_on_non_null", "br_on_cast", "br_on_cast_fail",
        "br_on_cast_desc_eq", "br_on_cast_desc_eq_fail",
    }
)  # fmt: skip
"""Instructions with two successors; each ends its block."""


def choices_of(
    module: Module, funcidx: int, blocks: Mapping[int, int]
) -> Iterator[tuple[int, str, int, int]]:
    """Conditional branches of a function with the given blocks: offset, mnemonic, the offset at which their
    block begins, and the offset of the block after them."""
    body = module.funcs[funcidx - module.imported_funcs].body
    begin = body.offsets[0]
    for pc, op in enumerate(body.ops):
        offset = body.offsets[pc]
        begin = offset if offset in blocks else begin
        if op.name in CHOICES:
            yield offset, op.name, begin, body.offsets[pc + 1]


BUILT_IN: Mapping[str, Callable[[], Monitor]] = {
    "calls": Calls,
    "host": Host,
    "blocks": Blocks,
    "branches": Branches,
    "coverage": Coverage,
    "hotness": Hotness,
}
"""Built-in monitors by name."""


def monitor(name: str) -> Monitor:
    """A built-in monitor by name, or one of a user as `file.py:Name`. Raises ValueError."""
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if ":" not in name:
        raise ValueError(
            f"no monitor {name!r}; there are {', '.join(BUILT_IN)}, and your own as file.py:Name"
        )
    return made(name, Monitor)
