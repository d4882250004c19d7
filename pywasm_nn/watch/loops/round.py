"""A compute with its inputs and answers.

What is here: `Kept`, a tensor's numbers, and `Round`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...nn.tensor import Tensor
from ...records import Frozen

MOST_BYTES = 1 << 18
"""Larger tensors are left out."""


class Kept(Frozen):
    """The numbers of a tensor, and what it is."""

    what: str
    array: Any

    @staticmethod
    def of(what: str, tensor: Tensor) -> Kept | None:
        """Returns a copy of a tensor, or None if it has no numbers, or too many."""
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if numbers is None or not numbers.size:
            return None
        return Kept(what, numbers.reshape(tensor.shape or (1,)).copy())

    @property
    def flat(self) -> Any:
        return self.array.reshape(-1)

    def equals(self, other: Kept | None) -> bool:
        """Whether all elements are the same."""
        return (
            other is not None
            and self.flat.shape == other.flat.shape
            and bool((self.flat == other.flat).all())
        )


class Round(Frozen):
    """Inputs and answers by their indices, and the paths that were opened before."""

    inputs: Mapping[int, Kept]
    outputs: Mapping[int, Kept]
    opened: tuple[str, ...] = ()
