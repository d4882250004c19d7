"""Names of models, and a fact in their bytes. What is not here: loading them (`test_registry.py`,
`test_session.py`)."""

from __future__ import annotations

import pytest

from pywasm_nn.nn.formats.tflite import normalisation
from pywasm_nn.nn.models import nearest
from pywasm_nn.nn.tensor import DType

from .backends.tflite_writer import copying


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Digits", "digits"),
        ("digts", "digits"),
        ("digits.onnx", "digits"),
        ("models/Digits.onnx", "digits"),
        ("C:\\models\\digits.tflite", "digits"),
        ("v.1.onnx", "v.1"),
        ("V.1", "v.1"),
        ("zebra", None),
        ("v", None),
    ],
)
def test_which_model_was_probably_meant(asked: str, meant: str | None) -> None:
    assert nearest(asked, ["digits", "v.1", "speech"]) == meant


def test_a_tflite_model_without_metadata_says_nothing_about_its_inputs() -> None:
    pytest.importorskip("ai_edge_litert")
    assert normalisation(memoryview(copying(DType.F32, [1, 2]))) == {}
