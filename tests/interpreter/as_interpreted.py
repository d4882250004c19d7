"""What compiled functions do, beside what interpreted ones do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pywasm_nn import Instance, Module
from pywasm_nn.interpreter.runtime.memory import Flavour


def assert_as_interpreted(
    module: Module, arguments: Sequence[Any], outcome: Callable[[Instance, Any], object]
) -> None:
    """The outcome of each call is the same compiled, in every flavour of memory that there is."""
    with module.instantiate(engine="interpret") as interpreted:
        expected = [outcome(interpreted, each) for each in arguments]
    for flavour in Flavour if Flavour.default() is Flavour.VIEW else [Flavour.STRUCT]:
        with module.instantiate(engine="compile", flavour=flavour) as compiled:
            for each, wanted in zip(arguments, expected, strict=True):
                assert outcome(compiled, each) == wanted, (flavour, each)
