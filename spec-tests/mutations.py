"""Functions a little changed: other instructions of the same type, other immediates, instructions lost,
doubled, exchanged or brought from elsewhere. What comes out may be invalid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from random_bodies import ALONE, REFERENCES, VALUES, Code, function_of, rows
from random_described import TYPES

from pywasm_nn.interpreter.instructions import OPS, Imm, Op
from pywasm_nn.interpreter.module import BlockType, CastArg, Catch, FieldArg, Func, MemArg
from pywasm_nn.interpreter.types import Exact, HeapType, RefType, TypeIdx

BITS = {Imm.I32: 32, Imm.I64: 64, Imm.F32: 32, Imm.F64: 64, Imm.V128: 128}
MOST = 3
"""Mutations of one function."""


@cache
def alike(alone: bool) -> dict[Op, list[Op]]:
    """For each row those whose operands, results and immediates have the same types; `alone` as in
    `random_bodies`."""
    groups: dict[Any, list[Op]] = defaultdict(list)
    for op in rows(alone):
        groups[op.params, op.results, op.imms].append(op)
    return {op: group for group in groups.values() for op in group}


def mutated(func: Func, random: Random) -> Func:
    """The function after up to `MOST` mutations. The last `end` stays."""
    code: Code = list(func.body)[:-1]
    for _ in range(random.randint(1, MOST)):
        if code:
            random.choice(MUTATIONS)(code, random)
    return function_of(func.typeidx, func.locals, [*code, (OPS["end"], None)])


def exchange(code: Code, random: Random) -> None:
    """Another instruction of the same type."""
    at = random.randrange(len(code))
    op, imm = code[at]
    alone = any(op.feature in ALONE for op, _ in code)
    code[at] = random.choice(alike(alone)[op]), imm


def change(code: Code, random: Random) -> None:
    """Another immediate."""
    having = [at for at, (op, _) in enumerate(code) if op.imms]
    if not having:
        return
    at = random.choice(having)
    op, imm = code[at]
    if len(op.imms) == 1:
        code[at] = op, other(op.imms[0], imm, random)
    else:
        position = random.randrange(len(op.imms))
        values = list(imm)
        values[position] = other(op.imms[position], values[position], random)
        code[at] = op, tuple(values)


def delete(code: Code, random: Random) -> None:
    del code[random.randrange(len(code))]


def double(code: Code, random: Random) -> None:
    at = random.randrange(len(code))
    code.insert(at, code[at])


def turn(code: Code, random: Random) -> None:
    """Two neighbours change places."""
    at = random.randrange(len(code))
    code[at : at + 2] = code[at : at + 2][::-1]


def move(code: Code, random: Random) -> None:
    """A few instructions, again elsewhere."""
    at, length = random.randrange(len(code)), random.randrange(1, 6)
    to = random.randrange(len(code))
    code[to:to] = code[at : at + length]


MUTATIONS: tuple[Callable[[Code, Random], None], ...] = (
    exchange, exchange, exchange, exchange, change, change, change, delete, double, turn, move,
)  # fmt: skip


def other(kind: Imm, value: Any, random: Random) -> Any:
    """Another immediate of the kind."""
    if kind in BITS:
        bits = BITS[kind]
        changed = (value + 1, value - 1, value ^ 1 << random.randrange(bits), random.getrandbits(bits), 0)
        return random.choice(changed) % (1 << bits)
    make = OTHERS.get(kind)
    return index(value, random) if make is None else make(value, random)


def index(value: int, random: Random) -> int:
    return max(0, value + random.choice((-2, -1, 1, 2)))


def other_memarg(memarg: MemArg, random: Random) -> MemArg:
    return random.choice(
        (
            memarg._replace(align=random.randrange(5)),
            memarg._replace(offset=random.choice((0, 1, 65535, 65536, 1 << 31, (1 << 32) - 1, 1 << 32))),
            memarg._replace(memidx=random.randrange(4)),
        )
    )


def other_labels(labels: tuple[int, ...], random: Random) -> tuple[int, ...]:
    at = random.randrange(len(labels))
    return (*labels[:at], index(labels[at], random), *labels[at + 1 :])


def other_catches(catches: tuple[Catch, ...], random: Random) -> tuple[Catch, ...]:
    more = Catch(random.choice((None, 0, 1)), random.random() < 0.5, random.randrange(3))
    return random.choice(((more,), (*catches, more), (more, *catches), ()))


def other_heap(heap: HeapType, random: Random) -> HeapType:
    """Where only our engines run, another type that describes or is described, or the same type exactly."""
    if isinstance(heap, Exact) or (isinstance(heap, TypeIdx) and heap.index in TYPES):
        index = TypeIdx(random.choice(TYPES))
        return random.choice((index, Exact(index)))
    return random.choice(REFERENCES).heap


def other_cast(cast: CastArg, random: Random) -> CastArg:
    return random.choice(
        (
            cast._replace(label=index(cast.label, random)),
            cast._replace(source=cast.target, target=cast.source),
            cast._replace(target=cast.source),
            cast._replace(target=RefType(other_heap(cast.target.heap, random), random.random() < 0.5)),
        )
    )


OTHERS: dict[Imm, Callable[[Any, Random], Any]] = {
    Imm.MEMARG: other_memarg,
    Imm.LABELS: other_labels,
    Imm.CATCHES: other_catches,
    Imm.CAST: other_cast,
    Imm.BLOCKTYPE: lambda type_, random: BlockType(result=random.choice((None, *VALUES))),
    Imm.FIELD: lambda field, random: FieldArg(field.typeidx, index(field.fieldidx, random)),
    Imm.HEAPTYPE: other_heap,
    Imm.CASTTYPE: other_heap,
    Imm.VALTYPES: lambda types, random: (random.choice(VALUES),),
    Imm.ZERO: lambda zero, random: zero,  # the decoder refuses any other, before there is a function
    Imm.LANES: lambda lanes, random: bytes(random.randrange(33) for _ in range(16)),
}
