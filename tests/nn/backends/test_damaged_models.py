"""Truncated and bit-flipped models on real frameworks: an NNError or an answer, never another exception.

A framework may crash the process over such bytes, which is why guests' models are loaded in a child process;
here too each lot runs in one of its own, and the test says how far it came.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...conftest import HANGS
from .running import backend

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples" / "digits" / "models"
ROUNDS = 60
FILES = {"onnx": ["digits.onnx"], "openvino": ["digits.xml", "digits.bin"], "tflite": ["digits.tflite"]}

CHILD = """
import random, sys
from pathlib import Path
import numpy
from pywasm_nn.nn.backend import GraphConfig, Target
from pywasm_nn.nn.backends import builtin
from pywasm_nn.nn.errors import NNError

name, format, rounds, *files = sys.argv[1:]
backend = next(backend for backend in builtin() if backend.name == name)
originals = [Path(file).read_bytes() for file in files]
answers = errors = 0
for seed in range(int(rounds)):
    random.seed(seed)
    parts = [bytearray(part) for part in originals]
    victim = parts[0]
    if seed % 2:
        del victim[random.randrange(len(victim)):]
    else:
        for _ in range(random.randint(1, 8)):
            victim[random.randrange(len(victim))] ^= 1 << random.randrange(8)
    print(seed, flush=True)
    try:
        backend.load(format, [bytes(part) for part in parts], GraphConfig(target=Target.CPU)).close()
        answers += 1
    except NNError:
        errors += 1
print("loaded", answers, "refused", errors)
"""


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("onnxruntime", "onnx"),
        ("openvino", "openvino"),
        ("openvino", "onnx"),
        ("litert", "tflite"),
        ("numpy", "onnx"),
    ],
)
def test_damage_is_an_nn_error_or_a_model(name: str, format: str) -> None:
    if not DIGITS.is_dir():
        pytest.skip("examples/digits/models is absent")
    backend(name)
    files = [str(DIGITS / file) for file in FILES[format]]
    result = subprocess.run(
        [sys.executable, "-c", CHILD, name, format, str(ROUNDS), *files],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=HANGS, check=False,
    )  # fmt: skip
    assert result.returncode == 0, (result.stdout[-200:], result.stderr[-2000:])
    words = result.stdout.splitlines()[-1].split()
    assert int(words[1]) + int(words[3]) == ROUNDS
    assert int(words[3]) >= ROUNDS // 3  # half were cut short
