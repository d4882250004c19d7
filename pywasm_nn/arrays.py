"""The types of numpy arrays in signatures of this package, which imports numpy only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    """A numpy array of any shape and dtype."""
else:
    Array = ArrayLike = Any  # for `typing.get_type_hints` without numpy
