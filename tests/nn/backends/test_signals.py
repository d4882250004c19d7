"""A signal after a framework's model is gone: the process must get it, not die of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ...conftest import HANGS

DIGITS = Path(__file__).parents[3] / "examples" / "digits" / "models"

INTERRUPTED = """
import gc, os, signal, sys, time
import numpy
from pywasm_nn.nn import NN

prefer = {"onnx": sys.argv[1]} if sys.argv[2].endswith("onnx") else {}
sessions = [NN(backends=prefer) for _ in range(2)]
models = [session.load(sys.argv[2]) for session in sessions]
for model in models:
    model.compute({spec.name: numpy.zeros(spec.shape, "f4") for spec in model.inputs})
del model
while models:  # the first goes first
    del models[0], sessions[0]
    gc.collect()
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    os.kill(os.getpid(), signal.SIGINT)  # which any thread may get, a framework's as well
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("package", "backend", "model"),
    [
        ("onnxruntime", "onnxruntime", "digits.onnx"),
        ("openvino", "openvino", "digits.onnx"),
        ("openvino", "openvino", "digits.xml"),
        ("ai_edge_litert", "litert", "digits.tflite"),
    ],
)
def test_ctrl_c_after_models_are_gone(package: str, backend: str, model: str) -> None:
    pytest.importorskip(package)
    command = [sys.executable, "-c", INTERRUPTED, backend, str(DIGITS / model)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
