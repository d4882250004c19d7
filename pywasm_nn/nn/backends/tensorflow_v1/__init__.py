"""SavedModels and frozen GraphDefs that the host named, on TensorFlow.

What is here: the backend. `reading` loads models into sessions, `running` runs them. The version 1 loader is
used for both, because the version 2 loader fails for SavedModels whose Python classes have changed since.
Models from a guest's bytes are refused unless the host trusts its guests' models: a graph can have operators
that read and write files (SECURITY.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ...backend import Backend, Graph, GraphConfig, OptionKinds
from ...blame import blaming
from ..options import THREADS

SAVED = "savedmodel"


class TensorFlowBackend(Backend):
    """Options: "signature" (the name of a SavedModel's signature, by default "serving_default" or the only
    one), "order" ("sorted": indices by sorted names instead of the model's own order), "threads"."""

    name = "tensorflow"
    formats = (SAVED, "tensorflow")
    packages = ("tensorflow",)
    extra = "tensorflow"
    rank = 5
    guest_options: Mapping[str, float | None] = {**Backend.guest_options, "signature": None, "order": None}

    def host_options(self) -> OptionKinds:
        return {**THREADS, "signature": (str,), "order": (str,)}

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        from .running import loaded

        with blaming(self.name):
            if format != SAVED:
                return loaded(self.name, bytes(parts[0]), config)
            with TemporaryDirectory() as directory:  # the loader wants a directory; there are no variables
                (Path(directory) / "saved_model.pb").write_bytes(parts[0])
                return loaded(self.name, Path(directory), config)

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        from .running import loaded

        with blaming(self.name):
            if format != SAVED:
                return loaded(self.name, paths[0].read_bytes(), config)
            directory = paths[0] if paths[0].is_dir() else paths[0].parent
            return loaded(self.name, directory, config)
