"""Validation of a module's sections (https://webassembly.github.io/spec/core/valid/modules.html).

What is here: everything except function bodies, which `function.validate_func` checks on first use.
"""

from __future__ import annotations

from ...errors import InvalidError
from ...limits import PAGE
from ..datas import active_at, data_list
from ..module import Module
from ..pace import Patience, Work, paced, uncollected, unhurried
from ..types import I32, I64, ExternKind, FuncType, MemType, SizeRange, TableType
from .body import most_steps
from .constants import ConstantValidator
from .function import validate_func
from .stack import index_in, matches, type_mismatch
from .types import check_types

MOST_SPREAD, LOCALS_A_BYTE = 10_000_000, 16
"""The maximum of locals in all functions together, and how many more for each byte of the module, if all
bodies are validated: a few bytes can declare 50,000 locals."""
MAX_TABLE = {I32: 0xFFFFFFFF, I64: 0xFFFFFFFFFFFFFFFF}


def validate_module(module: Module, patience: Patience = unhurried) -> None:
    """Check sections and types. Raises InvalidError, or what `patience` raises."""
    with uncollected(len(module.data)):
        check_sections(module, patience)


def check_sections(module: Module, patience: Patience) -> None:
    check_types(module, patience)
    for typeidx in dict.fromkeys(module.func_typeidxs):
        module.func_type(typeidx)
    if any(type_.results for type_ in module.tag_types):
        raise InvalidError("non-empty tag result type")
    for table_type in paced(module.table_types, patience):
        check_table(table_type)
    check_counts(module)
    constants = ConstantValidator(module, patience)
    check_initialisers(module, constants, patience)
    for mem_type in paced(module.mem_types, patience):
        check_memory(mem_type)
    check_segments(module, constants, patience)
    check_exports(module, patience)
    if module.start is not None:
        type_: FuncType = index_in(module.func_types, module.start, "function")
        if type_ != FuncType():
            raise InvalidError("start function must have no parameters and no results")


def validate_all(module: Module, patience: Patience = unhurried) -> None:
    """Check sections and every function body. Raises InvalidError or MalformedError, or what `patience`
    raises."""
    validate_module(module, patience)
    work = Work(patience, most_steps(len(module.data)))
    spread = sum([count for func in module.funcs for count, _ in func.locals])
    if spread > MOST_SPREAD + LOCALS_A_BYTE * len(module.data):
        raise InvalidError(f"too many locals in all functions together: {spread}")
    for index in range(len(module.funcs)):
        validate_func(module, index, patience, work)


def check_counts(module: Module) -> None:
    """Check that there is one memory and one table at most, if several are switched off."""
    if module.features:
        from ..features import MULTI_MEMORY, MULTI_TABLE, chosen  # seldom needed

        on = chosen(module.features)
        if len(module.table_types) > 1 and MULTI_TABLE.name not in on:
            raise InvalidError(f"multiple tables, and the feature {MULTI_TABLE.name} is off")
        if len(module.mem_types) > 1 and MULTI_MEMORY.name not in on:
            raise InvalidError(f"multiple memories, and the feature {MULTI_MEMORY.name} is off")


def check_range(size: SizeRange, most: int, message: str) -> None:
    if size.minimum > most or (size.maximum is not None and size.maximum > most):
        raise InvalidError(message)
    if size.maximum is not None and size.minimum > size.maximum:
        raise InvalidError("size minimum must not be greater than maximum")


def check_table(type_: TableType) -> None:
    bits = type_.addrtype.bits
    check_range(type_.size, MAX_TABLE[type_.addrtype], f"table size must be at most 2^{bits}-1")


def check_memory(type_: MemType) -> None:
    if type_.page not in (1, PAGE):
        raise InvalidError("invalid custom page size")
    most = type_.most_pages
    unit = "4GiB" if type_.addrtype is I32 else "2^64 bytes"
    check_range(type_.size, most, f"memory size must be at most {most} pages ({unit})")
    if type_.shared and type_.size.maximum is None:
        raise InvalidError("shared memory must have maximum")


def check_initialisers(module: Module, constants: ConstantValidator, patience: Patience) -> None:
    """Check tables' initialisers. A table must have one if its element type has no default.

    https://webassembly.github.io/spec/core/valid/modules.html#tables
    """
    imported = len(module.imported(ExternKind.TABLE))
    globals_ = len(module.imported(ExternKind.GLOBAL))
    for table, type_ in zip(paced(module.tables, patience), module.table_types[imported:], strict=True):
        if table.init is not None:
            constants.check(table.init, type_.element, globals_)
        elif not type_.element.defaultable:
            raise InvalidError(f"type mismatch: elements of {type_.element} need an initialiser")


def check_segments(module: Module, constants: ConstantValidator, patience: Patience) -> None:
    """Check globals, element and data segments: their constant expressions, and their targets."""
    imported = len(module.imported(ExternKind.GLOBAL))
    for index, type_ in enumerate(paced(module.global_types[imported:], patience)):
        constants.check(module.globals[index].init, type_.type, imported + index)
    everything = len(module.global_types)
    for elem in paced(module.elems, patience):
        element = module.closed(elem.type)
        if elem.mode is not None:
            table: TableType = index_in(module.table_types, elem.mode.index, "table")
            if not matches(element, table.element):
                raise InvalidError(type_mismatch([table.element], [element]))
            constants.check(elem.mode.offset, table.addrtype, everything)
        if elem.funcidxs is not None:
            constants.check_references(elem.funcidxs, element, everything)
            continue
        different = {id(init): init for init in elem.init}
        for init in paced([*different.values()], patience):  # equal ones are often one object
            constants.check(init, element, everything)
    seen = False
    for place in paced(data_list(module).places, patience):
        if isinstance(place, int):
            if seen:  # one constant address is as valid as another
                continue
            seen, place = True, active_at(place)
        if place is not None:
            memory: MemType = index_in(module.mem_types, place.index, "memory")
            constants.check(place.offset, memory.addrtype, everything)


def check_exports(module: Module, patience: Patience) -> None:
    seen: set[str] = set()
    for export in paced(module.exports, patience):
        what = "function" if export.kind is ExternKind.FUNC else export.kind.keyword
        index_in(module.types_of(export.kind), export.index, what)
        if export.name in seen:
            raise InvalidError("duplicate export name")
        seen.add(export.name)
