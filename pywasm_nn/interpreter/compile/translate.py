"""Translates a validated function to a code object, by way of Python source."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import NamedTuple

from ..module import Module
from ..namespace import Namespace
from ..pace import OverworkError, Patience, Work, uncollected, unhurried
from ..validate import FuncFacts
from .compiled import Compiled, Notes, Sites, Unsupported, Variant
from .forms.tree import Point, Seq
from .lowering import Emitter, most_steps
from .rendering.machine import Machine
from .rendering.structure import Renderer
from .rendering.survey import MAX_INDENT, MAX_LOOPS, TooDeep, survey

MOST_BORROWED = 14
"""The deepest indentation at which a function that holds its fuel in a local can still have a `try` around
its body."""
MOST_INSTRUCTIONS = 300_000
"""The most instructions of a function that is compiled: three times as many as in the largest function of
CPython, Yosys and esbuild."""
MOST_TEXT = 2_000_000
"""The most characters of Python, without indentation, that are compiled at a time: each takes at most 400
bytes of memory."""
MOST_VARIABLES = 10_000
"""The most locals and operands of a function that is compiled: sets of them are ints with so many bits."""
MOST_LISTED, LISTED_AN_INSTRUCTION = 50_000, 4
"""The most types and fields in long lists, as counted in `FuncFacts.extent`, and the additional ones for each
instruction: each becomes text."""
MANY = 50
"""The least number of instructions for which switching the garbage collector off is faster; operands form no
cycles."""
CHECKED = os.environ.get("PYWASM_NN_CHECK", "0") not in ("", "0")
"""Whether to check the intermediate form, as our tests do."""
SECONDS_A_CHARACTER, SECONDS_AN_INSTRUCTION = 1e-6, 10e-6
"""Estimated compile times: of CPython for each character, and in total for each instruction."""


class Translation(NamedTuple):
    """A function as Python source: one `def`."""

    source: str
    notes: Notes

    def compile(self, patience: Patience = unhurried) -> Compiled:
        """The function's code. Raises Unsupported if compiling would take too much memory, or more time than
        the waiting call has left, because Python's compiler can't be interrupted."""
        length = len(self.source) - 2 * self.source.count("  ")  # indentation costs nothing
        if length > MOST_TEXT:
            raise Unsupported(f"would be {length} characters of Python: {MOST_TEXT} are compiled at most")
        in_time(length * SECONDS_A_CHARACTER, patience)
        try:
            whole = compile(self.source, f"<wasm func[{self.notes.funcidx}]>", "exec", dont_inherit=True)
        except (MemoryError, SystemError) as error:
            raise Unsupported("takes more memory to compile than there is", now=True) from error
        (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
        return Compiled(code, self.notes)


def in_time(seconds: float, patience: Patience) -> None:
    """Raise Unsupported if the waiting call has less time left; DeadlineError if it has none."""
    left = patience()
    if left is not None and seconds > left:
        raise Unsupported(f"would take {seconds:.1f} s to compile, with {left:.1f} s left", now=True)


def check_size(instructions: int, facts: FuncFacts, patience: Patience) -> None:
    """Raise Unsupported for a function that is too large to be translated."""
    if instructions > MOST_INSTRUCTIONS:
        raise Unsupported(f"has {instructions} instructions: {MOST_INSTRUCTIONS} are compiled at most")
    variables = len(facts.locals) + facts.height
    if variables > MOST_VARIABLES:
        raise Unsupported(f"has {variables} locals and operands: {MOST_VARIABLES} are compiled at most")
    if facts.extent > MOST_LISTED + LISTED_AN_INSTRUCTION * instructions:
        raise Unsupported("goes through more types and fields than is compiled")
    in_time(instructions * SECONDS_AN_INSTRUCTION, patience)


def translate(
    module: Module, index: int, facts: FuncFacts, variant: Variant, patience: Patience = unhurried
) -> Translation:
    """Translate the defined function `index`, for a waiting call with this patience. Raises Unsupported, and
    DeadlineError."""
    instructions = len(module.funcs[index].body.ops)
    check_size(instructions, facts, patience)
    make = partial(Emitter, module, index, facts, variant)
    if instructions < MANY:
        return translated(make, instructions, patience)
    with uncollected(instructions, MANY):  # ends when the tree is gone, so that the collector never sees it
        return translated(make, instructions, patience)


def translated(make: Callable[..., Emitter], instructions: int, patience: Patience) -> Translation:
    """The function as Python source. Its tree is freed on return."""
    try:
        return Translation(*written(*emitted(make, instructions, patience)))
    except OverworkError:
        raise Unsupported("takes too much work to compile") from None


def written(emitter: Emitter, renderer: Renderer) -> tuple[str, Notes]:
    """A rendered function: its whole text, and the notes about it."""
    params = ", ".join(map(Namespace.local, range(len(emitter.facts.type.params))))
    is_tail, needs = emitter.is_tail, emitter.needs
    name = (Namespace.tail if is_tail else Namespace.func)(emitter.funcidx)
    head = [f"def {name}({'t, a' if is_tail else params}):"]
    if is_tail and params:
        head.append(f" [{params}] = a")
    if globals_ := emitter.written_globals():
        head.append(f" global {', '.join(globals_)}")
    if emitter.again is None:
        head += [f" {line.text}" for line in emitter.defaults()]
    if renderer.crossings:
        head.append(" b = 0")
    if renderer.passes:
        head.append(" past = 0")
    body, tail = renderer.lines, []
    if emitter.meter.borrows:
        head += [" left = fuel", " try:"]
        body, tail = [f" {line}" for line in body], [" finally:", "  fuel = left"]
    lines = head + body + tail
    instrs = [-1] * len(head) + renderer.instrs + [-1] * len(tail)
    if len(lines) == 1:
        lines.append(" pass")
        instrs.append(-1)
    notes = Notes(
        emitter.funcidx,
        Sites(tuple(instrs), needs.places).packed(),
        tuple(sorted(needs.dispatched)),
        tuple(sorted(needs.tail_dispatched)),
        tuple(sorted(needs.tails)),
        tuple(sorted(needs.shifts)),
        tuple([found.plan.plain() for found in needs.wholes]),
        is_tail,
    )
    return "\n".join(lines) + "\n", notes


def emitted(make: Callable[..., Emitter], instructions: int, patience: Patience) -> tuple[Emitter, Renderer]:
    """The function as lines, and the emitter that created its tree."""

    def attempt(**wanted: bool) -> tuple[Emitter, Renderer]:
        work = Work(patience, most_steps(instructions))
        emitter = make(work=work, **wanted)
        root = emitter.run()
        if CHECKED:
            check(emitter, root)
        return emitter, rendered(root, work)

    try:
        emitter, renderer = attempt()
    except TooDeep:  # a `for` can't become states of a machine; only rendering finds how deep all nests
        emitter, renderer = attempt(counts=False, borrows=False)
    if emitter.meter.borrows and renderer.indent > MOST_BORROWED:
        emitter, renderer = attempt(borrows=False)
    return emitter, renderer


def check(emitter: Emitter, root: Seq) -> None:
    """Check the invariants of the tree (`forms/check.py`)."""
    from .forms import check  # only for developers of the compiler

    given = sum(1 << 2 * index for index in range(len(emitter.facts.type.params)))
    if emitter.again is None:
        for index in emitter.locals.used - emitter.set_first():
            given |= 1 << 2 * index
    check.check(root, given)


def rendered(root: Seq, work: Work) -> Renderer:
    """The tree as Python: structured if its nesting allows it, else as a state machine."""
    end = Point()
    try:
        _, extent = survey(root, end, (), work)
    except TooDeep:
        extent = None
    if extent is not None and extent.loops <= MAX_LOOPS and extent.indent <= MAX_INDENT:
        renderer = Renderer()
        renderer.sequence(root, end, 1)
        return renderer
    machine = Machine(work)
    machine.run(root)
    return machine
