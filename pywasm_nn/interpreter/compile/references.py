"""Function references and branches on null
(https://webassembly.github.io/spec/core/exec/instructions.html#reference-instructions)."""

from __future__ import annotations

from typing import Any

from ..instructions import Op
from .control import arm, finish_call
from .emit import Emitter, translates
from .operands import ATOM, Operand
from .tree import If


@translates("call_ref")
def call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    callee = e.stack.pop()
    finish_call(e, f"{callee.term}.callable", callee.reads, e.module.func_type(imm))


@translates("ref.as_non_null")
def ref_as_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.stack.pop()
    e.push_trapping(Operand(f"non_null({reference.text})", 0, -1, ATOM, reference.reads, reference.depth + 1))


@translates("br_on_null")
def br_on_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    e.stack.pop()
    branch(e, f"{reference.text} is None", imm)
    e.stack.append(reference)


@translates("br_on_non_null")
def br_on_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    branch(e, f"{reference.text} is not None", imm)
    e.stack.pop()


def branch(e: Emitter, condition: str, depth: int) -> None:
    """Branch if a condition that can't trap is true; the label's values are on the stack."""
    node = If(condition, -1)
    e.seq.append(node)
    arm(e, node.then, depth)
    e.seq = node.orelse
