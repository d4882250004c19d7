"""The source of the package, for tests that say what may not be written there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pywasm_nn

PACKAGE = Path(pywasm_nn.__file__).parent


def parsed(like: str = "") -> Iterator[tuple[str, ast.Module]]:
    """Files of the package, parsed, and their names: those in whose text there is something like a pattern.
    Parsing all of them takes two seconds, and most have nothing of what a test looks for."""
    pattern = re.compile(like, re.DOTALL)
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if pattern.search(text):
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(text)
