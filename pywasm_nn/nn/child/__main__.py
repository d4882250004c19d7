"""The child's start: `python -m pywasm_nn.nn.child FILE BYTES HOST`, as `process` calls it.

What is not here: what the child does (`serve`).
"""

from __future__ import annotations

import gc

MANY_OBJECTS = 200_000
"""New objects between two runs of the garbage collector, which takes 5 ms of a framework's import else."""


def main() -> None:
    """Serve until the host closes the pipe."""
    gc.set_threshold(MANY_OBJECTS)
    from .serve import serve_host

    serve_host()


if __name__ == "__main__":
    main()
