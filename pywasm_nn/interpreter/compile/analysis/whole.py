"""Loops that are done with arrays: which ones, and what is to be done (`interpreter/arrays/plan.py`).

A loop qualifies if its number of rounds, its addresses and how each round changes its locals are known when
it begins. What is not here: what one round does (`rounds.py`), what all of them change (`study.py`), and
whether a loop that qualifies is really done at once, which is decided when it runs (`interpreter/arrays`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ....records import Frozen
from ...arrays.plan import AFTER, AROUND, INSIDE, Affine, Chain, Line, Load, Plan, Result, Store, Test, Update
from ...arrays.ranges import signed
from ...arrays.scalars import KINDS, WHOLE
from ...instructions import OPS
from ...module import Body, Module
from ...validate import FuncFacts
from . import chained, ragged
from .comparisons import INTEGER, OPPOSITE
from .leaving import calls_leaves
from .numbers import BITS, NAMES
from .prospects import meets_data
from .reductions import recurrence, result, scans
from .rounds import ALWAYS, QUICK, Access, Literal, Path
from .study import Study
from .values import Refused, Values

MOST_INSTRUCTIONS = 400
LOOP = OPS["loop"]
MOST_LOOPS = 3
"""The most loops inside, wherever they are."""
MOST_ADDED = 4096
"""The greatest number that is added to a local in a comparison and is taken not to make it wrap."""
SCALARS = KINDS | {"local"}
"""Of what an address may depend on that doesn't change in the loop."""


class Counter(NamedTuple):
    """Two sums whose difference each round changes by a number; the nodes in them are locals."""

    one: Line
    other: Line
    step: int
    is_signed: bool | None
    """How their locals are compared, if it is said which is greater and the sums seldom wrap; else None."""


class WholeLoop(Frozen):
    """A loop that may be done at once."""

    plan: Plan
    params: tuple[int, ...]
    """The locals that it needs, in the order of the plan's arguments."""
    changes: tuple[int, ...]
    """The locals that it changes, in the order of the plan's results."""
    counters: tuple[tuple[Counter, ...], ...]
    """For a quick guess of the rounds of each loop: it ends with the first of these. Empty if there is
    none."""


class Kept(NamedTuple):
    """A store that is done at once: `Access`, with a node for its path, or -1."""

    path: int
    access: str
    memidx: int
    address: int
    offset: int
    value: int
    depth: int


def whole_loop(
    module: Module, body: Body, facts: FuncFacts, index: int, signed: frozenset[int]
) -> WholeLoop | None:
    """What is to be done for the loop at an index; None if it doesn't qualify. `signed` are the locals that
    are kept signed."""
    end = facts.ends[index]
    type_ = facts.blocks[index]
    if end - index > MOST_INSTRUCTIONS or type_.params or type_.results:
        return None
    ops = body.ops[index + 1 : end]
    if not QUICK.issuperset(ops) or ops.count(LOOP) > MOST_LOOPS or meets_data(body, facts, index):
        return None
    if not calls_leaves(module, body, index + 1, end):
        return None
    try:
        return Maker(Study(module, body, facts, index, 0, Values(), {}), signed).made()
    except Refused:
        return None


class Maker:
    """Makes the plan of a loop."""

    def __init__(self, study: Study, signed: frozenset[int]) -> None:
        self.signed = signed
        self.study, self.v, self.round = study, study.v, study.round
        self.loops: list[Study] = [study]
        """This loop, and those inside, by their numbers."""
        self.planes = 0
        """How many of the loops inside are computed together with this one."""
        inners: list[Study] = study.round.inners
        self.taken: Path | None = inners[0].taken if inners else None
        """Where a loop inside is executed whose rounds are as many as data says."""
        if inners and not inners[0].carried and self.taken is None:
            self.planes = 1
            self.loops += inners
            inners = inners[0].round.inners
        self.loops += inners
        self.chained = [inner for inner in inners if inner.carried]
        """Those whose rounds are computed one after the other."""
        self.runs: tuple[int, ...] = ()
        """Conditions of the loops inside."""
        self.count = 1
        """How many loops the plan has."""
        self.again = study.again.path
        self.nodes: list[int] = []
        """Nodes of the plan, in the order of their numbers."""
        self.numbers: dict[int, int] = {}
        self.params: list[int] = []
        self.kept: list[int] = []
        """The stores of a round that are done at once."""
        self.first_loads: list[Load] = []
        """Loads that are done once, before the loop."""
        self.again_loaded: set[int] = set()
        """Loads of what an earlier round has loaded, which isn't done again."""
        self.zeros: list[Line] = []
        """Sums that must be 0."""
        self.phases: dict[int, int] = {}
        self.updates: tuple[Update, ...] = ()
        self.laps = self.condition_taken = -1
        self.scanned: dict[int, tuple[str, list[int]]] = {}
        """Locals of which a round needs what those before have combined them with, and what that is."""
        self.open: set[int] = set()
        """Those of them whose values get numbers now."""
        self.delayed: dict[int, int] = {}
        """Locals of which a round needs what the round before has set, and what that is."""

    def made(self) -> WholeLoop:
        """The plan."""
        study = self.study
        tests = [self.tests(self.again, 0)]
        if self.taken is not None:
            return self.ragged(tests)
        self.count = len(self.loops)
        tests += [self.tests(loop.again.path, loop.number) for loop in self.loops[1:]]
        relevant = [self.store(store) for store in self.round.stores]
        self.kept = [number for number, store in enumerate(relevant) if store is not None]
        stores = [store for store in relevant if store is not None]
        kept = {local: self.settled(local) for local in study.set if local not in study.steps}
        roots = [node for store in stores for node in (store.path, store.address, store.value) if node >= 0]
        traps = self.traps()
        roots += [node for trap in traps for node in trap if node >= 0]
        seen = chained.reached(self, [*roots, *kept.values()])
        carried = {local: study.again.locals[local] for local in kept if study.before[local] in seen}
        if self.count == 1:
            self.delayed = {local: node for local, node in carried.items() if self.is_delayed(local, carried)}
            self.scanned = scans(self, {local: carried[local] for local in carried.keys() - self.delayed})
        return self.planned(tests, stores, traps, carried)

    def ragged(self, tests: list[list[tuple[str, bool, int, int, int]]]) -> WholeLoop:
        """The plan for a loop inside whose rounds are as many as data says."""
        study, inside = self.study, self.loops[1]
        if len(self.round.stores) > len(inside.round.stores):
            raise Refused("stores behind a loop inside whose rounds aren't always as many")
        (going,) = inside.again.path
        laps = ragged.laps(self.v, self.test(going, 1), inside.tests_first)
        taken = self.relevant(self.taken or ALWAYS)
        if taken is None or len(taken) > 1:
            raise Refused("has a loop inside behind several conditions")
        self.taken = taken
        added = [(self.node_of(path), store, value) for path, store, value in ragged.additions(self)]
        kept = [self.settled(local) for local in study.set if local not in study.steps]
        traps = self.traps()
        condition = self.node_of(taken)
        roots = [node for path, store, value in added for node in (path, store.address, value)]
        roots += [laps, condition, *(node for trap in traps for node in trap), *kept]
        seen = self.v.made_of([node for node in roots if node >= 0])
        if any(study.before[local] in seen for local in study.set if local not in study.steps):
            raise Refused("has a loop inside and a local that depends on the round before")
        if any(self.phase(node) != AROUND for node in (laps, condition) if node >= 0):
            raise Refused("has a loop inside that doesn't count")
        self.laps, self.condition_taken = self.number(laps), self.optional(condition)
        self.updates = tuple(
            [
                Update(
                    self.optional(path), store.access, store.memidx,
                    self.number(store.address), store.offset, self.number(value),
                )
                for path, store, value in added
            ]
        )  # fmt: skip
        return self.planned(tests, [], traps, {})

    def node_of(self, path: Path) -> int:
        """The node that is true on a path; -1 if it is always taken."""
        return self.round.condition(path) if path else -1

    def is_delayed(self, local: int, carried: dict[int, int]) -> bool:
        """Whether each round sets a local to what doesn't depend on the local before. If it is what was
        loaded, `prospects.py` has refused the loop."""
        v, seen, waiting = self.v, set[int](), [local]
        while waiting:
            for node in v.made_of([carried[waiting.pop()]]):
                other = v.nodes[node][2] if v.nodes[node][0] == "before" else -1
                if other == local:
                    return False
                if other in carried and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return not v.is_load(carried[local])

    def settled(self, local: int) -> int:
        """The value of a local after a round; where all rounds or none set it, that which they set: the last
        round is left to the loop."""
        v, before, node = self.v, self.study.before[local], self.study.again.locals[local]
        for condition, is_true in self.taken or ():
            while v.nodes[node][0] == "select" and v.nodes[node][2] == condition:
                node = v.nodes[node][3 if is_true else 4]
        return self.study.set_by_all(node, before, {})

    # Conditions

    def tests(self, path: Path, depth: int) -> list[tuple[str, bool, int, int, int]]:
        """The comparisons that hold while a loop goes on."""
        if not path:
            raise Refused("never ends")
        return [self.test(literal, depth) for literal in path]

    def test(self, literal: Literal, depth: int) -> tuple[str, bool, int, int, int]:
        v = self.v
        node, is_true = literal
        form = v.nodes[node]
        if form[0] in INTEGER:
            symbol, is_signed = INTEGER[form[0]]
            if not is_true:
                symbol = OPPOSITE[symbol]
            bits, x, y = int(form[0][1:3]), form[1], form[2]
        elif v.types[node] in BITS and is_true:
            symbol, is_signed, bits, x, y = "!=", False, BITS[v.types[node]], node, -1
        elif form[0] == "i64.eqz" and not is_true:
            symbol, is_signed, bits, x, y = "!=", False, 64, form[1], -1
        else:
            raise Refused("goes on while it meets data")
        if symbol == "==":
            raise Refused("goes on while two values are equal")
        return symbol, is_signed, bits, x, y

    def relevant(self, path: Path) -> Path | None:
        """A path without what holds in all rounds that are done at once; None if none of them takes it."""
        rest = path - self.again
        if any((node, not is_true) in self.again for node, is_true in rest):
            return None
        return rest

    def store(self, store: Access) -> Kept | None:
        path = self.relevant(store.path)
        if path is None:
            return None
        value, access = store.value, store.access
        form = self.v.nodes[value]
        if access in ("f32", "f64") and form[0] == "load":  # as bits, whatever they are
            access = f"u{access[1:]}"
            value = self.v.node(f"i{access[1:]}", False, "load", access, f"i{access[1:]}", *form[3:])
        condition = self.node_of(path)
        return Kept(condition, access, store.memidx, store.address, store.offset, value, store.depth)

    def unchanging(self, path: Path) -> Path:
        """The conditions of a path that are the same in all rounds, and known before the loop."""
        return frozenset(
            [literal for literal in path if self.v.still[literal[0]] and self.scalar(literal[0])]
        )

    def traps(self) -> list[tuple[int, int]]:
        found = []
        for trap, node in self.round.traps:
            path = self.relevant(trap)
            if path is not None:
                found.append((self.node_of(path), node))
        for stop in self.round.stops:
            path = self.relevant(stop)
            if path is not None:
                if not path:
                    raise Refused("always gives up")
                found.append((self.round.condition(path), -1))
        return found

    # Numbers

    def number(self, node: int) -> int:
        """A node's number in the plan; the nodes that it is made of come first."""
        if node not in self.numbers:
            for part in sorted(self.needed(node)):  # a node has a greater index than its parts
                if part in self.numbers:
                    continue
                form = self.v.nodes[part]
                if form[0] == "before" and form[2] in self.delayed:
                    self.number(self.delayed[form[2]])
                elif form[0] == "before" and form[2] in self.scanned and form[2] not in self.open:
                    self.open.add(form[2])
                    for value in self.scanned[form[2]][1]:
                        self.number(value)
                    self.open.discard(form[2])
                elif form[0] == "before" and not chained.is_chained(self, form[1]):
                    raise Refused("needs a value of the round before")
                if form[0] == "left" and not chained.is_chained(self, form[1]):
                    raise Refused("needs a value that the loop inside leaves")
                self.numbers[part] = len(self.nodes)
                self.nodes.append(part)
        return self.numbers[node]

    def needed(self, node: int) -> set[int]:
        """The nodes that aren't in the plan yet and are computed for a node, itself included."""
        found: set[int] = set()
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part in found or part in self.numbers:
                continue
            found.add(part)
            form = self.v.nodes[part]
            if form[0] != "load" or self.affine(form[4]) is None:
                waiting += self.v.parts(part)
        return found - self.numbers.keys()

    def affine(self, node: int) -> Affine | None:
        """An integer in terms of the numbers of the rounds, if it is a sum of multiples of them."""
        number, terms = self.v.terms(node)
        start: list[tuple[int, int]] = []
        strides: list[list[tuple[int, int]]] = [[] for _ in range(self.count)]
        fixed = [0] * self.count
        for term, factor in terms.items():
            form = self.v.nodes[term]
            if form[0] == "index":
                if form[1] >= self.count:
                    return None
                fixed[form[1]] += factor
            elif form[0] == "scaled":
                if form[2] >= self.count or not self.scalar(form[1]):
                    return None
                strides[form[2]].append((self.number(form[1]), factor))
            elif self.v.still[term] and self.scalar(term):
                start.append((self.number(term), factor))
            else:
                return None
        lines = [(number_, tuple(stride)) for number_, stride in zip(fixed, strides, strict=True)]
        return (number, tuple(start)), tuple(lines)

    def scalar(self, node: int) -> bool:
        """Whether a node that doesn't change is computed with Python's integers."""
        v = self.v
        return all(v.nodes[part][0] in SCALARS and v.types[part] in WHOLE for part in v.made_of([node]))

    # The plan

    def planned(
        self, tests: list[list[tuple[str, bool, int, int, int]]], stores: list[Kept],
        traps: list[tuple[int, int]], carried: dict[int, int],
    ) -> WholeLoop:  # fmt: skip
        levels = enumerate(tests)
        planned_tests = tuple([tuple([self.planned_test(n, *test) for test in level]) for n, level in levels])
        planned_stores = tuple([self.planned_store(store) for store in stores])
        planned_traps = tuple([(self.optional(path), self.optional(node)) for path, node in traps])
        results = [(local, self.step(local)) for local in self.study.steps if self.moves(local)]
        if carried and self.count > 1:
            raise Refused("has a loop inside and a local that depends on the round before")
        results += recurrence(self, {local: carried[local] for local in carried.keys() - self.delayed})
        results += [(local, result(self, local, "last", [node])) for local, node in self.delayed.items()]
        self.look_up()
        if not planned_stores and not carried and not self.updates:
            raise Refused("does nothing but count")
        if self.again_loaded & self.numbers.keys() and self.updates:
            raise Refused("uses what it adds to")
        chains = chained.chains(self)
        runs = [self.unchanging(loop.path) if loop.carried else ALWAYS for loop in self.loops[1:]]
        self.runs = tuple([self.optional(self.node_of(path)) for path in runs])
        loads = self.planned_loads()
        return self.finished(planned_tests, planned_stores, planned_traps, loads, results, chains)

    def finished(
        self, tests: tuple[tuple[Test, ...], ...], stores: tuple[Store, ...],
        traps: tuple[tuple[int, int], ...], loads: tuple[Load, ...], results: list[tuple[int, Result]],
        chains: tuple[Chain, ...],
    ) -> WholeLoop:  # fmt: skip
        v = self.v
        forms = [v.nodes[node] for node in self.nodes]
        phased = self.chained or self.updates
        plan = Plan(
            tuple([self.renumbered(form) for form in forms]),
            tuple([v.types[node] for node in self.nodes]),
            tuple([v.still[node] for node in self.nodes]),
            tuple([NAMES[self.round.facts.locals[local]] for local in self.params]),
            tests, tuple([loop.tests_first for loop in self.loops[1:]]), loads, stores, traps,
            tuple([result for _, result in results]), tuple(self.zeros), chains,
            tuple([self.phase(node) for node in self.nodes]) if phased else (),
            self.round.pastes, self.updates, self.laps, self.condition_taken, self.planes, self.runs,
        )  # fmt: skip
        changes = tuple([local for local, _ in results if local >= 0])
        counters = tuple([guesses(plan, self.params, depth) for depth in range(self.count)])
        return WholeLoop(plan, tuple(self.params), changes, counters)

    def phase(self, node: int) -> int:
        """When a node is computed: before the rounds of a loop inside, in each of them, or after them."""
        found = self.phases.get(node)
        if found is None:
            kind, *rest = self.v.nodes[node]
            loop = rest[0] if kind in ("index", "before", "left") else rest[1] if kind == "scaled" else 0
            before = 2 * (loop - self.planes - 1)  # two phases for each earlier loop
            own = AROUND if before < 0 else before + (AFTER if kind == "left" else INSIDE)
            found = self.phases[node] = max([own, *map(self.phase, self.v.parts(node))])
        return found

    def param(self, local: int) -> int:
        if local not in self.params:
            self.params.append(local)
        return self.params.index(local)

    def renumbered(self, form: tuple[object, ...]) -> tuple[object, ...]:
        """A node in terms of the plan's nodes."""
        kind, *parts = form
        if kind == "local":
            return "param", self.param(int(str(parts[0])))
        if kind == "linear":
            bits, number, terms = parts
            assert isinstance(terms, tuple)
            return kind, bits, number, tuple([(self.number(node), factor) for node, factor in terms])
        if kind == "scaled":
            return kind, self.number(int(str(parts[0]))), parts[1]
        if kind in ("index", "rounds", "f32.const", "f64.const"):
            return form
        if kind == "before" and not parts[0]:
            local = int(str(parts[1]))
            if local in self.scanned:
                how, values = self.scanned[local]
                return "scanned", (how, self.param(local)), *map(self.number, values)
            return "delayed", self.param(local), self.number(self.delayed[local])
        if kind in ("load", "before", "left"):
            return (kind,)
        if kind == "select":
            return kind, parts[0], *[self.number(int(str(part))) for part in parts[1:]]
        return kind, *[self.number(int(str(part))) for part in parts]

    def optional(self, node: int) -> int:
        return node if node < 0 else self.number(node)

    def planned_test(self, depth: int, symbol: str, is_signed: bool, bits: int, x: int, y: int) -> Test:
        left = self.affine(x)
        right = self.affine(y) if y >= 0 else ((0, ()), ((0, ()),) * self.count)
        if left is None or right is None:
            raise Refused("goes on while it meets data")
        for level, lines in enumerate(zip(left[1], right[1], strict=True)):
            if level != depth and lines != ((0, ()), (0, ())):
                raise Refused("has a loop inside whose rounds aren't always as many")
        return symbol, is_signed, bits, left, right

    def planned_store(self, store: Kept) -> Store:
        address = self.affine(store.address)
        if address is None:
            raise Refused("stores where data says")
        path = self.optional(store.path)
        value = self.number(store.value)
        return Store(path, store.access, store.memidx, address, store.offset, value, store.depth)

    def look_up(self) -> None:
        """Compute what loads whose addresses are data give, even if nobody uses it: they may trap."""
        for path, node in self.round.loads:
            if node in self.again_loaded or self.relevant(path) is None:
                continue
            if self.affine(self.v.nodes[node][4]) is None:
                self.number(node)

    def is_zero(self, node: int) -> bool:
        """Whether an integer is 0, or may be so in all rounds, which is looked at when the loop runs."""
        found = self.affine(node)
        if found is None or any(stride != (0, ()) for stride in found[1]):
            return False
        if found[0][1]:
            self.zeros.append(found[0])
        return bool(found[0][1]) or not found[0][0]

    def first_load(self, form: tuple[Any, ...], address: int) -> int:
        """The number of a load that is done once, before the loop: as a node, but from an address that
        doesn't change."""
        _, access, type_, memidx, _, offset, _ = form
        place = self.affine(address)
        if place is None:
            raise Refused("loads from where data says")
        self.first_loads.append(Load(-1, access, type_, memidx, place, -1, offset, 0, -1))
        return len(self.first_loads) - 1

    def planned_loads(self) -> tuple[Load, ...]:
        used = [node for node in self.nodes if self.v.nodes[node][0] == "load"]
        when: dict[int, Path] = {}
        for path, node in self.round.loads:
            relevant = self.relevant(path)
            if relevant is not None:
                unchanging = self.unchanging(relevant)
                when[node] = when.get(node, unchanging) & unchanging
        found = self.first_loads.copy()
        for node in dict.fromkeys([*used, *when]):
            if node in self.again_loaded:
                continue
            _, access, type_, memidx, address, offset, stores = self.v.nodes[node]
            place = self.affine(address)
            at = -1 if place is not None else self.numbers[address]
            before = sum(1 for number in self.kept if number < stores)
            index, condition = self.numbers.get(node, -1), self.optional(self.node_of(when.get(node, ALWAYS)))
            found.append(Load(index, access, type_, memidx, place, at, offset, before, condition))
        return tuple(found)

    # Locals

    def moves(self, local: int) -> bool:
        number, terms = self.study.steps[local]
        return bool(number or terms)

    def step(self, local: int) -> Result:
        number, terms = self.study.steps[local]
        if not all(self.scalar(node) for node in terms):
            raise Refused("counts by what isn't computed with Python's integers")
        line = number, tuple([(self.number(node), factor) for node, factor in terms.items()])
        type_ = NAMES[self.round.facts.locals[local]]
        return Result("step", type_, local in self.signed, line, (), self.param(local))


def guesses(plan: Plan, params: list[int], depth: int) -> tuple[Counter, ...]:
    """See `WholeLoop.counters`. Of further tests those count that end at one number, or where a local gets to
    another one: the rest mostly look at bounds, far away, and in sums that wrap."""
    made = [(test[0], guess(plan, params, depth, test)) for test in plan.tests[depth]]
    return tuple(
        [
            counter
            for place, (symbol, counter) in enumerate(made)
            if counter is not None and (not place or symbol == "!=" or counter.is_signed is not None)
        ]
    )


def guess(plan: Plan, params: list[int], depth: int, test: Test) -> Counter | None:
    """What a comparison counts; None if that can't be said quickly."""
    (symbol, is_signed, bits, (x, x_steps), (y, y_steps)) = test
    nodes = {node for _, multiples in (x, y) for node, _ in multiples}
    by = signed(x_steps[depth][0] - y_steps[depth][0], 32)
    varies = x_steps[depth][1] or y_steps[depth][1]
    if not by or varies or any(plan.nodes[node][0] != "param" for node in nodes):
        return None
    first, second = [
        (number, tuple([(params[plan.nodes[node][1]], factor) for node, factor in multiples]))
        for number, multiples in (x, y)
    ]
    ends = symbol != "!=" and (by > 0) == (symbol in ("<", "<="))
    is_plain = bits == 32 and wraps_seldom(first, is_signed) and wraps_seldom(second, is_signed)
    return Counter(first, second, by, is_signed if ends and is_plain else None)


def wraps_seldom(line: Line, is_signed: bool) -> bool:
    """Whether a sum is a number, or a local and a small number."""
    number, terms = line
    if not terms:
        return is_signed or number < 1 << 31
    return abs(signed(number, 32)) <= MOST_ADDED and [factor for _, factor in terms] == [1]
