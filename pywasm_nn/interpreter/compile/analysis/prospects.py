"""A quick look at a loop before it is executed with symbols (`rounds.py`), which takes a hundred times as
long: most loops that can't be done with arrays go on until they meet some data.

What is here: what must depend on memory, on a local that doesn't count, or on what the round before loaded,
in the instructions that each round executes. What is not: any other reason against arrays (`rounds.py`,
`whole.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...instructions import OPS, ByRow, Op
from ...module import Body
from ...validate import FuncFacts, Label
from .comparisons import INTEGER
from .leaving import gives_up


def meets_data(body: Body, facts: FuncFacts, loop: int) -> bool:
    """Whether each round of the loop at an index that gets so far branches, out of the loop or to its start,
    if something holds that depends on what it has loaded, or on a local that doesn't count; or uses what the
    round before loaded. Only the code before the first choice of another kind than a branch is looked at. Or
    whether no local can count at all, in whichever code."""
    sets = [index for index in range(loop, facts.ends[loop]) if body.ops[index] in LOCAL_SET]
    return not may_count(body, sets) or Glance(body, facts, loop, sets).meets_data()


def may_count(body: Body, sets: Sequence[int]) -> bool:
    """Whether one of the locals that are set at these indices may count: not if each of them is set to what
    was just loaded or compared, to a constant or to another local."""
    return not all(COUNTLESS[body.ops[index - 1]] for index in sets)


class OpenBlock:
    """An open block: its end, the height of the stack there, and the locals that depend on data whichever
    way the end is reached; None before any way is known."""

    __slots__ = ("data", "end", "height")

    def __init__(self, end: int, height: int) -> None:
        self.end = end
        self.height = height
        self.data: set[int] | None = None

    def arrive(self, data: set[int]) -> None:
        self.data = data.copy() if self.data is None else self.data & data


class Glance:
    """The operands and locals that depend on data, while the code of a round is gone through. A method for an
    instruction returns what is known then: True, False, or None to go on."""

    __slots__ = ("body", "carried", "data", "end", "facts", "index", "scopes", "stack")

    def __init__(self, body: Body, facts: FuncFacts, loop: int, sets: Sequence[int]) -> None:
        self.body = body
        self.facts = facts
        self.index = loop
        self.end = facts.ends[loop]
        self.stack: list[bool] = []
        self.data = scaled(body, sets)
        self.carried = loaded(body, sets)
        """Locals that have what an earlier round loaded until they are set."""
        self.scopes: list[OpenBlock] = []

    def meets_data(self) -> bool:
        ops, imms = self.body.ops, self.body.imms
        self.index += 1
        while self.index < self.end:
            op = ops[self.index]
            known = LOOKS[op](self, op, imms[self.index])
            if known is not None:
                return known
            self.index += 1
        return False

    # Operands

    def get(self, op: Op, imm: Any) -> bool | None:
        if imm in self.carried:
            return True
        self.stack.append(imm in self.data)
        return None

    def tee(self, op: Op, imm: Any) -> None:
        self.carried.discard(imm)
        (self.data.add if self.stack[-1] else self.data.discard)(imm)

    def set(self, op: Op, imm: Any) -> None:
        self.tee(op, imm)
        del self.stack[-1]

    def constant(self, op: Op, imm: Any) -> None:
        self.stack.append(False)

    def load(self, op: Op, imm: Any) -> None:
        self.stack[-1] = True

    def one(self, op: Op, imm: Any) -> None:
        """The result depends on data if the operand does."""

    def either(self, op: Op, imm: Any) -> None:
        """The result depends on data if one of two operands does."""
        self.stack[-2:] = [self.stack[-1] or self.stack[-2]]

    def sum(self, op: Op, imm: Any) -> None:
        """The result depends on data if exactly one operand does: equal ones may cancel out."""
        self.stack[-2:] = [self.stack[-1] != self.stack[-2]]

    def drop(self, op: Op, imm: Any) -> None:
        del self.stack[-1]

    def select(self, op: Op, imm: Any) -> None:
        self.stack[-3:] = [False]

    def other(self, op: Op, imm: Any) -> bool | None:
        """Nothing is known of the results; the look ends at control instructions of other kinds."""
        if op.params is None:
            return False
        del self.stack[len(self.stack) - len(op.params) :]
        self.stack += [False] * len(op.results)
        return None

    # Branches

    def block(self, op: Op, imm: Any) -> bool | None:
        type_ = self.facts.blocks[self.index]
        if type_.params or type_.results:
            return False
        self.scopes.append(OpenBlock(self.facts.ends[self.index], len(self.stack)))
        return None

    def close(self, op: Op, imm: Any) -> None:
        scope = self.scopes.pop()
        scope.arrive(self.data)
        self.data = scope.data or set()

    def br_if(self, op: Op, imm: Any) -> bool | None:
        depends = self.stack.pop()
        if imm < len(self.scopes):
            self.scopes[-1 - imm].arrive(self.data)
        elif depends and not self.gives_up():
            return True
        return None

    def gives_up(self) -> bool:
        """Whether the guest gives up if a branch is taken, or if it isn't (`leaving.py`)."""
        label = self.facts.branches[self.index]
        assert isinstance(label, Label)
        return gives_up(self.body, label.pc) or gives_up(self.body, self.index + 1)

    def br(self, op: Op, imm: Any) -> bool | None:
        if imm < len(self.scopes):
            self.scopes[-1 - imm].arrive(self.data)
        return self.leave(op, imm)

    def leave(self, op: Op, imm: Any) -> bool | None:
        """Go on at the end of the innermost block whose end is reached."""
        while self.scopes:
            scope = self.scopes.pop()
            if scope.data is not None:
                self.index, self.data = scope.end, scope.data
                del self.stack[scope.height :]
                return None
        return False


Look = Callable[[Glance, Op, Any], bool | None]
BY_NAME: dict[str, Look] = {
    "local.get": Glance.get, "local.set": Glance.set, "local.tee": Glance.tee, "drop": Glance.drop,
    "i32.const": Glance.constant, "i64.const": Glance.constant, "select": Glance.select,
    "block": Glance.block, "end": Glance.close, "br_if": Glance.br_if, "br": Glance.br,
    "return": Glance.leave, "unreachable": Glance.leave, "i32.eqz": Glance.one, "i64.eqz": Glance.one,
    "i32.wrap_i64": Glance.one, "i64.extend_i32_u": Glance.one, "i64.extend_i32_s": Glance.one,
}  # fmt: skip
COMBINING = ("and", "or", "xor", "shr")
SUMMING = ("add", "sub")


def look_at(op: Op) -> Look:
    known = BY_NAME.get(op.name)
    if known is not None:
        return known
    if op.access and not op.stores:
        return Glance.load
    if op.name in INTEGER or (op.kind in ("i32", "i64") and op.verb in COMBINING):
        return Glance.either
    return Glance.sum if op.kind in ("i32", "i64") and op.verb in SUMMING else Glance.other


LOOKS = ByRow(look_at)
"""What to do at an instruction."""
LOCAL_SET = frozenset((OPS["local.set"], OPS["local.tee"]))
COPIES = frozenset((OPS["local.get"], OPS["local.tee"]))
CONSTANTS = frozenset((OPS["i32.const"], OPS["i64.const"]))
COUNTLESS = ByRow(
    lambda op: (
        bool(op.access and not op.stores and not op.atomic) or op.boolean or op in COPIES or op in CONSTANTS
    )
)
"""Whether a local doesn't count because of being set to what an instruction gives."""
SHIFTS = frozenset(OPS[f"{kind}.{verb}"] for kind in ("i32", "i64") for verb in ("shl", "shr_u", "shr_s"))
SCALES = SHIFTS | {OPS["i32.div_u"], OPS["i64.div_u"]}


def scaled(body: Body, sets: Sequence[int]) -> set[int]:
    """Of the locals that are set at these indices those that are set once, to something multiplied or divided
    by a constant: none of them counts, so nothing is known of it when a round begins."""
    ops, imms = body.ops, body.imms
    found = {imms[index] for index in sets if ops[index - 1] in SCALES and is_scale(body, index - 1)}
    return {local for local in found if [imms[index] for index in sets].count(local) == 1}


def is_scale(body: Body, index: int) -> bool:
    """Whether a shift or division is by a constant that changes numbers."""
    if body.ops[index - 1] not in CONSTANTS:
        return False
    amount: int = body.imms[index - 1]
    return 0 < amount < 32 if body.ops[index] in SHIFTS else amount > 1


def loaded(body: Body, sets: Sequence[int]) -> set[int]:
    """Of the locals that are set at these indices those that are only set to what was just loaded."""
    ops, imms = body.ops, body.imms
    found = {imms[index] for index in sets if LOOKS[ops[index - 1]] is Glance.load}
    return found - {imms[index] for index in sets if LOOKS[ops[index - 1]] is not Glance.load}
