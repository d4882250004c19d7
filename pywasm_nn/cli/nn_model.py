"""Shared by the `nn` commands: the configuration, and a model from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..nn import NN, Model, NNError
from ..nn.models import is_address
from .failure import Failure
from .models import Inference, with_backends
from .terminal import note


def configured(backends: Sequence[tuple[str, str]], plugins: Sequence[str]) -> NN:
    """An NN with the chosen backends and plugins. Raises click.UsageError."""
    return with_backends(Inference(backends=tuple(backends), plugins=tuple(plugins)))


def opened(nn: NN, paths: Sequence[str]) -> Model:
    """The model in a file or the files of its parts, in a directory, or at addresses. Raises Failure."""
    for path in paths:
        if not (is_address(path) or Path(path).exists()):
            raise Failure(f"there is no file {path}")
    try:
        return nn.load(paths[0] if len(paths) == 1 else paths, note)
    except (NNError, ValueError) as error:
        reason = error.reason if isinstance(error, NNError) else error
        place = "" if Path(paths[0]).name in str(reason) else f"{paths[0]}: "
        raise Failure(f"{place}{reason}") from None
