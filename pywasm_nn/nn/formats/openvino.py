"""Facts from an OpenVINO model's XML: what its conversion says of the pixels that it wants.

What is here: `order` and `normalisation`, by the options of the Model Optimizer and the notes of OpenVINO's
Model API, which both stand near the end. What is not: recognising such bytes (`texts`). Sources:
https://docs.openvino.ai/2023.3/openvino_docs_MO_DG_prepare_model_convert_model_Converting_Model.html,
https://github.com/open-edge-platform/model_api/blob/master/docs/source/guides/model-configuration.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .format import Normalisation

MOST = 1 << 17
"""Bytes at the end that are read."""
OPTION = re.compile(rb'<(\w+) value="([^"<]{0,400})"\s*/>')
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
YES = frozenset({"true", "yes", "1"})
TRAINED_AS_RGB = frozenset({"tf", "onnx", "pytorch", "paddle", "keras"})


def options(data: memoryview) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The options of the conversion, and the notes of the Model API."""
    end = bytes(data[max(0, len(data) - MOST) :])
    converted, notes = end.rpartition(b"<cli_parameters>")[2::2], end.rpartition(b"<model_info>")
    first = dict(options_in(converted[0])) if b"<cli_parameters>" in end else {}
    return first, dict(options_in(notes[2].partition(b"</model_info>")[0])) if notes[1] else {}


def options_in(text: bytes) -> list[tuple[str, bytes]]:
    return [(name.decode(), value) for name, value in OPTION.findall(text)]


def is_yes(value: bytes | None) -> bool:
    return value is not None and value.decode("utf-8", "replace").lower() in YES


def order(data: memoryview) -> str:
    """Returns the order of channels, "RGB" or "BGR", or "" if the model doesn't say it.

    Caffe's models were trained with the order of OpenCV. A model of another framework whose channels the
    conversion has reversed wants that order since. The Model API's pictures are OpenCV's, reversed or not.
    """
    converted, notes = options(data)
    if "reverse_input_channels" in notes:
        return "RGB" if is_yes(notes["reverse_input_channels"]) else "BGR"
    framework = converted.get("framework", b"").decode("utf-8", "replace")
    reversed_ = is_yes(converted.get("reverse_input_channels"))
    if framework == "caffe":
        return "RGB" if reversed_ else "BGR"
    return "BGR" if framework in TRAINED_AS_RGB and reversed_ else ""


def normalisation(data: memoryview) -> Mapping[int, Normalisation]:
    """Pixels are wanted as they are, if the conversion put the normalisation into the model; otherwise as the
    Model API's notes say."""
    converted, notes = options(data)
    inside = (numbers(converted.get(name)) for name in ("mean_values", "scale_values", "scale"))
    if any(inside):
        return {0: ((0.0,), (1.0,))}
    mean, scale = numbers(notes.get("mean_values")), numbers(notes.get("scale_values"))
    if not (mean or scale) or is_yes(notes.get("embedded_processing")):
        return {}
    count = max(len(mean), len(scale))
    mean, scale = mean or (0.0,) * count, scale or (1.0,) * count
    return {0: (mean, scale)} if len(mean) == len(scale) and all(scale) else {}


def numbers(value: bytes | None) -> tuple[float, ...]:
    """The numbers in the value of an option, such as "data[123.675,116.28,103.53]"."""
    inner = (value or b"").rpartition(b"[")[2]
    return tuple(float(one) for one in NUMBER.findall(inner)[:4])
