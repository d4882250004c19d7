"""`Answering`: lets one guest go on after one compute, in copies, with the answers that it is to get.

What is here: the outputs that copies get, and their time. What is not: when that is done (`following.py`),
the copy itself (`copies.py`), and which answers are tried (the rules).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...interpreter.runtime.observe import Watched
from ...nn.operation import NNEvent
from .asked import Given, SpentError
from .copies import Leave, Reply, copied, on_return, used
from .stand_in import StandIn

MOST_BYTES = 16 << 20
"""Of other contexts larger outputs are not kept: a copy ends where it would need them."""


class InCopyError(BaseException):
    """Leaves all that the parent does, so that the guest goes on in the copy."""


class Answering:
    """Asks what a guest writes; `become` is called in each copy with its stand-in for the host."""

    def __init__(
        self,
        guest: Watched,
        context: int,
        outputs: Mapping[int, Given],
        last: Mapping[int, NNEvent],
        seconds: float,
        become: Callable[[StandIn], None],
    ) -> None:
        """`last` are the last computes of contexts, by their handles."""
        self._guest = guest
        self._context = context
        self._own = {index: bytes(one.array.data) for index, one in outputs.items()}
        self._others = {
            number: {index: bytes(tensor.view()) for index, tensor in enumerate(event.tensors)}
            for number, event in last.items()
            if number != context and sum(tensor.nbytes for tensor in event.tensors) <= MOST_BYTES
        }  # fmt: skip
        kinds = {number: [(one.dtype, one.shape) for one in event.tensors] for number, event in last.items()}
        self._alike = [number for number in self._others if kinds[number] == kinds.get(context)]
        """Other contexts with such outputs, which get the same answer if that stays: several models vote."""
        self._become = become
        self._end = used() + seconds

    def left(self) -> float:
        """The seconds that are left. Raises SpentError if none are."""
        if (seconds := self._end - used()) <= 0:
            raise SpentError
        return seconds

    def ask(
        self, series: Sequence[Mapping[int, Any]], fill: int | None, most: int, part: float = 1.0
    ) -> Reply | None:
        """Returns what a guest writes that computes `most` times more and gets these outputs in turn, within
        this part of the time, or None. Raises SpentError, and InCopyError in the copy."""
        seconds = part * self.left()
        sent = [self._own | {index: array.tobytes() for index, array in one.items()} for one in series]
        alike = self._alike if len(series) == 1 and series[0] else ()

        def go_on(leave: Leave) -> None:
            stand_in = StandIn(self._guest, self._context, sent, leave, fill, most, self._others, alike)
            self._become(stand_in)
            on_return(partial(stand_in.end, "returned"))

        is_copy, reply = copied(go_on, seconds)
        if is_copy:
            raise InCopyError
        if reply is not None and any(series):
            self._make(reply)
        return reply

    def _make(self, reply: Reply) -> None:
        """Make the functions that a copy made: each further copy would make them again."""
        for funcidx in reply.made:
            self._guest.engine.prepare(self._guest, funcidx - self._guest.module.imported_funcs)

    def prepare(self, control: Reply) -> float:
        """The same for what the guest itself needs. Returns the seconds that this took, which aren't
        counted."""
        before = used()
        self._make(control)
        self._end += used() - before
        return used() - before
