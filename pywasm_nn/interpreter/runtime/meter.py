"""What running costs: fuel and time, counted where both engines count them.

**Fuel** is instructions: one for each that is executed, `block`, `loop`, `else` and `end` included (an arm of
an `if` ends with one `else` or `end`, a branch skips those it jumps over). That is as many as `--trace=instr`
shows. A basic block is paid for as a whole when it begins: one that the rest doesn't pay for isn't begun,
what is left is 0 then, and after a trap in the middle of a block all of it has been paid for. Instructions
that touch many bytes or elements (`BULK`) pay one more for every eight that they name, before they touch any.

**Time** is looked at when a function or a round of a loop begins and before such instructions, which look
again after each `pace.PIECE`: a flag that
the thread of `alarm.py` sets, or where there are no threads the clock, each `GLANCE` units of fuel.

Both are variants of the code that engines make: without limits none of this is in it. A compiled function
that calls nobody counts in a local variable and puts what is left back however it ends. What is not here: how
engines put it there (`compile/lowering/emitter.py`, `interpret/code.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ...errors import DeadlineError, HostCallsError
from ..instructions import OPS
from ..module import Body
from .alarm import CLOCK
from .group import Group
from .payment import lent, settle
from .quota import SHARED, SLICE
from .store import Due

if TYPE_CHECKING:
    from ..validate import FuncFacts

GLANCE = SHARED
"""The slices of fuel where the clock is looked at after each."""
SHARE = 3
"""Bulk instructions pay for what they name, shifted right by this."""
BULK = frozenset(
    {
        "memory.copy", "memory.fill", "memory.init",
        "table.copy", "table.fill", "table.init",
        "array.new", "array.new_default", "array.new_data", "array.new_elem",
        "array.fill", "array.copy", "array.init_data", "array.init_elem",
    }
)  # fmt: skip
"""Instructions whose last operand says how many bytes or elements they touch."""
CALLS = frozenset(
    {"call", "call_indirect", "call_ref", "return_call", "return_call_indirect", "return_call_ref"}
)
SPENDING = BULK | CALLS
"""Instructions in which others may spend fuel."""
ENDING = frozenset(
    {
        "if", "else", "br", "br_if", "br_table", "br_on_null", "br_on_non_null", "br_on_cast",
        "br_on_cast_fail", "return", "return_call", "return_call_indirect", "return_call_ref",
        "unreachable", "throw", "throw_ref",
    }
)  # fmt: skip
"""Instructions after which another basic block begins."""
STRAIGHT = 1000
"""Instructions after which time is looked at, loop or not."""
MAKING = frozenset(OPS[name] for name in ("struct.new", "struct.new_default", "array.new_fixed"))
"""Instructions that go through up to ten thousand fields or elements."""


class Metered(NamedTuple):
    """What code counts beside doing what the guest says; a part of the key of wherever code is kept.

    Whoever translates so that instructions become fewer, or run in another order or number, leaves that be
    where fuel is counted, or charges the same; and lets no loop go without a look at the time.
    """

    fuel: bool = False
    time: bool = False
    blocks: bool = False
    """Not counted but told: an observer hears of each basic block that begins."""


def targets(facts: FuncFacts) -> Iterator[int]:
    """Where branches go."""
    from ..validate import Label

    for labels in facts.branches.values():
        for label in (labels,) if isinstance(labels, Label) else labels:
            yield label.pc


def charges(body: Body, facts: FuncFacts) -> dict[int, int]:
    """Where basic blocks begin, by the index of their first instruction, and how many instructions they
    have."""
    ops = body.ops
    begins = {0, *targets(facts)}
    begins.update(pc + 1 for pc, op in enumerate(ops) if op.name in ENDING)
    begins.update(end + 1 for start, end in facts.ends.items() if ops[start].name == "if")
    costs: dict[int, int] = {}
    cost = 0
    for pc in range(len(ops) - 1, -1, -1):
        cost = 1 if pc + 1 in begins else cost + 1
        if pc in begins:
            costs[pc] = cost
    return costs


def checks(body: Body, facts: FuncFacts) -> set[int]:
    """Where time is looked at: the first instructions of the function, and of its loops that go round; each
    so many instructions, as some of them take long; and before those that make something large."""
    found = {pc for pc in targets(facts) if pc and body.ops[pc - 1].name == "loop"}
    found.update(range(0, len(body.ops), STRAIGHT))
    if not MAKING.isdisjoint(body.ops):
        found.update(pc for pc, op in enumerate(body.ops) if op in MAKING)
    return found


class Meter:
    """What one instance counts, of what its group may still spend. Generated code has the slice of fuel that
    it holds in its namespace, as `fuel`."""

    def __init__(self, group: Group, namespace: dict[str, Any], blocks: bool = False) -> None:
        limits = group.limits
        self.seconds = limits.seconds
        timed = limits.seconds is not None
        watched = timed and CLOCK.available()
        self.counts = Metered(limits.fuel is not None or (timed and not watched), watched, blocks)
        self._halts: dict[int, Callable[[], None]] = {}
        """What is called from another thread when the time is over, by whom it is about."""
        self._namespace = namespace
        self.group = group
        self.store = group.store
        self.made_anew: Callable[[], None] | None = None
        """What is called when `counts` have changed: code that was made before counts other things."""
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
        """Let functions that are called from now on be made again."""
        if self.made_anew is not None:
            self.made_anew()

    # Fuel

    @property
    def held(self) -> int:
        """What is left of the slice."""
        return int(self._namespace["fuel"])

    @held.setter
    def held(self, amount: int) -> None:
        self._namespace["fuel"] = amount

    def charge(self, count: int) -> None:
        """Pay for a basic block of so many instructions."""
        self._namespace["fuel"] -= count
        if self._namespace["fuel"] < 0:
            self.refill()

    def pay(self, count: int) -> int:
        """Pay for a bulk instruction on so many bytes or elements. Returns the number."""
        if self.counts.fuel:
            self.charge(count >> SHARE)
        self.check()
        return count

    def refill(self) -> None:
        """Begin another slice, the last having fallen below zero. Raises FuelError, and DeadlineError."""
        self.patience()
        self._take(-self._namespace["fuel"])

    def renew(self, left: int) -> int:
        """The same for who counted by itself: what it has left now."""
        self._namespace["fuel"] = left
        self.refill()
        return int(self._namespace["fuel"])

    def _take(self, owed: int) -> None:
        """A new slice, of which so much is owed already."""
        self.held = 0
        purse = self.group.purse
        slice_ = lent if purse is None else purse.slice
        self.held = slice_(self, owed, self._slice)

    def count_fuel(self) -> None:
        """Count it from now on, if that wasn't done before: somebody who has a limit may call."""
        if not self.counts.fuel:
            self.counts = self.counts._replace(fuel=True)
            self.begin_anew()

    # Time

    def heed(self) -> None:
        """Look at the time from now on, if that wasn't done before: somebody who has a deadline can reach
        this instance."""
        if self._slice == GLANCE or self.counts.time:
            return
        if CLOCK.available():
            self.counts = self.counts._replace(time=True)
        else:
            # From now on slices are small.
            settle() if self.group.purse is None else self.group.purse.collect()
            self._slice = GLANCE
            self.counts = self.counts._replace(fuel=True)
        self.begin_anew()

    def deadlines(self) -> list[Due]:
        """Those that hold for this instance now."""
        return [due for due in self.store.root().deadlines if due.only is None or due.only is self]

    def tell(self) -> None:
        """Set the flag if a deadline is over."""
        self._namespace["halted"] = any(due.over for due in self.deadlines())

    def interrupt(self) -> None:
        """If a deadline is over, end what goes on in models. Called from another thread."""
        if self._namespace["halted"]:
            for halt in list(self._halts.values()):
                with suppress(Exception):  # what one can't end is no reason to let others go on
                    halt()

    @property
    def counts_host_calls(self) -> bool:
        """Whether `host_call` is to be called before each: for their number, or for the time that they take
        where nobody else looks at it."""
        return self.group.host_calls is not None or (self.seconds is not None and not self.counts.time)

    def host_call(self) -> None:
        """A host function is about to be called. Raises HostCallsError, DeadlineError."""
        quota = self.group.host_calls
        if quota is not None and not quota.take(1):
            raise HostCallsError(self.group.limits.host_calls or 0)
        self.patience()

    def when_halted(self, halt: Callable[[Any], None], model: Any) -> None:
        """Call this with the model, from another thread, when the time is over: once, however often it is
        asked for."""
        self._halts[id(model)] = partial(halt, model)

    def check(self) -> None:
        """Raise DeadlineError if the flag is set."""
        if self._namespace["halted"]:
            self.halt()

    def halt(self) -> NoReturn:
        """Raise DeadlineError."""
        first = min(self.deadlines(), key=lambda due: due.moment, default=None)
        raise DeadlineError((self.seconds or 0) if first is None else first.seconds)

    def patience(self) -> float | None:
        """Seconds that are left to the call; None without a limit. Raises DeadlineError if there are none."""
        if not self.store.root().deadlines:
            return None
        moment = min((due.moment for due in self.deadlines()), default=None)
        if moment is None:
            return None
        left = moment - monotonic()
        if left <= 0:
            self.halt()
        return left
