"""The compiler: turns a validated function into Python source, and that into a Python function.

`translate` makes a Translation: source, and Notes that say in which instruction each line can trap. Its
`compile` makes a code object, which belongs to the module. `stub_maker`, `install` and `forward` put
functions into an instance; `trap_of` and `activations` explain exceptions from them. What is not here: when
to compile, what runs instead of an Unsupported function (`engine.py`), and names in generated code
(`interpreter/namespace.py`).
"""

from .cache import CodeFolder
from .compiled import Compiled, Unsupported, Variant
from .installing.functions import activation, forget, forward, install, names, stub_maker, trap_of

__all__ = [
    "CodeFolder",
    "Compiled",
    "Unsupported",
    "Variant",
    "activation",
    "forget",
    "forward",
    "install",
    "names",
    "stub_maker",
    "trap_of",
]
