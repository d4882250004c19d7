"""Which format a model is in, told from its bytes alone, and which files an ONNX model would open.

What is here: `detect` and `onnx_external_data`. Standard library only, nothing copied, no recursion.
What is not: loading, and formats that only a plugin knows (a plugin brings its own detector).
`detect` is total: any bytes give a name or None. Sources: onnx.proto, tensorflow/core/framework/graph.proto
and saved_model.proto, https://docs.openvino.ai (IR),
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md,
https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import unpack_from

from .protobuf import LEN, VARINT, Budget, fields, text

ONNX, OPENVINO, TFLITE, GGUF, ORT = "onnx", "openvino", "tflite", "gguf", "ort"
TORCHSCRIPT, TORCH_EXPORT, PICKLE = "torchscript", "torch-export", "pickle"
TENSORFLOW, SAVEDMODEL, SAFETENSORS = "tensorflow", "savedmodel", "safetensors"

FORMATS = (
    ONNX,
    OPENVINO,
    TFLITE,
    GGUF,
    TORCHSCRIPT,
    TORCH_EXPORT,
    PICKLE,
    TENSORFLOW,
    SAVEDMODEL,
    ORT,
    SAFETENSORS,
)
"""Every name that `detect` may give."""

_TOP_LEVEL_FIELDS = 200_000
_ZIP_ENTRIES = 65_536
_XML_PROLOGUE = 512


def detect(data: bytes | memoryview) -> str | None:
    """The format of a model (one of FORMATS), or None for bytes that nobody here knows."""
    view = memoryview(data).cast("B")
    head = bytes(view[:16])
    if head[4:8] == b"TFL3":
        return TFLITE
    if head[:4] == b"GGUF":
        return GGUF
    if head[4:8] == b"ORTM":
        return ORT
    if head[:4] == b"PK\3\4":
        return _zip_format(view)
    start = bytes(view[:_XML_PROLOGUE]).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<?xml", b"<net")):
        return OPENVINO if b"<net" in start else None
    if _is_pickle(view):
        return PICKLE
    if len(view) > 8 and head[8:9] == b"{" and 2 <= unpack_from("<Q", head)[0] <= len(view) - 8:
        return SAFETENSORS
    try:
        return _protobuf_format(view)
    except ValueError:
        return None


def _is_pickle(view: memoryview) -> bool:
    """Protocol 2 to 5: a frame (4, 5), PyTorch's old magic number, or the STOP opcode at the end."""
    if len(view) < 4 or view[0] != 0x80 or not 2 <= view[1] <= 5:
        return False
    return view[2] in (0x95, 0x8A) or view[-1] == ord(".")


def _zip_format(view: memoryview) -> str | None:
    """PyTorch's three uses of a zip archive, told apart by the names of its members, as PyTorch does."""
    names = [name.partition("/")[2] or name for name in _zip_names(view)]
    if "archive_format" in names and any(name.startswith("models/") for name in names):
        return TORCH_EXPORT
    if "constants.pkl" in names and any(name.startswith("code/") for name in names):
        return TORCHSCRIPT
    return PICKLE if "data.pkl" in names else None


def _zip_names(view: memoryview) -> Iterator[str]:
    """Members' names from the central directory; nothing is unpacked. Ends early at anything that is
    wrong.
    """
    tail_start = max(0, len(view) - 65_557)
    tail = bytes(view[tail_start:])
    end = tail.rfind(b"PK\5\6")
    if end < 0 or end + 22 > len(tail):
        return
    size, at = unpack_from("<II", tail, end + 12)
    locator = end - 20
    if at == 0xFFFF_FFFF and locator >= 0 and tail[locator : locator + 4] == b"PK\6\7":
        (record,) = unpack_from("<Q", tail, locator + 8)
        if record + 56 > len(view) or bytes(view[record : record + 4]) != b"PK\6\6":
            return
        size, at = unpack_from("<QQ", view, record + 40)
    stop = min(at + size, len(view))
    for _ in range(_ZIP_ENTRIES):
        if at + 46 > stop or bytes(view[at : at + 4]) != b"PK\1\2":
            return
        name, extra, comment = unpack_from("<HHH", view, at + 28)
        yield text(view[at + 46 : min(at + 46 + name, stop)])
        at += 46 + name + extra + comment


def _protobuf_format(view: memoryview) -> str | None:
    """ONNX ModelProto, TensorFlow SavedModel or GraphDef, by the fields at the top level; ValueError for no
    protobuf.
    """
    seen: set[tuple[int, int]] = set()
    first_child = view[:0]
    for number, wire, _, payload in fields(view, Budget(_TOP_LEVEL_FIELDS)):
        if (number, wire) == (1, LEN) and (1, LEN) not in seen:
            first_child = payload
        seen.add((number, wire))
    if {(1, VARINT), (7, LEN), (8, LEN)} <= seen:
        return ONNX
    if seen == {(1, VARINT), (2, LEN)}:
        return SAVEDMODEL
    if (1, LEN) in seen and (1, VARINT) not in seen and len(first_child) > 0:
        child = {(number, wire) for number, wire, _, _ in fields(first_child, Budget(_TOP_LEVEL_FIELDS))}
        if {(1, LEN), (2, LEN)} <= child:
            return TENSORFLOW
    return None


_MAX_DEPTH = 200
"""Messages inside each other; protobuf's own readers stop at 100."""
_TENSOR = "TensorProto"
_EXTERNAL_DATA, _DATA_LOCATION, _EXTERNAL = 13, 14, 1
_CHILDREN: dict[str, dict[int, str]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "GraphProto": {1: "NodeProto", 5: _TENSOR, 15: "SparseTensorProto"},
    "NodeProto": {5: "AttributeProto"},
    "SparseTensorProto": {1: _TENSOR, 2: _TENSOR},
    "AttributeProto": {
        5: _TENSOR,
        6: "GraphProto",
        10: _TENSOR,
        11: "GraphProto",
        22: "SparseTensorProto",
        23: "SparseTensorProto",
    },
}
"""Where tensors can hide in an ONNX model: message, field number, message in that field (onnx.proto)."""


def onnx_external_data(data: bytes | memoryview, patience: Callable[[], object] = lambda: None) -> list[str]:
    """The locations of every tensor whose data lies outside an ONNX model, wherever in the model the tensor
    is.

    A tensor that says "external" without a location counts, as "". ValueError where the bytes are no
    protobuf, or deeper than any reader goes: then nobody knows what a framework would open. `patience` is
    called now and then, and may raise.
    """
    budget = Budget(patience=patience)
    locations: list[str] = []
    open_messages = [(_CHILDREN["ModelProto"], fields(memoryview(data).cast("B"), budget))]
    while open_messages:
        children, rest = open_messages[-1]
        for number, wire, _, payload in rest:
            child = children.get(number) if wire == LEN else None
            if child == _TENSOR:
                locations += _locations(payload, budget)
            elif child:
                if len(open_messages) == _MAX_DEPTH:
                    raise ValueError(f"messages inside each other, {_MAX_DEPTH} deep")
                open_messages.append((_CHILDREN[child], fields(payload, budget)))
                break
        else:
            open_messages.pop()
    return locations


def _locations(tensor: memoryview, budget: Budget) -> list[str]:
    """What one TensorProto says about files. Contradictions count as external: readers differ in which word
    they take.
    """
    found: list[str] = []
    external = False
    for number, wire, value, payload in fields(tensor, budget):
        if number == _DATA_LOCATION and wire == VARINT and value & 0xFFFF_FFFF == _EXTERNAL:
            external = True
        elif number == _EXTERNAL_DATA and wire == LEN:
            external = True
            entry = {field: text(part) for field, kind, _, part in fields(payload, budget) if kind == LEN}
            if entry.get(1) == "location":
                found.append(entry.get(2, ""))
    return found or ([""] if external else [])
