"""Data of `pywasm-nn demo`: the guest, models and picture of `examples/digits`, so that an installed wheel
has them.

What is here: copies made by `examples/build.py`: `app.wasm` (the guest in C), `models/digits.onnx`,
`.tflite`, `.xml` with `.bin`, and `models/digit.pgm`. What is not: their sources (`examples/digits`), and the
command.
"""

from pathlib import Path


def path() -> Path:
    """The folder that holds `app.wasm` and `models`."""
    return Path(__file__).parent
