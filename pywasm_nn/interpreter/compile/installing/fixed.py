"""Objects in the place of literals that stand for them (`Namespace.fixed`): CPython finds a constant at once,
a global by three steps.

What is here: which objects these are in an instance, and code with them. A view ends where its memory does,
and is the same object as long as the memory is open (`runtime/memory.py`). An object that may lead to a
function isn't among them: Python's search for garbage doesn't enter code, so nobody would free the instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from ...namespace import FIXED, Namespace
from ...runtime.externs import NamedGlobal
from ...runtime.instance import Instance
from ...runtime.memory import FORMATS, Flavour
from ..compiled import Notes


class Objects:
    """The objects of an instance, which `forget` drops with the code that has them."""

    __slots__ = ("by_literal", "shifts")

    def __init__(self) -> None:
        self.by_literal: dict[str, Any] = {}
        self.shifts: set[tuple[int, str, int]] = set()
        """The views with an offset that are among them."""


def objects_for(instance: Instance, notes: Notes) -> Mapping[str, Any]:
    """The objects for the literals of a function, by literal. Binds the offset views that it needs."""
    objects: Objects = instance.namespace["objects"]
    if not objects.by_literal:
        held = [index for index, each in enumerate(instance.globals) if type(each) is not NamedGlobal]
        put(objects, instance, map(Namespace.global_, held))
        if instance.flavour is Flavour.VIEW:
            memories = range(len(instance.mems))
            put(
                objects, instance, [Namespace.view(access, index) for index in memories for access in FORMATS]
            )
    if not objects.shifts.issuperset(notes.shifts):
        for memidx in {memidx for memidx, _, _ in notes.shifts}:
            accesses = [(access, offset) for m, access, offset in notes.shifts if m == memidx]
            instance.mems[memidx].shift(accesses, instance.namespace, memidx)
        put(objects, instance, [Namespace.view(access, memidx, at) for memidx, access, at in notes.shifts])
        objects.shifts.update(notes.shifts)
    return objects.by_literal


def put(objects: Objects, instance: Instance, names: Iterable[str]) -> None:
    objects.by_literal.update({FIXED + name: instance.namespace[name] for name in names})


def bound(code: CodeType, objects: Mapping[str, Any]) -> CodeType:
    """The code with objects in place of literals."""
    plain = code.co_consts
    consts = tuple(map(objects.get, plain, plain))
    return code if consts == plain else code.replace(co_consts=consts)
