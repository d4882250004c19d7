"""Hints at probable mistakes in a guest's use of inference.

`Hints` gathers facts, and rules turn them into sentences. A rule is a small pure function; to add one, write
it, list it in `gather.py`, and say in docs/hints.md what it sees.
"""

from .gather import Hints

__all__ = ["Hints"]
