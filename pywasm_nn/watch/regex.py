"""`regex`: patterns of a module, which are compiled when one is first used.

The rules have hundreds of patterns, of which a run uses few, and compiling all of them took a third of the
time that importing the rules takes. What is not here: patterns that a function makes (`re.compile`).
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class Uncompiled:
    """Stands for a pattern: has its text, and all else of it from its first use on. The functions of `re`
    take no such pattern; its own methods do the same."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy and pickle look for their own methods
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({each: getattr(compiled, each) for each in dir(compiled) if each[0] != "_"})
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Returns what `re.compile` does, but compiles `pattern` when its first method is called: a mistake in a
    pattern raises `re.error` there."""
    return cast("re.Pattern[AnyStr]", Uncompiled(pattern, flags))
