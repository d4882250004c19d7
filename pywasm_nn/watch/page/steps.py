"""The data of the page: functions as lines, and steps that contain only changes.

    strings    every text once; other places refer to it by index
    functions  {name, locals: names, code: [[offset, text], ...]}
    memories   how many the module has
    steps      one for each event, in order

Fields of an instruction's step: `d` depth; `l` line; in a new frame `f` function and `a` all locals, else `v`
[[local, value], ...] with the changed ones; `p` the number of values popped and `s` the values pushed; `g`
[global, value] that was set; `m` [memory, address, count, before, after] with bytes in hexadecimal; `r`
[memory, address, bytes] that were read; `x` its effect, `e` the error. Any other step: `k` kind, `x` its
line, `t` its tensors that are pictures, {x, src, width}, `m` the memory that the host wrote.

What is not here: the page itself (`page.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from ...brief import summarised
from ...interpreter.module import Module
from .. import events
from ..text import lines, listed
from .code import Listing, listings_of
from .pictures import pictured

CALLS = ("call", "return_call")
"""Prefixes of the instructions that may call the host."""


def steps_of(module: Module, trace: Iterable[events.Event]) -> dict[str, Any]:
    """The data of the page, for JSON."""
    told = list(in_order(trace))
    writer = _Writer(listings_of(module, told))
    steps = [step for event in told if (step := writer.step(event)) is not None]
    return {
        "strings": list(writer.strings),
        "functions": writer.functions,
        "memories": len(module.mem_types),
        "steps": steps,
    }


def in_order(trace: Iterable[events.Event]) -> Iterator[events.Event]:
    """The events, each call before the events inside it: an instruction is reported when it has ended."""
    waiting: list[events.Event] = []
    for event in trace:
        if not isinstance(event, events.Instruction):
            waiting.append(event)
            continue
        yield from (event, *waiting) if event.text.startswith(CALLS) else (*waiting, event)
        waiting = []
    yield from waiting


@summarised
@dataclass(slots=True)
class _Frame:
    """The state of a frame on the page; values are indices of texts."""

    function: int = -1
    stack: list[int] = field(default_factory=list)
    locals: list[int] = field(default_factory=list)


class _Writer:
    """Turns events into steps, in order, and keeps the state of the page after each."""

    def __init__(self, listings: dict[int, Listing]) -> None:
        self.strings: dict[str, int] = {}
        self.functions: list[dict[str, Any]] = []
        self._listings = listings
        self._indices: dict[int, int] = {}
        self._frames: list[_Frame] = []

    def text(self, text: str) -> int:
        """The index of a text."""
        return self.strings.setdefault(text, len(self.strings))

    def values(self, values: Sequence[Any]) -> list[int]:
        return [self.text(listed([value])) for value in values]

    def function(self, funcidx: int) -> int:
        """The index of a function's listing."""
        if funcidx not in self._indices:
            self._indices[funcidx] = len(self.functions)
            listing = self._listings[funcidx]
            self.functions.append(
                {
                    "name": self.text(listing.name),
                    "locals": [self.text(name) for name in listing.locals],
                    "code": [[offset, self.text(line)] for offset, line in listing.lines],
                }
            )
        return self._indices[funcidx]

    @singledispatchmethod
    def step(self, event: events.Event) -> dict[str, Any] | None:
        """Returns the step for an event, or None if there is nothing to show."""
        said = "\n".join(lines([event]))
        return {"k": event.kind, "x": self.text(said)} if said else None

    @step.register
    def _(self, event: events.HostWrite) -> dict[str, Any]:
        return {"k": event.kind, "x": self.text("\n".join(lines([event]))), "m": changed(event.memory)}

    @step.register
    def _(self, event: events.Inference) -> dict[str, Any]:
        step: dict[str, Any] = {"k": event.kind, "x": self.text("\n".join(lines([event])))}
        pictures = [
            picture | {"x": self.text(picture["x"])} for picture in map(pictured, event.tensors) if picture
        ]
        return step | ({"t": pictures} if pictures else {})

    @step.register
    def _(self, event: events.Instruction) -> dict[str, Any]:
        frame = self._frame(event.depth)
        listing = self._listings[event.funcidx]
        step: dict[str, Any] = {"d": event.depth, "l": listing.line_at(event.offset)}
        step |= self._locals(frame, self.function(event.funcidx), self.values(event.locals))
        step |= self._stack(frame, self.values(event.stack), len(event.popped))
        if event.global_ is not None:
            index, value = event.global_
            step["g"] = [index, *self.values([value])]
        if event.memory is not None:
            step["m"] = changed(event.memory)
        if event.read is not None:
            step["r"] = [event.read.memory, event.read.address, event.read.value.hex()]
        if event.explained:
            step["x"] = self.text(event.explained)
        if event.error is not None:
            step["e"] = self.text(event.error)
        return step

    def _frame(self, depth: int) -> _Frame:
        """The frame at a depth; deeper frames are dropped."""
        del self._frames[depth:]
        while len(self._frames) < depth:
            self._frames.append(_Frame())
        return self._frames[-1]

    def _locals(self, frame: _Frame, function: int, values: list[int]) -> dict[str, Any]:
        if frame.function != function or len(frame.locals) != len(values):
            frame.function, frame.locals = function, values
            return {"f": function, "a": values}
        changed = [
            [i, new] for i, (old, new) in enumerate(zip(frame.locals, values, strict=True)) if old != new
        ]
        frame.locals = values
        return {"v": changed} if changed else {}

    def _stack(self, frame: _Frame, values: list[int], popped: int) -> dict[str, Any]:
        """Changes of the stack. Values stay if both stacks begin with them, except those that were popped."""
        most = min(len(values), max(len(frame.stack) - popped, 0))
        kept = 0
        while kept < most and frame.stack[kept] == values[kept]:
            kept += 1
        gone, pushed = len(frame.stack) - kept, values[kept:]
        frame.stack = values
        return ({"p": gone} if gone else {}) | ({"s": pushed} if pushed else {})


def changed(change: events.MemoryChange) -> list[Any]:
    return [change.memory, change.address, change.count, change.before.hex(), change.after.hex()]
