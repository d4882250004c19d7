"""Validation of functions."""

from __future__ import annotations

from ...errors import InvalidError
from ..module import Func, Module
from ..pace import Patience, Work, unhurried
from ..types import FuncType, ValType
from .body import BodyValidator
from .facts import FuncFacts

MAX_LOCALS = 50_000
"""The maximum of locals in a function, parameters included. The specification leaves it to engines; browsers
use the same."""


def expand_locals(module: Module, func: Func, type_: FuncType) -> tuple[tuple[ValType, ...], set[int]]:
    """Types of parameters and locals, and the locals without a default. Raises InvalidError for too many
    locals."""
    if len(type_.params) + sum([count for count, _ in func.locals]) > MAX_LOCALS:
        raise InvalidError(f"too many locals: a function may have {MAX_LOCALS}")
    types = list(type_.params)
    unset: set[int] = set()
    for count, written in func.locals:
        closed = module.closed(written)
        if not closed.defaultable:
            unset.update(range(len(types), len(types) + count))
        types += [closed] * count
    return tuple(types), unset


def validate_func(
    module: Module, index: int, patience: Patience = unhurried, work: Work | None = None
) -> FuncFacts:
    """Check the body of the defined function `index` of a module whose sections were checked.

    Raises InvalidError, MalformedError if the body can't be decoded, and DeadlineError if the waiting call
    has no time left. `work` counts the work if several bodies share a bound.
    """
    func = module.funcs[index]
    type_ = module.func_type(func.typeidx)
    locals_, unset = expand_locals(module, func, type_)
    validator = BodyValidator(module, type_, locals_, unset, module.declared_refs, patience, work)
    body = func.load(patience)
    try:
        return validator.run(body)
    except InvalidError as error:
        offsets = func.body.offsets
        offset = offsets[validator.pc] if validator.pc < len(offsets) else -1
        told = InvalidError(error.message, func=module.imported_funcs + index, offset=offset)
        if module.locate is not None and offset >= 0:
            module.locate(told, validator.pc)
        raise told from None
