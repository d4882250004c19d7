"""The functions of wasmtime's C API (https://docs.wasmtime.dev/c-api/) that the engine uses.

The package's own classes convert each value through several Python objects; these functions take numbers in
an array instead, which makes a call some ten times as fast. Layouts of structures come from the package, and
so does the library. Pointers are ints here, None for null. What is not here: when to call what.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_bool,
    c_char_p,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    string_at,
)
from functools import cache
from types import SimpleNamespace
from typing import Any

from ..errors import LinkError
from . import INSTALL, problem

HOST_CALL = CFUNCTYPE(c_size_t, c_void_p, c_void_p, POINTER(c_uint64), c_size_t)
"""A host function: data, caller, values in and out (two words each), count; returns a trap or 0."""
EPOCH_CALL = CFUNCTYPE(c_size_t, c_void_p, c_void_p, POINTER(c_uint64), POINTER(c_uint8))
"""Called when the epoch's deadline is over: context, data, the next deadline, what to do; returns an error
or 0."""
FREE = CFUNCTYPE(None, c_void_p)

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "wasmtime_engine_increment_epoch": (None, (c_void_p,)),
    "wasmtime_module_new": (c_void_p, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_module_delete": (None, (c_void_p,)),
    "wasmtime_module_serialize": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_module_deserialize": (c_void_p, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_store_new": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_store_context": (c_void_p, (c_void_p,)),
    "wasmtime_store_delete": (None, (c_void_p,)),
    "wasmtime_store_limiter": (None, (c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64)),
    "wasmtime_store_epoch_deadline_callback": (None, (c_void_p, EPOCH_CALL, c_void_p, c_void_p)),
    "wasmtime_context_set_epoch_deadline": (None, (c_void_p, c_uint64)),
    "wasmtime_context_set_fuel": (c_void_p, (c_void_p, c_uint64)),
    "wasmtime_context_get_fuel": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_instance_new": (c_void_p, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "wasmtime_instance_export_get": (c_bool, (c_void_p, c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_func_new_unchecked": (
        None, (c_void_p, c_void_p, HOST_CALL, c_void_p, c_void_p, c_void_p),
    ),
    "wasmtime_func_call_unchecked": (c_void_p, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "wasmtime_func_from_raw": (None, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_func_to_raw": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_func_type": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_memory_new": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_table_new": (c_void_p, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "wasmtime_memory_data": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_memory_data_size": (c_size_t, (c_void_p, c_void_p)),
    "wasmtime_memory_grow": (c_void_p, (c_void_p, c_void_p, c_uint64, c_void_p)),
    "wasmtime_global_new": (c_void_p, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "wasmtime_global_get": (None, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_global_set": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_table_get": (c_bool, (c_void_p, c_void_p, c_uint64, c_void_p)),
    "wasmtime_table_set": (c_void_p, (c_void_p, c_void_p, c_uint64, c_void_p)),
    "wasmtime_table_size": (c_uint64, (c_void_p, c_void_p)),
    "wasmtime_table_grow": (c_void_p, (c_void_p, c_void_p, c_uint64, c_void_p, c_void_p)),
    "wasmtime_externref_new": (c_bool, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "wasmtime_externref_data": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_externref_from_raw": (None, (c_void_p, c_uint32, c_void_p)),
    "wasmtime_externref_to_raw": (c_uint32, (c_void_p, c_void_p)),
    "wasmtime_externref_unroot": (None, (c_void_p,)),
    "wasmtime_tag_new": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_tag_eq": (c_bool, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_exnref_new": (c_void_p, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "wasmtime_exnref_unroot": (None, (c_void_p,)),
    "wasmtime_exnref_tag": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_exnref_field": (c_void_p, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "wasmtime_context_set_exception": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_context_take_exception": (c_bool, (c_void_p, c_void_p)),
    "wasm_functype_copy": (c_void_p, (c_void_p,)),
    "wasm_tagtype_new": (c_void_p, (c_void_p,)),
    "wasm_tagtype_delete": (None, (c_void_p,)),
    "wasmtime_val_unroot": (None, (c_void_p,)),
    "wasmtime_error_new": (c_void_p, (c_char_p,)),
    "wasmtime_error_delete": (None, (c_void_p,)),
    "wasmtime_error_wasm_trace": (None, (c_void_p, c_void_p)),
    "wasmtime_error_message": (None, (c_void_p, c_void_p)),
    "wasmtime_trap_new": (c_void_p, (c_char_p, c_size_t)),
    "wasmtime_trap_code": (c_bool, (c_void_p, c_void_p)),
    "wasm_trap_delete": (None, (c_void_p,)),
    "wasm_trap_message": (None, (c_void_p, c_void_p)),
    "wasm_trap_trace": (None, (c_void_p, c_void_p)),
    "wasm_frame_vec_delete": (None, (c_void_p,)),
    "wasm_frame_func_index": (c_uint32, (c_void_p,)),
    "wasm_frame_module_offset": (c_size_t, (c_void_p,)),
    "wasmtime_frame_func_name": (c_void_p, (c_void_p,)),
    "wasmtime_frame_module_name": (c_void_p, (c_void_p,)),
    "wasm_byte_vec_delete": (None, (c_void_p,)),
    "wasm_functype_new": (c_void_p, (c_void_p, c_void_p)),
    "wasm_functype_delete": (None, (c_void_p,)),
    "wasm_valtype_new": (c_void_p, (c_uint8,)),
    "wasmtime_wasm_valtype_v128": (c_void_p, ()),
    "wasm_valtype_vec_new": (None, (c_void_p, c_size_t, c_void_p)),
    "wasm_globaltype_new": (c_void_p, (c_void_p, c_uint8)),
    "wasm_globaltype_delete": (None, (c_void_p,)),
}  # fmt: skip
"""Result and parameters of each function."""


class Binding(SimpleNamespace):
    """The library's functions without the prefix `wasmtime_`, `layouts`, the package's structures, and
    `library`, which has them all."""

    def __getattr__(self, name: str) -> Any:  # for type checkers: all are set by `binding`
        raise AttributeError(name)


@cache
def binding() -> Binding:
    """The binding. Raises LinkError if the package is missing, or has no build for this machine."""
    if reason := problem():
        raise LinkError(f"engine wasmtime can't be used: {reason}; {INSTALL}")
    try:
        import wasmtime
        from wasmtime import _ffi
    except (ImportError, OSError, RuntimeError) as error:
        raise LinkError(f"engine wasmtime can't be loaded here: {error}") from error
    made: dict[str, Callable[..., Any]] = {}
    for name, (result, parameters) in FUNCTIONS.items():
        function: Any = _ffi.dll[name]  # an object of our own, unlike the attribute of this name
        function.restype, function.argtypes = result, parameters
        made[name.removeprefix("wasmtime_")] = function
    return Binding(layouts=_ffi, library=_ffi.dll, package=wasmtime, **made)


def text_of(write: Callable[[Any, Any], None], pointer: int) -> str:
    """The message of an error or a trap, in one line."""
    from ctypes import byref

    api = binding()
    message = api.layouts.wasm_byte_vec_t()
    write(pointer, byref(message))
    text = string_at(message.data, message.size).decode("utf-8", "replace").rstrip("\0")
    api.wasm_byte_vec_delete(byref(message))
    return in_one_line(text)


def message_of(error: int) -> str:
    """The message of an error, which is freed."""
    api = binding()
    text = text_of(api.error_message, error)
    api.error_delete(error)
    return text


def in_one_line(text: str) -> str:
    """A message of wasmtime, followed by its causes. wasmtime writes each cause on a line of its own, and
    numbers them if there are several."""
    lines = [re.sub(r"^\d+: ", "", line.strip()) for line in text.splitlines()]
    return ": ".join(line for line in lines if line not in ("", "Caused by:"))
