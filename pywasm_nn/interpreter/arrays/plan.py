"""What is to be done for a whole loop, as plain data that is kept with compiled code.

`compile/analysis/whole.py` makes it, `whole.py` here does it.
"""

from __future__ import annotations

from typing import Any

from ...tuples import NamedTuple

Node = tuple[Any, ...]
"""A value: as `compile/analysis/values.py` describes, but `("param", n)` for a local, no `before` and
`left` but those of chains, `("scanned", (kind, n), *nodes)` for argument n that the rounds before have
combined with nodes (see `Result`), and `("delayed", n, node)` for a node in the round before, of which
argument n is the first value."""
Multiples = tuple[tuple[int, int], ...]
"""Nodes and their factors."""
Line = tuple[int, Multiples]
"""A number and multiples of nodes that don't change in the loop."""
Affine = tuple[Line, tuple[Line, ...]]
"""A value in the first round, and for each loop, the outer one first, by how much each round changes it."""
Test = tuple[str, bool, int, Affine, Affine]
"""A comparison: its symbol, whether it is signed, the bits of its operands, and the operands. A loop goes on
while it holds."""


class Load(NamedTuple):
    """A load. `address` is None if the addresses are in `node`."""

    value: int
    """The node of its value; -1 if that isn't used."""
    access: str
    type: str
    memidx: int
    address: Affine | None
    node: int
    offset: int
    stores: int
    """How many stores of a round are before it."""
    when: int
    """What doesn't change in the loop and says whether it is done at all; -1 if it always is."""


class Store(NamedTuple):
    """A store, where `path` is true (-1: always)."""

    path: int
    access: str
    memidx: int
    address: Affine
    offset: int
    value: int
    depth: int
    """1 if it is in a loop inside."""


class Update(NamedTuple):
    """A store of what is at the same address, with something added. Nothing else is stored then."""

    path: int
    access: str
    memidx: int
    node: int
    """Its addresses."""
    offset: int
    value: int
    """The numbers that are added."""


class Result(NamedTuple):
    """A local that the rounds change. `kind` says how:

    - "step": each round adds `line`
    - "sum", "and", "or", "xor", "mul": each round combines it with the nodes, integers
    - "horner": each round multiplies it by the second node, which doesn't change, and adds the first
    - "add": each round adds the nodes to it in order, as floats
    - "min", "max": each round combines it with the nodes by the instructions of that name
    - "last": it becomes the node
    - "keep": it becomes the second node where the first one is true
    - "gt_s", "le" and other comparisons: it becomes a node that is greater (at most) than it
    - "at": its node in the round where result number `line[0]` was found
    """

    kind: str
    type: str
    signed: bool
    """Whether the local is kept signed."""
    line: Line
    nodes: tuple[int, ...]
    param: int
    """Which argument has its value before the loop; -1 if it is no local but what load number `line[0]` gives
    before the loop, for an "at" that stands for it."""


AROUND, INSIDE, AFTER = range(3)
"""When a value is computed if an innermost loop is done round by round: before that loop, in each of its
rounds, or after it."""
NEVER = -2
"""For a loop that isn't executed."""


class Chain(NamedTuple):
    """A local of an innermost loop, each round of which sets it in terms of what the round before has made.
    All but the loop are nodes, or -1 if nobody asks."""

    loop: int
    before: int
    """Its value at the start of a round."""
    start: int
    """The same of the first round."""
    after: int
    """Its value after a round."""
    left: int
    """The same of the last round."""
    kind: str
    """"sum" or "add" (see `Result`), if each round adds to it what doesn't depend on the round before; or
    empty."""
    parts: tuple[int, ...]
    """What is added, in order."""


class Plan(NamedTuple):
    """A whole loop, which is number 0, and those inside it, from 1 on in the order in which they begin."""

    nodes: tuple[Node, ...]
    types: tuple[str, ...]
    still: tuple[bool, ...]
    """Whether a node is the same in all rounds."""
    params: tuple[str, ...]
    """The types of the arguments."""
    tests: tuple[tuple[Test, ...], ...]
    """For each loop what holds while it goes on; it ends when one doesn't."""
    tests_first: tuple[bool, ...]
    """For each loop inside whether it tests before it does anything."""
    loads: tuple[Load, ...]
    stores: tuple[Store, ...]
    traps: tuple[tuple[int, int], ...]
    """Nodes of instructions that may trap, each behind the node that is true where it is executed, or -1. Of
    a guest that gives up the node is -1."""
    results: tuple[Result, ...]
    zeros: tuple[Line, ...]
    """Sums that must be 0 modulo 2^32."""
    chains: tuple[Chain, ...]
    """What the rounds of the innermost loops that `goes_around` carry on, where anybody asks for it."""
    phases: tuple[int, ...]
    """When each node is computed, if the plan `goes_around`, or if data says how often the loop inside runs.
    Each of several innermost loops has its own two phases behind those of the one before."""
    pastes: bool
    """Whether functions are called in it."""
    updates: tuple[Update, ...]
    """Stores where data says, in order."""
    laps: int
    """How many rounds the loop inside has, if data says so: the tests are only of the loop around it then. -1
    if there is no such loop."""
    taken: int
    """The truth values that say which rounds have that loop; -1 if all have it."""
    planes: int
    """How many loops inside are computed together with the outer one: those that aren't innermost."""
    runs: tuple[int, ...]
    """For each loop inside what doesn't change and says whether it is executed at all; -1 if it always is, -2
    if it never is."""

    @property
    def depth(self) -> int:
        """How many loops there are."""
        return len(self.tests)

    @property
    def goes_around(self) -> bool:
        """Whether it has innermost loops whose rounds are computed one after the other."""
        return self.depth > self.planes + 1

    @property
    def adds(self) -> bool:
        """Whether there are chains, and each of them is a sum whose summands can be computed at once."""
        return bool(self.chains) and all(chain.kind for chain in self.chains if chain.before >= 0)

    @property
    def weight(self) -> int:
        """By how much fewer rounds are computed at a time, because each takes much memory."""
        return max(1, len(self.nodes) >> 6)

    def plain(self) -> tuple[Any, ...]:
        """The same in tuples, for `marshal`."""
        tables = self.loads, self.stores, self.results, self.chains, self.updates
        rows: Any = [tuple([tuple(row) for row in table]) for table in tables]
        names = "loads", "stores", "results", "chains", "updates"
        return tuple(self._replace(**dict(zip(names, rows, strict=True))))


def plan_of(plain: tuple[Any, ...]) -> Plan:
    """The inverse of `Plan.plain`."""
    plan = Plan(*plain)
    return plan._replace(
        loads=tuple([Load(*row) for row in plan.loads]),
        stores=tuple([Store(*row) for row in plan.stores]),
        results=tuple([Result(*row) for row in plan.results]),
        chains=tuple([Chain(*row) for row in plan.chains]),
        updates=tuple([Update(*row) for row in plan.updates]),
    )
