"""Named models, from all the options that name them.

What is here: the `NN` of a command; all options know its formats, including those of plugins. What is not:
the syntax of options (`options.py`), and loading models (`nn`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..nn import NN, GraphConfig, NamedModel, NNError, Target
from ..nn.models import folder_format, model_at, model_file
from ..nn.registry import COMMAND
from ..plugin import PluginError
from ..records import Frozen
from . import options
from .failure import Exit, Failure
from .terminal import note


class CommandNN(NN):
    """An NN whose messages name options of the command."""

    ways = COMMAND


class Inference(Frozen):
    """The options about inference, as the user wrote them."""

    directory: str | None = None
    """--models"""
    graphs: tuple[options.GraphDirectory, ...] = ()
    places: tuple[options.NamedPlace, ...] = ()
    preloads: tuple[options.Preload, ...] = ()
    backends: tuple[tuple[str, str], ...] = ()
    """Pairs of a format and the backend to read it."""
    configs: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Pairs of a model's name and its options."""
    plugins: tuple[str, ...] = ()
    strict: bool = False
    trust: bool = False


def configured(asked: Inference) -> NN:
    """An NN with all named models; the last one wins if a name is used twice.

    Raises Failure for a directory that doesn't exist and for a plugin that fails when it looks at a file,
    click.UsageError for an unknown backend or format.
    """
    try:
        return named(asked)
    except NNError as error:
        raise Failure(error.reason) from None


def named(asked: Inference) -> NN:
    """An NN with all named models. Raises like `configured`, and NNError."""
    if asked.directory is not None and not Path(asked.directory).is_dir():
        one = Path(asked.directory)
        help_ = f"one model is named by --nn-graph {one.stem}={one}" if one.is_file() else ""
        raise Failure(f"--models: {asked.directory} is no directory", help_, code=Exit.USAGE)
    nn = with_backends(asked)
    loaded = {preload.name: preloaded(nn, preload) for preload in asked.preloads}
    placed = {place.name: at_place(nn, place) for place in asked.places}
    models = dict(graph_in(nn, graph) for graph in asked.graphs) | placed | loaded
    for name, model in models.items():
        nn.registry.register(name, model)  # a guest is told of a file that isn't there
    for name, changed in asked.configs:
        configure(nn, name, changed)
    return nn


def with_backends(asked: Inference) -> NN:
    """An NN with the chosen backends and plugins, and the models of the directory."""
    try:
        nn = CommandNN(
            models=asked.directory, backends=dict(asked.backends), plugins=asked.plugins,
            strict=asked.strict, trust_guest_models=asked.trust,
        )  # fmt: skip
    except ValueError as error:
        option = "--nn-plugin" if isinstance(error, PluginError) else "--nn-backend"
        raise options.misused(f"{option}: {error}") from None
    for format_, backend in asked.backends:
        encoding_of(nn, format_, f"--nn-backend {format_}={backend}")
    return nn


def configure(nn: NN, name: str, changed: Mapping[str, Any]) -> None:
    """Change the options of a named model (--nn-config)."""
    models = nn.registry.models
    if name not in models:
        raise options.misused(
            f"--nn-config: no model is named {name}; named are: {', '.join(models) or 'none'}"
        )
    from .nn_config import check_options

    check_options(nn, name, models[name], changed)
    try:
        nn.registry.register(name, replace(models[name], config=models[name].config.changed_by(changed)))
    except NNError as error:
        raise options.misused(f"--nn-config {name}: {error.reason}") from None


def encoding_of(nn: NN, text: str, option: str) -> str | None:
    """The encoding that guests declare for a format, given by any of its names; None for autodetect. Raises
    click.UsageError."""
    if text.lower() == options.AUTODETECT:
        return None
    try:
        word = nn.registry.word(text)
    except ValueError as error:
        raise options.misused(f"{option}: {error}, {options.AUTODETECT}") from None
    if lacking := nn.registry.unserved(word):
        raise options.misused(f"{option}: no backend here serves {text}; {lacking.advice}")
    return word


def graph_in(nn: NN, graph: options.GraphDirectory) -> tuple[str, NamedModel]:
    """The only model in a directory, or the directory that is a model itself, under the directory's name."""
    encoding, directory = encoding_of(nn, graph.format, graph.option), Path(graph.path)
    if not directory.is_dir():
        raise Failure(f"{graph.option}: {directory} is no directory", code=Exit.USAGE)
    formats = nn.registry.formats
    if folder_format(directory, formats):
        return directory.resolve().name, NamedModel((directory,), encoding)
    found = {
        p: name for p in sorted(directory.iterdir()) if (name := model_file(p, formats, nn.registry.detected))
    }
    if encoding is not None:
        meant = formats.meant_by(encoding)
        found = {path: name for path, name in found.items() if name in meant} or found
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise Failure(
            f"{graph.option}: {directory} shall hold one model, there are: {names}", code=Exit.USAGE
        )
    (path,) = found
    return directory.resolve().name, replace(model_at(path, formats), encoding=encoding)


def at_place(nn: NN, named: options.NamedPlace) -> NamedModel:
    """The model of a --nn-graph NAME=PLACE. Raises click.UsageError for an address that no backend serves."""
    try:
        model = model_at(named.places, nn.registry.formats)
        if model.addresses:
            nn.registry.format_of(model)
    except (NNError, ValueError) as error:
        reason = error.reason if isinstance(error, NNError) else error
        raise options.misused(f"--nn-graph {named.name}={','.join(named.places)}: {reason}") from None
    tell_absent(model.paths, f"--nn-graph {named.name}")
    return model


def tell_absent(paths: Iterable[Path], option: str) -> None:
    """Print a note for each missing file."""
    for path in paths:
        if not path.exists():
            note(f"{option}: there is no file {path}; loading it will fail")


def preloaded(nn: NN, model: options.Preload) -> NamedModel:
    """The model of a --nn-preload option."""
    words = (model.name, model.format, model.target, *model.paths)
    encoding = encoding_of(nn, model.format, f"--nn-preload {':'.join(words)}")
    paths = tuple(map(Path, model.paths))
    tell_absent(paths, f"--nn-preload {model.name}")
    return NamedModel(paths, encoding, GraphConfig(Target(model.target)))
