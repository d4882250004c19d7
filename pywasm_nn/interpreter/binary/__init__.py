"""Bytes to `Module` (https://webassembly.github.io/spec/core/binary/index.html).

What is here: `decode`, strict to the byte, in three files: `leb128` (values), `expressions` (instructions and
their immediates), `sections` (everything around them). Errors are MalformedError with the official suite's
messages. What is not: validation (`validate`), and encoding (`encode.py`).

A claimed length alone allocates no memory, and function bodies are decoded on first use.
"""

from .sections import decode

__all__ = ["decode"]
