"""All attempts, of every file here that has some."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from .harness import Attempt

ATTEMPTS: list[Attempt] = [
    attempt
    for path in sorted(Path(__file__).parent.glob("class_*.py"))
    for attempt in import_module(f".{path.stem}", __package__).ATTEMPTS
]
