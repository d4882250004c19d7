"""Modules of others made fit for comparing engines: functions are added that call what is exported and write
down results and globals, and arithmetic makes one NaN.

What is here: `instrumented`. What is not: running them (`foreign.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from random_bodies import EDGE_FLOATS, EDGES, Code, float_bits, function_of, spelled_out, with_plain_nans

from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.module import Export, Func, MemArg, Module
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.types import (
    ANY,
    EQ,
    EXTERN,
    F32,
    F64,
    FUNC,
    I31,
    I32,
    I64,
    NUM_TYPES,
    V128,
    ExternKind,
    FuncType,
    RecType,
    RefType,
    ValType,
)

PLACE, MOST_RESULTS = 16, 8
"""Bytes for each result and global, and of how many results of a call there are any."""
OF_GLOBALS, MOST = 32768, 65536
"""Where globals begin in the memory that is added, and its size."""
POWERS = (30, 31, 32, 62, 63)


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A module and how to compare engines on it."""

    data: bytes
    spelled: bytes
    """The same without what wasmtime has chosen otherwise."""
    calls: tuple[str, ...]
    """Exports to call in this order: they take and return nothing."""
    memories: tuple[str, ...]
    """Exports of all memories."""
    uncalled: int
    """Exports for which there are no arguments."""


def instrumented(module: Module, random: Random) -> Instrumented:
    """The validated module, so that calling what is added shows what it does."""
    memidx, first = len(module.mem_types), len(module.func_typeidxs)
    typeidx = sum(len(rec.subtypes) for rec in module.types)
    types = (*module.types, RecType.of(FuncType((), ())))
    exported = [export.index for export in module.exports if export.kind is ExternKind.FUNC]
    callers = [caller(module, funcidx, typeidx, n, memidx, random) for n, funcidx in enumerate(exported)]
    added = [func for func in callers if func is not None]
    uncalled = len(callers) - len(added)
    added.append(globals_shown(module, typeidx, memidx))
    calls = tuple(f"call {n}" for n in range(len(added)))
    memories = tuple(f"memory {n}" for n in range(memidx + 1))
    exports = [Export(name, ExternKind.FUNC, first + n) for n, name in enumerate(calls)]
    exports += [Export(name, ExternKind.MEMORY, n) for n, name in enumerate(memories)]
    funcs = [plain(module, func) for func in module.funcs]
    whole = replace(
        module,
        types=types,
        funcs=(*funcs, *added),
        mems=(*module.mems, parse("(module (memory 1 1))").mems[0]),
        exports=(*module.exports, *exports),
        data_count=module.data_count if module.data_count is not None else len(module.datas) or None,
        customs=(),
    )
    spelled = replace(whole, funcs=(*(spelled_out(func, arity(module, func)) for func in funcs), *added))
    return Instrumented(encode(whole), encode(spelled), calls, memories, uncalled)


def arity(module: Module, func: Func) -> int:
    return len(module.func_type(func.typeidx).params)


def plain(module: Module, func: Func) -> Func:
    """The function with locals for NaN, and one NaN in place of any that arithmetic makes."""
    count = arity(module, func) + sum(run for run, _ in func.locals)
    more = Func(func.typeidx, (*func.locals, (1, F32), (1, F64), (1, V128)), lambda _: func.body)
    return with_plain_nans(more, {F32: count, F64: count + 1, V128: count + 2})


def written(module: Module, typeidx: int) -> FuncType:
    """A function's type as the module says it, with indices."""
    composite = [subtype for rec in module.types for subtype in rec.subtypes][typeidx].composite
    assert isinstance(composite, FuncType)
    return composite


def caller(
    module: Module, funcidx: int, typeidx: int, number: int, memidx: int, random: Random
) -> Func | None:
    """A function that calls another one with arguments and stores its results; None if there are none."""
    type_ = written(module, module.func_typeidxs[funcidx])
    code: Code = []
    for param in type_.params:
        made = argument(param, funcidx, random)
        if made is None:
            return None
        code += made
    code.append((OPS["call"], funcidx))
    code += [(OPS["local.set"], n) for n in reversed(range(len(type_.results)))]
    for n, result in enumerate(type_.results[:MOST_RESULTS]):
        place = (number * MOST_RESULTS + n) * PLACE % OF_GLOBALS
        code += stored(result, place, (OPS["local.get"], n), memidx)
    code.append((OPS["end"], None))
    locals_ = tuple((1, nullable(result)) for result in type_.results)
    return function_of(typeidx, locals_, code)


def nullable(type_: ValType) -> ValType:
    return RefType(type_.heap, nullable=True) if isinstance(type_, RefType) else type_


def stored(type_: ValType, place: int, value: tuple[Any, Any], memidx: int) -> Code:
    """Code that stores a number, or whether a reference is null."""
    code: Code = [(OPS["i32.const"], place), value]
    if type_ in NUM_TYPES:
        return [*code, (OPS[f"{type_}.store"], MemArg(0, 0, memidx))]
    return [*code, (OPS["ref.is_null"], None), (OPS["i32.store"], MemArg(0, 0, memidx))]


def argument(type_: ValType, funcidx: int, random: Random) -> Code | None:
    """Code for a value of the type; None if there is none that is easily made."""
    if isinstance(type_, RefType):
        if type_.nullable:
            return [(OPS["ref.null"], type_.heap)]
        if type_.heap is FUNC:
            return [(OPS["ref.func"], funcidx)]
        if type_.heap in (ANY, EQ, I31, EXTERN):
            made: Code = [(OPS["i32.const"], random.choice(EDGES)), (OPS["ref.i31"], None)]
            return [*made, (OPS["extern.convert_any"], None)] if type_.heap is EXTERN else made
        return None
    if type_ in (F32, F64):
        bits = 32 if type_ is F32 else 64
        return [(OPS[f"{type_}.const"], float_bits(random.choice(EDGE_FLOATS), bits))]
    if type_ in (I32, I64):
        edge = random.choice(EDGES) + (random.choice((0, 0, 1 << random.choice(POWERS))))
        value = random.choice((edge, -edge, random.getrandbits(64)))
        return [(OPS[f"{type_}.const"], value % (1 << (32 if type_ is I32 else 64)))]
    return [(OPS["v128.const"], random.getrandbits(128))]


def globals_shown(module: Module, typeidx: int, memidx: int) -> Func:
    """A function that stores all globals that are numbers, and whether others are null."""
    code: Code = []
    for n, type_ in enumerate(module.global_types):
        if OF_GLOBALS + n * PLACE < MOST and not (
            isinstance(type_.type, RefType) and not type_.type.nullable
        ):
            code += stored(type_.type, OF_GLOBALS + n * PLACE, (OPS["global.get"], n), memidx)
    return function_of(typeidx, (), [*code, (OPS["end"], None)])
