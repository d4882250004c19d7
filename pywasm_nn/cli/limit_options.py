"""The options of the command line that set limits, by which its messages name the limits.

What is not here: the options themselves (`options.py`), and what each limit means (`pywasm_nn.limits`).
"""

from __future__ import annotations

OPTIONS = {
    "fuel": "--fuel", "seconds": "--timeout", "host_calls": "--max-host-calls", "heap": "--max-heap",
    "memory": "--max-memory", "output": "--max-output",
}  # fmt: skip
"""The options that set limits, by the name of the limit."""


def with_options(note: str) -> str:
    """The note, with the options that set limits in place of the limits' names: `(limit "output")`."""
    for limit, option in OPTIONS.items():
        note = note.replace(f'(limit "{limit}")', f"({option})")
    return note
