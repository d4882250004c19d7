"""Types as Python annotations: `list[Order] | None`.

What is here: `Annotations`, the text for a type, and names of parameters. What is not: names of classes,
which the caller chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .canonical.faces import attribute
from .canonical.reading import CHARS, is_option
from .catalogue import Catalogue, Definition
from .types import U8, Compound, FuncType, Kind, Part, Prim

NUMBERS = frozenset(CHARS)
"""Names of number types."""
MOST_PARTS = 10_000
"""The most types in one annotation: a few bytes can describe a type with millions of parts."""


class Annotations:
    """Annotations for types of a component. `called` returns the text for a class of the component, `plain`
    for other names such as `Sequence`."""

    def __init__(
        self, catalogue: Catalogue, called: Callable[[Definition], str], plain: Callable[[str], str] = str
    ) -> None:
        self.catalogue = catalogue
        self.called = called
        self.plain = plain
        self._left = 0

    def got(self, type_: Part) -> str:
        """The annotation for values that a component returns or that are kept in other values."""
        self._left = MOST_PARTS
        return self._text(type_, given=False)

    def given(self, type_: Part) -> str:
        """The annotation for arguments from Python: any sequence for a list."""
        self._left = MOST_PARTS
        return self._text(type_, given=True)

    def _text(self, type_: Part, given: bool) -> str:
        self._left -= 1
        if self._left < 0:
            return self.plain("object")
        if type_ is None:
            return self.plain("None")
        if isinstance(type_, Prim):
            return self.plain(prim(type_))
        definition = self.catalogue.definition(type_)
        if definition is not None:
            return self.called(definition)
        if not isinstance(type_, Compound) or type_.kind not in WRITTEN:
            return self.plain("object")  # no values exist: resources that nobody exports, streams
        return WRITTEN[type_.kind](self, type_, given)

    def list(self, type_: Compound, given: bool) -> str:
        (element,) = type_.parts
        octets = element is U8 and type_.length is None
        if not given:
            return self.plain("bytes") if octets else f"{self.plain('list')}[{self._text(element, given)}]"
        sequence = f"{self.plain('Sequence')}[{self._text(element, given)}]"
        if isinstance(element, Prim) and element.name in NUMBERS:
            return f"{sequence} | {self.plain('Buffer')}"
        return sequence

    def map(self, type_: Compound, given: bool) -> str:
        inner = ", ".join(self._text(part, given) for part in type_.parts)
        return f"{self.plain('Mapping' if given else 'dict')}[{inner}]"

    def tuple(self, type_: Compound, given: bool) -> str:
        inner = ", ".join(self._text(part, given) for part in type_.parts)
        return f"{self.plain('tuple')}[{inner or '()'}]"

    def option(self, type_: Compound, given: bool) -> str:
        (part,) = type_.parts
        inner = self._text(part, given)
        if is_option(part):
            inner = f"{self.plain('Some')}[{inner}]"
        return f"{inner} | {self.plain('None')}"

    def result(self, type_: Compound, given: bool) -> str:
        ok, error = (self._text(part, given) for part in type_.parts)
        return f"{self.plain('Ok')}[{ok}] | {self.plain('Err')}[{error}]"

    def handle(self, type_: Compound, given: bool) -> str:
        return self._text(type_.parts[0], given)

    # Functions

    def returned(self, type_: FuncType, *, given: bool = False) -> str:
        """The annotation of a call's result. A function whose type is a result raises `Err` instead of
        returning it."""
        part: Part = type_.result
        if isinstance(part, Compound) and part.kind is Kind.RESULT:
            part = part.parts[0]
        return self.given(part) if given else self.got(part)


def prim(type_: Prim) -> str:
    if type_.name in NUMBERS:
        return "float" if type_.name.startswith("f") else "int"
    return {"bool": "bool", "string": "str", "char": "str"}.get(type_.name, "object")


def parameters(type_: FuncType, method: bool) -> Iterator[str]:
    """Names of parameters; `self` is used only for the first parameter of a method."""
    for index, label in enumerate(type_.labels):
        name = attribute(label)
        yield name + "_" * (name == "self" and not (method and index == 0))


WRITTEN: Mapping[Kind, Callable[[Annotations, Compound, bool], str]] = {
    Kind.LIST: Annotations.list,
    Kind.MAP: Annotations.map,
    Kind.TUPLE: Annotations.tuple,
    Kind.OPTION: Annotations.option,
    Kind.RESULT: Annotations.result,
    Kind.OWN: Annotations.handle,
    Kind.BORROW: Annotations.handle,
}


def evaluated(text: str, names: Mapping[str, Any]) -> Any:
    """The object that an annotation names."""
    return eval(text, {"__builtins__": {}}, dict(names))
