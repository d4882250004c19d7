"""Reads the annotations of a host function: its core type, and how each parameter crosses.

What is not here: the crossings of values (`crossing.py`), and the callables (`calls.py`).
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

from ..interpreter.types import I32, FuncType, ValType
from ..records import Frozen
from .crossing import Caller, Crossing, Plain, Results, Scalar, crossing_of

POSITIONAL = frozenset({inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD})


class Parameter(Frozen):
    """A parameter of a host function: the positions of its core values, and its crossing. `crossing` is None
    for the Caller."""

    name: str
    crossing: Crossing | None
    start: int
    stop: int


class Signature(Frozen):
    """The core type of a host function, and the crossings of its values."""

    parameters: tuple[Parameter, ...]
    result: Results | None
    type: FuncType


class Declared(Frozen):
    """The declaration of a host function."""

    name: str
    parameters: tuple[inspect.Parameter, ...]
    """The parameters that a guest passes, with evaluated annotations."""
    returned: Any
    aligned: bool

    @classmethod
    def of(cls, function: Callable[..., Any], *, skip_first: bool = False, aligned: bool = False) -> Declared:
        """Read a function. `skip_first`: the first parameter is the model. `aligned`: pointers to results
        must be aligned. Raises TypeError for a keyword-only parameter without a default."""
        name = str(getattr(function, "__name__", type(function).__name__))
        try:
            signature = inspect.signature(function, eval_str=True)
        except ValueError:  # some functions in C have no signature
            signature = inspect.signature(lambda *arguments: None)
        parameters = list(signature.parameters.values())[1 if skip_first else 0 :]
        kept = [p for p in parameters if p.kind in POSITIONAL or p.kind is p.VAR_POSITIONAL]
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                raise TypeError(
                    f"{name}: a guest can't give parameter {parameter.name!r}, which has a name only"
                )
        returned = signature.return_annotation
        return cls(name, tuple(kept), type(None) if returned is None else returned, aligned)

    @property
    def is_whole(self) -> bool:
        """Whether the annotations are complete, so that the function has a type of its own."""
        open_ended = any(p.kind is p.VAR_POSITIONAL for p in self.parameters)
        said = [p.annotation for p in self.parameters] + [self.returned]
        return not open_ended and not any(is_unknown(annotation) for annotation in said)

    def check(self) -> None:
        """Raises TypeError for an annotation that no guest value fits."""
        for parameter in self.parameters:
            self.crossing(parameter, I32)
        self.result(())

    def signature(self, wanted: FuncType | None = None, *, errno: bool = False) -> Signature:
        """The signature; missing annotations are taken from `wanted`. `errno`: the result is an i32 error
        number. Raises TypeError for an annotation that no guest value fits."""
        params = wanted.params if wanted else ()
        parameters: list[Parameter] = []
        flat: list[ValType] = []
        for name, parameter in self.spread(len(params)):
            surplus = len(flat) >= len(params)  # then i32; the type shows one too many
            if wanted and surplus and parameter.default is not parameter.empty:
                break
            crossing = self.crossing(parameter, I32 if surplus else params[len(flat)])
            width = crossing.flat if crossing else ()
            parameters.append(Parameter(name, crossing, len(flat), len(flat) + len(width)))
            flat += width
        result = self.result(wanted.results if wanted else ())
        if errno and self.returned is not typing.NoReturn:
            result = Results((Scalar(I32, "I"),))
        return Signature(tuple(parameters), result, FuncType(tuple(flat), result.flat if result else ()))

    def spread(self, count: int) -> Iterator[tuple[str, inspect.Parameter]]:
        """Parameters with their names; `*rest` is repeated up to `count` times."""
        for parameter in self.parameters:
            if parameter.kind is not parameter.VAR_POSITIONAL:
                yield parameter.name, parameter
                continue
            optional = parameter.replace(kind=parameter.POSITIONAL_ONLY, default=None)
            for index in range(count):
                yield f"{parameter.name}{index}", optional

    def crossing(self, parameter: inspect.Parameter, core: ValType) -> Crossing | None:
        """How a parameter crosses; without annotation it takes the core type `core`."""
        annotation = parameter.annotation
        if is_unknown(annotation):
            return Plain(core)
        label = f"{self.name}, parameter {parameter.name!r}"
        return None if annotation is Caller else crossing_of(annotation, label, self.aligned)

    def result(self, wanted: tuple[ValType, ...]) -> Results | None:
        """The results of the function; without annotation, results of the types `wanted`."""
        if is_unknown(self.returned):
            return Results(tuple(map(Plain, wanted))) if wanted else None
        if self.returned in (type(None), typing.NoReturn):
            return None
        return Results.of(self.returned, f"{self.name}, result")


def is_unknown(annotation: Any) -> bool:
    """Whether an annotation is missing or Any."""
    return annotation is inspect.Parameter.empty or annotation is Any
