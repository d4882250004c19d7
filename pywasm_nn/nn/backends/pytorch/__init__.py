"""TorchScript and torch.export models that the host named, on PyTorch.

What is here: the backend. `script` and `exported` find the inputs and outputs of models in the two formats,
`aliases` finds models that write to their inputs or keep state, `running` runs models, `values` has tensors
and devices. Models from a guest's bytes are refused unless the host trusts its guests' models: a TorchScript
file can name operators that read and write files and runs `__setstate__` when it is loaded, a torch.export
file can contain pickles and Python text (SECURITY.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from ...backend import Backend, Graph, GraphConfig, OptionKinds, Target
from ...blame import blaming
from ..options import THREADS, thread_count

if TYPE_CHECKING:
    from .values import Device

EXPORT = "torch-export"


class TorchBackend(Backend):
    name = "torch"
    formats = ("torchscript", EXPORT)
    packages = ("torch",)
    extra = "torch"
    rank = 4

    def host_options(self) -> OptionKinds:
        return THREADS

    @cached_property
    def devices(self) -> Mapping[Target, Device]:
        """The available devices; PyTorch is imported and asked once."""
        from .values import devices

        return devices()

    def targets(self) -> frozenset[Target]:
        return frozenset(self.devices)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        return self._load(format, BytesIO(parts[0]), config)

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        return self._load(format, str(paths[0]), config)

    def _load(self, format: str, source: BytesIO | str, config: GraphConfig) -> Graph:
        from . import exported, script
        from .running import TorchGraph, quiet

        device = self.devices[config.target]
        read = exported.read if format == EXPORT else script.read
        with blaming(self.name), quiet():
            return TorchGraph(self.name, read(source, device), device, thread_count(config))
