"""Options of a named model that are misspelt, or of the wrong type (`--nn-config`).

What is not here: what they mean, and their values (`nn.backends`). A guest's options are never refused: other
hosts ignore those that they don't know.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

from ..nn import NN
from ..nn.answers import host_options_of
from ..nn.backend import TARGET_OPTIONS, OptionKinds
from ..nn.batching import KINDS
from ..nn.models import NamedModel

WORDS: Mapping[type, str] = {
    int: "a whole number", float: "a number", str: "a text", bool: "true or false", dict: "an object {...}",
}  # fmt: skip


def check_options(nn: NN, name: str, model: NamedModel, options: Mapping[str, Any]) -> None:
    """Raises click.UsageError for options that no backend for the model knows, or with another type."""
    kinds = kinds_for(nn, model)
    for option, value in options.items():
        if kinds is None or option in TARGET_OPTIONS:
            continue
        if option not in kinds:
            known = sorted([*kinds, "target"])
            near = get_close_matches(option, known, 1)
            other = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known[:MOST])}"
            raise click.UsageError(f'--nn-config {name}: there is no option "{option}"; {other}')
        if not isinstance(value, kinds[option]) or (isinstance(value, bool) and bool not in kinds[option]):
            wanted = " or ".join(WORDS[kind] for kind in kinds[option] if kind in WORDS)
            raise click.UsageError(f'--nn-config {name}: the option "{option}" is {wanted}, not {value!r}')


MOST = 12
"""The number of options that a message names."""


def kinds_for(nn: NN, model: NamedModel) -> OptionKinds | None:
    """The options of all backends that may load the model; None if one of them doesn't tell its own."""
    format_ = nn.registry.formats.of_file(model.paths[0]) if model.paths else None
    found = dict(KINDS)
    for backend in nn.registry.backends:
        if format_ is not None and format_.name not in backend.format_names:
            continue
        told = host_options_of(backend)
        if told is None:
            return None
        found.update({option: (*found.get(option, ()), *kinds) for option, kinds in told.items()})
    return {option: tuple(dict.fromkeys(kinds)) for option, kinds in found.items()}
