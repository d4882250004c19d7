"""Whole functions: lifted core functions for callers outside, and lowered functions for core code.

What is here: `lifted` and `lowered`, which return Python functions whose code is generated on the first call.
What is not: the rules for calls between instances (`runtime.py` has the flags that the code checks).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#canonical-definitions
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...records import Frozen
from ..types import (
    MOST_FLAT_PARAMS,
    MOST_FLAT_RESULTS,
    Compound,
    FuncType,
    Kind,
    Prim,
    ValType,
    flat_types,
)
from .context import INDENT, Context
from .misfits import INTEGERS, Checks, fits
from .reading import CHARS, Reader, places
from .writing import Writer, indented


class Lifting(Frozen):
    """The parts of a lifted function: a core function, its context, and perhaps a post-return function, which
    frees memory after the results were read."""

    type: FuncType
    context: Context
    core: Callable[..., Any]
    post_return: Callable[..., Any] | None


def area_of(types: Sequence[ValType], context: Context) -> Compound:
    """The tuple type for values that are passed in memory because there are too many."""
    return Compound(Kind.TUPLE, (), tuple(types))


def call_text(name: str, arguments: Sequence[str]) -> str:
    return f"{name}({', '.join(arguments)})"


# Arguments from Python


def checked(lifting: Lifting) -> Callable[..., tuple[Any, ...]]:
    """A function that returns its arguments after checking and converting them, or raises TypeError or
    OverflowError if one doesn't fit."""
    context, type_ = lifting.context, lifting.type
    names = [f"a{index}" for index in range(len(type_.params))]

    def write(name: str) -> list[str]:
        lines = [*checks(context, type_, names), f"return ({''.join(f'{each}, ' for each in names)})"]
        return [f"def {name}({', '.join(names)}):", *indented(lines)]

    return context.later(len(names), write)


# Core functions, lifted


def lifted(lifting: Lifting, entered: Sequence[Any], *, hosted: bool) -> Callable[..., Any]:
    """A function on component values. `entered` are the component instances that a call enters, `hosted` says
    whether the caller is Python.

    After a trap the instances stay entered, so that no later call can enter them.
    """
    count = len(lifting.type.params)
    return lifting.context.later(count, lambda name: lifted_lines(name, lifting, entered, hosted))


def lifted_lines(name: str, lifting: Lifting, entered: Sequence[Any], hosted: bool) -> list[str]:
    context, type_ = lifting.context, lifting.type
    names = [f"a{index}" for index in range(len(type_.params))]
    instances = [context.constant(instance) for instance in entered]
    lines = [f"if not {each}.may_enter: {each}.refuse_entry()" for each in instances]
    lines += [f"{each}.may_enter = False" for each in instances]
    borrows = any(param.borrows for param in type_.params)
    if borrows:
        lines += ["outer, instance.borrowed = instance.borrowed, 0"]
    before: list[str] = []
    arguments = lowered_params(Writer(context, hosted), type_.params, names, before)
    lines += guarded(before)
    lines += [
        "try:",
        f"{INDENT}r = {call_text(context.constant(lifting.core), arguments)}",
        "except WasmException as error:",
        f"{INDENT}trap(f'uncaught exception: {{error}}')",
    ]
    lines += result_lines(Reader(context, hosted), type_)
    if lifting.post_return is not None:
        given = ["r"] if flat_types(type_.results, context.pointer) else []
        lines += guarded([call_text(context.constant(lifting.post_return), given)])
    if borrows:
        lines += [
            "if instance.borrowed: trap('borrow handles still remain at the end of the call')",
            "instance.borrowed = outer",
        ]
    lines += [f"{each}.may_enter = True" for each in instances]
    return [f"def {name}({', '.join(names)}):", *indented([*lines, "return v"])]


def guarded(lines: Sequence[str]) -> list[str]:
    """Lines during which the component must not call out, because they may run its allocator."""
    return ["instance.may_leave = False", *lines, "instance.may_leave = True"] if lines else []


def checks(context: Context, type_: FuncType, names: Sequence[str]) -> Iterator[str]:
    """Lines that check and convert arguments. Integers are checked inline."""
    made = Checks(context.resolve, context.face)
    for param in type_.params:
        made.of(param)
    if made.holds_handles:
        yield f"{context.constant(made.claims)}.clear()"
    for name, label, param in zip(names, type_.labels, type_.params, strict=True):
        check = context.constant(made.of(param))
        text = f"{name} = {call_text(context.constant(fits), [repr(label), check, name])}"
        if isinstance(param, Prim) and param.name in INTEGERS:
            low, high = INTEGERS[param.name]
            yield f"if {name}.__class__ is not int or not {low} <= {name} <= {high}:"
            yield f"{INDENT}{text}"
        elif char := numbers_in(param):
            # Packing a list of numbers into an array also checks them.
            yield f"if {name}.__class__ is list:"
            yield f"{INDENT}try: {name} = array({char!r}, {name})"
            yield f"{INDENT}except Exception: {text}"
            yield f"else: {text}"
        else:
            yield text


def numbers_in(type_: ValType) -> str:
    """The format of a list's numbers; empty for other types."""
    if not isinstance(type_, Compound) or type_.kind is not Kind.LIST or type_.length is not None:
        return ""
    (element,) = type_.parts
    return CHARS.get(element.name, "") if isinstance(element, Prim) else ""


def lowered_params(
    writer: Writer, params: Sequence[ValType], names: Sequence[str], before: list[str]
) -> list[str]:
    """The core arguments for parameters; if there are too many, they are stored in memory that the guest
    allocates."""
    context = writer.context
    if len(flat_types(params, context.pointer)) > MOST_FLAT_PARAMS:
        area = area_of(params, context)
        size, alignment = area.size(context.pointer), area.alignment(context.pointer)
        before.append(f"area = allocate({size}, {alignment})")
        for name, (param, place) in zip(names, places(params, context.pointer), strict=True):
            before += writer.store(param, name, "area", place)
        return ["area"]
    texts: list[str] = []
    for name, param in zip(names, params, strict=True):
        texts += writer.lower(param, name, before)
    return texts


def result_lines(reader: Reader, type_: FuncType) -> list[str]:
    """Lines that compute `v` from the core result `r`."""
    context = reader.context
    if type_.result is None:
        return ["v = None"]
    fresh = ["lifted.begin()"] if type_.result.points else []
    if len(flat_types(type_.results, context.pointer)) > MOST_FLAT_RESULTS:
        size, alignment = type_.result.size(context.pointer), type_.result.alignment(context.pointer)
        return [*fresh, f"span(r, {size}, {alignment})", f"v = {reader.load(type_.result, 'r')}"]
    return [*fresh, f"v = {reader.lift(type_.result, iter(['r']))}"]


# Lowered functions


class Lowering(Frozen):
    """A function on component values, to be called by core code in a context. `hosted` says whether it is a
    Python function, and `views` whether it gets lists of u8 as views of memory."""

    type: FuncType
    context: Context
    callee: Callable[..., Any]
    hosted: bool
    views: bool = False


def lowered(lowering: Lowering, count: int) -> Callable[..., Any]:
    """A function on `count` core values that calls a function on component values."""
    return lowering.context.later(count, lambda name: lowered_lines(name, lowering, count))


def lowered_lines(name: str, lowering: Lowering, count: int) -> list[str]:
    context, type_, hosted = lowering.context, lowering.type, lowering.hosted
    names = [f"a{index}" for index in range(count)]
    lines = ["if not instance.may_leave: trap('cannot leave component instance')"]
    borrows = any(param.borrows for param in type_.params)
    if borrows:
        lines.append("outer, instance.lent = instance.lent, []")
    if any(param.points for param in type_.params):
        lines.append("lifted.begin()")
    arguments, area = lifted_arguments(Reader(context, hosted, lowering.views), type_.params, names)
    lines += area
    writer = Writer(context, hosted)
    in_memory = len(flat_types(type_.results, context.pointer)) > MOST_FLAT_RESULTS
    if in_memory:
        assert type_.result is not None  # there are core values for it
        size, alignment = type_.result.size(context.pointer), type_.result.alignment(context.pointer)
        lines.append(f"span({names[-1]}, {size}, {alignment})")
    call = [f"r = {call_text(context.constant(lowering.callee), arguments)}"]
    given_back = ["for handle in instance.lent: handle.lends -= 1", "instance.lent = outer"]
    lines += finally_(call, given_back) if borrows else call
    before: list[str] = []
    returned: list[str] = []
    if type_.result is not None and in_memory:
        before += writer.store(type_.result, "r", names[-1])
    elif type_.result is not None:
        returned = writer.lower(type_.result, "r", before)
    if before:
        lines += ["instance.may_leave = False", *finally_(before, ["instance.may_leave = True"])]
    lines.append(f"return {', '.join(returned)}" if returned else "return")
    return [f"def {name}({', '.join(names)}):", *indented(lines)]


def finally_(lines: Sequence[str], after: Sequence[str]) -> list[str]:
    """Lines, followed by others even after a trap, because a core module without a component around it may be
    called again after one."""
    return ["try:", *indented(lines), "finally:", *indented(after)]


def lifted_arguments(
    reader: Reader, params: Sequence[ValType], names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Expressions for the values of parameters, and lines that must run before them."""
    context = reader.context
    if len(flat_types(params, context.pointer)) > MOST_FLAT_PARAMS:
        area = area_of(params, context)
        check = f"span(a0, {area.size(context.pointer)}, {area.alignment(context.pointer)})"
        return [reader.load(param, "a0", place) for param, place in places(params, context.pointer)], [check]
    given = iter(names)
    return [reader.lift(param, given) for param in params], []
