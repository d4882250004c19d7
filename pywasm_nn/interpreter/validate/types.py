"""Validation of type definitions (https://webassembly.github.io/spec/core/valid/types.html#recursive-types)."""

from __future__ import annotations

from ...errors import InvalidError
from ..matching import matches_composite
from ..module import Module
from ..types import DefType, TypeIdx

MAX_DEPTH = 63
"""Types that one type may be a subtype of: what the interface of browsers prescribes."""


def check_types(module: Module) -> None:
    """Every type refers to types of its own group or before, and matches what it is a subtype of."""
    for typeidx, (subtype, deftype) in enumerate(zip(module.subtypes, module.deftypes, strict=True)):
        for written in subtype.supers:
            assert isinstance(written, TypeIdx)  # as in all that a module writes
            if written.index >= typeidx:
                raise InvalidError(f"unknown type {written}")
        if len(subtype.supers) > 1:
            raise InvalidError(f"sub type {typeidx} has more than one super type")
        for super_ in deftype.subtype.supers:
            assert isinstance(super_, DefType)
            check_super(typeidx, deftype, super_)


def check_super(typeidx: int, type_: DefType, super_: DefType) -> None:
    """https://webassembly.github.io/spec/core/valid/types.html#sub-types"""
    if super_.subtype.final:
        raise InvalidError(f"sub type {typeidx} has a super type that is final")
    if not matches_composite(type_.composite, super_.composite):
        raise InvalidError(f"sub type {typeidx} does not match its super type {super_}")
    if len(super_.supers) >= MAX_DEPTH:
        raise InvalidError(f"sub type {typeidx} lies too deep: {MAX_DEPTH} super types are the most")
