"""The base of the backends: loading models with the options of host and guest.

What is not here: the backends themselves (the package), and texts (`protocol`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...backend import TARGET_OPTIONS, Backend, Graph, GraphConfig, OptionKinds
from ...errors import Code, NNError
from ..options import thread_count

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from .adapter import Plan
    from .engines import Engines
    from .process import Engine

GUEST = "guest"
"""The option in which the guest's options are kept, apart from the host's."""
CONTEXT = 4096
"""Tokens of a context unless the host or the model says less, or the host says more."""
SLOTS = 4
PROJECTOR = "clip"
"""The architecture of all projectors, of speech too."""


class LlamaBackend(Backend):
    """The base of the backends."""

    formats = ("gguf",)
    remedy: str
    """Advice for a user whose package's llama.cpp ends the process."""
    takes_media: bool
    """Whether pictures and speech in prompts are read, where the host names a projector."""

    guest_options: Mapping[str, float | None] = {}
    """Those of the protocol are in `options`; `guest_config` takes them from there, when they are used."""

    def host_options(self) -> OptionKinds:
        from .options import KINDS

        return KINDS

    def guest_config(self, options: Mapping[str, Any], base: GraphConfig) -> GraphConfig:
        """The guest's options beside the host's. Raises NNError(INVALID_ARGUMENT) for wrong kinds."""
        from .options import checked

        target = {name: options[name] for name in TARGET_OPTIONS if name in options}
        return base.changed_by({**target, GUEST: checked(options)})

    @cached_property
    def _engines(self) -> Engines:
        from .engines import Engines

        return Engines(self._loaded)

    def _loaded(self, plan: Plan) -> Engine:
        from .process import Engine

        return Engine(self.name, plan, self.remedy)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        """A model from bytes, and perhaps its options as JSON."""
        from tempfile import TemporaryDirectory  # a look at all backends imports this file

        from ...inputs import parse_options

        if len(parts) > 1:
            config = self.guest_config(parse_options(bytes(parts[1])), config)
        folder = TemporaryDirectory(prefix="pywasm-nn-")
        path = Path(folder.name) / "model.gguf"
        try:
            path.write_bytes(parts[0])
            return self._graph(path, config, folder)
        except BaseException:
            folder.cleanup()
            raise

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        from ...inputs import parse_options
        from .options import checked

        if len(paths) > 1:
            own = checked(parse_options(paths[1].read_bytes()))
            config = GraphConfig(config.target, {**own, **config.options}, config.tensor_bytes)
        return self._graph(paths[0], config)

    def _graph(self, path: Path, config: GraphConfig, folder: TemporaryDirectory[str] | None = None) -> Graph:
        from .options import Settings, checked
        from .protocol import TextGraph

        own = checked({name: value for name, value in config.options.items() if name != GUEST})
        settings = Settings().changed_by(own).changed_by(config.options.get(GUEST, {}))
        plan = planned(path, own, thread_count(config) or 1)
        if plan.projector and not self.takes_media:
            what = f"{self.name} reads no pictures and no speech (option mmproj); xllamacpp does"
            raise NNError(Code.UNSUPPORTED_OPERATION, what)
        return TextGraph(self.name, self._engines, plan, settings, folder)


def planned(path: Path, options: Mapping[str, Any], threads: int) -> Plan:
    """How to load a model with the host's options; a projector's path begins at the model's folder. Raises
    NNError if a file is no GGUF, or no projector."""

    from .adapter import Plan
    from .header import header_of

    header = header_of(path)
    context = options.get("ctx-size") or min(CONTEXT, header.context or CONTEXT)
    if header.context:
        context = min(context, header.context)
    slots = max(1, options.get("n-parallel", SLOTS))
    layers = options.get("n-gpu-layers", 0)
    path, projector = path.resolve(), ""
    if options.get("mmproj"):
        named = path.parent / options["mmproj"]
        if not named.is_file():
            raise NNError(Code.MODEL_NOT_FOUND, f"there is no projector {named}")
        if (architecture := header_of(named).architecture) != PROJECTOR:
            raise NNError(Code.RUNTIME_ERROR, f"{named} is no projector: its architecture is {architecture}")
        projector = str(named)
    return Plan(str(path), int(context), slots, threads, layers, header.pooled, projector=projector)
