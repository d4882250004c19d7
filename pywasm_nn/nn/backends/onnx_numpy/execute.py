"""A graph as a list of steps over numbered slots, checked when it is created and run from first to last.

What is here: `Plan` and `plan_of`. What is not: reading models, and operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ....brief import summarised
from ...errors import Code, NNError
from . import convolution, elementwise, linear, pieces, pooling, reduce, resize, shapes
from .elementwise import cast
from .model import Array, Model, Node
from .operators import Compute, bind, malformed
from .room import Room

OPERATOR_MODULES = (convolution, elementwise, linear, pieces, pooling, reduce, resize, shapes)
"""The modules whose operators fill the table."""

ABSENT = -1
"""The slot of a missing input or of an unused output."""


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One node. `dead`: slots that no later step reads."""

    node: Node
    compute: Compute
    widen: bool
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dead: tuple[int, ...]

    def run(self, slots: list[Array | None], room: Room) -> list[Array]:
        """Compute the node's outputs. Any error in its inputs is raised as NNError(RUNTIME_ERROR)."""
        arguments = [None if slot == ABSENT else slots[slot] for slot in self.inputs]
        half = self.widen and any(x is not None and x.dtype == np.float16 for x in arguments)
        if half:
            arguments = [
                cast(room, x, np.float32) if x is not None and x.dtype == np.float16 else x for x in arguments
            ]
        try:
            result = self.compute(room, *arguments)
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError) as error:
            raise malformed(self.node, " ".join(str(error).split()) or type(error).__name__) from error
        arrays = [result] if isinstance(result, np.ndarray) else list(result)
        if half:
            arrays = [cast(room, x, np.float16) if x.dtype == np.float32 else x for x in arrays]
        for array in arrays:
            room.made(array)
        return arrays


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A checked graph. It has no state: any number of threads may run it."""

    weights: tuple[Array, ...]
    """The contents of the first slots."""
    size: int
    """The number of slots."""
    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def run(self, inputs: Sequence[Array], room: Room) -> list[Array]:
        """Outputs in the model's order. They may share memory with inputs or weights. Raises NNError like
        `room`."""
        slots: list[Array | None] = [*self.weights, *[None] * (self.size - len(self.weights))]
        for slot, array in zip(self.inputs, inputs, strict=True):
            slots[slot] = array
        alive = Alive(slots)
        with np.errstate(all="ignore"):  # infinities and NaN are valid results
            for step in self.steps:
                room.begin(step.node)
                for slot, made in zip(step.outputs, step.run(slots, room), strict=False):
                    if slot != ABSENT:
                        slots[slot] = made
                        room.live += alive.begins(made)
                for slot in step.dead:
                    if (dead := slots[slot]) is not None:
                        room.live -= alive.ends(dead)
                    slots[slot] = None
        return [value for slot in self.outputs if (value := slots[slot]) is not None]


class Alive:
    """Counts the memory of a run's arrays. Arrays that are views of the same memory count once, and views of
    inputs or weights don't count."""

    def __init__(self, given: Iterable[Array | None]) -> None:
        self._users: dict[int, int] = {id(owner(array)): 1 for array in given if array is not None}

    def begins(self, array: Array) -> int:
        """Bytes that this new array adds."""
        memory = owner(array)
        users = self._users.get(id(memory), 0)
        self._users[id(memory)] = users + 1
        return 0 if users else memory.nbytes

    def ends(self, array: Array) -> int:
        """Bytes that become free when this counted array is dropped."""
        memory = owner(array)
        users = self._users.pop(id(memory)) - 1
        if users:
            self._users[id(memory)] = users
        return 0 if users else memory.nbytes


def owner(array: Array) -> Array:
    """The array that owns the memory of this one."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def plan_of(model: Model) -> Plan:
    """Check a model and number its values. Raises NNError that names a node that is wrong or not supported
    here.
    """
    opset = model.opsets.get("", 1)
    numbers: dict[str, int] = {}
    for name in (*model.weights, *(value.name for value in model.inputs)):
        if name in numbers:
            raise NNError(Code.RUNTIME_ERROR, f"the graph has two inputs {name!r}")
        numbers[name] = len(numbers)
    last_use: dict[int, int] = {}
    bound: list[tuple[Node, Compute, bool, tuple[int, ...], tuple[int, ...]]] = []
    for position, node in enumerate(model.nodes):
        compute, widen = bind(node, opset)
        read = tuple(_slot(numbers, name, node) for name in node.inputs)
        for name in filter(None, node.outputs):
            if name in numbers:
                raise malformed(node, f"{name!r} is made twice")
            numbers[name] = len(numbers)
        written = tuple(numbers[name] if name else ABSENT for name in node.outputs)
        last_use.update(dict.fromkeys((*written, *read), position))
        bound.append((node, compute, widen, read, written))
    for value in model.outputs:
        if value.name not in numbers:
            raise NNError(Code.RUNTIME_ERROR, f"output {value.name!r} is made by no node")
    outputs = tuple(numbers[value.name] for value in model.outputs)
    inputs = tuple(numbers[value.name] for value in model.inputs)
    kept = {ABSENT, *outputs, *inputs, *range(len(model.weights))}
    dead: list[list[int]] = [[] for _ in bound]
    for slot, position in last_use.items():
        if slot not in kept:
            dead[position].append(slot)
    steps = tuple(Step(*parts, tuple(gone)) for parts, gone in zip(bound, dead, strict=True))
    weights = tuple(model.weights.values())
    return Plan(weights, len(numbers), steps, inputs, outputs)


def _slot(numbers: dict[str, int], name: str, node: Node) -> int:
    if not name:
        return ABSENT
    if name not in numbers:
        raise malformed(node, f"input {name!r} is made by no earlier node")
    return numbers[name]
