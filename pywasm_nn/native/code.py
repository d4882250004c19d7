"""Compiles modules with wasmtime, and keeps the results.

What is here: `Machine`, an engine of wasmtime with its settings, and `code_of`. Compiled code is kept in the
module and, if it has one, in its cache folder, whose rules hold for native code as for Python code: wasmtime
runs it unchecked. What is not here: instances (`engine.py`).
"""

from __future__ import annotations

from ctypes import byref, c_void_p, string_at
from functools import cache

from ..errors import LinkError
from ..interpreter.features import DEFAULT, chosen
from ..interpreter.module import Module
from ..interpreter.pace import Patience
from ..limits import Limits
from ..processes import available
from ..records import Frozen
from . import installed
from .apart import Refused, compiled_apart
from .binding import binding, message_of
from .compiler import engine_of
from .rewriting import Prepared, prepare

FRAME = 64
"""Bytes of stack for each frame of `Limits.call_depth`."""
LEAST_STACK, MOST_STACK = 64 << 10, 1 << 20
"""Bytes of the thread's stack that guests may take (`stack` looks whether it has them)."""
STACK_STEP = 64 << 10
RESERVED = 4 << 30
"""Bytes of address space for a memory, which therefore never moves, and whose bounds cost nothing."""
LEAST_RESERVED = 64 << 20
"""The same at least, where the process may map no more than a limit: an eighth of that."""
SMALL_GUARD = 64 << 10
"""Bytes of address space beside a memory there."""
SMALL = 1 << 10
"""Bytes of a module that is compiled in this process even if the guest has a deadline: what such a module can
be made to take is less than a child's start at worst some tenths of a second."""
EXTENSIONS = (
    "wasm_threads", "wasm_tail_call", "wasm_reference_types", "wasm_function_references", "wasm_simd",
    "wasm_relaxed_simd", "wasm_relaxed_simd_deterministic", "wasm_bulk_memory", "wasm_multi_value",
    "wasm_multi_memory", "wasm_memory64", "wasm_wide_arithmetic", "wasm_custom_page_sizes", "wasm_exceptions",
)  # fmt: skip
"""Proposals that both engines of this package have, too."""


class Variant(Frozen):
    """The settings that compiled code depends on: whether it counts fuel and looks at the time, and the bytes
    of the stack and of address space for a memory."""

    fuel: bool
    time: bool
    stack: int
    reserved: int


class Machine:
    """An engine of wasmtime."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.settings: dict[str, int] = {
            "consume_fuel": variant.fuel,
            "epoch_interruption": variant.time,
            "max_wasm_stack": variant.stack,
            "memory_may_move": False,
            "memory_reservation": variant.reserved,
            **({"memory_guard_size": SMALL_GUARD} if variant.reserved < RESERVED else {}),
            **dict.fromkeys(EXTENSIONS, True),
            "wasm_gc": False,
        }
        """Of wasmtime, by its names: all compilers of code for this engine have the same."""
        self.pointer = engine_of(binding().library, self.settings)


@cache
def machine(variant: Variant) -> Machine:
    """The engine of wasmtime for a variant; a process has one."""
    return Machine(variant)


def variant_for(limits: Limits, timed: bool) -> Variant:
    """The variant for limits; `timed`: some deadline can apply."""
    wanted = min(max(limits.call_depth * FRAME, LEAST_STACK), MOST_STACK)
    return Variant(limits.fuel is not None, timed, -(-wanted // STACK_STEP) * STACK_STEP, address_space())


def address_space() -> int:
    """The bytes of address space for a memory. Beyond that it can't grow."""
    try:
        import resource
    except ImportError:  # Windows
        return RESERVED
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return RESERVED
    return min(RESERVED, max(LEAST_RESERVED, 1 << (most // 8).bit_length() - 1))


class Code:
    """A compiled module."""

    def __init__(self, prepared: Prepared, pointer: int, fresh: bool) -> None:
        self.prepared = prepared
        self.pointer = pointer
        self.fresh = fresh
        """Whether it was compiled by this process."""
        self._delete = binding().module_delete

    def __del__(self) -> None:
        self._delete(self.pointer)


def code_of(module: Module, variant: Variant, patience: Patience) -> Code:
    """The code of a module. Raises InvalidError or MalformedError, LinkError for a module that only wasmtime
    refuses, and what `patience` raises; wasmtime's own compiler doesn't ask it."""
    code: Code | None = module.code_cache.native.get(variant)
    if code is None:
        code = module.code_cache.native[variant] = stored(module, variant) or compiled(
            module, variant, patience
        )
    return code


def stored(module: Module, variant: Variant) -> Code | None:
    """The code that another process has compiled, if it is kept."""
    kept = module.code_cache.native_code(label(variant))
    if kept is None:
        return None
    pointer = loaded(machine(variant), kept)
    return None if pointer is None else Code(prepare(module), pointer, fresh=False)


def loaded(machine: Machine, kept: bytes) -> int | None:
    """wasmtime's module of compiled code; None if it is of other settings, or another processor."""
    api, pointer = binding(), c_void_p()
    if error := api.module_deserialize(machine.pointer, kept, len(kept), byref(pointer)):
        message_of(error)
        return None
    return pointer.value or 0


def compiled(module: Module, variant: Variant, patience: Patience) -> Code:
    """New code, which is kept for other processes. wasmtime reads the bodies, and has every proposal: where
    one is off, they are read here first."""
    if DEFAULT - chosen(module.features):
        from ..interpreter.validate import validate_all

        validate_all(module, patience)
    prepared = prepare(module)
    try:
        if len(prepared.data) > SMALL and patience() is not None and available() is None:
            code, kept = apart(prepared, machine(variant), patience)
        else:
            code, kept = here(prepared, machine(variant), keep=module.code_cache.folder is not None)
    except Refused as error:
        raise refusal(module, str(error), patience) from None
    if kept:
        module.code_cache.keep_native(label(variant), kept)
    return code


def here(prepared: Prepared, machine: Machine, *, keep: bool) -> tuple[Code, bytes]:
    """New code, compiled in this process; and its bytes if they are to be kept. Raises Refused."""
    api, pointer = binding(), c_void_p()
    error = api.module_new(machine.pointer, prepared.data, len(prepared.data), byref(pointer))
    if error:
        raise Refused(message_of(error))
    code = Code(prepared, pointer.value or 0, fresh=True)
    bytes_ = api.layouts.wasm_byte_vec_t()
    if not keep:
        return code, b""
    if error := api.module_serialize(code.pointer, byref(bytes_)):
        message_of(error)
        return code, b""
    kept = string_at(bytes_.data, bytes_.size)
    api.wasm_byte_vec_delete(byref(bytes_))
    return code, kept


def apart(prepared: Prepared, machine: Machine, patience: Patience) -> tuple[Code, bytes]:
    """New code, compiled in a child process that ends at the deadline; and its bytes. Raises Refused, and
    what `patience` raises."""
    try:
        kept = compiled_apart(binding().library._name, machine.settings, prepared.data, patience)
    except OSError as error:
        raise LinkError(f"engine wasmtime can't start a process to compile in: {error}") from error
    pointer = loaded(machine, kept)
    if pointer is None:
        raise LinkError("engine wasmtime can't read what its compiler wrote")
    return Code(prepared, pointer, fresh=True), kept


def refusal(module: Module, text: str, patience: Patience) -> LinkError:
    """The error for a module that wasmtime refuses with these words; `reasons` in `engine.py` doesn't know
    why, as it doesn't read bodies. Raises InvalidError or MalformedError, in our words, if that is why."""
    from ..interpreter.summary import LEGACY_EXCEPTIONS, features_of
    from ..interpreter.validate import validate_all

    validate_all(module, patience)
    reason = f"it has {LEGACY_EXCEPTIONS}" if LEGACY_EXCEPTIONS in features_of(module) else text
    return LinkError(f"engine wasmtime can't run {module.name or 'the module'}: {reason}")


def label(variant: Variant) -> str:
    """The part of a cache key that isn't the module."""
    return f"wasmtime {installed()} {variant!r}"
