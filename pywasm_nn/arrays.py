"""numpy for modules of this package, imported only when it is used, and the types of arrays in signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as numpy
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    """A numpy array of any shape and dtype."""
else:

    class Later:
        """A module that is imported when something of it is first used, which may raise ImportError."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = self.__dict__[name] = getattr(numpy, name)
            return found

    numpy = Later()
    Array = ArrayLike = Any  # for `typing.get_type_hints` without numpy
