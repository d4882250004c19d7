"""Windows of whole numbers, such as the last letters of a text, that are moved from step to step by as many
bytes as there are elements.

What is here: `MovedWindows`, which compares the bytes of each input with those before. What is not: windows
of samples, of which a whole part must have moved (`series/moves.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, Said, inputs_of

SHORTEST, LONGEST, SIZES = 4, 512, (2, 4, 8)
"""Elements of a window, and bytes of each."""
FEWEST, CHANGES = 4, 2
"""Steps that follow each other, and those of them in which something moved: one may be by chance."""


class Move(Frozen):
    """By how many elements a window was to move, and whether its first bytes changed by that."""

    step: int
    is_change: bool


class MovedWindows(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._before: dict[Any, tuple[tuple[int, ...], bytes]] = {}
        """By context and index, the shape and the bytes of the last input."""
        self._moves: dict[Any, list[Move]] = {}
        """The moves since the last input that was moved rightly, or not at all."""
        self._found: dict[Any, tuple[str, int, int]] = {}
        """Inputs that were moved wrongly: what they are called, their elements and the bytes of one."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            if tensor.dtype.value[0] in "iu" and tensor.size <= LONGEST * SIZES[-1]:
                self._set((event.context_id, index), f'input {index} "{spec.name}"', tensor)

    def _set(self, key: Any, called: str, tensor: Tensor) -> None:
        now, size = bytes(tensor.view()), tensor.dtype.size
        shape, before = self._before.get(key, ((), b""))
        self._before[key] = tensor.shape, now
        move = None
        if shape == tensor.shape and size in SIZES and SHORTEST <= len(now) // size <= LONGEST:
            move = moved_by_bytes(before, now, size)
        moves = self._moves.setdefault(key, [])
        if move is None:
            moves.clear()
            return
        moves.append(move)
        if len(moves) >= FEWEST and sum(one.is_change for one in moves) >= CHANGES:
            self._found.setdefault(key, (called, len(now) // size - move.step, size))

    def finish(self) -> Iterator[Said]:
        """A hint when the guest has ended."""
        for called, count, size in self._found.values():
            said = (
                f"{called}: from step to step only {count} bytes of the {count} elements that follow move to "
                f"the front, and the rest stays: memmove and memcpy count bytes, {size} for each element"
            )
            yield "answer", said
            return


def moved_by_bytes(before: bytes, now: bytes, size: int) -> Move | None:
    """Returns how a window of elements of so many bytes was moved, if as many bytes as elements came to the
    front and the others stayed, or None if not so, or if that is how it was to be moved."""
    elements = len(now) // size
    for step in range(1, elements):
        count, start = elements - step, step * size
        whole = count * size
        if now[0] != before[start]:  # most steps are none, and comparing them takes long
            continue
        is_moved = now[:count] == before[start : start + count] and now[count:whole] == before[count:whole]
        if is_moved and now[:whole] != before[start:]:
            return Move(step, now[:count] != before[:count])
    return None
