"""Searches whose products of matrices stay on one thread.

numpy's BLAS divides even small products among all processors and lets its threads wait actively, which takes
more of their time than the products do. What is not here: numpy that brings no OpenBLAS of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import product
from pathlib import Path

from ..arrays import numpy

PREFIXES, SUFFIXES = ("scipy_openblas", "openblas"), ("64_", "")
"""Of the functions' names, in numpy 2 and 1."""


@contextmanager
def on_one_thread() -> Iterator[None]:
    """A block in which BLAS has one thread, where that can be said."""
    known = functions()
    if known is None:
        yield
        return
    count, limit = known
    before = count()
    limit(1)
    try:
        yield
    finally:
        limit(before)


@cache
def functions() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """How to ask for the number of threads, and how to set it."""
    import ctypes

    package = Path(numpy.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in folder.glob("*openblas*"):
            with suppress(OSError):
                library = ctypes.CDLL(str(path))  # it is loaded already
                for prefix, suffix in product(PREFIXES, SUFFIXES):
                    with suppress(AttributeError):
                        count = library[f"{prefix}_get_num_threads{suffix}"]
                        return count, library[f"{prefix}_set_num_threads{suffix}"]
    return None
