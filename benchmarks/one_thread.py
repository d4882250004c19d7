"""onnxruntime on one thread, also for a guest's own models, for `nn_overhead.py`.

With more threads onnxruntime's workers wait by spinning, which is processor time by how busy the machine is:
in one process and in the other between 13 and 27 ms for the same work. A file of its own, because the child
imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pywasm_nn.nn import Graph, GraphConfig
from pywasm_nn.nn.backends.onnxruntime import OnnxRuntimeBackend


class OneThread(OnnxRuntimeBackend):
    name = "one-thread"
    rank = 9

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        return super().load(format, parts, replace(config, options={**config.options, "threads": 1}))
