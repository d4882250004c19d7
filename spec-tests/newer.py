"""Functions with exceptions as they were before 3.0, written in the newer encoding, which wasmtime has.

What is here: `in_newer_encoding`, for functions among the surroundings (`surroundings.wat`). What is not:
making such functions (`random_control.py`).

A `try` becomes a `try_table` in blocks, one for each clause, whose labels get the values and the exception;
it is kept in a local for `rethrow`. A block to which something delegates gets a block inside, whose label
gets the exception, to be thrown again there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from random_bodies import PARAMS, Code, function_of, surroundings

from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.module import BlockType, Body, CastArg, Catch, Func
from pywasm_nn.interpreter.types import EXN, FuncType, RefType, ValType

KEPT = RefType(EXN)
OLDER = frozenset({OPS["try"], OPS["catch"], OPS["catch_all"], OPS["rethrow"], OPS["delegate"]})


class Label:
    """What a branch goes to; compared by identity."""


class Block:
    """An open block of the function as it was, and what is written for it."""

    def __init__(self, name: str, type_: FuncType, is_target: bool) -> None:
        self.name = name
        self.type = type_
        self.is_target = is_target
        """Whether something delegates to it."""
        self.label, self.out, self.again = Label(), Label(), Label()
        """Of its own branches, of the end of a part, and of what is thrown again in it."""
        self.clauses: list[tuple[int | None, Label]] = []
        """Of a `try`: tags and labels of the clauses to come."""
        self.kept = -1
        """The local that keeps its exception."""


Item = tuple[str, Any, list[Label]]
"""An instruction, its immediate but for labels, and its labels; a block has its own label last."""


def in_newer_encoding(func: Func) -> Func:
    """The function; itself if it has no older instruction."""
    if OLDER.isdisjoint(func.body.ops):
        return func
    return Writer(func).written()


class Writer:
    """Writes one function anew."""

    def __init__(self, func: Func) -> None:
        self.func = func
        self.module = surroundings()
        self.items: list[Item] = []
        self.locals: list[tuple[int, ValType]] = list(func.locals)
        self.count = sum(count for count, _ in func.locals) + len(PARAMS)
        self.starts, self.ends, self.clauses = structure_of(func.body)
        self.targets = set(self.delegated())
        results = self.module.func_type(func.typeidx).results
        self.open = [Block("func", FuncType((), results), -1 in self.targets)]

    def delegated(self) -> Iterator[int]:
        """The instructions that open the blocks to which something delegates; -1 is the function."""
        for pc, (op, imm) in enumerate(self.func.body):
            if op.name == "delegate":
                around = [start for start in self.starts[pc] if start != self.starts[pc][-1]]
                yield around[-1 - imm]

    def written(self) -> Func:
        function = self.open[0]
        self.begin_part(function, ())
        body = self.func.body
        for pc, (op, imm) in enumerate(zip(body.ops[:-1], body.imms[:-1], strict=True)):
            if op.closes or Imm.BLOCKTYPE in op.imms:
                self.structured(pc, op, imm)
            elif op.name == "rethrow":
                self.put("local.get", self.open[-1 - imm].kept)
                self.put("throw_ref")
            else:
                self.plain(op, imm)
        self.end_part(function)
        self.put("end")
        return function_of(self.func.typeidx, tuple(self.locals), resolved(self.items, function.label))

    # Instructions

    def put(self, name: str, imm: Any = None, *labels: Label) -> None:
        self.items.append((name, imm, [*labels]))

    def fresh(self, type_: ValType) -> int:
        """A new local."""
        self.locals.append((1, type_))
        self.count += 1
        return self.count - 1

    def stash(self, types: Sequence[ValType]) -> list[int]:
        """Put operands into new locals; these."""
        made = [self.fresh(type_) for type_ in types]
        for index in reversed(made):
            self.put("local.set", index)
        return made

    def plain(self, op: Op, imm: Any) -> None:
        """An instruction that stays, with its labels."""
        if op.imms == (Imm.LABEL,):
            self.put(op.name, None, self.open[-1 - imm].label)
        elif op.imms == (Imm.LABELS,):
            self.put(op.name, None, *(self.open[-1 - depth].label for depth in imm))
        elif op.imms == (Imm.CAST,):
            self.put(op.name, imm, self.open[-1 - imm.label].label)
        else:
            self.put(op.name, imm)

    # Blocks

    def structured(self, pc: int, op: Op, imm: Any) -> None:
        name = op.name
        if name in ("catch", "catch_all"):
            self.clause(self.open[-1])
        elif name in ("end", "delegate"):
            self.end(self.open.pop(), name)
        elif name == "else":
            block = self.open[-1]
            self.end_part(block)
            self.put("else")
            self.begin_part(block, block.type.params)
        elif name == "try":
            self.begin_try(pc, imm)
        else:
            blocktype, catches = imm if name == "try_table" else (imm, ())
            block = Block(name, self.type_of(blocktype), pc in self.targets)
            labels = [self.open[-1 - clause.label].label for clause in catches]
            self.put(name, imm, *labels, block.label)
            self.open.append(block)
            self.begin_part(block, block.type.params)

    def type_of(self, blocktype: BlockType) -> FuncType:
        if blocktype.typeidx is not None:
            return self.module.func_type(blocktype.typeidx)
        return FuncType((), () if blocktype.result is None else (blocktype.result,))

    def blocktype_of(self, results: tuple[ValType, ...]) -> BlockType:
        if len(results) < 2:
            return BlockType(result=results[0] if results else None)
        types = [type_.composite for type_ in self.module.subtypes]
        return BlockType(typeidx=types.index(FuncType((), results)))

    def begin_part(self, block: Block, carried: Sequence[ValType]) -> None:
        """Begin a part of a block, in which something may be thrown again."""
        if block.is_target:
            stashed = self.stash(carried)
            self.put("block", self.blocktype_of(block.type.results), block.out)
            self.put("block", self.blocktype_of((KEPT,)), block.again)
            for index in stashed:
                self.put("local.get", index)

    def end_part(self, block: Block) -> None:
        if block.is_target:
            self.put("br", None, block.out)
            self.put("end")
            self.put("throw_ref")
            self.put("end")

    def begin_try(self, pc: int, imm: BlockType) -> None:
        block = Block("try", self.type_of(imm), pc in self.targets)
        results = self.blocktype_of(block.type.results)
        stashed = self.stash(block.type.params)
        last = self.func.body.ops[self.ends[pc]]
        caught: list[tuple[int | None, Label]] = []
        if last.name == "delegate":
            to = self.open[-1 - self.func.body.imms[self.ends[pc]]]
            caught = [(None, to.again)]
        else:
            tags = [self.func.body.imms[at] for at in self.clauses.get(pc, ())]
            block.clauses = caught = [(tag, Label()) for tag in tags]
        self.put("block", results, block.label)
        for tag, label in reversed(block.clauses):
            self.put("block", self.blocktype_of((*self.values_of(tag), KEPT)), label)
        clauses = tuple(Catch(tag, True, 0) for tag, _ in caught)
        self.put("try_table", (results, clauses), *(label for _, label in caught), Label())
        self.open.append(block)
        for index in stashed:
            self.put("local.get", index)
        self.begin_part(block, block.type.params)

    def values_of(self, tag: int | None) -> tuple[ValType, ...]:
        return () if tag is None else self.module.tag_types[tag].params

    def clause(self, block: Block) -> None:
        """End the body or a clause of a `try`, and begin its next clause."""
        self.end_part(block)
        if block.kept < 0:
            block.kept = self.fresh(KEPT)
            self.put("end")  # of try_table
        self.put("br", None, block.label)
        self.put("end")
        tag, _ = block.clauses.pop(0)
        self.put("local.set", block.kept)
        self.begin_part(block, self.values_of(tag))

    def end(self, block: Block, name: str) -> None:
        self.end_part(block)
        if block.name == "try" and block.kept < 0:
            self.put("end")  # of try_table
        self.put("end")


def structure_of(body: Body) -> tuple[list[list[int]], dict[int, int], dict[int, list[int]]]:
    """For each `delegate` the instructions that open the blocks around it, its own last, -1 first; for each
    block its end; and the clauses of each `try`."""
    starts: list[list[int]] = [[] for _ in body.ops]
    ends: dict[int, int] = {}
    clauses: dict[int, list[int]] = {}
    open_ = [-1]
    for pc, op in enumerate(body.ops):
        if op.name == "delegate":
            starts[pc] = open_.copy()
        if op.name in ("catch", "catch_all"):
            clauses.setdefault(open_[-1], []).append(pc)
        elif op.name in ("end", "delegate"):
            ends[open_.pop()] = pc
        elif Imm.BLOCKTYPE in op.imms:
            open_.append(pc)
    return starts, ends, clauses


def resolved(items: Sequence[Item], function: Label) -> Code:
    """The instructions with labels as the number of blocks between."""
    open_ = [function]
    code: Code = []
    for name, imm, labels in items:
        op = OPS[name]
        opens = Imm.BLOCKTYPE in op.imms
        depths = [len(open_) - 1 - open_.index(label) for label in (labels[:-1] if opens else labels)]
        if name == "try_table":
            blocktype, catches = imm
            imm = (
                blocktype,
                tuple(clause._replace(label=depth) for clause, depth in zip(catches, depths, strict=True)),
            )
        elif isinstance(imm, CastArg):
            imm = imm._replace(label=depths[0])
        elif depths:
            imm = tuple(depths) if op.imms == (Imm.LABELS,) else depths[0]
        code.append((op, imm))
        if opens:
            open_.append(labels[-1])
        elif name == "end":
            open_.pop()
    return code
