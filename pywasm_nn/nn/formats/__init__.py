"""Model formats: the class (`format`, its `arguments`), the known formats (`known`), and how to recognise
them by their bytes.

A backend names the formats that it reads, and defines its own formats in its own file.
"""

from .format import Encoding, Format, Formats, as_formats
from .known import GGUF, KNOWN, ONNX, OPENVINO, STANDARD, TFLITE
from .look import Look

__all__ = ["GGUF", "KNOWN", "ONNX", "OPENVINO", "STANDARD", "TFLITE", "Encoding", "Format", "Formats", "Look",
           "as_formats"]  # fmt: skip
