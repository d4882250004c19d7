"""Hints: what is probably wrong with how a guest uses inference.

`Hints` gathers facts, rules make sentences of them. A rule is a small pure function; adding one is writing it
and naming it in `gather.py`.
"""

from .gather import Hints

__all__ = ["Hints"]
