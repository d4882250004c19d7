"""What the `nn` commands share: settings, and a model from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..nn import NN, Model, NNError
from .failure import Failure
from .models import Inference, with_backends
from .terminal import note


def configured(backends: Sequence[tuple[str, str]], plugins: Sequence[str]) -> NN:
    """Inference as the options say. Raises click.UsageError."""
    return with_backends(Inference(backends=tuple(backends), plugins=tuple(plugins)))


def opened(nn: NN, paths: Sequence[str]) -> Model:
    """The model in a file, or in the files of its parts. Raises Failure with the reason."""
    for path in paths:
        if not Path(path).is_file():
            raise Failure(f"there is no file {path}")
    try:
        return nn.load(paths[0] if len(paths) == 1 else paths, note)
    except NNError as error:
        raise Failure(f"{paths[0]}: {error.reason}") from None
