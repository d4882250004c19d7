"""From a validated function to a code object, by way of Python source."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

from ..instructions import Op
from ..memory import Flavour
from ..module import Module
from ..validate import FuncFacts
from . import access, control, exceptions, floats, gc, integers, references, tails, vectors
from .emit import Emitter
from .machine import Machine
from .structure import MAX_INDENT, MAX_LOOPS, Point, Renderer, Seq, TooDeep, survey

__all__ = [
    "Translation",
    "access",
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


@dataclass(frozen=True, slots=True)
class Translation:
    """A function as Python source: one `def` of `func` and its funcidx, or of `tail` if it makes tail
    calls."""

    funcidx: int
    source: str
    instrs: tuple[int, ...]
    """For each line of the source the index of the one instruction in it that may trap or call, -1 if there
    is none."""
    ops: tuple[Op, ...]
    offsets: tuple[int, ...]
    """Of each instruction, as in `module.Body`."""
    dispatches: tuple[tuple[int, int], ...]
    """Tables and types of the dispatch lists it calls through: (tableidx, typeidx) for the name
    `d{tableidx}_{typeidx}`."""
    indices: dict[int, str]
    """Of indirect calls, by instruction: the text of the index. It has no effects and changes nothing."""
    tail_dispatches: tuple[tuple[int, int], ...]
    """The same for `d{tableidx}_{typeidx}_tail`: what is called through them in tail position."""
    tails: tuple[int, ...]
    """Functions that it calls in tail position, by the name `tail{funcidx}`."""
    is_tail: bool
    """Whether it makes tail calls, but to itself: then it is a step for a driver, see `tails.py`."""
    module_name: str

    @property
    def name(self) -> str:
        """What `source` defines."""
        return f"{'tail' if self.is_tail else 'func'}{self.funcidx}"

    def instr(self, line: int) -> int:
        """The instruction of a line, counted from 1; -1 if there is none."""
        return self.instrs[line - 1] if 0 < line <= len(self.instrs) else -1

    def offset(self, line: int) -> int:
        """Byte offset in the module of a line's instruction, or -1."""
        instr = self.instr(line)
        return self.offsets[instr] if 0 <= instr < len(self.offsets) else -1

    def compile(self) -> CodeType:
        """The code object of the function."""
        filename = f"<wasm:{self.module_name} func[{self.funcidx}]>"
        whole = compile(self.source, filename, "exec", dont_inherit=True)
        (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
        return code


def translate(module: Module, index: int, facts: FuncFacts, flavour: Flavour) -> Translation:
    """Translate the defined function `index`. Raises Unsupported."""
    body = module.funcs[index].body
    emitter = Emitter(module, index, facts, flavour)
    try:
        renderer = rendered(emitter.run())
    except TooDeep:  # a `for` can't become states of a machine
        emitter = Emitter(module, index, facts, flavour, counts=False)
        renderer = rendered(emitter.run())
    params = ", ".join(f"l{n}" for n in range(len(facts.type.params)))
    is_tail = emitter.is_tail
    head = [f"def {'tail' if is_tail else 'func'}{emitter.funcidx}({'t, a' if is_tail else params}):"]
    if is_tail and params:
        head.append(f" [{params}] = a")
    head += [f" {line}" for line in emitter.declared()]
    if renderer.crossings:
        head.append(" b = 0")
    lines = head + renderer.lines
    instrs = [-1] * len(head) + renderer.instrs
    if len(lines) == 1:
        lines.append(" pass")
        instrs.append(-1)
    return Translation(
        emitter.funcidx,
        "\n".join(lines) + "\n",
        tuple(instrs),
        body.ops,
        body.offsets,
        tuple(sorted(emitter.dispatched)),
        emitter.indices,
        tuple(sorted(emitter.tail_dispatched)),
        tuple(sorted(emitter.tails)),
        emitter.is_tail,
        module.name,
    )


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
