"""The backends of this package, in order of preference where several read a format."""

from __future__ import annotations

from ..backend import Backend


def builtin() -> tuple[Backend, ...]:
    """One of each. Frameworks are imported only when one of them loads a model."""
    return ()
