"""The compiler: turns a validated function into Python source, and that into a Python function.

`translate` makes a Translation: source, and Notes that say in which instruction each line can trap. Its
`compile` makes a code object, which belongs to the module. `make_stub`, `install` and `forward` put functions
into an instance; `trap_of` and `activations` explain exceptions from them. What is not here: when to compile,
and what runs instead of an Unsupported function (`engine.py`).

**Names in generated code.** Local: `l0 ..` locals, `v0 ..` operands by height, `k x y` scratch, `b` the
target of a branch through several loops, `c1 ..` the next case in a chain of blocks, `pc` the state of a
state machine. Global, in the instance's namespace, which only `runtime.link`, `Memory.bind` and
`installing/functions.py` fill:

- `func3`: function 3, of exact arity; returns None, a value or a tuple (`func3_`: the target of `forward`)
- `g3`: the value of a mutable global that only this module can access; `g3.raw`: any other global
- `u8 s8 u16 s16 u32 s32 u64 f32 f64`: views, as in `u32[a]`; of memory 1 `u32_1`
- `u32at12`: a view that begins at an offset, so that `u32at12[a]` is the value at `a + 12`
- `mem load_u32 store_u32` and so on: the same in the struct flavour
- `m0`, `t0`: Memory and Table; `d0_3`: dispatch list of table 0 for type 3
- `tail3`, `d0_3_tail`: the same for tail calls, see `lowering/tails.py`
- `memory_init data_drop table_init elem_drop ref_func`: methods of the instance; `instance` itself
- `block`: the observer's; `entered returned raised`: see `installing/followed.py`, which calls `func3_seen`
- `cell`: a view on one f32, for rounding; `unreachable prepare settle excuse carry generated`
- `tag3`: a tag; `WasmException rethrown tail_of`; the names of `numerics`
"""

from .cache import CodeFolder
from .compiled import Compiled, Unsupported, Variant
from .installing.functions import activations, forget, forward, install, make_stub, names, trap_of

__all__ = [
    "CodeFolder",
    "Compiled",
    "Unsupported",
    "Variant",
    "activations",
    "forget",
    "forward",
    "install",
    "make_stub",
    "names",
    "trap_of",
]
