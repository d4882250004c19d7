"""All attempts, of every file here that has some: those that are quick, those that take long, and those that
still get through."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from .harness import Attempt

CLASSES = [
    import_module(f".{path.stem}", __package__) for path in sorted(Path(__file__).parent.glob("class_*.py"))
]


def named(name: str) -> list[Attempt]:
    """The attempts in the lists of this name."""
    return [attempt for module in CLASSES for attempt in getattr(module, name, ())]


ATTEMPTS, SLOW, OPEN = named("ATTEMPTS"), named("SLOW"), named("OPEN")
