"""The known formats, one row each, whether or not a backend reads them.

They are in the order in which files with the same stem are preferred. What is not here: formats of plugins.
Sources: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md,
https://github.com/pytorch/executorch/blob/main/schema/program.fbs, `graph_encoding` of
https://github.com/WebAssembly/wasi-nn and of WasmEdge.
"""

from __future__ import annotations

from . import archives, class_names, messages, onnx, onnx_facts, openvino, texts, tflite, tflite_filters
from .format import Encoding, Format, Formats
from .look import Look

STANDARD = (
    Encoding("openvino", 0),
    Encoding("onnx", 1),
    Encoding("tensorflow", 2),
    Encoding("pytorch", 3),
    Encoding("tensorflowlite", 4),
    Encoding("ggml"),
)
"""`graph-encoding` of wasi-nn, in its order. The number of ggml differs between hosts (`numbers.SNIFFED`)."""
_OPENVINO, _ONNX, _TENSORFLOW, _PYTORCH, _TENSORFLOWLITE, _GGML = STANDARD

ONNX = Format(
    "onnx", "an ONNX model", _ONNX, (".onnx",), looks=messages.is_onnx,
    outside=onnx.external_data, scaled=onnx.scaled,
    normalisation=onnx.normalisation, order=onnx.order, facts=onnx_facts.facts,
    classes=class_names.onnx,
)  # fmt: skip
OPENVINO = Format(
    "openvino", "an OpenVINO model", _OPENVINO, (".xml",), looks=texts.is_openvino,
    parts=range(2, 3), made_of="the XML and the weights", beside=".bin",
    normalisation=openvino.normalisation, order=openvino.order, classes=class_names.openvino,
)  # fmt: skip
TFLITE = Format(
    "tflite", "a TFLite model", _TENSORFLOWLITE, (".tflite",), magic=(4, b"TFL3"),
    normalisation=tflite.normalisation, order=tflite.order, classes=class_names.tflite,
    facts=tflite_filters.facts,
)  # fmt: skip
GGUF = Format(
    "gguf", "a GGUF model", _GGML, (".gguf",), magic=(0, b"GGUF"),
    parts=range(1, 3), made_of="the model, and perhaps its options", makes_text=True,
)  # fmt: skip


def _foreign(name: str, what: str, number: int) -> Format:
    """A format of WasmEdge; only its number is known here."""
    return Format(name, f"a {what} model of WasmEdge", Encoding(name, number))


def _is_pickle(look: Look) -> bool:
    return texts.is_pickle(look) or archives.is_torch_pickle(look)


_ROWS = (
    ONNX, OPENVINO, TFLITE,
    Format("ort", "an ORT model", _ONNX, (".ort",), magic=(4, b"ORTM")),
    GGUF,
    Format("torchscript", "a TorchScript model", _PYTORCH, (".pt", ".jit"), looks=archives.is_torchscript),
    Format("torch-export", "a torch.export model", _PYTORCH, (".pt2",), looks=archives.is_torch_export),
    Format("tensorflow", "a TensorFlow GraphDef", _TENSORFLOW, (".pb",), looks=messages.is_graph_def),
    Format("savedmodel", "a TensorFlow SavedModel", _TENSORFLOW, looks=messages.is_saved_model,
           folder="saved_model.pb"),
    Format("pickle", "a pickle", _PYTORCH, looks=_is_pickle,
           refused="a pickle is code, and no model: export it to ONNX"),
    Format("safetensors", "a safetensors file", looks=texts.is_safetensors,
           refused="it holds weights and no model: export the model to ONNX"),
    Format("aotinductor", "an AOTInductor model", Encoding("pytorchaoti"), looks=archives.is_aotinductor,
           refused="it is native code for one processor, and needs PyTorch: export the model to ONNX"),
    Format("executorch", "an ExecuTorch model", suffixes=(".pte",), magic=(4, b"ET12"),
           refused="its runtime needs PyTorch: export the model to ONNX or TFLite"),
    _foreign("neuralspeed", "NeuralSpeed", 7),
    _foreign("burn", "Burn", 8),
    _foreign("whisper", "Whisper", 9),
    _foreign("mlx", "MLX", 10),
    _foreign("piper", "Piper", 11),
    _foreign("chattts", "ChatTTS", 12),
    _foreign("openvinogenai", "OpenVINO GenAI", 13),
    _foreign("bitnet", "BitNet", 14),
)  # fmt: skip
KNOWN = Formats(_ROWS)
