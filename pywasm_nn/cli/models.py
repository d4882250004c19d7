"""Models by name, from all the ways in which a command line can name them.

What is not here: how those are written (`options.py`) and loaded (`nn`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..nn import NN, GraphConfig, NamedModel, NNError, Target
from ..nn.models import SUFFIXES, model_at
from ..plugin import PluginError
from . import options
from .failure import Failure
from .terminal import note


def configured(
    directory: str | None,
    graphs: Sequence[tuple[str | None, str]],
    preloads: Sequence[options.NamedModel],
    backends: Mapping[str, str],
    *,
    configs: Mapping[str, Mapping[str, Any]] | None = None,
    plugins: Sequence[str] = (),
    strict: bool = False,
    trust: bool = False,
) -> NN:
    """Inference with the models named by `--models`, `--nn-graph` and `--nn-preload`; the last of one name
    counts. `configs` are options by name (`--nn-config`).

    Raises Failure for a directory or a file that isn't there and for an unknown backend.
    """
    if directory is not None and not Path(directory).is_dir():
        raise Failure(f"--models: {directory} is no directory")
    try:
        named = NN(models=directory, backends=backends, plugins=plugins)
    except ValueError as error:
        option = "--nn-plugin" if isinstance(error, PluginError) else "--nn-backend"
        raise click.UsageError(f"{option}: {error}") from None
    models = dict(named.registry.models)
    models.update(graph_in(Path(path), encoding) for encoding, path in graphs)
    models.update((preload.name, preloaded(preload)) for preload in preloads)
    for name, changed in (configs or {}).items():
        if name not in models:
            raise click.UsageError(
                f"--nn-config: no model is named {name}; named are: {', '.join(models) or 'none'}"
            )
        try:
            models[name] = replace(models[name], config=models[name].config.changed_by(changed))
        except NNError as error:
            raise click.UsageError(f"--nn-config {name}: {error.reason}") from None
    return NN(models=models, backends=backends, plugins=plugins, strict=strict, trust_guest_models=trust)


def graph_in(directory: Path, encoding: str | None) -> tuple[str, NamedModel]:
    """The one model in a directory, under the directory's name."""
    if not directory.is_dir():
        raise Failure(f"--nn-graph: {directory} is no directory")
    found = sorted(p for p in directory.iterdir() if p.suffix in SUFFIXES and p.is_file())
    if encoding is not None:
        wanted = [p for p in found if SUFFIXES[p.suffix] in options.FORMATS[encoding]]
        found = wanted or found
    if len(found) != 1:
        names = ", ".join(p.name for p in found) or "none"
        raise Failure(f"--nn-graph: {directory} shall hold one model, there are: {names}")
    return directory.resolve().name, replace(model_at(found[0]), encoding=encoding)


def preloaded(model: options.NamedModel) -> NamedModel:
    """The model of a --nn-preload."""
    for path in model.paths:
        if not Path(path).is_file():
            note(f"--nn-preload {model.name}: there is no file {path}; the guest is told so when it asks")
    config = GraphConfig(Target(model.target))
    return NamedModel(tuple(map(Path, model.paths)), model.encoding, config)
