"""Bytes to `Module` (https://webassembly.github.io/spec/core/binary/index.html).

What is here: `decode`, strict to the byte, in three files: `leb128` (values), `expressions` (instructions and
their immediates), `sections` (all around them). Errors are MalformedError with the official suite's messages.
What is not: validation (`validate.py`), and the way back (`encode.py`).

Nothing is allocated because the input claims a length, and function bodies are decoded when first asked for.
"""

from .sections import decode

__all__ = ["decode"]
