"""What each round of a loop changes: the locals that count, and by how much, and those that depend on the
round before.

What is not here: what one round does (`rounds.py`), and which loops can be done with arrays (`whole.py`).
"""

from __future__ import annotations

from ...module import Body, Module
from ...validate import FuncFacts
from .numbers import BITS
from .rounds import ALWAYS, Access, Arrival, Path, Round
from .values import DATA, Refused, Terms, Values

SETTING = ("local.set", "local.tee")


class Study:
    """A loop, executed for one round in which the locals that count are known in terms of the round's number.
    `number` is 0, or that of a loop inside; `around` are then the values of locals before it."""

    tests_first = False
    """Of a loop inside: whether it ends before its last round does anything."""
    carried = False
    """Of a loop inside: whether its rounds are computed one after the other."""
    path: Path = ALWAYS
    """Of a loop inside: where it is executed."""
    taken: Path | None = None
    """Of a loop inside whose rounds are as many as data says: where it is executed."""

    def __init__(
        self, module: Module, body: Body, facts: FuncFacts, loop: int, number: int, v: Values,
        around: dict[int, int], stores: list[Access] | None = None,
    ) -> None:  # fmt: skip
        self.v, self.number, self.around = v, number, around
        self.set = sorted(
            {body.imms[index] for index in range(loop, facts.ends[loop]) if body.ops[index].name in SETTING}
        )
        self.known = len(v.nodes) if number else 0
        self.before: dict[int, int] = {}
        self.steps: dict[int, tuple[int, Terms]] = {}
        """What each round adds to a local."""

        def inside(around: Round, loop: int) -> Study:
            further = around.number + 1 + len(around.inners)
            return Study(module, body, facts, loop, further, v, dict(around.locals), around.stores)

        def executed() -> Round:
            made = Round(module, body, facts, loop, number, v, inside)
            made.stores, made.known = list(stores or ()), self.known
            made.locals = dict(around)
            for local in self.set:
                type_ = made.type_of(facts.locals[local])
                if local not in self.before:
                    self.before[local] = v.node(type_, False, "before", number, local)
                made.locals[local] = self.first(local, type_, around)
            made.run()
            if not made.back:
                raise Refused("isn't repeated")
            return made

        found = executed()
        path, after, _ = found.merged(found.back)
        for local in self.set:
            step = self.step_of(local, after[local])
            if step is not None:
                self.steps[local] = step
        if not self.counts(path):
            raise Refused("goes on while it meets data")
        self.round = executed() if self.steps else found
        self.start = {local: self.first(local, v.types[self.before[local]], around) for local in self.set}
        """The values of locals at the start of a round."""
        self.again: Arrival = self.round.merged(self.round.back)

    def counts(self, path: Path) -> bool:
        """Whether the conditions of the next round depend on nothing that a round loads, and on no local that
        doesn't count."""
        nodes = self.v.nodes
        for part in self.v.made_of([node for node, _ in path]):
            form = nodes[part]
            kind = form[0]
            if (kind in DATA and part >= self.known) or (
                kind == "before" and form[1] == self.number and form[2] not in self.steps
            ):
                return False
        return True

    def step_of(self, local: int, after: int) -> tuple[int, Terms] | None:
        """What a round adds to a local, if that is the same in all rounds."""
        v, before = self.v, self.before[local]
        if v.types[before] not in BITS:
            return None
        constant, terms = v.terms(after)
        if terms.pop(before, 0) != 1 or not all(v.still[term] for term in terms):
            return None
        return constant, terms

    def first(self, local: int, type_: str, around: dict[int, int]) -> int:
        """The value of a local at the start of a round."""
        v, number = self.v, self.number
        if local not in self.steps:
            return self.before[local]
        bits = BITS[type_]
        constant, terms = self.steps[local]
        start = around[local] if local in around else v.local(type_, local)
        made: Terms = {}
        if constant:
            made[v.index(bits, number)] = constant
        for node, factor in terms.items():
            made[v.node(type_, False, "scaled", node, number)] = factor
        return v.sum(bits, start, v.linear(bits, 0, made))

    def carries(self) -> bool:
        """Whether a local depends on its value in the round before, and doesn't count."""
        ends = [self.set_by_all(self.again.locals[local], self.before[local], {}) for local in self.set]
        seen = self.v.made_of(ends)
        return any(self.before[local] in seen for local in self.set if local not in self.steps)

    def set_by_all(self, node: int, before: int, known: dict[int, int]) -> int:
        """A value where it is `before` or not as conditions say that don't change: without `before`."""
        v = self.v
        if v.nodes[node][0] != "select" or not v.still[v.nodes[node][2]]:
            return node
        if node not in known:
            condition, *values = v.nodes[node][2:]
            first, second = [self.set_by_all(value, before, known) for value in values]
            is_chosen = before not in (first, second)
            known[node] = (
                self.round.choice(condition, first, second) if is_chosen and first != second
                else second if first == before else first
            )  # fmt: skip
        return known[node]

    def after(self, local: int, around: dict[int, int]) -> int:
        """The value of a local after the loop inside; `around` has the value before."""
        v, number = self.v, self.number
        if local not in self.steps or v.types[self.before[local]] != "i32" or self.taken is not None:
            type_ = v.types[self.before[local]]
            return v.node(type_, False, "left", number, local, self.again.locals[local])
        constant, terms = self.steps[local]
        rounds = v.node("i32", True, "rounds", number)
        made = {
            v.over("i32", "i32.mul", min(node, rounds), max(node, rounds)): by for node, by in terms.items()
        }
        made[rounds] = constant
        start = around[local] if local in around else v.local("i32", local)
        return v.sum(32, start, v.linear(32, 0, made))
