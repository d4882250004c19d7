"""A plan without what these arguments make needless: which way the guest goes is the same in all rounds where
the condition doesn't change, so values, stores and loads of other ways are left out.

What is not here: how the conditions are computed (`scalars.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from .plan import NEVER, Affine, Chain, Line, Load, Node, Plan, Result, Store, Test, Update
from .scalars import KINDS, WHOLE

Number = Callable[[int], int]
"""The number that a node has in another plan. -1 stays -1."""
BEFORE = KINDS - {"rounds"}
CONNECTIVES = frozenset({"and", "or", "not"})
LEAVES = frozenset({"param", "index", "rounds", "load", "before", "left", "f32.const", "f64.const"})


def conditions(plan: Plan) -> tuple[int, ...]:
    """The conditions of a plan that don't change in the loop and are known before it."""
    known: list[bool] = []
    asked = {plan.taken, *plan.runs, *[load.when for load in plan.loads], *[path for path, _ in plan.traps]}
    asked |= {*[store.path for store in plan.stores], *[update.path for update in plan.updates]}
    for node, form in enumerate(plan.nodes):
        kind, is_known = form[0], plan.still[node] and plan.types[node] in WHOLE
        known.append(is_known and kind in BEFORE and all(known[part] for part in parts(form)))
        asked |= {*form[1:]} if kind in CONNECTIVES else {form[2]} if kind == "select" else set()
    asked -= {-1, NEVER}
    return tuple([node for node in sorted(asked) if known[node] and plan.nodes[node][0] not in CONNECTIVES])


def parts(form: Node) -> list[int]:
    """The nodes that a node is made of."""
    found: list[int] = []

    def seen(node: int) -> int:
        found.append(node)
        return node

    renumbered(form, seen)
    return found


def renumbered(form: Node, number: Number) -> Node:
    """A node over others."""
    kind, *rest = form
    if kind in LEAVES:
        return form
    if kind == "linear":
        return kind, rest[0], rest[1], tuple([(number(part), factor) for part, factor in rest[2]])
    if kind == "scaled":
        return kind, number(rest[0]), rest[1]
    if kind in ("select", "delayed", "scanned"):
        return kind, rest[0], *map(number, rest[1:])
    return kind, *map(number, rest)


def folded(plan: Plan, truths: dict[int, bool]) -> Plan:
    """The plan where it is known whether these nodes are true."""
    return Folding(plan, truths).made() if truths else plan


class Folding:
    """Makes the plan."""

    def __init__(self, plan: Plan, truths: dict[int, bool]) -> None:
        self.plan = plan
        self.truths = dict(truths)
        self.forms = list(plan.nodes)
        self.same = list(range(len(plan.nodes)))
        """For each node the one that it is the same as."""
        for node, form in enumerate(plan.nodes):
            if node not in self.truths:
                self.fold(node, form)
        self.loads = [load for load in plan.loads if self.truth(load.when) is not False]
        for load in plan.loads:
            if load.value >= 0 and load not in self.loads:
                self.forms[load.value] = nothing(load.type)
        self.stores = [store for store in plan.stores if self.truth(store.path) is not False]
        self.traps = [
            (self.path(path) if node >= 0 else path, node)
            for path, node in plan.traps
            if self.truth(path) is not False
        ]
        self.kept = self.needed()
        self.numbers = {node: number for number, node in enumerate(self.kept)}

    def truth(self, node: int) -> bool | None:
        """What a condition is in all rounds, if that is known."""
        return self.truths.get(self.same[node]) if node >= 0 else None

    def path(self, node: int) -> int:
        """A condition, or -1 if it always holds."""
        return -1 if self.truth(node) else node

    def run(self, node: int) -> int:
        """A condition of a loop inside."""
        return NEVER if self.truth(node) is False else self.path(node)

    def fold(self, node: int, form: Node) -> None:
        kind, types = form[0], self.plan.types
        if kind == "not" and (truth := self.truth(form[1])) is not None:
            self.truths[node] = not truth
        elif kind in ("and", "or"):
            self.connect(node, kind, form[1:])
        elif kind == "select" and (truth := self.truth(form[2])) is not None:
            chosen = self.same[form[3 if truth else 4]]
            if types[chosen] == types[node]:
                self.same[node] = chosen
            else:  # a truth value as a number
                self.forms[node] = "linear", 32, 0, ((chosen, 1),)

    def connect(self, node: int, kind: str, parts: tuple[int, ...]) -> None:
        """Fold what holds if all of some conditions do, or any."""
        decides = kind == "or"
        truths = [self.truth(part) for part in parts]
        if decides in truths:
            self.truths[node] = decides
            return
        left = tuple([self.same[part] for part, truth in zip(parts, truths, strict=True) if truth is None])
        if not left:
            self.truths[node] = not decides
        elif len(left) == 1 and self.plan.types[left[0]] == "bool":
            self.same[node] = left[0]
        else:
            self.forms[node] = kind, *left

    def roots(self) -> list[int]:
        """The nodes that the plan itself asks for."""
        plan = self.plan
        found = [node for load in self.loads if load.address is None for node in (load.value, load.node)]
        for load in self.loads:
            found += [self.path(load.when), *(affine_nodes(load.address) if load.address is not None else ())]
        for store in self.stores:
            found += [self.path(store.path), store.value, *affine_nodes(store.address)]
        found += [node for trap in self.traps for node in trap]
        found += [self.path(plan.taken), plan.laps]
        for update in plan.updates:
            found += [update.path, update.node, update.value]
        found += [node for chain in plan.chains for node in (*chain[1:5], *chain.parts)] + [
            self.run(run) for run in plan.runs
        ]
        found += [node for line in plan.zeros for node, _ in line[1]]
        for result in plan.results:
            found += [*result.nodes, *[node for node, _ in result.line[1]]]
        tests = [test for level in plan.tests for test in level]
        return found + [node for *_, x, y in tests for affine in (x, y) for node in affine_nodes(affine)]

    def needed(self) -> list[int]:
        """The nodes that are left, in order."""
        found: set[int] = set()
        waiting = [self.same[node] for node in self.roots() if node >= 0]
        addresses = {load.value: load.node for load in self.loads if load.address is None}
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += [self.same[part] for part in parts(self.forms[node])]
                waiting += [self.same[addresses[node]]] if node in addresses else []
        return sorted(found)

    # The plan

    def number(self, node: int) -> int:
        return node if node < 0 else self.numbers[self.same[node]]

    def line(self, line: Line) -> Line:
        return line[0], tuple([(self.number(node), factor) for node, factor in line[1]])

    def affine(self, affine: Affine) -> Affine:
        return self.line(affine[0]), tuple(map(self.line, affine[1]))

    def test(self, test: Test) -> Test:
        *how, x, y = test
        return *how, self.affine(x), self.affine(y)  # type: ignore[return-value]  # as many as before

    def load(self, load: Load) -> Load:
        return load._replace(
            value=self.numbers.get(self.same[load.value], -1) if load.value >= 0 else -1,
            address=None if load.address is None else self.affine(load.address),
            node=self.number(load.node) if load.address is None else -1,
            stores=sum(1 for store in self.plan.stores[: load.stores] if store in self.stores),
            when=self.number(self.path(load.when)),
        )

    def store(self, store: Store) -> Store:
        path, value = self.number(self.path(store.path)), self.number(store.value)
        return store._replace(path=path, value=value, address=self.affine(store.address))

    def update(self, update: Update) -> Update:
        path, node, value = [self.number(part) for part in (update.path, update.node, update.value)]
        return update._replace(path=path, node=node, value=value)

    def chain(self, chain: Chain) -> Chain:
        loop, *ends, kind, parts = chain
        before, start, after, left = map(self.number, ends)
        return Chain(loop, before, start, after, left, kind, tuple(map(self.number, parts)))

    def result(self, result: Result) -> Result:
        return result._replace(nodes=tuple(map(self.number, result.nodes)), line=self.line(result.line))

    def made(self) -> Plan:
        plan = self.plan
        return plan._replace(
            nodes=tuple([renumbered(self.forms[node], self.number) for node in self.kept]),
            types=tuple([plan.types[node] for node in self.kept]),
            still=tuple([plan.still[node] for node in self.kept]),
            tests=tuple([tuple(map(self.test, level)) for level in plan.tests]),
            loads=tuple(map(self.load, self.loads)),
            stores=tuple(map(self.store, self.stores)),
            traps=tuple([(self.number(path), self.number(node)) for path, node in self.traps]),
            results=tuple(map(self.result, plan.results)),
            zeros=tuple(map(self.line, plan.zeros)),
            chains=tuple(map(self.chain, plan.chains)),
            phases=tuple([plan.phases[node] for node in self.kept]) if plan.phases else (),
            updates=tuple(map(self.update, plan.updates)),
            laps=self.number(plan.laps),
            taken=self.number(self.path(plan.taken)),
            runs=tuple([self.number(self.run(run)) for run in plan.runs]),
        )


def affine_nodes(affine: Affine) -> list[int]:
    return [node for line in (affine[0], *affine[1]) for node, _ in line[1]]


def nothing(type_: str) -> Node:
    """What a load gives that isn't done, which nobody asks for."""
    return (f"{type_}.const", 0) if type_[0] == "f" else ("linear", int(type_[1:]), 0, ())
