"""Emscripten's imports in `env` that need no browser: programs import them that were built without
-sSTANDALONE_WASM.

What is not here: the rest of `env`, which a program's own JavaScript defines.
"""

from __future__ import annotations

import time
from typing import Any, NoReturn

from ..errors import Trap, TrapKind
from ..host import U32, Caller, host_function
from ..interpreter.module import Import, Module
from ..interpreter.runtime.instance import Func, HostFunc
from ..interpreter.types import I32

NOT_THERE = -52
"""ENOSYS, with its number in Emscripten's libc."""
SYSCALL = "__syscall_"
"""The prefix of system calls; all of them return NOT_THERE."""


def emscripten_notify_memory_growth(memory: int) -> None:
    """The memory has grown. JavaScript would renew its views here; this host has nothing to do."""


def abort() -> NoReturn:
    """The program gives up: trap."""
    raise Trap(TrapKind.UNREACHABLE, "the guest called abort")


def emscripten_memcpy_js(caller: Caller, target: U32, source: U32, count: U32) -> None:
    """Copy memory."""
    memory: Any = caller.memory
    memory.view(target, count)[:] = bytes(memory.view(source, count))


def emscripten_resize_heap(caller: Caller, size: U32) -> int:
    """Grow the memory to `size` bytes. Returns 1, or 0 if it can't grow."""
    memory: Any = caller.memory
    pages = -(-size // 65536) - memory.pages
    return int(pages <= 0 or memory.grow(pages) >= 0)


def emscripten_get_now() -> float:
    """Milliseconds since an arbitrary moment."""
    return time.perf_counter() * 1000


def emscripten_date_now() -> float:
    """Milliseconds since 1970."""
    return time.time() * 1000


FUNCTIONS: dict[str, Any] = {
    "emscripten_notify_memory_growth": emscripten_notify_memory_growth,
    "emscripten_resize_heap": emscripten_resize_heap,
    "emscripten_get_now": emscripten_get_now,
    "emscripten_date_now": emscripten_date_now,
    "_emscripten_get_now": emscripten_get_now,
    **dict.fromkeys(("abort", "_abort_js", "__abort_js"), abort),
    **dict.fromkeys(
        ("emscripten_memcpy_js", "_emscripten_memcpy_js", "__emscripten_memcpy_js", "emscripten_memcpy_big"),
        emscripten_memcpy_js,
    ),
}
"""Functions by their names in several versions of Emscripten."""


def served(module: Module, import_: Import) -> Func | HostFunc | None:
    """The function for an import of `env`, or None."""
    if import_.module != "env" or not isinstance(import_.type, int):
        return None
    wanted = module.func_type(import_.type)
    if import_.name.startswith(SYSCALL) and wanted.results == (I32,):
        return Func.of(wanted.params, wanted.results, lambda *given: NOT_THERE)
    function = FUNCTIONS.get(import_.name)
    made = None if function is None else host_function(function, "env", import_.name)
    return made if isinstance(made, HostFunc) and made.type == wanted else None
