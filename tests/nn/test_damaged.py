"""Errors of models that don't load say what stands there instead, or that the model is cut short."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from pywasm_nn.nn import NN, Code, NamedModel, NNError

from .conftest import ADD_MUL
from .test_registry import IR, TFLITE, Only, Stub, load, refusal

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"8d" * 32 + b"\nsize 271466\n"
BUFFER = 1 << 16


def larger() -> bytes:
    """A model of more bytes than the buffer has."""
    model = onnx.load_from_string(ADD_MUL)
    model.graph.doc_string = "x" * 2 * BUFFER
    return model.SerializeToString()


def registry(*formats: str) -> Only:
    return Only(plugins=[Stub("b", *formats)])


@pytest.mark.parametrize("encoding", ["onnx", "tensorflowlite", None])
@pytest.mark.parametrize(
    ("data", "said"),
    [(POINTER, "git lfs pull"), (b"\n<!DOCTYPE html>", "a page of HTML"), (b"\x1f\x8b\x08", "gzip")],
)
def test_what_stands_in_place_of_a_model_is_named(encoding: str | None, data: bytes, said: str) -> None:
    code = Code.RUNTIME_ERROR if encoding else Code.INVALID_ENCODING
    assert said in refusal(code, registry("onnx", "tflite"), data, encoding=encoding)


@pytest.mark.parametrize("data", [b"\0asm\1\0\0\0", b"\n(module (memory 1))", b"(component)"])
def test_a_program_in_place_of_a_model(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.wasm").write_bytes(data)
    said = "the bytes are a program in WebAssembly, not a model: `pywasm-nn run` runs it"
    for place in (tmp_path / "m.wasm", str(tmp_path / "m.wasm")):
        with pytest.raises(NNError) as caught:
            NN().load(place)
        assert caught.value.reason == f"{tmp_path / 'm.wasm'}: {said}"
    assert said in refusal(Code.RUNTIME_ERROR, registry("onnx"), data, encoding="onnx")


def test_a_file_of_no_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("import x")
    with pytest.raises(NNError, match=r"t\.py: the bytes are of no format that is known here"):
        NN().load(tmp_path / "t.py")


@pytest.mark.parametrize(("parts", "number"), [([POINTER, b"w"], 1), ([b"junk", POINTER], 2)])
def test_a_part_that_is_a_pointer_is_numbered(parts: list[bytes], number: int) -> None:
    reason = refusal(Code.RUNTIME_ERROR, registry("openvino"), *parts, encoding="openvino")
    assert f"part {number} is a pointer of Git LFS" in reason


def test_a_named_model_that_is_a_pointer(tmp_path: Path) -> None:
    (tmp_path / "m.vnd").write_bytes(POINTER)
    named = NamedModel(paths=[tmp_path / "m.vnd"])
    with pytest.raises(NNError, match="git lfs pull"):
        registry("onnx").load_place(named, lambda text: None)


@pytest.mark.parametrize("size", [BUFFER, BUFFER - 1, 30_000])
def test_an_onnx_model_that_is_cut_short(size: int) -> None:
    data = larger()
    assert load(registry("onnx"), data) == "b"
    reason = refusal(Code.RUNTIME_ERROR, registry("onnx"), data[:size], encoding="onnx")
    assert "the model is cut short: its graph has 131," in reason
    assert ("the size of a buffer" in reason) == (size != BUFFER - 1)


class Refusing(Stub):
    def load(self, *_: object) -> None:  # type: ignore[override]
        raise ValueError("invalid")


def test_other_models_of_the_size_of_a_buffer_may_be_cut_short() -> None:
    for size, is_said in ((BUFFER, True), (BUFFER - 1, False)):
        with pytest.raises(NNError) as caught:
            load(Only(plugins=[Refusing("b", "tflite")]), TFLITE + b"x" * (size - len(TFLITE)))
        assert ("may be cut short" in caught.value.reason) == is_said


def test_a_buffer_larger_than_the_model() -> None:
    data = ADD_MUL.ljust(BUFFER, b"\0")
    reason = refusal(Code.RUNTIME_ERROR, registry("onnx"), data, encoding="onnx")
    assert "ends with zeros: is 65,536 the size of a buffer, and the file shorter?" in reason


def test_xml_without_its_end() -> None:
    with pytest.raises(NNError, match="part 1 is cut short: </net> is missing"):
        load(Only(plugins=[Refusing("b", "openvino")]), IR[:-3], b"weights")
    with pytest.raises(NNError) as caught:
        load(Only(plugins=[Refusing("b", "openvino")]), IR, b"weights")
    assert "cut short" not in caught.value.reason
