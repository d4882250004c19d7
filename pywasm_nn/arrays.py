"""What numpy's arrays are called in signatures of this package, where numpy is imported only when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    """A numpy array of any shape and dtype."""
else:
    Array = ArrayLike = Any  # for who reads signatures at run time, numpy or not
