"""Hints: what is probably wrong with how a guest uses inference.

`Hints` gathers facts, and rules turn them into sentences. A rule is a small pure function; to add one, write
it and list it in `gather.py`.
"""

from .gather import Hints

__all__ = ["Hints"]
