"""What a host function's annotations say, read once: its core type, and how each parameter crosses.

What is not here: how values cross (`crossing.py`), and what is called (`calls.py`).
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from ..interpreter.types import I32, FuncType, NumType
from ..records import record
from .crossing import Caller, Crossing, Results, Scalar, crossing_of


@record
class Parameter:
    """A parameter of a host function: where its core values stand and how they are lifted. `crossing` None:
    the Caller."""

    name: str
    crossing: Crossing | None
    start: int
    stop: int


@record
class Signature:
    """What a host function's annotations say, read once."""

    parameters: tuple[Parameter, ...]
    result: Results | None
    type: FuncType

    @classmethod
    def of(
        cls, function: Callable[..., Any], *, skip_first: bool, errno: bool, aligned: bool = False
    ) -> Signature:
        """Read annotations. `skip_first`: the first parameter is the model. `errno`: an i32 error number is
        the result. `aligned`: pointers for answers must be."""
        owner = getattr(function, "__name__", "host function")
        hints = typing.get_type_hints(function, include_extras=True)
        names = list(inspect.signature(function).parameters)[1 if skip_first else 0 :]
        parameters: list[Parameter] = []
        flat: list[NumType] = []
        for name in names:
            if name not in hints:
                raise TypeError(f"{owner}: parameter {name!r} has no type annotation")
            label = f"{owner}, parameter {name!r}"
            crossing = None if hints[name] is Caller else crossing_of(hints[name], label, aligned)
            width = crossing.flat if crossing else ()
            parameters.append(Parameter(name, crossing, len(flat), len(flat) + len(width)))
            flat += width
        returned = hints.get("return", type(None))
        result: Results | None = None
        if errno and returned is not typing.NoReturn:
            result = Results((Scalar(I32, "I"),))
        elif returned not in (type(None), typing.NoReturn):
            result = Results.of(returned, f"{owner}, result")
        return cls(tuple(parameters), result, FuncType(tuple(flat), result.flat if result else ()))
