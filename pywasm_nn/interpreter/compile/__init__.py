"""The compiler: a validated function becomes Python source, and that a Python function.

    translate(module, index, facts, flavour) -> Translation     source, and which instruction each line can trap in
    Compiled.of(translation) -> Compiled                         its code object; belongs to the module
    make_stub(instance, index, prepare), install(instance, compiled), forward(instance, index, callable)
    trap_of(error), frames_of(traceback entry)                   what rose from generated code

What is not here: when to compile, and what runs instead of a function that is Unsupported (`engine.py`).

**Names that generated code uses.** Local: `l0 ..` locals, `v0 ..` operands by height, `k x y` scratch, `b` a branch on its way.
Global, in the instance's namespace; only `link.py`, `Memory.bind`, `install` and `names()` put something there:

    func3                       function 3, exact arity; returns None, a value or a tuple (`func3_`: see `forward`)
    g3                          a mutable global that only this module sees: the value itself
    g3.value                    any other global
    u8 s8 u16 s16 u32 s32 u64 f32 f64 (view flavour: `u32[a]`), mem load_u32 store_u32 (struct flavour); memory 1: `u32_1`
    m0  t0                      Memory and Table objects
    d0_3                        dispatch list of table 0 for type 3
    memory_init data_drop table_init elem_drop ref_func unreachable cell prepare excuse generated instance
    and the names of `numerics`
"""

from .emit import Unsupported
from .install import Compiled, forward, frames_of, install, make_stub, names, trap_of
from .translate import Translation, translate

__all__ = [
    "Compiled",
    "Translation",
    "Unsupported",
    "forward",
    "frames_of",
    "install",
    "make_stub",
    "names",
    "translate",
    "trap_of",
]
