"""Validation of the clauses `describes` and `descriptor` of type definitions
(https://github.com/WebAssembly/custom-descriptors), and whether a module may have them.

What is not here: the proposal's instructions (`descriptors.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...errors import InvalidError
from ..matching import matches_heap
from ..module import Module
from ..types import DefType, HeapType, StructType, SubType, TypeIdx


@cache
def switched_on(features: tuple[str, ...]) -> bool:
    """Whether the proposal is on with these features."""
    from ..features import DESCRIPTORS, chosen

    return DESCRIPTORS.name in chosen(features)


def is_on(module: Module) -> bool:
    """Whether the proposal is on: then instructions that make references give exact types. Nobody could tell
    elsewhere."""
    return bool(module.features) and switched_on(module.features)


def index_of(heap: HeapType) -> int:
    """The index in a clause."""
    assert isinstance(heap, TypeIdx)  # a module's own types are always written as indices
    return heap.index


def check_group(subtypes: Sequence[SubType], start: int) -> None:
    """Check the clauses of a recursive group, whose first type has the index `start`: a type and its
    descriptor name each other, the descriptor comes second, and both are structures of the group."""
    for typeidx, subtype in enumerate(subtypes, start):
        is_struct = isinstance(subtype.composite, StructType)
        if subtype.descriptor is not None and not is_struct:
            raise InvalidError("descriptor type must be a struct")
        if subtype.describes is not None:
            if not is_struct:
                raise InvalidError("described type must be a struct")
            check_described(index_of(subtype.describes), typeidx, subtypes, start)
        if subtype.descriptor is not None:
            check_descriptor(index_of(subtype.descriptor), typeidx, subtypes, start)


def check_described(described: int, typeidx: int, subtypes: Sequence[SubType], start: int) -> None:
    if not start <= described < start + len(subtypes):
        raise InvalidError("described type is outside rec group")
    if described >= typeidx:
        raise InvalidError(f"forward use of described type {described}")
    if subtypes[described - start].descriptor != TypeIdx(typeidx):
        raise InvalidError(f"described type is not described by descriptor {typeidx}")


def check_descriptor(descriptor: int, typeidx: int, subtypes: Sequence[SubType], start: int) -> None:
    if not start <= descriptor < start + len(subtypes):
        raise InvalidError("descriptor type is outside rec group")
    if subtypes[descriptor - start].describes != TypeIdx(typeidx):
        raise InvalidError(f"type is not described by its descriptor {descriptor}")


def have_what_is_above(type_: DefType, super_: DefType) -> bool:
    """Whether a type has a descriptor if its super type has one, and describes a type if and only if its
    super type does."""
    own, above = type_.subtype, super_.subtype
    if above.descriptor is not None and own.descriptor is None:
        return False
    return (own.describes is None) == (above.describes is None)


def check_chains(written: SubType, type_: DefType, super_: DefType) -> None:
    """The descriptors of a type and of its super type match, and so do the types that they describe.
    `written` is the type with indices."""
    own, above = type_.subtype, super_.subtype
    if own.descriptor and above.descriptor and not matches_heap(own.descriptor, above.descriptor):
        raise InvalidError(f"descriptor type {written.descriptor} does not match {above.descriptor}")
    if own.describes and above.describes and not matches_heap(own.describes, above.describes):
        raise InvalidError(f"described type {written.describes} does not match {above.describes}")
