"""`run` for components: commands of WASI 0.2.

What is here: the run. What is not: options that core modules alone have so far, which are refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..components import Component
from ..errors import LinkError
from ..wasi import Wasi
from .asked import Asked
from .failure import Exit, Failure

if TYPE_CHECKING:
    from ..nn import NN


def run(asked: Asked, component: Component, wasi: Wasi, nn: NN | None, settings: dict[str, Any]) -> int:
    """Run a command to its end; the exit code. Raises Failure, Trap, LimitError, HostError."""
    for option in refused(asked):
        raise Failure(f"{option} takes core modules so far, and this is a component", code=Exit.USAGE)
    try:
        with component.instantiate(wasi=wasi, nn=nn, **settings) as instance:
            return instance.run()
    except LinkError as error:
        first, *rest = str(error).splitlines()
        raise Failure(f"can't link: {first}", "\n".join(rest), in_lines=True) from None


def refused(asked: Asked) -> list[str]:
    """Options that were given and mean nothing to components yet."""
    given = {
        "--invoke": asked.invoke,
        "--trace": asked.is_traced,
        "--monitor": asked.monitor,
        "--preload": asked.preload,
        "--host": asked.host,
        "--unknown-imports": asked.unknown_imports,
    }
    return [option for option, value in given.items() if value]
