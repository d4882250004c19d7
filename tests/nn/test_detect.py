"""Formats from bytes, and files that an ONNX model would open: examples, and what strangers may send."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from contextlib import suppress
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn.formats import KNOWN, Look
from pywasm_nn.nn.formats.onnx import external_data
from pywasm_nn.nn.protobuf import Budget, fields

from ..conftest import examples
from .backends.onnx_writer import attribute, block, node, number, varint

SHARED = Path(__file__).parents[2] / ".." / "shared"
ADD_MUL = SHARED / "nn-fixtures" / "add_mul_dyn.onnx"


FORMATS = {format.name for format in KNOWN if format.tells}


def detect(data: bytes | memoryview) -> str | None:
    found = KNOWN.detect(Look.of(data))
    return found.name if found else None


def archive(*names: str) -> bytes:
    """A zip archive with these members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name in names:
            file.writestr(zipfile.ZipInfo(name), b"x")  # of the same date each time, for names of tests
    return content.getvalue()


def external(location: str | None) -> bytes:
    """A TensorProto whose data is in a file."""
    entry = block(13, block(1, "location") + block(2, location)) if location is not None else b""
    return number(1, 4) + number(2, 1) + block(8, "w") + entry + number(14, 1)


def model(graph: bytes, *more: bytes) -> bytes:
    return number(1, 8) + block(7, graph) + block(8, number(2, 17)) + b"".join(more)


def graph_def(*nodes: tuple[str, str]) -> bytes:
    return b"".join(block(1, block(1, name) + block(2, op)) for name, op in nodes) + block(4, number(1, 22))


SAFETENSORS_HEADER = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
EXAMPLES = {
    "onnx": model(block(1, node("Relu", ["x"], ["y"]))),
    "openvino": b'<?xml version="1.0"?>\n<net name="n" version="11"/>',
    "tflite": b"\x1c\0\0\0TFL3" + bytes(20),
    "gguf": b"GGUF" + pack("<I", 3) + bytes(16),
    "torchscript": archive("m/data.pkl", "m/constants.pkl", "m/code/__torch__.py"),
    "torch-export": archive("m/archive_format", "m/models/model.json"),
    "pickle": archive("m/data.pkl", "m/data/0"),
    "tensorflow": graph_def(("x", "Placeholder"), ("y", "Relu")),
    "savedmodel": number(1, 1) + block(2, block(2, graph_def(("x", "Placeholder")))),
    "aotinductor": archive("m/archive_format", "m/models/x", "m/data/aotinductor/model/a.so"),
    "executorch": b"\x1c\0\0\0ET12" + bytes(20),
    "ort": b"\x1c\0\0\0ORTM" + bytes(20),
    "safetensors": pack("<Q", len(SAFETENSORS_HEADER)) + SAFETENSORS_HEADER + bytes(4),
}


def test_there_is_an_example_of_every_format() -> None:
    assert set(EXAMPLES) == FORMATS


@pytest.mark.parametrize("name", EXAMPLES)
def test_detects(name: str) -> None:
    assert detect(EXAMPLES[name]) == name
    assert detect(memoryview(bytearray(EXAMPLES[name]))) == name


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_plain_pickle(protocol: int) -> None:
    assert detect(pickle.dumps({"a": [1, 2]}, protocol)) == "pickle"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x08",
        b"GGU",
        b"just some text",
        bytes(64),
        b"\0asm\1\0\0\0",
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        b"PK\3\4" + bytes(100),
        b"<?xml version='1.0'?><svg/>",
        archive("readme.txt"),
        b"preload:/etc/passwd",
        pack("<Q", 1 << 60) + b"{",
        number(1, 8) + b"\x3a" + varint(1 << 40),
    ],
    ids=repr,
)
def test_knows_nothing_of(data: bytes) -> None:
    assert detect(data) is None


@pytest.mark.skipif(not ADD_MUL.exists(), reason="../shared/nn-fixtures is absent")
def test_a_real_model() -> None:
    assert detect(ADD_MUL.read_bytes()) == "onnx"
    assert external_data(ADD_MUL.read_bytes()) == []


@examples(300)
@given(st.sampled_from(sorted(EXAMPLES)), st.data())
def test_any_damage_gives_a_format_or_none(name: str, data: st.DataObject) -> None:
    whole = bytearray(EXAMPLES[name])
    for _ in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    assert detect(cut) in {None, *FORMATS}
    with suppress(ValueError):
        external_data(cut)


@examples(300)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_format_or_none(data: bytes) -> None:
    assert detect(data) in {None, *FORMATS}


SPARSE = block(1, external("/a")) + block(2, external("/b"))
GRAPH = block(5, external("/a"))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (model(block(5, external("/a")) + block(5, external("b"))), ["/a", "b"]),
        (model(block(5, external(None))), [""]),
        (model(block(15, SPARSE)), ["/a", "/b"]),
        (model(block(1, block(5, block(1, "value") + block(5, external("/a"))))), ["/a"]),
        (model(block(1, block(5, block(1, "values") + block(10, external("/a"))))), ["/a"]),
        (model(block(1, block(5, block(1, "then_branch") + block(6, GRAPH)))), ["/a"]),
        (model(block(1, block(5, block(1, "bodies") + block(11, GRAPH)))), ["/a"]),
        (model(block(1, block(5, block(22, SPARSE)))), ["/a", "/b"]),
        (model(block(1, block(5, block(23, SPARSE)))), ["/a", "/b"]),
        (model(b"", block(25, block(7, block(5, block(5, external("/a")))))), ["/a"]),
        (model(b"", block(25, block(11, block(5, external("/a"))))), ["/a"]),
        (model(b"", block(20, block(1, GRAPH))), ["/a"]),
        (model(b"", block(20, block(2, GRAPH))), ["/a"]),
        (model(b"", block(7, GRAPH)), ["/a"]),  # a second graph is merged into the first by protobuf
        (model(block(5, number(14, 1) + number(14, 0) + block(8, "w"))), [""]),
        (model(block(5, number(14, (1 << 32) + 1))), [""]),  # readers keep 32 bits of an enum
        (model(block(1, block(5, attribute("to", 1)))), []),
    ],
)
def test_finds_external_data_wherever_it_is(data: bytes, found: list[str]) -> None:
    assert sorted(external_data(data)) == found


def nested(depth: int) -> bytes:
    """A graph in an attribute of a node of a graph ..., the innermost with data outside."""
    inner = GRAPH
    heads, length = [], len(inner)
    for _ in range(depth):  # from the inside out, and heads only: copies of copies would be quadratic
        attribute_head = b"\x32" + varint(length)
        node_head = b"\x2a" + varint(length + len(attribute_head))
        graph_head = b"\x0a" + varint(length + len(attribute_head) + len(node_head))
        heads.append(graph_head + node_head + attribute_head)
        length += len(heads[-1])
    body = b"".join(reversed(heads)) + inner
    return number(1, 8) + b"\x3a" + varint(length) + body + block(8, number(2, 17))


def test_graphs_inside_each_other() -> None:
    """As deep as protobuf's own readers go (100 messages, three to a graph), and much deeper."""
    assert external_data(nested(40)) == ["/a"]
    deep = nested(100_000)
    assert detect(deep) == "onnx"
    with pytest.raises(ValueError, match="deep"):
        external_data(deep)


def test_groups_are_refused() -> None:
    """Nobody writes them, and what hides in one would not be seen."""
    with pytest.raises(ValueError, match="wire type"):
        external_data(model(GRAPH) + varint(7 << 3 | 3) + varint(7 << 3 | 4))


def test_too_many_fields_are_refused() -> None:
    message = memoryview(b"\x10\x01" * 4)
    assert len(list(fields(message, Budget(4)))) == 4
    with pytest.raises(ValueError, match="too many"):
        list(fields(message, Budget(3)))
