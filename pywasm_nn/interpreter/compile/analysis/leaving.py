"""Where a loop is left for good, and what is called in it as if it stood there.

What is here: code that gives up, which is what compilers emit where a check fails (`panic`, `abort`), and
functions that only calculate (`roundf`, `fminf`), whose bodies are executed where they are called. What is
not: what becomes of both (`rounds.py`).
"""

from __future__ import annotations

from ....errors import InvalidError, MalformedError
from ...instructions import OPS
from ...module import Body, Module
from ...validate import FuncFacts, validate_func
from .numbers import PURE

MOST_STEPS = 64
"""The most instructions before a guest has given up: those that write a message."""
MOST_BYTES = 160
MOST_INSTRUCTIONS = 80
"""The size of a function that is executed where it is called."""
UNREACHABLE, CALL = OPS["unreachable"], OPS["call"]
STRAIGHT = frozenset(
    op for name, op in OPS.items()
    if op.params is not None or name in ("end", "call", "local.get", "local.set", "local.tee", "drop", "nop")
)  # fmt: skip
"""Instructions that control gets behind, or that end the code."""
CONTROL = frozenset(
    OPS[name]
    for name in (
        "block", "if", "else", "end", "br", "br_if", "return", "local.get", "local.set", "local.tee", "drop",
        "select", "nop", "i32.const", "i64.const", "f32.const", "f64.const",
    )
)  # fmt: skip
Leaf = tuple[Body, FuncFacts]


def gives_up(body: Body, index: int) -> bool:
    """Whether the guest traps whatever happens once control gets to an instruction: nothing is chosen from
    there to an `unreachable`."""
    for op in body.ops[index : index + MOST_STEPS]:
        if op is UNREACHABLE:
            return True
        if op not in STRAIGHT:
            return False
    return False


def leaf_of(module: Module, funcidx: int) -> Leaf | None:
    """A function that is small, calculates and chooses, and neither calls nor accesses anything."""
    index = funcidx - module.imported_funcs
    if index < 0 or module.funcs[index].size > MOST_BYTES:
        return None
    try:
        body = module.funcs[index].body
        if len(body.ops) > MOST_INSTRUCTIONS or not all(op in CONTROL or op.name in PURE for op in body.ops):
            return None
        return body, validate_func(module, index)
    except (InvalidError, MalformedError):  # it traps when it is called
        return None


def calls_leaves(module: Module, body: Body, start: int, end: int) -> bool:
    """Whether the calls between two instructions are all of such functions, or of one that gives up."""
    ops, imms = body.ops, body.imms
    calls = [index for index in range(start, end) if ops[index] is CALL]
    return all(gives_up(body, index + 1) or leaf_of(module, imms[index]) is not None for index in calls)
