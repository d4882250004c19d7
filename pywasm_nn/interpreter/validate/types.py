"""Validation of type definitions
(https://webassembly.github.io/spec/core/valid/types.html#recursive-types)."""

from __future__ import annotations

from ...errors import InvalidError
from ..matching import matches_composite
from ..module import Module
from ..pace import FEW, Patience, paced
from ..types import DefType, FuncType, StructType, SubType, TypeIdx
from .clauses import check_chains, check_group, have_what_is_above, is_on

MAX_DEPTH = 63
"""The maximum depth of a subtype chain: a limit of the JavaScript API."""
MAX_VALUES, MAX_FIELDS = 1000, 10_000
"""The maximum of parameters or results of a function, and of fields of a structure: limits of the same
API."""


def check_types(module: Module, patience: Patience) -> None:
    """Every type refers only to types of its own group or earlier ones, and matches its super types."""
    if is_on(module) or not module.data:  # the decoder lets no clauses through where they are off
        check_groups(module, patience)
    module.define_types(patience)
    deftypes = module.deftypes
    check_hierarchy(module, patience)
    check_sizes(module, patience)
    for typeidx, subtype in enumerate(paced(module.subtypes, patience, FEW)):
        if subtype.supers:
            check_super(typeidx, subtype, deftypes[typeidx])


def check_groups(module: Module, patience: Patience) -> None:
    """The clauses of types name types that may be named."""
    start = 0
    for rectype in paced(module.types, patience, FEW):
        check_group(rectype.subtypes, start)
        start += len(rectype.subtypes)


def check_hierarchy(module: Module, patience: Patience) -> None:
    """Super types come before their subtypes, at most one each, in chains of limited length. Once checked,
    the super types can be accessed."""
    depths: list[int] = []
    for typeidx, subtype in enumerate(paced(module.subtypes, patience)):
        if len(subtype.supers) > 1:
            raise InvalidError(f"sub type {typeidx} has more than one super type")
        depth = 0
        for super_ in subtype.supers:
            assert isinstance(super_, TypeIdx)  # a module's own types are always written as indices
            if super_.index >= typeidx:
                raise InvalidError(f"unknown type {super_}")
            depth = depths[super_.index] + 1
        if depth > MAX_DEPTH:
            raise InvalidError(f"sub type {typeidx} lies too deep: {MAX_DEPTH} super types are the most")
        depths.append(depth)


def check_sizes(module: Module, patience: Patience) -> None:
    """No type has more parts than any instruction should process."""
    for typeidx, subtype in enumerate(paced(module.subtypes, patience)):
        composite = subtype.composite
        if isinstance(composite, FuncType):
            if max(len(composite.params), len(composite.results)) > MAX_VALUES:
                raise InvalidError(
                    f"type {typeidx} has too many parameters or results: {MAX_VALUES} are the most"
                )
        elif isinstance(composite, StructType) and len(composite.fields) > MAX_FIELDS:
            raise InvalidError(f"type {typeidx} has too many fields: {MAX_FIELDS} are the most")


def check_super(typeidx: int, written: SubType, type_: DefType) -> None:
    """Check a type, which is also given as written, and its super type.

    https://webassembly.github.io/spec/core/valid/types.html#sub-types
    """
    super_ = type_.supers[0]
    if super_.subtype.final:
        raise InvalidError(f"sub type {typeidx} has a super type that is final")
    if not (matches_composite(type_.composite, super_.composite) and have_what_is_above(type_, super_)):
        raise InvalidError(f"sub type {typeidx} does not match super type {written.supers[0]}, {super_}")
    check_chains(written, type_, super_)
