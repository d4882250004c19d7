"""The backends of this package.

What is not here: choosing among them (`registry`). A backend's file imports its framework only inside
functions, so that asking for all of them costs nothing.
"""

from __future__ import annotations

from ..backend import Backend
from .litert import LiteRTBackend
from .onnx_numpy import NumpyBackend
from .onnxruntime import OnnxRuntimeBackend
from .openvino import OpenVINOBackend

BUILTIN: tuple[type[Backend], ...] = (OnnxRuntimeBackend, LiteRTBackend, OpenVINOBackend, NumpyBackend)
"""In order of preference where several read a format: numpy is what answers when nothing else is
installed.
"""


def builtin() -> tuple[Backend, ...]:
    """One of each. Frameworks are imported only when one of them loads a model."""
    return tuple(backend() for backend in BUILTIN)
