"""Coroutines of asyncio and guests, which are synchronous: the event loop that awaits a guest, and a guest
that waits for a coroutine of its host.

What is not here: the asynchronous call of a guest (`instance.Func.call_async`).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # slow to import, and most guests never wait
    import asyncio

LOOP: ContextVar[asyncio.AbstractEventLoop] = ContextVar("LOOP")
"""The event loop with a task that awaits the guest on this thread."""


def called_for(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a guest on another thread for a task of this loop. The thread has a context of its own."""
    LOOP.set(loop)
    return call(*arguments)


def is_asynchronous(function: Callable[..., Any]) -> bool:
    """Whether `function` is a coroutine function, or an object whose `__call__` is one."""
    from inspect import iscoroutinefunction  # slow to import

    if iscoroutinefunction(function):
        return True
    return not isinstance(function, FunctionType) and iscoroutinefunction(type(function).__call__)


def waiting(
    function: Callable[..., Any], name: str, patience: Callable[[], float | None]
) -> Callable[..., Any]:
    """A coroutine function as a synchronous function, whose caller waits; see `settled`."""

    def call(*arguments: Any) -> Any:
        return settled(function(*arguments), name, patience)

    call.__wrapped__ = function  # type: ignore[attr-defined] # as functools.wraps does
    return call


def settled(coroutine: Coroutine[Any, Any, Any], name: str, patience: Callable[[], float | None]) -> Any:
    """The result of a coroutine, for a guest that waits for it. The coroutine runs on the loop that awaits
    the guest, or on a new loop.

    `patience` returns the seconds that the guest has left, and raises if there are none. Raises what the
    coroutine raises, and RuntimeError if a loop runs on this very thread, because it can't wait for itself.
    """
    import asyncio

    try:
        loop = LOOP.get(None)
        if is_running():
            raise RuntimeError(
                f"{name} is asynchronous and the event loop of this thread is busy with the guest: "
                "await the guest's function with call_async"
            )
        if loop is None:
            return on_own_loop(coroutine, patience)
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    except BaseException:
        coroutine.close()
        raise
    try:
        return future.result(patience())
    except BaseException:
        future.cancel()
        patience()  # raises if the guest's time is over
        raise


def on_own_loop(coroutine: Coroutine[Any, Any, Any], patience: Callable[[], float | None]) -> Any:
    """Run a coroutine to its end on a new event loop."""
    import asyncio

    try:
        return asyncio.run(asyncio.wait_for(coroutine, patience()))
    except TimeoutError:
        patience()  # raises if the guest's time is over
        raise


def is_running() -> bool:
    """Whether an event loop runs on this thread."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
