"""Words of a command line: the commands, and which words need none.

What is not here: separating our options from the guest's arguments (`split.py`), and lines whose options are
read without click (`plain.py`). Nothing here needs click.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

COMMANDS = {
    "run": "Run a WebAssembly program.",
    "debug": "Run a program step by step, at a prompt.",
    "demo": "Classify a picture with the bundled guest and model.",
    "batch": "Run a program for each of many files.",
    "profile": "Run a program and show where its time goes.",
    "diff": "Compare two runs that were recorded.",
    "validate": "Check modules without running them.",
    "inspect": "Show what a module imports, exports and needs.",
    "print": "Print a module as text (.wat).",
    "compile": "Show the Python code of functions.",
    "bindgen": "Write a typed Python module for a component.",
    "assemble": "Assemble text into a module (.wasm).",
    "wast": "Run scripts of the official test suite.",
    "nn": "Show backends, inspect models, run them without a guest.",
    "new": "Start a guest: in C, AssemblyScript, Rust or text.",
    "include": "Print where the bindings for guests are.",
    "doctor": "Show what is installed and how to install missing packages.",
    "cache": "Show stored compiled code, or remove it.",
    "completion": "Let a shell complete commands, files and names.",
}
"""The first line of help of each command."""
MODULES = (".wasm", ".wat")
"""Suffixes of module files."""
COMPLETING = "_PYWASM_NN_COMPLETE"
"""The environment variable through which click's script for a shell calls this program."""


def means_run(arguments: Sequence[str]) -> bool:
    """Whether a command line without a command names a module, first or after options of `run`."""
    first = arguments[0] if arguments else "--help"
    if first in COMMANDS or first in ("--help", "-h", "--version"):
        return False
    if first.startswith("-"):
        return any(word.endswith(MODULES) for word in arguments)
    return first.endswith(MODULES) or os.path.isfile(first)
