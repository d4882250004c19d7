"""Hints at probable mistakes in a guest's use of inference.

`Hints` gathers facts, and rules turn them into sentences. A rule is a small pure function; to add one, write
it and list it in `gather.py`.
"""

from .gather import Hints

__all__ = ["Hints"]
