"""Counts the costs of running: fuel and time, at the same points in both engines.

**Fuel** counts instructions: one for each that is executed, including `block`, `loop`, `else` and `end` (an
arm of an `if` ends with one `else` or `end`; a branch skips those that it jumps over). The count equals the
number of events of `--trace=instr`. A basic block is paid as a whole when it begins. If the remaining fuel
isn't enough for a block, the block doesn't begin, and 0 is left; after a trap inside a block the whole block
has been paid. Instructions that touch many bytes or elements (`BULK`) pay one more for every eight that their
operand names, before they touch any.

**Time** is checked when a function or an iteration of a loop begins, after calls of imported functions, and
before bulk instructions, which check again after each `pace.PIECE`. The check reads a flag that the thread of
`alarm.py` sets; without threads it reads the clock after each `GLANCE` units of fuel.

Both are variants of the code that engines make: without limits the code contains no counting. A compiled leaf
function counts in a local variable and stores the rest however it ends. What is not here: putting the
counting into code (`compile/lowering/emitter.py`, `interpret/code.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import DeadlineError, HostCallsError
from ...tuples import NamedTuple
from ..module import Body
from .alarm import CLOCK
from .group import Group
from .payment import lent, settle
from .quota import SHARED, SLICE
from .store import Due

if TYPE_CHECKING:
    from ..validate import FuncFacts

GLANCE = SHARED
"""The size of fuel slices if the clock is checked after each slice."""
SHARE = 3
"""Bulk instructions pay for the operand, shifted right by this."""
BULK = frozenset(
    {
        "memory.copy", "memory.fill", "memory.init",
        "table.copy", "table.fill", "table.init",
        "array.new", "array.new_default", "array.new_data", "array.new_elem",
        "array.fill", "array.copy", "array.init_data", "array.init_elem",
    }
)  # fmt: skip
"""Instructions whose last operand is the number of bytes or elements that they touch."""
CALLS = frozenset(
    {"call", "call_indirect", "call_ref", "return_call", "return_call_indirect", "return_call_ref"}
)
SPENDING = BULK | CALLS
"""Instructions during which other code may spend fuel."""
ENDING = frozenset(
    {
        "if", "else", "br", "br_if", "br_table", "br_on_null", "br_on_non_null", "br_on_cast",
        "br_on_cast_fail", "br_on_cast_desc_eq", "br_on_cast_desc_eq_fail",
        "return", "return_call", "return_call_indirect", "return_call_ref",
        "unreachable", "throw", "throw_ref", "rethrow", "catch", "catch_all",
    }
)  # fmt: skip
"""Instructions that end a basic block."""
STRAIGHT = 1000
"""Time is checked after so many instructions, even without a loop."""
MAKING = frozenset(
    {"struct.new", "struct.new_default", "struct.new_desc", "struct.new_default_desc", "array.new_fixed"}
)
"""Instructions that process up to ten thousand fields or elements."""


class Metered(NamedTuple):
    """The counting that code contains, besides its own work. It is part of the key wherever code is stored.

    A translation that removes, reorders or repeats instructions must not be applied where fuel is counted, or
    must charge the same; and every loop must check the time.
    """

    fuel: bool = False
    time: bool = False
    blocks: bool = False
    """Not counted but reported: an observer gets an event for each basic block that begins."""


def targets(facts: FuncFacts) -> Iterator[int]:
    """The targets of all branches."""
    from ..validate import Label

    for labels in facts.branches.values():
        for label in (labels,) if isinstance(labels, Label) else labels:
            yield label.pc


def charges(body: Body, facts: FuncFacts) -> dict[int, int]:
    """The number of instructions of each basic block, by the index of its first instruction."""
    ops = body.ops
    begins = {0, *targets(facts)}
    begins.update(pc + 1 for pc, op in enumerate(ops) if op.name in ENDING)
    begins.update(end + 1 for start, end in facts.ends.items() if ops[start].name in ("if", "try"))
    costs: dict[int, int] = {}
    cost = 0
    for pc in range(len(ops) - 1, -1, -1):
        cost = 1 if pc + 1 in begins else cost + 1
        if pc in begins:
            costs[pc] = cost
    return costs


def checks(body: Body, facts: FuncFacts, imported_funcs: int) -> set[int]:
    """Where time is checked: at the start of the function, at the start of loops with a back edge, after each
    STRAIGHT instructions and each call of an imported function, and before instructions that make large
    objects."""
    found = {pc for pc in targets(facts) if pc and body.ops[pc - 1].name == "loop"}
    found.update(range(0, len(body.ops), STRAIGHT))
    for pc, op in enumerate(body.ops):
        if op.name in MAKING:
            found.add(pc)
        elif op.name == "call" and body.imms[pc] < imported_funcs:
            found.add(pc + 1)
    return found


class Meter:
    """Counts for one instance what it spends of its group's limits. Generated code has the current slice of
    fuel in its namespace, as `fuel`."""

    def __init__(self, group: Group, namespace: dict[str, Any], blocks: bool = False) -> None:
        limits = group.limits
        self.seconds = limits.seconds
        timed = limits.seconds is not None
        watched = timed and CLOCK.available()
        self.counts = Metered(limits.fuel is not None or (timed and not watched), watched, blocks)
        self._halts: dict[int, Callable[[], None]] = {}
        """Functions to call from another thread when the time is over, by the id of their model."""
        self._namespace = namespace
        self.group = group
        self.store = group.store
        self.made_anew: Callable[[], None] | None = None
        """Called when `counts` have changed: code made before that counts other things."""
        self._slice = GLANCE if timed and not watched else SLICE
        namespace.update(
            {
                "fuel": 0,
                "refill": self.refill,
                "renew": self.renew,
                "pay": self.pay,
                "patience": self.patience,
                "halted": False,
                "halt": self.halt,
            }
        )
        group.add(self)

    def begin_anew(self) -> None:
        """Make functions again that are called from now on."""
        if self.made_anew is not None:
            self.made_anew()

    # Fuel

    @property
    def held(self) -> int:
        """The rest of the current slice."""
        return int(self._namespace["fuel"])

    @held.setter
    def held(self, amount: int) -> None:
        self._namespace["fuel"] = amount

    def charge(self, count: int) -> None:
        """Pay for a basic block of `count` instructions."""
        self._namespace["fuel"] -= count
        if self._namespace["fuel"] < 0:
            self.refill()

    def pay(self, count: int) -> int:
        """Pay for a bulk instruction on `count` bytes or elements. Returns `count`."""
        if self.counts.fuel:
            self.charge(count >> SHARE)
        self.check()
        return count

    def refill(self) -> None:
        """Begin another slice when the last one is below zero. Raises FuelError, and DeadlineError."""
        self.patience()
        self._take(-self._namespace["fuel"])

    def renew(self, left: int) -> int:
        """The same for code that counts in a local variable: `left` is its rest; returns the new slice."""
        self._namespace["fuel"] = left
        self.refill()
        return int(self._namespace["fuel"])

    def _take(self, owed: int) -> None:
        """Take a new slice, and pay what is owed from it."""
        self.held = 0
        purse = self.group.purse
        slice_ = lent if purse is None else purse.slice
        self.held = slice_(self, owed, self._slice)

    def count_fuel(self) -> None:
        """Count fuel from now on, if not done already: a caller may have a limit on it."""
        if not self.counts.fuel:
            self.counts = self.counts._replace(fuel=True)
            self.begin_anew()

    # Time

    def heed(self) -> None:
        """Check the time from now on, if not done already: an instance with a deadline can reach this one."""
        if self._slice == GLANCE or self.counts.time:
            return
        if CLOCK.available():
            self.counts = self.counts._replace(time=True)
        else:
            # Use small slices from now on.
            settle() if self.group.purse is None else self.group.purse.collect()
            self._slice = GLANCE
            self.counts = self.counts._replace(fuel=True)
        self.begin_anew()

    def deadlines(self) -> list[Due]:
        """The deadlines that apply to this instance now."""
        return [due for due in self.store.root().deadlines if due.only is None or due.only is self]

    def tell(self) -> None:
        """Set the flag if a deadline is over."""
        self._namespace["halted"] = any(due.over for due in self.deadlines())

    def interrupt(self) -> None:
        """If a deadline is over, stop the running operations of models. Called from another thread."""
        if self._namespace["halted"]:
            for halt in list(self._halts.values()):
                with suppress(Exception):  # the others must be stopped even if one fails
                    halt()

    @property
    def counts_host_calls(self) -> bool:
        """Whether `host_call` must be called before each host call: to count it, or to check the time if
        nothing else checks it."""
        return self.group.host_calls is not None or (self.seconds is not None and not self.counts.time)

    def host_call(self) -> None:
        """Called before each host function. Raises HostCallsError, DeadlineError."""
        quota = self.group.host_calls
        if quota is not None and not quota.take(1):
            raise HostCallsError(self.group.limits.host_calls or 0)
        self.patience()

    def when_halted(self, halt: Callable[[Any], None], model: Any) -> None:
        """Call `halt` with the model, from another thread, when the time is over; several requests for the
        same model make one call."""
        self._halts[id(model)] = partial(halt, model)

    def check(self) -> None:
        """Raise DeadlineError if the flag is set."""
        if self._namespace["halted"]:
            self.halt()

    def halt(self) -> NoReturn:
        """Raise DeadlineError, or the reason of a deadline that has one."""
        first = min(self.deadlines(), key=lambda due: due.moment, default=None)
        raise DeadlineError(self.seconds or 0) if first is None else first.error()

    def patience(self) -> float | None:
        """The seconds that the call has left; None without a limit. Raises DeadlineError if there are
        none."""
        if not self.store.root().deadlines:
            return None
        moment = min((due.moment for due in self.deadlines()), default=None)
        if moment is None:
            return None
        left = moment - monotonic()
        if left <= 0:
            self.halt()
        return left
