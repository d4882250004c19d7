"""The harmless imports of Emscripten in `env`: what programs import that were built without -sSTANDALONE_WASM
to the end, and that needs nothing of a browser.

What is not here: the rest of `env`, which is whatever a program's JavaScript gives.
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
"""ENOSYS, as Emscripten's libc numbers it."""
SYSCALL = "__syscall_"
"""How the names of system calls begin, which all answer that they aren't there."""


def emscripten_notify_memory_growth(memory: int) -> None:
    """The memory has grown: JavaScript would renew its views."""


def abort() -> NoReturn:
    """The program has given up."""
    raise Trap(TrapKind.UNREACHABLE, "the guest called abort")


def emscripten_memcpy_js(caller: Caller, target: U32, source: U32, count: U32) -> None:
    """Copy memory."""
    memory: Any = caller.memory
    memory.view(target, count)[:] = bytes(memory.view(source, count))


def emscripten_resize_heap(caller: Caller, size: U32) -> int:
    """Grow the memory to so many bytes: 1, or 0 if it can't."""
    memory: Any = caller.memory
    pages = -(-size // 65536) - memory.pages
    return int(pages <= 0 or memory.grow(pages) >= 0)


def emscripten_get_now() -> float:
    """Milliseconds since some moment."""
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
"""By the names of several versions."""


def served(module: Module, import_: Import) -> Func | HostFunc | None:
    """What an import of `env` gets, or None."""
    if import_.module != "env" or not isinstance(import_.type, int):
        return None
    wanted = module.func_type(import_.type)
    if import_.name.startswith(SYSCALL) and wanted.results == (I32,):
        return Func.of(wanted.params, wanted.results, lambda *given: NOT_THERE)
    function = FUNCTIONS.get(import_.name)
    made = None if function is None else host_function(function, "env", import_.name)
    return made if isinstance(made, HostFunc) and made.type == wanted else None
