"""What a round of a loop does, found by executing its instructions once with symbols instead of numbers.

Branches that only choose values become conditional values; a path that leaves the loop is dropped, and that
it isn't taken becomes a condition for the next round. Of branches to code that gives up (`leaving.py`) it is
taken for granted that no round takes them, which is looked at when the loop runs. What is not here: the
values themselves (`values.py`), and which loops can be done with arrays (`whole.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ....records import Frozen
from ...instructions import OPS, ByRow, Op
from ...module import Body, Module
from ...types import I32, V128, ValType
from ...validate import FuncFacts, Label
from .leaving import Leaf, gives_up, leaf_of
from .numbers import BITS, NAMES, PURE
from .values import Refused, Values

MOST_NODES = 1200
MOST_STORES = 24
MOST_PATHS = 24
"""The most paths that meet, and the most conditions of one: what is done with them takes time that grows
faster than they do."""
DEEPEST = 12
MOST_INSIDE = 2
"""The most loops inside that sum up, one after the other: the second one does the rounds that are left."""
Literal = tuple[int, bool]
Path = frozenset[Literal]
"""Conditions that hold where control gets: nodes, and whether they are true or false."""
ALWAYS: Path = frozenset()


class Access(Frozen):
    """A store of a round."""

    path: Path
    access: str
    memidx: int
    address: int
    offset: int
    value: int
    depth: int
    """1 in a loop inside."""


class Arrival(NamedTuple):
    """Control on a path that gets to a label."""

    path: Path
    locals: dict[int, int]
    values: tuple[int, ...]


class Scope:
    """A structured instruction that is open."""

    def __init__(
        self, kind: str, path: Path | None, height: int, results: int, otherwise: Arrival | None
    ) -> None:
        self.kind = kind
        self.path = path
        """Where it begins."""
        self.height = height
        self.results = results
        self.otherwise = otherwise
        """For an `if`: control where its condition is false, until its second arm begins."""
        self.arrivals: list[Arrival] = []
        self.left = False
        """Whether control leaves it on another way than by its end."""


class Round:
    """One round of the loop at an index; `number` is 0, or that of a loop inside."""

    def __init__(
        self, module: Module, body: Body, facts: FuncFacts, loop: int, number: int, v: Values,
        study: Callable[[Round, int], Any],
    ) -> None:  # fmt: skip
        self.module, self.body, self.facts, self.v, self.study = module, body, facts, v, study
        self.loop, self.number = loop, number
        self.end = facts.ends.get(loop, len(body.ops))
        self.locals: dict[int, int] = {}
        """Values of locals; those that aren't here are as before the loop."""
        self.stack: list[int] = []
        self.path: Path | None = ALWAYS
        """None where control doesn't get."""
        self.open: list[Scope] = []
        self.stores: list[Access] = []
        self.traps: list[tuple[Path, int]] = []
        """Nodes of instructions that may trap, but for loads."""
        self.loads: list[tuple[Path, int]] = []
        """Nodes of loads."""
        self.stops: list[Path] = []
        """Where the guest gives up."""
        self.exits: list[tuple[int, Arrival]] = []
        """Of a loop inside: branches out of it, and to which label of the code around it; -1 for its end."""
        self.pastes = False
        """Whether it has calls, which were pasted."""
        self.back: list[Arrival] = []
        """Arrivals at the start of the loop."""
        self.falls = False
        """Whether control gets to the loop's end without a branch."""
        self.leaves = False
        """Whether control leaves in any other way."""
        self.known = 0
        """Of a loop inside: how many nodes there were before it. They don't change in it."""
        self.inners: list[Any] = []
        """What the loops inside do (`study.Study`): one, or sums one after the other."""

    # Locals and conditions

    def get(self, local: int) -> int:
        found = self.locals.get(local)
        if found is None:
            found = self.locals[local] = self.v.local(self.type_of(self.facts.locals[local]), local)
        return found

    def type_of(self, type_: ValType) -> str:
        if type_ not in NAMES:
            raise Refused("has a local that is no number")
        return NAMES[type_]

    def truth(self, node: int) -> Literal:
        """A node as a condition."""
        is_true = True
        while self.v.nodes[node][0] in ("i32.eqz", "not"):
            is_true = not is_true
            node = self.v.nodes[node][1]
        return node, is_true

    def decided(self, literal: Literal) -> bool | None:
        """Whether a condition is known to hold here."""
        assert self.path is not None
        number = self.v.number(literal[0])
        if number is not None:
            return bool(number) is literal[1]
        if literal in self.path:
            return True
        return False if (literal[0], not literal[1]) in self.path else None

    def condition(self, path: Path) -> int:
        """The node that is true on a path."""
        nodes = [node if is_true else self.v.over("bool", "not", node) for node, is_true in sorted(path)]
        return nodes[0] if len(nodes) == 1 else self.v.over("bool", "and", *nodes)

    # Control

    def run(self) -> None:
        """Execute the body."""
        ops, imms, ends, nodes = self.body.ops, self.body.imms, self.facts.ends, self.v.nodes
        pc = self.loop + 1
        while pc < self.end:
            if len(nodes) > MOST_NODES:
                raise Refused("computes too much")
            op = ops[pc]
            if self.path is None and op is not END and op is not ELSE:
                pc = ends.get(pc, pc) + 1
                continue
            after = STEPS[op](self, pc, op, imms[pc])
            pc = pc + 1 if after is None else after
        self.falls = self.path is not None

    def get_local(self, pc: int, op: Op, imm: Any) -> None:
        self.stack.append(self.get(imm))

    def set_local(self, pc: int, op: Op, imm: Any) -> None:
        self.locals[imm] = self.stack.pop()

    def tee_local(self, pc: int, op: Op, imm: Any) -> None:
        self.locals[imm] = self.stack[-1]

    def drop(self, pc: int, op: Op, imm: Any) -> None:
        self.stack.pop()

    def nop(self, pc: int, op: Op, imm: Any) -> None:
        pass

    def integer(self, pc: int, op: Op, imm: Any) -> None:
        self.stack.append(self.v.constant(BITS[op.kind], imm))

    def float(self, pc: int, op: Op, imm: Any) -> None:
        self.stack.append(self.v.node(op.kind, True, op.name, imm))

    def other(self, pc: int, op: Op, imm: Any) -> None:
        """An instruction that isn't done with arrays."""
        if op.opens:  # its end would be taken for that of another block
            raise Refused(f"has {op.name}")
        self.lose(f"has {op.name}")

    def lose(self, reason: str) -> None:
        """Drop the path here: rounds that take it aren't done with arrays."""
        if not self.path:
            raise Refused(reason)
        self.leave()

    def leave(self) -> None:
        """Control leaves the loop here."""
        self.path, self.leaves = None, True
        self.crossed(self.open)

    def crossed(self, scopes: list[Scope]) -> None:
        for scope in scopes:
            scope.left = True

    def block(self, pc: int, op: Op, imm: Any) -> None:
        self.begin(pc, "block", None)

    def begin(self, pc: int, kind: str, otherwise: Arrival | None) -> None:
        type_ = self.facts.blocks[pc]
        if type_.params or len(self.open) >= DEEPEST:
            raise Refused("nests too deep")
        self.open.append(Scope(kind, self.path, len(self.stack), len(type_.results), otherwise))

    def if_(self, pc: int, op: Op, imm: Any) -> int | None:
        literal = self.truth(self.stack.pop())
        path, decided = self.path, self.decided(literal)
        assert path is not None
        otherwise = None
        if decided is not True:
            otherwise = Arrival(path | {(literal[0], not literal[1])}, self.locals.copy(), ())
        self.begin(pc, "if", otherwise)
        self.path = path | {literal} if decided is None else path if decided else None
        if otherwise is not None and decided is False:
            self.open[-1].otherwise = Arrival(path, otherwise.locals, ())
        return None

    def else_(self, pc: int, op: Op, imm: Any) -> None:
        scope = self.open[-1]
        self.arrive(scope)
        self.resume(scope)

    def resume(self, scope: Scope) -> None:
        """Continue where the condition of an `if` is false."""
        del self.stack[scope.height :]
        self.path = None
        if scope.otherwise is not None:
            self.path, self.locals = scope.otherwise.path, scope.otherwise.locals.copy()
        scope.kind, scope.otherwise = "else", None

    def end_(self, pc: int, op: Op, imm: Any) -> None:
        scope = self.open[-1]
        self.arrive(scope)
        if scope.kind == "if":
            self.resume(scope)
            self.arrive(scope)
        self.open.pop()
        del self.stack[scope.height :]
        if scope.arrivals:
            # Whatever was chosen inside, control gets here, unless it has left.
            self.path, self.locals, values = self.merged(scope.arrivals, None if scope.left else scope.path)
            self.locals = dict(self.locals)
            self.stack += values

    def arrive(self, scope: Scope) -> None:
        if self.path is None:
            return
        values = tuple(self.stack[len(self.stack) - scope.results :]) if scope.results else ()
        scope.arrivals.append(Arrival(self.path, self.locals.copy(), values))
        self.path = None

    def merged(self, arrivals: list[Arrival], path: Path | None = None) -> Arrival:
        """Control after several paths meet; `path` is where it is, if that is known."""
        if len(arrivals) == 1:
            return arrivals[0]
        if len(arrivals) > MOST_PATHS or any(len(arrival.path) > MOST_PATHS for arrival in arrivals):
            raise Refused("has too many paths")
        common = frozenset.intersection(*(arrival.path for arrival in arrivals))
        rests = [arrival.path - common for arrival in arrivals]
        if path is None:
            path = common | self.any_of(resolved(rests))
        locals_ = {}
        for local in {local for arrival in arrivals for local in arrival.locals}:
            for arrival in arrivals:
                if local not in arrival.locals:
                    arrival.locals[local] = self.v.local(self.type_of(self.facts.locals[local]), local)
            locals_[local] = self.chosen(rests, [arrival.locals[local] for arrival in arrivals])
        columns = zip(*(arrival.values for arrival in arrivals), strict=True)
        return Arrival(path, locals_, tuple([self.chosen(rests, list(column)) for column in columns]))

    def any_of(self, paths: list[Path]) -> Path:
        """Where control is if it came on any of these."""
        if len(paths) == 1:
            return paths[0]
        parts = sorted([self.condition(path) for path in paths])
        return frozenset([self.truth(self.v.over("bool", "or", *parts))])

    def chosen(self, rests: list[Path], values: list[int]) -> int:
        """The value where paths meet."""
        value = values[-1]
        for rest, other in zip(reversed(rests[:-1]), reversed(values[:-1]), strict=True):
            if other == value:
                continue
            value = self.choice(self.condition(rest), other, value)
        return value

    def choice(self, condition: int, first: int, second: int) -> int:
        node, is_true = self.truth(condition)
        if not is_true:
            first, second = second, first
        types = {self.v.types[first], self.v.types[second]}
        type_ = types.pop() if len(types) == 1 else "i32"
        still = all(self.v.still[part] for part in (node, first, second))
        return self.v.node(type_, still, "select", type_, node, first, second)

    def select(self, pc: int, op: Op, imm: Any) -> None:
        condition, second, first = self.stack.pop(), self.stack.pop(), self.stack.pop()
        literal = self.truth(condition)
        decided = self.decided(literal)
        if first == second or decided is not None:
            self.stack.append(second if decided is False else first)
            return
        self.stack.append(self.choice(condition, first, second))

    # Branches

    def go(self, depth: int, path: Path) -> None:
        """Branch on a path."""
        self.crossed(self.open[max(0, len(self.open) - depth) :])
        if depth > len(self.open):
            self.exits.append((depth - len(self.open) - 1, Arrival(path, self.locals.copy(), ())))
        elif depth == len(self.open):
            self.back.append(Arrival(path, self.locals.copy(), ()))
        else:
            before, self.path = self.path, path
            self.arrive(self.open[-1 - depth])
            self.path = before

    def br(self, pc: int, op: Op, imm: Any) -> None:
        assert self.path is not None
        self.go(imm, self.path)
        self.path = None

    def br_if(self, pc: int, op: Op, imm: Any) -> None:
        literal = self.truth(self.stack.pop())
        self.branch(imm, literal, self.granted(pc, literal))

    def branch(self, depth: int, literal: Literal, decided: bool | None = None) -> None:
        """Branch where a condition holds."""
        assert self.path is not None
        if decided is None:
            if depth >= len(self.open) and self.v.is_data(literal[0], self.known):
                raise Refused("goes on while it meets data")
            decided = self.decided(literal)
        if decided is not False:
            self.go(depth, self.path if decided else self.path | {literal})
            self.path = None if decided else self.path | {(literal[0], not literal[1])}

    def br_table(self, pc: int, op: Op, imm: Any) -> None:
        """Branch to one label after the other, from the first on: each where the index is less than that of
        the next other label."""
        if len({*imm}) > MOST_PATHS:
            raise Refused("has too many paths")
        index = self.stack.pop()
        known = self.v.number(index)
        if known is not None:
            self.br(pc, op, imm[min(known, len(imm) - 1)])
            return
        for number, label in enumerate(imm[:-1], 1):
            if label != imm[number] and self.path is not None:
                below = self.v.over("bool", "i32.lt_u", index, self.v.constant(32, number))
                self.branch(label, (below, True))
        if self.path is not None:
            self.br(pc, op, imm[-1])

    def granted(self, pc: int, literal: Literal) -> bool | None:
        """Whether a branch is taken in all rounds that are done at once, because the guest gives up if not,
        or in none; None if that isn't so, or if the branch is a comparison of what counts, which says how
        many rounds there are."""
        assert self.path is not None
        if not self.number and not self.v.is_data(literal[0]):
            return None
        label = self.facts.branches[pc]
        assert isinstance(label, Label)
        for at, is_taken in ((label.pc, False), (pc + 1, True)):
            if gives_up(self.body, at):
                self.stops.append(self.path | {(literal[0], literal[1] is not is_taken)})
                return is_taken
        return None

    def return_(self, pc: int, op: Op, imm: Any) -> None:
        assert self.path is not None
        if self.loop < 0:
            self.go(len(self.open) - 1, self.path)
            self.path = None
        else:
            self.leave()

    # Calls

    def call(self, pc: int, op: Op, imm: Any) -> None:
        """Execute a function that only calculates."""
        found = leaf_of(self.module, imm)
        if found is None:
            self.lose("has call")
            return
        inside = self.entered(found)
        inside.run()
        self.pastes = True
        if inside.leaves:
            self.path = inside.path
            self.crossed(self.open)
        if self.path is not None:  # else it returns, on whichever way
            self.stack += inside.stack

    def entered(self, leaf: Leaf) -> Round:
        """A round that is the body of a function."""
        body, facts = leaf
        made = Round(self.module, body, facts, -1, self.number, self.v, self.study)
        given = len(self.stack) - len(facts.type.params)
        types = [self.type_of(type_) for type_ in facts.locals]
        zeros = [self.zero(type_) for type_ in types[len(facts.type.params) :]]
        made.locals = dict(enumerate([*self.stack[given:], *zeros]))
        del self.stack[given:]
        made.path, made.traps, made.stops = self.path, self.traps, self.stops
        made.open = [Scope("block", self.path, 0, len(facts.type.results), None)]
        return made

    def zero(self, type_: str) -> int:
        if type_ in BITS:
            return self.v.constant(BITS[type_], 0)
        return self.v.node(type_, True, f"{type_}.const", 0)

    def unreachable(self, pc: int, op: Op, imm: Any) -> None:
        self.lose("always traps")

    def inside(self, pc: int, op: Op, imm: Any) -> int:
        """Execute a round of a loop inside, whose rounds are as many in all rounds of this one."""
        type_ = self.facts.blocks[pc]
        summing = all(each.carried for each in self.inners)
        if self.number > 1 or not summing or len(self.inners) >= MOST_INSIDE:
            raise Refused("has loops inside")
        if type_.params or type_.results or self.path is None:
            raise Refused("has a loop inside with parameters")
        study = self.study(self, pc)
        found, study.path = study.round, self.path
        if found.path is not None:
            found.exits.append((-1, Arrival(found.path, found.locals, ())))
        if found.leaves or len(found.exits) != 1 or len(study.again.path) != 1:
            raise Refused("has a loop inside that doesn't count")
        (label, after), (going,) = found.exits[0], study.again.path
        if after.path != {(going[0], not going[1])}:
            raise Refused("has a loop inside that doesn't count")
        if after.locals != study.again.locals:
            study.tests_first = True
            if any(node != after.locals[local] for local, node in study.start.items()):
                raise Refused("has a loop inside whose last round is another one")
        study.carried = study.carries()
        if found.inners if study.carried else self.number or self.inners:
            raise Refused("has two loops inside, but for sums in the innermost one")
        self.inners.append(study)
        around = self.path
        if self.v.is_data(going[0]):
            study.taken, around = self.path, ALWAYS
            if study.carried or self.stores or self.number or found.inners:
                raise Refused("goes on while it meets data")
        if study.carried and len(found.stores) > len(self.stores):
            raise Refused("has a loop inside that stores, and a local that depends on its round before")
        for store in found.stores[len(self.stores) :]:
            path = around | self.below(store.path, going, study.tests_first)
            self.stores.append(
                Access(path, store.access, store.memidx, store.address, store.offset, store.value, 1)
            )
        below = partial(self.below, going=going, tests_first=study.tests_first)
        self.loads += [(around | below(path), node) for path, node in found.loads]
        self.traps += [(around | below(path), node) for path, node in found.traps]
        self.stops += [around | below(path) for path in found.stops]
        self.pastes |= found.pastes
        self.locals |= {local: study.after(local, self.locals) for local in study.set}
        if label >= 0:
            self.go(label, self.path)
            self.path = None
        return self.facts.ends[pc] + 1

    def below(self, path: Path, going: Literal, tests_first: bool) -> Path:
        """A path in a round of the loop inside, which goes on while a condition holds."""
        if tests_first is not (going in path) or (going[0], not going[1]) in path:
            raise Refused("has a loop inside whose last round is another one")
        return path - {going}

    # Numbers and memory

    def pure(self, pc: int, op: Op, imm: Any) -> None:
        stack, v, name = self.stack, self.v, op.name
        assert op.params
        if len(op.params) == 2:
            b = stack.pop()
            a = stack.pop()
            verb, bits = op.verb, BITS.get(op.kind, 0)
            if bits and verb in ("add", "sub"):
                stack.append(v.sum(bits, a, b, 1 if verb == "add" else -1))
                return
            if bits and verb == "mul":
                stack.append(v.product(bits, a, b))
                return
            if verb == "shl" and (by := v.number(b)) is not None:
                stack.append(v.product(bits, a, v.constant(bits, 1 << by % bits)))
                return
            parts: tuple[int, ...] = (a, b)
        else:
            parts = (stack.pop(),)
            if name == "i32.wrap_i64":
                inner = v.nodes[parts[0]]
                if inner[0] in ("i64.extend_i32_u", "i64.extend_i32_s"):
                    stack.append(inner[1])
                    return
        made = v.over("bool" if op.boolean else NAMES[op.results[0]], name, *parts)
        stack.append(made)
        if op.traps:
            assert self.path is not None
            self.traps.append((self.path, made))

    def access(self, pc: int, op: Op, imm: Any) -> None:
        type_ = self.module.mem_types[imm.memidx]
        if type_.addrtype is not I32 or type_.shared:
            raise Refused("accesses a memory that is shared or has 64-bit addresses")
        value = self.stack.pop() if op.stores else 0
        address = self.stack.pop()
        assert op.access and self.path is not None
        if op.stores:
            if len(self.stores) >= MOST_STORES:
                raise Refused("has too many stores")
            store = Access(self.path, op.access, imm.memidx, address, imm.offset, value, self.number)
            self.stores.append(store)
            return
        name = NAMES[op.results[0]]
        load = "load", op.access, name, imm.memidx, address, imm.offset, len(self.stores)
        self.stack.append(self.v.node(name, False, *load))
        self.loads.append((self.path, self.stack[-1]))


def resolved(paths: list[Path]) -> list[Path]:
    """Paths that together are the same as these, as few as there are: two that differ in one condition, which
    holds on one of them only, are one without it."""
    left = list(paths)
    again = True
    while again:
        again = False
        for first in left:
            for second in left:
                apart = first ^ second
                if len(apart) == 2 and len({node for node, _ in apart}) == 1:
                    left = [path for path in left if path not in (first, second)] + [first & second]
                    again = True
                    break
            if again:
                break
    return left


Step = Callable[[Round, int, Op, Any], int | None]
"""Executes an instruction at an index. Returns the index of the next one if that isn't behind it."""
END, ELSE = OPS["end"], OPS["else"]
BY_NAME: dict[str, Step] = {
    "block": Round.block, "loop": Round.inside, "if": Round.if_, "else": Round.else_, "end": Round.end_,
    "br": Round.br, "br_if": Round.br_if, "br_table": Round.br_table, "return": Round.return_,
    "unreachable": Round.unreachable, "call": Round.call,
    "local.get": Round.get_local, "local.set": Round.set_local, "local.tee": Round.tee_local,
    "i32.const": Round.integer, "i64.const": Round.integer,
    "f32.const": Round.float, "f64.const": Round.float,
    "select": Round.select, "select_t": Round.select, "drop": Round.drop, "nop": Round.nop,
}  # fmt: skip


def step_of(op: Op) -> Step:
    if op.name in PURE:
        return Round.pure
    if op.access and not op.atomic and op.width <= 8 and len(op.imms) == 1 and V128 not in op.results:
        return Round.access
    return BY_NAME.get(op.name, Round.other)


STEPS = ByRow(step_of)
"""How instructions are executed."""
QUICK = frozenset(
    op
    for name, op in OPS.items()
    if name in PURE or name in BY_NAME or (op.access and not op.atomic and op.kind in NAMES.values())
)
"""Instructions that a loop may have: a quick check before it is executed."""
