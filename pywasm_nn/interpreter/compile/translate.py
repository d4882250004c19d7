"""From a validated function to a code object, by way of Python source."""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from ..module import Module
from ..validate import FuncFacts
from . import access, comparisons, control, exceptions, floats, gc, integers, references, tails, vectors
from .compiled import Compiled, Notes, Sites, Variant
from .counted import NeverCounts
from .emit import Emitter
from .machine import Machine
from .structure import Renderer
from .survey import MAX_INDENT, MAX_LOOPS, TooDeep, survey
from .tree import Point, Seq

__all__ = [
    "Translation",
    "access",
    "comparisons",
    "control",
    "exceptions",
    "floats",
    "gc",
    "integers",
    "references",
    "tails",
    "translate",
    "vectors",
]


MOST_BORROWED = 14
"""Levels of indentation up to which a function that counts fuel by itself has room for a `try` around all."""


class Translation(NamedTuple):
    """A function as Python source: one `def`."""

    source: str
    notes: Notes

    def compile(self) -> Compiled:
        """The function's code."""
        whole = compile(self.source, f"<wasm func[{self.notes.funcidx}]>", "exec", dont_inherit=True)
        (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
        return Compiled(code, self.notes)


def translate(module: Module, index: int, facts: FuncFacts, variant: Variant) -> Translation:
    """Translate the defined function `index`. Raises Unsupported."""
    emitter = Emitter(module, index, facts, variant)
    try:
        renderer = rendered(emitter.run())
    except (TooDeep, NeverCounts):  # a `for` can't become states of a machine, nor stand where none ends
        emitter = Emitter(module, index, facts, variant, counts=False, borrows=False)
        renderer = rendered(emitter.run())
    if emitter.borrows and renderer.indent > MOST_BORROWED:
        emitter = Emitter(module, index, facts, variant, borrows=False)
        renderer = rendered(emitter.run())
    params = ", ".join(f"l{n}" for n in range(len(facts.type.params)))
    is_tail = emitter.is_tail
    head = [f"def {'tail' if is_tail else 'func'}{emitter.funcidx}({'t, a' if is_tail else params}):"]
    if is_tail and params:
        head.append(f" [{params}] = a")
    head += [f" {line}" for line in emitter.declared()]
    if renderer.crossings:
        head.append(" b = 0")
    body, tail = renderer.lines, []
    if emitter.borrows:
        head += [" left = fuel", " try:"]
        body, tail = [f" {line}" for line in body], [" finally:", "  fuel = left"]
    lines = head + body + tail
    instrs = [-1] * len(head) + renderer.instrs + [-1] * len(tail)
    if len(lines) == 1:
        lines.append(" pass")
        instrs.append(-1)
    notes = Notes(
        emitter.funcidx,
        Sites(tuple(instrs), emitter.places).packed(),
        tuple(sorted(emitter.dispatched)),
        tuple(sorted(emitter.tail_dispatched)),
        tuple(sorted(emitter.tails)),
        tuple(sorted(emitter.shifts)),
        emitter.is_tail,
    )
    return Translation("\n".join(lines) + "\n", notes)


def rendered(root: Seq) -> Renderer:
    """The tree as Python: structured if it isn't too deep for that, else as a state machine."""
    end = Point()
    try:
        _, extent = survey(root, end, ())
    except TooDeep:
        extent = None
    if extent is not None and extent.loops <= MAX_LOOPS and extent.indent <= MAX_INDENT:
        renderer = Renderer()
        renderer.sequence(root, end, 1)
        return renderer
    machine = Machine()
    machine.run(root)
    return machine
