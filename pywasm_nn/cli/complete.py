"""What a shell offers for the values of options: called when a person asks for completion, and never else."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def starting(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


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
    from .options import FORMATS

    known = NN().registry.backends
    words = [
        f"{encoding}={backend.name}"
        for encoding, formats in FORMATS.items()
        for backend in known
        if set(formats) & set(backend.formats)
    ]
    return starting(words, incomplete)
