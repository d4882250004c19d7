"""Errors and frames of this package for wasmtime's report of a stopped guest.

What is here: the error for a trap or an error of wasmtime, and the guests' functions on its stack. What is
not: exceptions of host functions, which `store.py` carries across.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_uint8, c_void_p, cast, string_at
from types import FrameType
from typing import Any, NoReturn

from ..errors import ExhaustionError, FuelError, HeapLimitError, MemoryLimitError, Trap, TrapKind, WasmError
from ..interpreter.module import Module
from ..interpreter.runtime.instance import Instance
from ..interpreter.types import EXTERNREF, F32, F64, FUNCREF, I32, I64, V128, FuncType, ValType
from ..records import Frozen
from .binding import binding, message_of, text_of

TRAPS = {
    "MEMORY_OUT_OF_BOUNDS": TrapKind.OUT_OF_BOUNDS_MEMORY,
    "HEAP_MISALIGNED": TrapKind.UNALIGNED_ATOMIC,
    "TABLE_OUT_OF_BOUNDS": TrapKind.OUT_OF_BOUNDS_TABLE,
    "INDIRECT_CALL_TO_NULL": TrapKind.UNINITIALIZED_ELEMENT,
    "BAD_SIGNATURE": TrapKind.INDIRECT_CALL_TYPE,
    "INTEGER_OVERFLOW": TrapKind.INTEGER_OVERFLOW,
    "INTEGER_DIVISION_BY_ZERO": TrapKind.DIVIDE_BY_ZERO,
    "BAD_CONVERSION_TO_INTEGER": TrapKind.INVALID_CONVERSION,
    "UNREACHABLE": TrapKind.UNREACHABLE,
    "ATOMIC_WAIT_NON_SHARED_MEMORY": TrapKind.EXPECTED_SHARED_MEMORY,
    "NULL_REFERENCE": TrapKind.NULL_REFERENCE,
    "CAST_FAILURE": TrapKind.CAST_FAILURE,
}
"""Kinds of traps by wasmtime's names."""
REFINED = {
    (TrapKind.OUT_OF_BOUNDS_TABLE, "call_indirect"): TrapKind.UNDEFINED_ELEMENT,
    (TrapKind.OUT_OF_BOUNDS_TABLE, "return_call_indirect"): TrapKind.UNDEFINED_ELEMENT,
    (TrapKind.NULL_REFERENCE, "call_ref"): TrapKind.NULL_FUNCTION,
    (TrapKind.NULL_REFERENCE, "return_call_ref"): TrapKind.NULL_FUNCTION,
    (TrapKind.NULL_REFERENCE, "throw_ref"): TrapKind.NULL_EXCEPTION,
}
"""Kinds that depend on the instruction."""
NO_MEMORY = ("mmap failed", "annot allocate memory", "failed to allocate")
"""In wasmtime's messages when the system gives no memory or no addresses."""
FULL = "GC heap out of memory"
"""In wasmtime's message when its heap has reached the limit."""
VAL_KINDS: dict[int, ValType] = {0: I32, 1: I64, 2: F32, 3: F64, 4: V128, 128: EXTERNREF, 129: FUNCREF}
"""Types by wasmtime's numbers."""
KIND_NUMBERS = {type_: kind for kind, type_ in VAL_KINDS.items()}


class Running(Frozen):
    """A function on wasmtime's stack: an activation (`interpreter.runtime.activations`)."""

    instance: Instance
    funcidx: int
    instr: int

    knows_locals = False

    def local(self, index: int) -> NoReturn:
        raise KeyError(index)


def activations(frame: FrameType) -> Sequence[Running]:
    """The guests' functions that a Python frame stands for, innermost first."""
    if frame.f_code is not INVOKE:
        return ()
    running: list[Running] = frame.f_locals.get("running", [])
    return running


INVOKE: Any = None
"""The code of the function that calls wasmtime; `store.py` sets it."""


def running_at(
    error: int | None, trap: int | None, instances: Sequence[tuple[Instance, int]]
) -> list[Running]:
    """The functions on the stack of an error or a trap, innermost first. `instances` are those of the
    store, with the number of bytes by which their code moved."""
    api = binding()
    frames = api.layouts.wasm_frame_vec_t(0, None)
    if error:
        api.error_wasm_trace(error, byref(frames))
    else:
        api.wasm_trap_trace(trap, byref(frames))
    found = []
    for number in range(frames.size):
        frame = cast(frames.data[number], c_void_p).value
        funcidx = api.wasm_frame_func_index(frame)
        offset = api.wasm_frame_module_offset(frame)
        alike = [one for one in instances if has_code(one[0].module, funcidx, offset - one[1])]
        if alike:
            one = alike[0] if len(alike) == 1 else named_alike(alike, frame)
            found.append(Running(one[0], funcidx, instruction_at(one[0].module, funcidx, offset - one[1])))
    api.wasm_frame_vec_delete(byref(frames))
    return found


def named_alike(instances: Sequence[tuple[Instance, int]], frame: Any) -> tuple[Instance, int]:
    """The first of these instances whose module has the names of a frame, else the first: wasmtime doesn't
    tell of which instance a frame is."""
    api = binding()
    told = [name for name in (api.frame_func_name(frame), api.frame_module_name(frame)) if name]
    names = [
        string_at(found.data, found.size) for found in map(api.layouts.wasm_byte_vec_t.from_address, told)
    ]
    for one in instances:
        section = b"".join(custom.data for custom in one[0].module.customs if custom.name == "name")
        if all(name in section for name in names):
            return one
    return instances[0]


def has_code(module: Module, funcidx: int, offset: int) -> bool:
    """Whether a function of the module is at this offset."""
    index = funcidx - module.imported_funcs
    if not 0 <= index < len(module.funcs):
        return False
    func = module.funcs[index]
    return not module.data or func.offset <= offset <= func.offset + func.size


def instruction_at(module: Module, funcidx: int, offset: int) -> int:
    """The index of the instruction at a byte offset; -1 if unknown."""
    try:
        offsets = module.funcs[funcidx - module.imported_funcs].body.offsets
    except WasmError:
        return -1
    return max(bisect_right(offsets, offset) - 1, 0)


def failure(error: int | None, trap: int | None, running: Sequence[Running]) -> WasmError:
    """The exception for an error or a trap of wasmtime, which are freed."""
    if error:
        text = message_of(error)
        if FULL in text:
            return HeapLimitError("heap", "the guest's exceptions take more than Limits.heap")
        if any(words in text for words in NO_MEMORY):
            return MemoryLimitError("memory", f"this machine has no memory to give: {text}")
        return WasmError(f"wasmtime: {text}")
    assert trap
    api = binding()
    code = c_uint8()
    has_kind = api.trap_code(trap, byref(code))
    text = text_of(api.wasm_trap_message, trap)
    api.wasm_trap_delete(trap)
    name = api.package.TrapCode(code.value).name if has_kind else ""
    if name == "STACK_OVERFLOW":
        return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
    if name == "OUT_OF_FUEL":
        return FuelError()
    if name not in TRAPS:
        return WasmError(f"wasmtime: {text}")
    kind = TRAPS[name]
    instruction = instruction_of(running[0]) if running else ""
    return Trap(REFINED.get((kind, instruction), kind), detail_of(kind, instruction, running))


def detail_of(kind: TrapKind, instruction: str, running: Sequence[Running]) -> str:
    """More about a trap than its kind: wasmtime keeps no address."""
    if kind is not TrapKind.OUT_OF_BOUNDS_MEMORY or not instruction or len(running[0].instance.mems) != 1:
        return ""
    memory = running[0].instance.mems[0]
    return f"bytes outside, memory is 0x{memory.size:x} bytes ({memory.pages} pages)"


def instruction_of(running: Running) -> str:
    """The name of the current instruction; "" if unknown."""
    if running.instr < 0:
        return ""
    module = running.instance.module
    return module.funcs[running.funcidx - module.imported_funcs].body.ops[running.instr].name


@contextmanager
def of_type(type_: FuncType) -> Iterator[int]:
    """wasmtime's object for a type of functions, of numbers and plain references."""
    api = binding()
    vectors = []
    for types in (type_.params, type_.results):
        pointers = (c_void_p * max(len(types), 1))(*map(val_type_pointer, types))
        vector = api.layouts.wasm_valtype_vec_t()
        api.wasm_valtype_vec_new(byref(vector), len(types), pointers)
        vectors.append(vector)
    made = api.wasm_functype_new(byref(vectors[0]), byref(vectors[1]))
    try:
        yield made
    finally:
        api.wasm_functype_delete(made)


def val_type_pointer(type_: ValType) -> int:
    """wasmtime's object for a type."""
    api = binding()
    made: int = api.wasm_valtype_v128() if type_ is V128 else api.wasm_valtype_new(KIND_NUMBERS[type_])
    return made


def type_of(pointer: int) -> FuncType:
    """The type of functions in wasmtime's object, which is freed."""
    api = binding()
    layouts = api.layouts
    made = cast(pointer, layouts.POINTER(layouts.wasm_functype_t))
    kinds = []
    for read in (layouts.wasm_functype_params, layouts.wasm_functype_results):
        vector = read(made).contents
        kinds.append(tuple(VAL_KINDS[layouts.wasm_valtype_kind(vector.data[n])] for n in range(vector.size)))
    api.wasm_functype_delete(pointer)
    return FuncType(*kinds)
