"""The frame that a function of C has in memory.

What is here: where the function raises the stack pointer again by as much as it lowered it in its first
instructions. What the pointer was is kept in a variable then, and nothing is added. What is not: what the
frame holds (`reloads.py`).
"""

from __future__ import annotations

from itertools import compress

from ...instructions import OPS
from ...module import Body

READ, WRITE, CONST, ADD = OPS["global.get"], OPS["global.set"], OPS["i32.const"], OPS["i32.add"]
BEGINS = (READ, CONST, OPS["i32.sub"])
ENDS = (OPS["local.get"], CONST, ADD, WRITE)
WRITES, SETS = frozenset((WRITE,)), frozenset((OPS["local.set"], OPS["local.tee"]))
NOWHERE: frozenset[int] = frozenset()


def restored_at(body: Body) -> frozenset[int]:
    """Where a global gets back the value that the first instruction reads; nowhere if that isn't lowered into
    a local that keeps it."""
    ops, imms = body.ops, body.imms
    if ops[:3] != BEGINS or ops[3] not in SETS:
        return NOWHERE
    pointer, size, _, local = imms[:4]
    same = (local, size, None, pointer)
    found = frozenset(
        index
        for index in compress(range(len(ops)), map(WRITES.__contains__, ops))
        if ops[index - 3 : index + 1] == ENDS and imms[index - 3 : index + 1] == same
    )
    sets = compress(imms, map(SETS.__contains__, ops)) if found else ()
    return found if [*sets].count(local) == 1 else NOWHERE
