"""What a local is after many rounds that each combine it with a value."""

from __future__ import annotations

from typing import Any

from .numeric import Array
from .plan import Result


def reduced(result: Result, before: Any, parts: list[Array], rounds: int) -> Any:
    """The local after these rounds; None if that can't be said."""
    raise NotImplementedError
