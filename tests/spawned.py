"""What tests have done in processes that `multiprocessing` starts anew. Each of them imports this file, so no
pytest is imported here.
"""

from __future__ import annotations

import os
import signal
import sys

from pywasm_nn.api import Module


def halved(number: int) -> int:
    """Half of a number; at 13 the process is killed, at 14 it ends."""
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 14:
        sys.exit(5)
    return number // 2


def call_main(module: Module, argument: int) -> object:
    """What the module's function `main` returns."""
    with module.instantiate() as instance:
        return instance.exports.main(argument)
