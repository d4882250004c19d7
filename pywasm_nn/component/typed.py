"""Classes that a program provides for a component's types, such as those in a module from `pywasm-nn
bindgen`.

What is here: `given_classes`, which checks that they fit this component. What is not: the text of such a
module (`bindgen`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from ..printable import printable
from .canonical.faces import attribute, class_names
from .catalogue import Catalogue, Definition
from .handles import Owned
from .types import Compound, Kind, Resource

LONGEST = 100
"""Characters of a name in messages."""


def given_classes(types: Any, catalogue: Catalogue) -> Callable[[Definition], Any]:
    """A function that returns the class for a type, or None: `types` is a module, or its `TYPES`. Raises
    TypeError if a class doesn't fit the component's type."""
    table = types if isinstance(types, Mapping) else getattr(types, "TYPES", None)
    if not isinstance(table, Mapping) or not all(isinstance(inner, Mapping) for inner in table.values()):
        raise TypeError("types must be a module that `pywasm-nn bindgen` wrote, or its TYPES")
    found = {}
    for definition in catalogue.definitions:
        given = table.get(definition.interface, {}).get(definition.label)
        if given is None or (isinstance(definition.type, Resource) and definition.imported):
            continue
        try:
            found[id(definition)] = face_of(given, definition)
        except MismatchError as error:
            name = printable(" ".join(filter(None, (definition.interface, definition.label))), LONGEST)
            raise TypeError(f"types has another {name} than the component: {error}") from None
    return lambda definition: found.get(id(definition))


class MismatchError(Exception):
    """A class doesn't fit a type."""


def face_of(given: Any, definition: Definition) -> Any:
    """The class, in the form that adapters use. Raises MismatchError if it doesn't fit the type."""
    type_ = definition.type
    if isinstance(type_, Resource):
        want(isinstance(given, type) and issubclass(given, Owned), "a resource is an Owned")
        return given
    return FACES[type_.kind](given, type_)


def want(fits: bool, why: str) -> None:
    if not fits:
        raise MismatchError(why)


def record(given: Any, type_: Compound) -> Any:
    fields = tuple(map(attribute, type_.labels))
    known = getattr(given, "__match_args__", None)
    want(isinstance(given, type) and known == fields, f"its fields are {', '.join(fields)}")
    return given


def variant(given: Any, type_: Compound) -> Any:
    cases = given if isinstance(given, tuple) else ()
    labels = tuple(getattr(case, "label", None) for case in cases)
    want(labels == type_.labels, f"its cases are {', '.join(type_.labels)}")
    for case, part in zip(cases, type_.parts, strict=True):
        fields = () if part is None else ("value",)
        want(getattr(case, "__match_args__", None) == fields, f"fields of the case {case.label} are {fields}")
    named = dict(zip(class_names(type_.labels), cases, strict=True))
    return type(type_.name or "Variant", (), {**named, "cases": cases})


def enumeration(given: Any, type_: Compound) -> Any:
    is_enum = isinstance(given, type) and issubclass(given, enum.Enum)
    want(is_enum and tuple(member.value for member in given) == type_.labels, f"it is {type_!r}")
    return given


def flags(given: Any, type_: Compound) -> Any:
    bits = tuple(1 << bit for bit in range(len(type_.labels)))
    names = tuple(attribute(label).upper() for label in type_.labels)
    is_flag = isinstance(given, type) and issubclass(given, enum.Flag)
    known = tuple((member.name, member.value) for member in given) if is_flag else ()
    want(known == tuple(zip(names, bits, strict=True)), f"it is {type_!r}")
    return given


FACES: Mapping[Kind, Callable[[Any, Compound], Any]] = {
    Kind.RECORD: record,
    Kind.VARIANT: variant,
    Kind.ENUM: enumeration,
    Kind.FLAGS: flags,
}
