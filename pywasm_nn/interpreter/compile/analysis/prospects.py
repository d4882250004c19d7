"""A quick look at a loop before it is executed with symbols (`rounds.py`), which takes a hundred times as
long: most loops that can't be done with arrays go on until they meet some data.

What is here: what must depend on memory in the instructions that each round executes. What is not: any other
reason against arrays (`rounds.py`, `whole.py`).
"""

from __future__ import annotations

from ...instructions import Op
from ...module import Body
from ...validate import FuncFacts
from .comparisons import INTEGER

GET, SET, TEE, CONSTANT, LOAD, ONE, EITHER, SUM, BLOCK, END, BRANCH, OTHER = range(12)
"""What an instruction does to what depends on memory. ONE: its result does if its operand does. EITHER: if
one of two does. SUM: if exactly one does, because equal ones may cancel out. OTHER: nobody says so."""
BY_NAME = {
    "local.get": GET, "local.set": SET, "local.tee": TEE, "i32.const": CONSTANT, "i64.const": CONSTANT,
    "block": BLOCK, "end": END, "br_if": BRANCH, "i32.eqz": ONE, "i64.eqz": ONE, "i32.wrap_i64": ONE,
    "i64.extend_i32_u": ONE, "i64.extend_i32_s": ONE,
}  # fmt: skip
COMBINING = ("and", "or", "xor", "shr")
SUMMING = ("add", "sub")


class Effects(dict[Op, int]):
    """What instructions do, by row; each is looked up by mnemonic once."""

    def __missing__(self, op: Op) -> int:
        made = self[op] = effect_of(op)
        return made


def effect_of(op: Op) -> int:
    known = BY_NAME.get(op.name)
    if known is not None:
        return known
    if op.access and not op.stores:
        return LOAD
    if op.name in INTEGER or (op.kind in ("i32", "i64") and op.verb in COMBINING):
        return EITHER
    return SUM if op.kind in ("i32", "i64") and op.verb in SUMMING else OTHER


EFFECTS = Effects()


def meets_data(body: Body, facts: FuncFacts, loop: int) -> bool:
    """Whether each round of the loop at an index that gets so far branches, out of the loop or to its start,
    if something holds that depends on what it has loaded. Only the code before the first branch without a
    condition, or the first other choice, is looked at."""
    ops, imms = body.ops, body.imms
    stack: list[bool] = []
    data: set[int] = set()
    """Locals that depend on memory."""
    depth = 0
    for index in range(loop + 1, facts.ends[loop]):
        effect = EFFECTS[ops[index]]
        if effect == GET:
            stack.append(imms[index] in data)
        elif effect == CONSTANT:
            stack.append(False)
        elif effect == LOAD:
            stack[-1] = True
        elif effect == SUM:
            stack[-2:] = [stack[-1] != stack[-2]]
        elif effect == EITHER:
            stack[-2:] = [stack[-1] or stack[-2]]
        elif effect in (SET, TEE):
            (data.add if stack[-1] else data.discard)(imms[index])
            if effect == SET:
                del stack[-1]
        elif effect == BRANCH:
            if stack.pop() and imms[index] >= depth:
                return True
        elif effect == BLOCK and not facts.blocks[index].params and not facts.blocks[index].results:
            depth += 1
        elif effect == END:
            depth -= 1
        elif effect != ONE and not passes(stack, ops[index]):
            return False
    return False


def passes(stack: list[bool], op: Op) -> bool:
    """Apply an instruction of whose results nothing is known, if it is no control instruction."""
    if op.params is None:
        return False
    del stack[len(stack) - len(op.params) :]
    stack += [False] * len(op.results)
    return True
