"""Where a guest stops: its breakpoints and watchpoints, and how often they were reached.

What is not here: the notation of places (`breakpoints.py`), and stopping (`debugger.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...interpreter.interpret import Frame, pausing
from ...interpreter.interpret.code import Code
from ...interpreter.runtime.memory import Memory
from ...records import changed
from .breakpoints import Breakpoint, Places
from .conditions import Condition
from .given import BadInputError
from .rendered import Rendered
from .steps import Position
from .watching import Hit, Watch, reporting, watch


class Stops:
    """The breakpoints and watchpoints of one debugger, numbered together."""

    def __init__(self, places: Places) -> None:
        self.breakpoints: list[Breakpoint] = []
        self.watches: list[Watch] = []
        self.looked_for: Watch | None = None
        """The bytes whose last writer the user looks for; no others are watched then."""
        self.hits: list[Hit] = []
        """Writes to watched bytes by the last instruction."""
        self._places = places
        self._number = 0
        self._counts: dict[int, int] = {}
        """How often each breakpoint was reached."""

    def begin(self) -> None:
        """Another instance begins."""
        self.hits.clear()
        self._counts.clear()

    def add(self, text: str) -> Breakpoint:
        """Set a breakpoint. Raises NotFoundError, BadInputError, MalformedError."""
        made = self._places.breakpoint(self._number + 1, text)
        self._number += 1
        self.breakpoints.append(made)
        return made

    def watch(self, text: str, position: Position | None) -> Watch:
        """Set a watchpoint. Raises BadInputError."""
        made = watch(self._number + 1, text, position)
        self._number += 1
        self.watches.append(made)
        return made

    def remove(self, number: int) -> bool:
        """Remove a breakpoint or watchpoint; returns whether there was one with this number."""
        before = len(self.breakpoints) + len(self.watches)
        self.breakpoints = [made for made in self.breakpoints if made.number != number]
        self.watches = [made for made in self.watches if made.number != number]
        return len(self.breakpoints) + len(self.watches) < before

    def ignore(self, number: int, count: int) -> bool:
        """Let a breakpoint be reached so many times more before it stops; returns whether there is one."""
        skips = self._counts.get(number, 0) + count
        found = [made for made in self.breakpoints if made.number == number]
        self.breakpoints = [
            changed(made, skips=skips) if made.number == number else made for made in self.breakpoints
        ]
        return bool(found)

    @property
    def watched(self) -> list[Watch]:
        """The watched bytes."""
        return self.watches if self.looked_for is None else [self.looked_for]

    def functions(self) -> frozenset[int]:
        """The functions with breakpoints."""
        return frozenset(funcidx for made in self.breakpoints for funcidx, _ in made.places)

    def at(self, frame: Frame, *, counts: bool) -> str:
        """The breakpoint that stops before the next instruction of a frame, or "". `counts`: it is reached
        now, and not in the repeated past."""
        place, told = (frame.funcidx, frame.pc), ""
        for made in self.breakpoints:
            if place not in made.places:
                continue
            try:
                if made.condition is not None and not self._holds(made.condition, Position(frame, frame.pc)):
                    continue
            except BadInputError as error:
                told = told or f"breakpoint {made.number}: {error}"
                continue
            if not counts or self._counted(made):
                told = told or f"breakpoint {made.number}: {made.text}"
        return told

    def _holds(self, condition: Condition, position: Position) -> bool:
        """Whether a condition holds; it may name numbers of the source."""
        return bool(condition.value(position, Rendered(self._places.variables, position).number))

    def _counted(self, made: Breakpoint) -> bool:
        """Count that a breakpoint is reached; whether it stops this time."""
        count = self._counts[made.number] = self._counts.get(made.number, 0) + 1
        return count > made.skips

    def at_host(self, module: str, name: str) -> Iterator[int]:
        """The numbers of breakpoints at this function of the host."""
        return (made.number for made in self.breakpoints if made.stops_at_host(module, name))

    def at_nn(self, operation: str) -> Iterator[int]:
        """The numbers of breakpoints at this operation of wasi-nn."""
        return (made.number for made in self.breakpoints if made.stops_at_nn(operation))

    def marked(self, plain: Code, funcidx: int) -> Code:
        """The code of a function that pauses where the guest may have to stop."""
        places = [place for made in self.breakpoints for place in made.places]
        here = frozenset(instr for index, instr in places if index == funcidx)
        return pausing(plain, here, reporting(self.watched, self.hits.append) if self.watched else None)

    def host_wrote(self, memory: Memory, address: int, count: int) -> None:
        """The host has changed bytes of memory 0."""
        for each in self.watched:
            if each.overlaps(address, count):
                self.hits.append(Hit(each, None, memory.read(each.address, each.count)))

    def changes(self) -> str:
        """The change of watched bytes by the last instruction, in words, or ""; asked once."""
        told = [str(hit) for hit in self.hits if hit.before != hit.after]
        self.hits.clear()
        return "\n".join(told)
