"""Names of models. What is not here: loading them (`test_registry.py`, `test_session.py`)."""

from __future__ import annotations

import pytest

from pywasm_nn.nn.models import nearest


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
