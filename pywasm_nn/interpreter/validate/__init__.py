"""Validation (https://webassembly.github.io/spec/core/valid/): checks a module's rules, and collects facts
that engines need.

`validate_module` checks sections and types, `validate_func` a body on first use, `validate_all` everything.
"""

from .body import BodyValidator
from .facts import FuncFacts, Label, LegacyTry
from .function import validate_func
from .module import validate_all, validate_module
from .plans import method_of

__all__ = [
    "BodyValidator",
    "FuncFacts",
    "Label",
    "LegacyTry",
    "method_of",
    "validate_all",
    "validate_func",
    "validate_module",
]
