"""Asks a model about a picture with alpha, blended over white and over black: were its colours sent without
alpha, or over the wrong one?

What is here: `Grounds`, what is known of the picture, and `over_another`. What is not: how the input was made
(`sent/grounds.py`).

Colours below full transparency are often black. Then what is dark can't be seen without alpha, and the model
says something else, often without doubt. Which of two answers is right is known if the file is named after
it, if one is far surer, or if what was sent has far less contrast and gets the answer that its elements get
in any order, which show nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..depicted import Depicted
from .asking import Change, Runs
from .sureness import Answer, is_far_surer

SURE = 0.9
"""An answer that is less sure says nothing."""
NEAR = 0.06
"""The part of an input's range by which elements of the same picture may differ on average, by rounding and
by the interpolation."""
PALER, CONTROLS = 0.6, 2
"""The contrast of colours without alpha, as a part of that over something, and so many random orders."""


class Grounds(Frozen):
    """A picture with alpha that was sent as input `index`: the input without alpha (`plain`), and by the
    ground's name over that one (`ways`). `depicts` says what a file is named after, of so many classes."""

    index: int
    name: str
    plain: Callable[[], Any]
    ways: Callable[[], Mapping[str, Any]]
    depicts: Callable[[str, int], Depicted | None]


def over_another(
    graph: Graph,
    inputs: Sequence[Tensor],
    grounds: Grounds,
    sent: Answer | None,
    seconds: float,
    most: float,
) -> str | None:
    """Returns a sentence if much speaks for the picture over another ground, or None if nothing does. `sent`
    is the answer to the inputs as they are. Raises NNError."""
    array = inputs[grounds.index].numpy()
    if array is None or sent is None:
        return None
    shown, ways = grounds.depicts(grounds.name, sent.classes), grounds.ways()
    if shown is not None and sent.place in shown.places:
        return None
    is_plain = are_near(array, grounds.plain())
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        for ground, made in ways.items():
            answer = None if are_near(array, made) or not runs.left() else runs.changed(grounds.index, made)
            if answer is None or answer.sure < SURE or answer.place == sent.place:
                continue
            is_named = shown is not None and answer.place in shown.places
            is_told = is_plain and shown is None
            is_told = is_told and (
                is_far_surer(answer, sent) or is_seen(runs, grounds.index, array, made, sent)
            )
            if is_named or is_told:
                name = f'input {grounds.index} "{graph.inputs[grounds.index].name}"'
                how = "were its colours taken without alpha?" if is_plain else "was it blended over another?"
                also = f", which is what {shown}" if is_named else ""
                return (
                    f"{name}: compared with {grounds.name}, which has alpha: blended over {ground} the "
                    f"answer is {answer}{also}; as sent it is {sent}: {how}"
                )
    return None


def are_near(one: Any, other: Any) -> bool:
    """Whether elements show the same, but for rounding and interpolation."""
    span = float(max(one.max(), other.max())) - float(min(one.min(), other.min()))
    return bool(abs(one.astype("f4") - other.astype("f4")).mean() <= NEAR * span)


def is_seen(runs: Runs, index: int, array: Any, made: Any, sent: Answer) -> bool:
    """Whether elements as sent are pale beside others, and get the same answer in any order."""
    if array.std() > PALER * made.std():
        return False
    mixed = runs.shuffled(Change("as sent", index, array), range(CONTROLS))
    return len(mixed) == CONTROLS and all(one.place == sent.place for one in mixed)
