"""Shell completion for the values of options. Called only when the shell asks for it."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from ..printable import is_visible

LONGEST = 200
"""The longest word that is offered."""


def starting(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The words with this beginning. Words with spaces or invisible characters are left out: the shell would
    split them, or write the characters to the terminal."""
    fit = (word for word in words if len(word) <= LONGEST and is_visible(word) and " " not in word)
    return [CompletionItem(word) for word in fit if word.startswith(incomplete)]


def directories(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="dir")]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def functions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Functions that the module exports, once the command line names a module."""
    from ..errors import WasmError
    from ..interpreter.types import ExternKind
    from .failure import Failure
    from .load import EVERYTHING, load

    path = ctx.params.get("module")
    if not path:
        return []
    try:
        exports = load(path, features=EVERYTHING).exports
    except (Failure, WasmError):
        return []
    return starting((e.name for e in exports if e.kind is ExternKind.FUNC), incomplete)


def monitors(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from ..watch.monitors import BUILT_IN

    return starting(BUILT_IN, incomplete)


def backends(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """FORMAT=BACKEND, for every format and each backend that reads it."""
    from ..nn import NN

    words = [f"{one.word}={backend.name}" for backend in NN().registry.backends for one in backend.reads]
    return starting(sorted(words), incomplete)
