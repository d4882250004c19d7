"""Functions as lines, with the offsets of their instructions.

What is not here: whole modules as text (`interpreter.text.printer`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from ...interpreter.module import Body, Module
from ...records import Frozen
from .. import events
from ..labels import Labels

INDENT = "  "
DEEPEST = 40
"""Deeper blocks are indented no further."""
LONGEST = 3000
"""Of longer functions, only executed instructions and AROUND lines around them are listed."""
MOST_LINES = 200_000
"""Once all functions together exceed so many lines, each is shortened like a longer one."""
AROUND = 20
GAP = (-1, "...")


class Listing(Frozen):
    """A function: lines with the offset of their instruction, or -1 for lines left out."""

    name: str
    locals: tuple[str, ...]
    """Names of parameters and locals, at most MOST_VALUES."""
    lines: tuple[tuple[int, str], ...]
    places: dict[int, int]
    """The index of the line for each offset."""

    def line_at(self, offset: int) -> int:
        """The line of the instruction at an offset, -1 if it isn't listed."""
        return self.places.get(offset, -1)


def listings_of(module: Module, trace: Iterable[events.Event]) -> dict[int, Listing]:
    """Listings of the functions whose instructions are in the trace, by function index."""
    ran: dict[int, set[int]] = {}
    for event in trace:
        if isinstance(event, events.Instruction):
            ran.setdefault(event.funcidx, set()).add(event.offset)
    labels, made, room = Labels(module), {}, MOST_LINES
    for funcidx, offsets in ran.items():
        made[funcidx] = listing(module, labels, funcidx, offsets, min(LONGEST, room))
        room = max(room - len(made[funcidx].lines), 0)
    return made


def listing(module: Module, labels: Labels, funcidx: int, ran: Container[int], longest: int) -> Listing:
    """The listing of a function: the whole of it if it has at most `longest` instructions, else the
    surroundings of the executed instructions, whose offsets are `ran`."""
    func = module.funcs[funcidx - module.imported_funcs]
    body = func.body
    indents = list(depths(body))
    count = len(body.ops)
    if count <= longest:
        shown: Iterable[int] = range(count)
    else:
        middles = [place for place, offset in enumerate(body.offsets) if offset in ran]
        shown = [place for place in near(middles) if 0 <= place < count]
    lines: list[tuple[int, str]] = []
    before = -1
    for place in shown:
        if place != before + 1:
            lines.append(GAP)
        text = labels.instruction(funcidx, body.ops[place], body.imms[place])
        lines.append((body.offsets[place], INDENT * min(indents[place], DEEPEST) + text))
        before = place
    if before != count - 1:
        lines.append(GAP)
    named = len(labels.type(funcidx).params) + sum(count for count, _ in func.locals)
    return Listing(
        labels.function(funcidx),
        tuple(labels.local(funcidx, index) for index in range(min(named, events.MOST_VALUES))),
        tuple(lines),
        {offset: place for place, (offset, _) in enumerate(lines) if offset >= 0},
    )


def near(places: Iterable[int]) -> list[int]:
    """The places and AROUND more on both sides, sorted."""
    return sorted({place for middle in places for place in range(middle - AROUND, middle + AROUND + 1)})


def depths(body: Body) -> Iterator[int]:
    """The number of blocks around each instruction, the function body included; what ends or divides a block
    is outside of it."""
    depth = 1
    for op in body.ops:
        depth -= op.closes
        yield depth
        depth += op.opens
