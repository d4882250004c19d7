"""What the page is told of a trace: functions as lines, and steps that say only what they changed.

    strings    every text once; all other places have its index here
    functions  {name, locals: names, code: [[offset, text], ...]}
    memories   how many the module has
    steps      one an event, in order

A step that is an instruction: `d` depth; `l` line; where the frame is new `f` function and `a` all locals,
else `v` [[local, value], ...] that changed; `p` how many values left the stack and `s` which came; `g`
[global, value] that was set; `m` [memory, address, bytes, before, after] in hexadecimal; `r` [memory,
address, bytes] that were read; `x` what it did, `e` why it failed. Any other step: `k` kind, `x` its line,
`t` its tensors that are pictures, {x, src, width}, `m` what the host wrote.

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
"""How instructions that may call the host begin."""


def steps_of(module: Module, trace: Iterable[events.Event]) -> dict[str, Any]:
    """The page's data, as JSON has them."""
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
    """The events, a call before what the host did in it: an instruction is told when it has ended."""
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
    """What the page knows of a frame: values as it shows them."""

    function: int = -1
    stack: list[int] = field(default_factory=list)
    locals: list[int] = field(default_factory=list)


class _Writer:
    """Makes steps of events, in order, and keeps what the page will know after each."""

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
        """The step that an event is; None if there is nothing to say of it."""
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
        """The frame at a depth; deeper ones are gone."""
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
        """What stays is what both have in common, but nothing that the instruction took."""
        most = min(len(values), max(len(frame.stack) - popped, 0))
        kept = 0
        while kept < most and frame.stack[kept] == values[kept]:
            kept += 1
        gone, pushed = len(frame.stack) - kept, values[kept:]
        frame.stack = values
        return ({"p": gone} if gone else {}) | ({"s": pushed} if pushed else {})


def changed(change: events.MemoryChange) -> list[Any]:
    return [change.memory, change.address, change.count, change.before.hex(), change.after.hex()]
