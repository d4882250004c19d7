"""Functions as lines, with the offsets by which a trace names them.

What is not here: whole modules as text (`interpreter.text.printer`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from ...interpreter.instructions.row import Imm
from ...interpreter.module import Module
from .. import events
from ..labels import Labels

INDENT = "  "
DEEPEST = 40
"""Levels of indentation that are shown."""
LONGEST = 3000
"""Of longer functions only what ran is listed, with AROUND lines before and after."""
AROUND = 20
GAP = (-1, "...")


@dataclass(frozen=True, slots=True)
class Listing:
    """A function: lines with the offset of their instruction, or -1 for lines left out."""

    name: str
    locals: tuple[str, ...]
    """Parameters first, MOST_VALUES at most."""
    lines: tuple[tuple[int, str], ...]
    places: dict[int, int]
    """Which line an offset is."""

    def line_at(self, offset: int) -> int:
        """The line of an instruction, -1 if it has none."""
        return self.places.get(offset, -1)


def listings_of(module: Module, trace: Iterable[events.Event]) -> dict[int, Listing]:
    """Listings of the functions of which the trace has instructions, by function index."""
    ran: dict[int, set[int]] = {}
    for event in trace:
        if isinstance(event, events.Instruction):
            ran.setdefault(event.funcidx, set()).add(event.offset)
    labels = Labels(module)
    return {funcidx: listing(module, labels, funcidx, offsets) for funcidx, offsets in ran.items()}


def listing(module: Module, labels: Labels, funcidx: int, ran: Container[int]) -> Listing:
    """The listing of a function, in which instructions at the offsets `ran` are."""
    func = module.funcs[funcidx - module.imported_funcs]
    every = list(code(module, labels, funcidx))
    shown = (
        range(len(every))
        if len(every) <= LONGEST
        else [
            place
            for place in near([i for i, (at, _) in enumerate(every) if at in ran])
            if 0 <= place < len(every)
        ]
    )
    lines: list[tuple[int, str]] = []
    before = -1
    for index in shown:
        if index != before + 1:
            lines.append(GAP)
        lines.append(every[index])
        before = index
    if before != len(every) - 1:
        lines.append(GAP)
    count = len(labels.type(funcidx).params) + sum(count for count, _ in func.locals)
    return Listing(
        labels.function(funcidx),
        tuple(labels.local(funcidx, index) for index in range(min(count, events.MOST_VALUES))),
        tuple(lines),
        {offset: place for place, (offset, _) in enumerate(lines) if offset >= 0},
    )


def near(places: Iterable[int]) -> list[int]:
    """The places and AROUND more on both sides, in order."""
    return sorted({place for middle in places for place in range(middle - AROUND, middle + AROUND + 1)})


def code(module: Module, labels: Labels, funcidx: int) -> Iterator[tuple[int, str]]:
    """Offset and text of each instruction, indented by the blocks around it."""
    body = module.funcs[funcidx - module.imported_funcs].body
    depth = 1
    for offset, (op, imm) in zip(body.offsets, body, strict=True):
        depth -= op.name in ("end", "else")
        yield offset, INDENT * min(max(depth, 0), DEEPEST) + labels.instruction(funcidx, op, imm)
        depth += Imm.BLOCKTYPE in op.imms or op.name == "else"
