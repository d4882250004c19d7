"""Words for mistakes of plugins: what a class lacks, and where its file failed.

What is not here: the checks (`backend`, `registry`, `formats.arguments`).
"""

from __future__ import annotations

import os
import sys
from types import TracebackType


def lacking(one: object, method: str, result: str) -> NotImplementedError:
    """The exception for a method that a plugin's class must define."""
    own = type(one).__qualname__
    return NotImplementedError(f"{own} must define `def {method}`, which returns {result}")


def where(traceback: TracebackType | None) -> str:
    """The last place in a user's plugin file, or in a file beside it, as " (own.py:12)"; "" if there is none.
    A plugin's file is no module that was imported (`plugin.made`); of imported ones elsewhere the cause's
    traceback tells more."""
    place, folder = "", None
    while traceback is not None:
        scope, line, traceback = traceback.tb_frame.f_globals, traceback.tb_lineno, traceback.tb_next
        imported, file = sys.modules.get(scope.get("__name__", "")), scope.get("__file__")
        if file is None:
            continue
        here = os.path.dirname(os.path.realpath(file))
        if getattr(imported, "__dict__", None) is not scope or here == folder:
            place, folder = f" ({os.path.basename(file)}:{line})", here
    return place
