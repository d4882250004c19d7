"""Ranks that are written beside scores: the order of the best first is taken for the rank of each.

What is here: `Ranks`. What is not: lists that are in another order than their own scores (`Signs`, `probes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower, only_answer
from ..spoken import Heard, Word

FEWEST, MOST, MOST_ANSWERS = 5, 1024, 8
"""Scores that are ranked, and answers that are kept."""
DIGITS = 2


class Ranks(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._answers: list[tuple[str, Any]] = []
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output"):
            return
        scores = only_answer(event.tensors)
        if scores is None or scores.dtype.kind != "f" or not FEWEST <= scores.size <= MOST:
            return
        if len(self._answers) < MOST_ANSWERS and len(numpy.unique(scores)) == scores.size:
            called = f'output {event.index or 0} "{event.specs[0].name}"'
            self._answers.append((called, scores.reshape(-1).copy()))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        lines = self._heard.text.lines if self._answers else []
        for called, scores in self._answers:
            if said := wrongly_ranked(scores, lines):
                yield "answer", f"{called}: {said}"
                return


def wrongly_ranked(scores: Any, lines: Sequence[Sequence[Word]]) -> str:
    """Returns what is wrong if lines that follow each other have the scores in the answer's order, each with
    the number of the one that has this rank, or "" if they haven't."""
    count = len(scores)
    order = numpy.argsort(-scores, kind="stable")
    ranks = numpy.argsort(order)
    for begin in range(len(lines) - count + 1):
        part = lines[begin : begin + count]
        if not all(map(has, part, scores)):
            continue
        for first in (0, 1):
            given = [{int(word.value) - first for word in line if word.is_whole} for line in part]
            are_ranks = all(rank in own for rank, own in zip(ranks.tolist(), given, strict=True))
            are_order = all(one in own for one, own in zip(order.tolist(), given, strict=True))
            if are_order and not are_ranks:
                at = int(numpy.flatnonzero(order != ranks)[0])
                return (
                    f"line {at + 1} of {count} has the score {scores[at]:.4g}, which is rank "
                    f"{ranks[at] + first} from {first} on; the guest writes {order[at] + first}, the number "
                    f"of the one with rank {at + first}, and so in all lines: is the order of the best "
                    "first taken for the ranks (rank[order[i]] = i)?"
                )
    return ""


def has(line: Sequence[Word], score: Any) -> bool:
    """Whether a line has a score with several digits."""
    return any(word.digits >= DIGITS and not word.is_whole and bool(word.fits(score)) for word in line)
