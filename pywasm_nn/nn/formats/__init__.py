"""Model formats: what one is (`format`), those that are known (`known`), and what their bytes look like.

A backend names the formats that it reads, and brings those of its own: in its file, and nowhere else.
"""

from .format import Encoding, Format, Formats, as_formats
from .known import GGUF, KNOWN, ONNX, OPENVINO, STANDARD, TFLITE
from .look import Look

__all__ = ["GGUF", "KNOWN", "ONNX", "OPENVINO", "STANDARD", "TFLITE", "Encoding", "Format", "Formats", "Look",
           "as_formats"]  # fmt: skip
