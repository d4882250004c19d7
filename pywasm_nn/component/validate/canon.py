"""Canonical definitions: lifting and lowering functions, and builtins.

What is here: the options that each needs and may have, and its core type.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#canonical-definitions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import InvalidError
from ...interpreter.defining import define_func
from ...interpreter.types import FUNCREF, I32, I64, MemType, NumType, RefType, TableType
from ...interpreter.types import FuncType as CoreFuncType
from ..syntax import Builtin, Lift, Lower, Options
from ..types import (
    MOST_FLAT_ASYNC_PARAMS,
    MOST_FLAT_PARAMS,
    MOST_FLAT_RESULTS,
    Compound,
    FuncType,
    Kind,
    Resource,
    Sort,
    ValType,
    flat_types,
)
from .scope import Scope

TypeOf = Callable[[Scope, Builtin], CoreFuncType]
"""Returns the core type of a builtin; raises InvalidError."""
SLOTS = 2
"""The number of values for `context.get` and `context.set`."""


def points(types: Sequence[ValType]) -> bool:
    """Whether a part of the values is always in memory (behind a pointer)."""
    return any(type_.points for type_ in types)


def addresses_of(scope: Scope, index: int) -> NumType:
    """The address type of a memory that a canonical definition uses."""
    memory: MemType = scope.get(Sort.CORE_MEMORY, index)
    if memory.shared:
        raise InvalidError("canonical definitions can't use a memory that is shared")
    return memory.addrtype


class Needs:
    """Checks the options of one canonical definition."""

    def __init__(self, scope: Scope, options: Options) -> None:
        self.scope = scope
        self.options = options
        if options.repeated:
            raise InvalidError(
                f"canonical option `{spelt(options.repeated)}` is specified more than once, conflicts"
            )
        self.pointer = I32
        if options.memory is not None:
            self.pointer = addresses_of(scope, options.memory)
        if options.realloc is not None:
            if options.memory is None:
                raise InvalidError("canonical option `realloc` requires `memory` to also be specified")
            self.check_function(
                "realloc", options.realloc, CoreFuncType((self.pointer,) * 4, (self.pointer,))
            )

    def check_function(self, option: str, index: int, wanted: CoreFuncType) -> None:
        found = self.scope.get(Sort.CORE_FUNC, index)
        if found.composite != wanted:
            raise InvalidError(
                f"canonical option `{option}` uses a core function with an incorrect signature:"
                f" expected {wanted}, found {found}"
            )

    def refuse(self, why: str, *names: str) -> None:
        """Raise InvalidError if one of these options is given."""
        for name in names:
            if getattr(self.options, name) not in (None, False):
                raise InvalidError(f"canonical option `{spelt(name)}` cannot be specified for {why}")

    def need(self, *names: str) -> None:
        """Raise InvalidError unless these options are given."""
        for name in names:
            if getattr(self.options, name) is None:
                raise InvalidError(f"canonical option `{spelt(name)}` is required")

    def flat(self, types: Sequence[ValType]) -> tuple[NumType, ...]:
        return flat_types(types, self.pointer)


def spelt(name: str) -> str:
    """The name of an option in the text format."""
    return {"encoding": "string-encoding", "post_return": "post-return", "is_async": "async"}.get(name, name)


def define_lift(scope: Scope, given: Lift) -> None:
    func = scope.typed(given.type, FuncType, "a function type")
    core = scope.get(Sort.CORE_FUNC, given.function)
    needs = Needs(scope, given.options)
    options = given.options
    check_async(needs, func)
    wanted = lifted_type(needs, func)
    params = needs.flat(func.params)
    if len(params) > MOST_FLAT_PARAMS or points(func.params):
        needs.need("memory", "realloc")
    most = MOST_FLAT_PARAMS if options.is_async else MOST_FLAT_RESULTS
    if len(needs.flat(func.results)) > most or points(func.results):
        needs.need("memory")
    if core.composite != wanted:
        raise InvalidError(
            f"lowered parameter types and result types `{wanted}` do not match those of `{core}`"
        )
    if options.post_return is not None:
        if options.is_async:
            raise InvalidError("canonical option `post-return` cannot be specified with `async`")
        needs.check_function("post-return", options.post_return, CoreFuncType(wanted.results))
    scope.add(Sort.FUNC, func)


def check_async(needs: Needs, func: FuncType) -> None:
    """`async` and `callback` require each other, and an async function type."""
    options = needs.options
    if options.is_async and not func.is_async:
        raise InvalidError("canonical option `async` requires an async function type")
    if options.callback is not None:
        if not options.is_async:
            raise InvalidError("canonical option `callback` cannot be specified without `async`")
        needs.check_function("callback", options.callback, CoreFuncType((I32,) * 3, (I32,)))


def lifted_type(needs: Needs, func: FuncType) -> CoreFuncType:
    """The core type of a function to be lifted."""
    params, results = needs.flat(func.params), needs.flat(func.results)
    if len(params) > MOST_FLAT_PARAMS:
        params = (needs.pointer,)
    if needs.options.is_async:
        results = (I32,) if needs.options.callback is not None else ()
    elif len(results) > MOST_FLAT_RESULTS:
        results = (needs.pointer,)
    return CoreFuncType(params, results)


def lowered_type(needs: Needs, func: FuncType) -> CoreFuncType:
    """The core type of a lowered function."""
    if not needs.options.is_async:
        return func.lowered(needs.pointer)
    params, results = needs.flat(func.params), needs.flat(func.results)
    if len(params) > MOST_FLAT_ASYNC_PARAMS:
        params = (needs.pointer,)
    return CoreFuncType((*params, *(needs.pointer,) * bool(results)), (I32,))


def define_lower(scope: Scope, given: Lower) -> None:
    func: FuncType = scope.get(Sort.FUNC, given.function)
    needs = Needs(scope, given.options)
    needs.refuse("lowerings", "post_return", "callback")
    check_async(needs, func)
    most = MOST_FLAT_ASYNC_PARAMS if given.options.is_async else MOST_FLAT_PARAMS
    if len(needs.flat(func.params)) > most or points(func.params):
        needs.need("memory")
    # The explainer requires `memory` for every async lowering; the reference tests have one without, which
    # stores nothing.
    if len(needs.flat(func.results)) > (0 if given.options.is_async else MOST_FLAT_RESULTS):
        needs.need("memory")
    if points(func.results):
        needs.need("memory", "realloc")
    scope.note = func
    scope.add(Sort.CORE_FUNC, define_func(lowered_type(needs, func)))


# Builtins


def core(params: str, results: str = "") -> TypeOf:
    """A builtin with a fixed type: "i" and "l" are i32 and i64."""
    letters = {"i": I32, "l": I64}
    type_ = CoreFuncType(tuple(letters[p] for p in params), tuple(letters[r] for r in results))
    return lambda scope, given: type_


def about_resource(params: str, results: str, local: bool) -> TypeOf:
    """A builtin for a resource type; `local`: it must be defined in this component."""
    build = core(params, results)

    def type_of(scope: Scope, given: Builtin) -> CoreFuncType:
        index: Any = given.immediates[0]
        resource = scope.typed(index, Resource, "a resource type")
        if local and resource.origin not in scope.defined:
            raise InvalidError(
                f"type index {index} is not a local resource: `{given.name}` needs one that is defined here"
            )
        return build(scope, given)

    return type_of


def passed(scope: Scope, given: Builtin, kind: Kind) -> Compound:
    """The stream or future type of a builtin."""
    index: Any = given.immediates[0]
    type_ = scope.typed(index, Compound, f"a {kind.value} type")
    if type_.kind is not kind:
        raise InvalidError(f"type index {index} is not a {kind.value} type: `{given.name}` requires one")
    return type_


def about_end(params: str, results: str, kind: Kind) -> TypeOf:
    """A builtin for an end of a stream or future."""
    build = core(params, results)

    def type_of(scope: Scope, given: Builtin) -> CoreFuncType:
        passed(scope, given, kind)
        return build(scope, given)

    return type_of


def copying(kind: Kind, reading: bool) -> TypeOf:
    """A builtin that reads from or writes to a stream or future."""

    def type_of(scope: Scope, given: Builtin) -> CoreFuncType:
        type_, options = passed(scope, given, kind), given.immediates[1]
        assert isinstance(options, Options)  # as decoded
        needs = Needs(scope, options)
        needs.refuse(f"`{given.name}`", "post_return", "callback")
        for part in type_.parts:
            if isinstance(part, Resource) or part is None:
                continue
            needs.need("memory")
            if reading and part.points:
                needs.need("realloc")
        if kind is Kind.STREAM:
            return CoreFuncType((I32, needs.pointer, needs.pointer), (needs.pointer,))
        return CoreFuncType((I32, needs.pointer), (I32,))

    return type_of


def task_return(scope: Scope, given: Builtin) -> CoreFuncType:
    result: Any = given.immediates[0]
    options: Any = given.immediates[1]
    needs = Needs(scope, options)
    needs.refuse("`task.return`", "realloc", "post_return", "is_async", "callback")
    types: tuple[ValType, ...] = () if result is None else (scope.value_type(result),)
    params = needs.flat(types)
    if len(params) > MOST_FLAT_PARAMS or points(types):
        needs.need("memory")
    return CoreFuncType((needs.pointer,) if len(params) > MOST_FLAT_PARAMS else params)


def context(scope: Scope, given: Builtin) -> CoreFuncType:
    type_, slot = given.immediates
    if type_ is not I32:
        raise InvalidError(f"`{given.name}` must have the type i32")
    if not isinstance(slot, int) or slot >= SLOTS:
        raise InvalidError(f"immediate of `{given.name}` must be less than {SLOTS}")
    return CoreFuncType((), (I32,)) if given.name == "context.get" else CoreFuncType((I32,))


def waiting(scope: Scope, given: Builtin) -> CoreFuncType:
    index: Any = given.immediates[1]
    return CoreFuncType((I32, addresses_of(scope, index)), (I32,))


def error_context(params: str, results: str, *needed: str) -> TypeOf:
    """A builtin for error contexts; "p" is the address type."""

    def type_of(scope: Scope, given: Builtin) -> CoreFuncType:
        (options,) = given.immediates
        assert isinstance(options, Options)  # as decoded
        needs = Needs(scope, options)
        needs.refuse(f"`{given.name}`", "post_return", "is_async", "callback")
        needs.need(*needed)
        letters = {"i": I32, "p": needs.pointer}
        return CoreFuncType(tuple(letters[p] for p in params), tuple(letters[r] for r in results))

    return type_of


def new_thread(scope: Scope, given: Builtin) -> CoreFuncType:
    """A builtin that starts a thread with a function from a table, or with a function reference."""
    # The immediates of `thread.spawn` begin with a flag.
    indices: list[Any] = [*given.immediates[given.name.startswith("thread.spawn") :]]
    type_ = scope.get(Sort.CORE_TYPE, indices[0])
    if getattr(type_, "composite", None) != CoreFuncType((I32,)):
        raise InvalidError(
            f"start function of `{given.name}` must take a single `i32` argument and return nothing"
        )
    if len(indices) == 1:
        return CoreFuncType((RefType(type_), I32), (I32,))
    table: TableType = scope.get(Sort.CORE_TABLE, indices[1])
    if table.element != FUNCREF:
        raise InvalidError(f"`{given.name}` requires a table of `funcref`")
    return CoreFuncType((table.addrtype, I32), (I32,))


def ends(kind: Kind) -> dict[str, TypeOf]:
    """The builtins for ends of streams or futures."""
    return {
        f"{kind.value}.new": about_end("", "l", kind),
        f"{kind.value}.read": copying(kind, reading=True),
        f"{kind.value}.write": copying(kind, reading=False),
        f"{kind.value}.cancel-read": about_end("i", "i", kind),
        f"{kind.value}.cancel-write": about_end("i", "i", kind),
        f"{kind.value}.drop-readable": about_end("i", "", kind),
        f"{kind.value}.drop-writable": about_end("i", "", kind),
    }


TYPES: Mapping[str, TypeOf] = {
    **ends(Kind.STREAM),
    **ends(Kind.FUTURE),
    "resource.new": about_resource("i", "i", local=True),
    "resource.drop": about_resource("i", "", local=False),
    "resource.rep": about_resource("i", "i", local=True),
    "task.return": task_return,
    "task.cancel": core(""),
    "context.get": context,
    "context.set": context,
    "backpressure.inc": core(""),
    "backpressure.dec": core(""),
    "subtask.cancel": core("i", "i"),
    "subtask.drop": core("i"),
    "waitable-set.new": core("", "i"),
    "waitable-set.wait": waiting,
    "waitable-set.poll": waiting,
    "waitable-set.drop": core("i"),
    "waitable.join": core("ii"),
    "thread.index": core("", "i"),
    "thread.new-indirect": new_thread,
    "thread.spawn-ref": new_thread,
    "thread.spawn-indirect": new_thread,
    "thread.available-parallelism": core("", "i"),
    "thread.resume-later": core("i"),
    "thread.suspend": core("", "i"),
    "thread.yield": core("", "i"),
    "thread.suspend-then-resume": core("i", "i"),
    "thread.yield-then-resume": core("i", "i"),
    "thread.suspend-then-promote": core("i", "i"),
    "thread.yield-then-promote": core("i", "i"),
    "error-context.new": error_context("pp", "i", "memory"),
    "error-context.debug-message": error_context("ip", "", "memory", "realloc"),
    "error-context.drop": core("i"),
}
"""For each builtin a function that checks it and returns its core type."""


def define_builtin(scope: Scope, given: Builtin) -> None:
    if given.name.startswith("resource."):
        scope.note = scope.get(Sort.TYPE, given.immediates[0])  # type: ignore[arg-type] # an index, as decoded
    scope.add(Sort.CORE_FUNC, define_func(TYPES[given.name](scope, given)))
