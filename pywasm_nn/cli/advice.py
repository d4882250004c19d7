"""Advice for a person whose guest ended with an error: options of pywasm-nn among the guest's arguments.

What is not here: files that the guest can't see (`unseen`), hints from its host calls (`wasi.hints`,
`watch.hints`). Imported when a guest has failed, or got an unknown option.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from ..api import Module
from .split import Split, Takes, is_option

PROVIDERS = ("--host", "--preload", "--unknown-imports")
"""The options that provide imports."""
CLOSE = 0.8
"""The similarity from which on an option counts as a misspelling of another."""


def reads_arguments(module: Module) -> bool:
    """Whether the program reads its arguments."""
    return any(imp.name in ("args_get", "get-arguments") for imp in module.imports)


def lost_options(shared: Split, known: Mapping[str, Takes], module: Module) -> list[str]:
    """Notes before the run: the guest's first argument is almost an option of pywasm-nn, or the program
    doesn't read its arguments at all."""
    if shared.explicit or not shared.guest or not is_option(shared.guest[0]):
        return []
    name = shared.guest[0].partition("=")[0]
    near = nearest(name, known)
    meant = f"; did you mean {near}?" if near else ""
    if not reads_arguments(module):
        return [f"{name} is no option of pywasm-nn, and {module.name} asks for no arguments{meant}"]
    if near:
        return [
            f"{name} is no option of pywasm-nn, so the guest gets it{meant} (-- before it avoids this note)"
        ]
    return []


def misplaced_options(shared: Split, known: Mapping[str, Takes]) -> list[str]:
    """Notes after a failure: options of pywasm-nn among the guest's arguments, or a first argument that is an
    unknown option."""
    if shared.explicit or not shared.guest:
        return []
    if behind := standing_behind(shared, known):
        return [behind]
    first = shared.guest[0].partition("=")[0]
    if first.startswith("--") and not nearest(first, known):
        return [f"the guest got {first}, which is no option of pywasm-nn"]
    return []


def standing_behind(shared: Split, known: Collection[str]) -> str:
    """Says which of these options is among the guest's arguments; "" if none is."""
    words = [word.partition("=")[0] for word in shared.guest if word.startswith("--")]
    ours = [] if shared.explicit else [word for word in words if word in known]
    if not ours:
        return ""
    behind = f'the guest got {ours[0]}, as it stands behind "{shared.guest[0]}"'
    return f"{behind}; options of pywasm-nn stand before the guest's arguments"


def nearest(name: str, known: Iterable[str]) -> str:
    """The option that a long option is probably a misspelling of, or ""."""
    if not name.startswith("--") or name in known:
        return ""
    return next(iter(get_close_matches(name, [one for one in known if one.startswith("--")], 1, CLOSE)), "")
