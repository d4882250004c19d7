"""What a shell offers for the values of options: called when a person asks for completion, and never else."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from ..printable import is_visible

LONGEST = 200
"""Characters of a word that is offered."""


def starting(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The words that begin so. One that isn't visible or has a space isn't offered: the shell would write it
    to the terminal, or take it for two."""
    fit = (word for word in words if len(word) <= LONGEST and is_visible(word) and " " not in word)
    return [CompletionItem(word) for word in fit if word.startswith(incomplete)]


def directories(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="dir")]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def functions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Functions that the module exports, if one is named already."""
    from ..errors import WasmError
    from ..interpreter.types import ExternKind
    from .load import load

    path = ctx.params.get("module")
    if not path:
        return []
    try:
        exports = load(path).exports
    except (click.ClickException, WasmError):
        return []
    return starting((e.name for e in exports if e.kind is ExternKind.FUNC), incomplete)


def monitors(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from ..watch.monitors import BUILT_IN

    return starting(BUILT_IN, incomplete)


def backends(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """FORMAT=BACKEND, for every format and who reads it."""
    from ..nn import NN

    words = [f"{one.word}={backend.name}" for backend in NN().registry.backends for one in backend.reads]
    return starting(sorted(words), incomplete)
