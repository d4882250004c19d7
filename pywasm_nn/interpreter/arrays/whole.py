"""Does whole loops: `Whole` is what generated code calls before a loop; it returns what locals are then.

It does all rounds but what is left for the loop itself: the last round, which sets every local that isn't
counted, and from the first round on that can't be done at once. What is not here: what a loop is made of
(`plan.py`), how many rounds can be done (`course.py`), operations on arrays (`numeric.py`, `steps.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ..runtime.depth import descend
from ..runtime.memory import Memory
from .course import Course
from .folding import conditions, folded
from .plan import Plan
from .scalars import Scalars

PRICE = 5_000_000
"""The instructions in loops that would have been done before numpy is imported for them: they take as long as
the import does."""
WASTE = 8
"""How often a loop may be tried in vain in a row."""
MOST_WAYS = 16
"""The most plans that are kept for one loop."""

IMPORT = 400
"""Frames that the import of numpy may take."""


class Purse:
    """Whether numpy is there, or its import has paid. One for each instance."""

    def __init__(self) -> None:
        self.spent = 0
        self.missing = False

    def opens(self, instructions: int) -> bool:
        """Whether a loop of so many instructions may use numpy. Raises RecursionError if the stack has no
        room for its import, which could not be done again."""
        if self.missing:
            return False
        if "numpy" not in sys.modules:
            self.spent += instructions
            if self.spent < PRICE:
                return False
            descend(IMPORT, int, ())
        try:
            import numpy  # noqa: F401  # only whether it can be imported
        except ImportError:
            self.missing = True
            return False
        return True


class Whole:
    """A loop of a function in an instance."""

    def __init__(self, plan: Plan, mems: Sequence[Memory], purse: Purse) -> None:
        self.plan = plan
        self.mems = mems
        self.purse = purse
        self.conditions: tuple[int, ...] | None = None
        """Those that say which plan is done."""
        self.ways: dict[tuple[bool, ...], Plan] = {}
        self.routines: dict[int, Any] = {}
        """For each of these plans, by identity, what computes it."""
        self.wasted = 0
        self.asked: object = None
        """What the last course depends on: arguments, and sizes of memories."""
        self.course: Course | None = None
        self.count = 0
        """The rounds of the last course."""

    def __call__(self, *arguments: Any) -> tuple[Any, ...] | None:
        """The locals after some rounds; None if there weren't any."""
        if self.wasted >= WASTE or self.purse.missing:
            return None
        try:
            return self.done(arguments)
        except RecursionError:  # a guest's stack is no shorter for our functions
            return None

    def coursed(self, arguments: tuple[Any, ...]) -> tuple[Course, int]:
        """The loop with these arguments, and its rounds: a guest that does the same to each picture has the
        same loops, and for a small one that takes as long as doing it."""
        asked = arguments, [mem.size for mem in self.mems]
        course, count = self.course, self.count
        if course is None or asked != self.asked:
            course = Course(self.way(arguments), self.mems, arguments)
            count = course.count()
            self.asked, self.course, self.count = asked, course, count
        course.given(arguments)  # 0.0 equals -0.0, of which no count depends
        return course, count

    def routine(self, plan: Plan) -> Any:
        """What computes a plan."""
        found = self.routines.get(id(plan))
        if found is None:
            found = self.routines[id(plan)] = routine_of(plan)
        return found

    def way(self, arguments: tuple[Any, ...]) -> Plan:
        """The plan with these arguments."""
        if self.conditions is None:
            self.conditions = conditions(self.plan)
        if not self.conditions:
            return self.plan
        scalars = Scalars(self.plan, arguments)
        truths = tuple([bool(scalars.scalar(node)) for node in self.conditions])
        found = self.ways.get(truths)
        if found is None:
            if len(self.ways) >= MOST_WAYS:
                return self.plan
            known = dict(zip(self.conditions, truths, strict=True))
            found = self.ways[truths] = folded(self.plan, known)
        return found

    def done(self, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The same; raises RecursionError, with nothing done, where too few frames are left."""
        course, count = self.coursed(arguments)
        if not count or not self.purse.opens(count * course.laps * len(course.plan.nodes)):
            return None
        course.outer = count
        done, sums = self.routine(course.plan).run(course)
        if done < count:
            self.wasted = self.wasted + 1 if done * 2 < count else 0
        if not done:
            return None
        results = zip(course.plan.results, sums, strict=True)
        return tuple([course.after(result, done, made) for result, made in results if result.param >= 0])


def routine_of(plan: Plan) -> Any:
    """The routine that computes a plan; here numpy is imported."""
    if plan.goes_around:
        from .nested import Nested

        return Nested(plan)
    if plan.laps >= 0:
        from .ragged import Ragged

        return Ragged(plan)
    from .steps import Routine

    return Routine(plan)
