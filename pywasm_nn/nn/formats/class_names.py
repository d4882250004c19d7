"""The names of classes that a model has in itself.

What is here: `onnx`, from properties such as `names` and the labels of classifiers of the domain ai.onnx.ml;
`tflite`, from the files that its metadata is packed with; `openvino`, from the notes of the Model API.
What is not: names in files beside the model. The bytes may be hostile: all that is read is bounded. Sources:
https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md,
https://www.tensorflow.org/lite/models/convert/metadata,
https://github.com/open-edge-platform/model_api/blob/master/docs/source/guides/model-configuration.md
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..protobuf import LEN, Budget, fields, text
from .onnx_graph import graph_of
from .openvino import options

Names = tuple[str, ...]
FEWEST, MOST = 2, 1 << 14
MOST_FIELDS = 20_000
MOST_TEXT = 1 << 18
END = 1 << 20
"""Files are packed at the end of a TFLite model: so many bytes of it are read."""
MOST_FILES = 8
PROPERTIES, KEY, VALUE = 14, 1, 2
KEYS = frozenset({
    "names", "classes", "class_names", "classnames", "labels", "label_names", "categories", "id2label",
    "label_map", "labelmap", "idx_to_class", "target_names", "vocab_classes",
})  # fmt: skip
ATTRIBUTES = ("classlabels_strings", "classes_strings")
CLASSIFIERS = frozenset({
    "ZipMap", "LinearClassifier", "TreeEnsembleClassifier", "SVMClassifier", "LabelEncoder",
})  # fmt: skip
SPLIT = re.compile(r"\s*[,;\n]\s*")


def onnx(data: memoryview) -> Sequence[Names]:
    """The lists of names in a model's properties and classifiers. Raises ValueError for broken bytes."""
    found = [*filter(None, (in_text(value) for key, value in properties(data) if key.lower() in KEYS))]
    budget = Budget(MOST_FIELDS)
    for node in graph_of(data, budget).nodes:
        if node.op not in CLASSIFIERS:
            continue
        for name in ATTRIBUTES:
            values = [
                one.decode("utf-8", "replace")
                for one in node.attribute(name, budget)
                if isinstance(one, bytes)
            ]
            found += [tuple(values)] if FEWEST <= len(values) <= MOST else []
    return [*dict.fromkeys(found)]


def properties(data: memoryview) -> Iterator[tuple[str, str]]:
    for number, wire, _, entry in fields(data, Budget(MOST_FIELDS)):
        if number == PROPERTIES and wire == LEN:
            pair = {field: part for field, kind, _, part in fields(entry, Budget(4)) if kind == LEN}
            if len(pair.get(VALUE, b"")) <= MOST_TEXT:
                yield text(pair.get(KEY, entry[:0])), text(pair.get(VALUE, entry[:0]))


def in_text(value: str) -> Names:
    """The names in a list, or in an object from numbers to names, as JSON or Python write them, or between
    commas or in lines; () if there are none."""
    value = value.strip()
    if value.startswith(("{", "[", "(")):
        try:
            return in_value(ast.literal_eval(value))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return ()
    parts = [one for one in SPLIT.split(value) if one]
    return tuple(parts) if FEWEST <= len(parts) <= MOST else ()


def in_value(value: Any) -> Names:
    """The names in order; () unless all are texts, and numbers count up from 0."""
    if isinstance(value, dict):
        if all(isinstance(one, int) for one in value.values()):  # from names to numbers
            value = {number: name for name, number in value.items()}
        numbered = {int(key): name for key, name in value.items() if str(key).isdecimal()}
        value = [numbered[at] for at in range(len(numbered)) if at in numbered]
        if len(value) < len(numbered):
            return ()
    names = [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
    return tuple(names) if FEWEST <= len(names) == len(value) <= MOST else ()


def tflite(data: memoryview) -> Sequence[Names]:
    """The lists of names that a model's metadata is packed with. Raises ValueError for broken bytes."""
    import zipfile  # takes longer to import than this module, and few models are asked

    found = []
    try:
        with zipfile.ZipFile(io.BytesIO(data[max(0, len(data) - END) :])) as packed:
            for entry in packed.infolist()[:MOST_FILES]:
                if entry.filename.endswith(".txt") and entry.file_size <= MOST_TEXT:
                    lines = packed.read(entry).decode("utf-8", "replace").splitlines()
                    found.append(tuple(line.strip() for line in lines if line.strip()))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError):
        return []
    return [one for one in found if FEWEST <= len(one) <= MOST]


def openvino(data: memoryview) -> Sequence[Names]:
    """The names in the notes of the Model API, which stand between blanks."""
    _, notes = options(data)
    names = tuple(notes.get("labels", b"").decode("utf-8", "replace").split())
    return [names] if FEWEST <= len(names) <= MOST else []
