"""What shapes and elements say at once: whether a tensor is a batch or uniform, and whether a model gives
maps or chooses a class.

What is not here: where inputs came from (`inputs.py`).
"""

from __future__ import annotations

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .batches import differ


def gives_maps(graph: Graph | None) -> bool:
    """Whether a model answers with maps: those that find texts are used as they were trained, with means for
    RGB on BGR."""
    shapes = [spec.shape or () for spec in graph.outputs] if graph is not None else []
    return any(len(shape) == 4 and 1 not in (shape[-2:] if shape[1] == 1 else shape[1:3]) for shape in shapes)


def is_batch(tensor: Tensor) -> bool:
    """Whether a tensor holds several pictures."""
    numbers = tensor.numbers()
    return numbers is not None and differ(numbers.reshape(tensor.shape))


def is_uniform(tensor: Tensor) -> bool:
    """Whether all elements of a tensor are equal."""
    numbers = tensor.numbers()
    return numbers is not None and numbers.size > 1 and bool((numbers == numbers[0]).all())


def classes_of(graph: Graph | None) -> int:
    """Returns of how many classes a model chooses one, or 0 if it isn't known to do so."""
    shape = graph.outputs[0].shape if graph is not None and len(graph.outputs) == 1 else None
    length = shape[-1] if shape is not None and 1 <= len(shape) <= 2 else 0
    return length if isinstance(length, int) else 0
