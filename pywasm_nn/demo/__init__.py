"""Data of `pywasm-nn demo`: guest, models, picture of `examples/digits`, so that an installed wheel has it.

What is here: copies that `examples/build.py` makes: `app.wasm` (the guest in C), `models/digits.onnx`,
`.tflite`, `.xml` with `.bin`, and `models/digit.pgm`. What is not: their sources, which are in
`examples/digits`, and the command.
"""

from pathlib import Path


def path() -> Path:
    """The folder that holds `app.wasm` and `models`."""
    return Path(__file__).parent
