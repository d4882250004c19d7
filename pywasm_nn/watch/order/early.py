"""Answers that are fetched after the next input was set, and before it was computed.

What is here: `Early`. What is not: lines that are written before their answer (`probes/series.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower

FEWEST = 3


class Turn(Frozen):
    """What a context did so far: whether an input waits for compute, answers that were fetched while one did,
    and computes; whether the last one's answer was fetched."""

    waits: bool = False
    early: int = 0
    computes: int = 0
    fetched: bool = True


class Early(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._turns: dict[int | None, Turn | None] = {}
        """By context; None if an answer was fetched in its turn."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        number = event.context_id
        turn = self._turns.get(number, Turn())
        if event.error is not None or turn is None:
            return
        if event.operation.startswith("set_input"):
            self._turns[number] = Turn(True, turn.early, turn.computes, turn.fetched)
        elif event.operation == "compute":
            is_one = not event.delivered and not event.given
            self._turns[number] = Turn(False, turn.early, turn.computes + 1, False) if is_one else None
        elif event.operation.startswith("get_output"):
            early = Turn(True, turn.early + (not turn.fetched), turn.computes, True)
            self._turns[number] = early if turn.waits else None

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for turn in self._turns.values():
            if turn is not None and turn.early >= FEWEST and not turn.fetched:
                yield (
                    "stale",
                    f"each of {turn.early} answers was fetched after the next input was set and before it "
                    "was computed, so it is the answer to the input before; that of compute "
                    f"{turn.computes}, the last one, was never fetched: has get_output to follow compute?",
                )
                return
