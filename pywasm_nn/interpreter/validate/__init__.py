"""Validation (https://webassembly.github.io/spec/core/valid/): whether a module keeps the rules, and what
engines need to know of it.

`validate_module` checks sections and types, `validate_func` a body when it is first needed, `validate_all`
everything.
"""

from .body import BodyValidator
from .facts import FuncFacts, Label
from .function import validate_constant, validate_func
from .module import validate_all, validate_module
from .plans import method_of

__all__ = [
    "BodyValidator",
    "FuncFacts",
    "Label",
    "method_of",
    "validate_all",
    "validate_constant",
    "validate_func",
    "validate_module",
]
