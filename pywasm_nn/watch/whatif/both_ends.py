"""Asks a model about the bytes of a file that begin with the file's end: is it far surer with the beginning
first? And about those that are just a half of the input, with padding in the other: what does it say with the
file's end there? And about those that are nothing but the beginnings of longer files.

What is here: `beginning_first`, `with_the_end`, `with_its_end` (of a short file) and `with_their_ends`. What
is not: finding the parts (`origin/bytewise.py`), their padding (`padding.py`), and keeping inputs
(`of_bytes.py`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, SURE, Runs
from .sureness import Answer, is_far_surer

FAR = 0.7
"""The answer as sent is at most so sure, as a part of how sure the other one is. That isn't far, but where
the two parts lie is a sign, too, and so is half the doubt: nobody trains a model with the end first."""
HALF = 0.5
"""How sure a model is at least with the other half filled, and how much of its doubt is left then, or with
the beginning first."""
LESS = 0.7
"""How much is left at the most if the answer becomes another one, which it may by chance."""

BESIDE, HARDLY = 7, 0.1
"""How many elements before its place the end of a short file is tried, too, and the part of the doubt that is
left only at its place. All that such a file has is in the input, so that another answer alone says little."""

FEWEST_NAMED, FEWEST_SURE, CERTAIN = 2, 3, 0.9
"""Files of which the answer becomes what their ending says, or a sure one. A model is sure of some nonsense,
so that one file says nothing."""


class Begun(Frozen):
    """Inputs that are all the first bytes of a longer file, the answer to them, what they are with the end of
    that file in their second half, and the classes that its ending names."""

    inputs: tuple[Tensor, ...]
    sent: Answer
    with_end: Any
    file: str
    named: Container[int] = ()


def with_their_ends(
    graph: Graph, several: Sequence[Begun], index: int, seconds: float, most: float = MOST
) -> str:
    """Returns a sentence if of several files a model says what their endings name, or is sure, only with each
    file's end in the second half of its input, and never the other way round, or "". Raises NNError."""
    found: list[tuple[Begun, Answer]] = []
    with Runs(graph, several[0].inputs, most, seconds=seconds) as runs:
        for one in several:
            answer = runs.changed(index, one.with_end) if runs.left() else None
            if answer is None:
                return ""
            found.append((one, answer))
    gained, lost = (
        [one.file for one, answer in found if (answer.place in one.named, one.sent.place in one.named) == way]
        for way in ((True, False), (False, True))
    )
    cleared = [one for one, answer in found if one.sent.sure <= SURE and answer.sure >= CERTAIN]
    doubts = sum(1 - one.sent.sure for one, _ in found), sum(1 - answer.sure for _, answer in found)
    are_surer = len(cleared) >= FEWEST_SURE and doubts[1] <= HALF * doubts[0]
    if lost or not (len(gained) >= FEWEST_NAMED or are_surer):
        return ""
    count, half = several[0].with_end.size, several[0].with_end.size // 2
    named = f" ({', '.join(gained)}: what the name says)" if gained else ""
    first = next((pair for pair in found if pair[0].file in gained), found[0])
    return (
        f'input {index} "{graph.inputs[index].name}": it is the first {count:,} bytes of longer files; with '
        f"the first {half:,} and the last {half:,} of each, {first[0].file} gets {first[1]}{named}; "
        f"as sent it is {first[0].sent}: does the model want the beginning and the end?"
    )


def with_the_end(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    made: Any,
    sent: Answer,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model says another class, with clearly less doubt, or the same with half the
    doubt, of an input with the end of a file in its second half, or "" if it doesn't. Raises NNError."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        other = runs.changed(index, made)
    if other is None or other.sure < HALF:
        return ""
    if 1 - other.sure > (HALF if other.place == sent.place else LESS) * (1 - sent.sure):
        return ""
    flat = inputs[index].numpy().reshape(-1)
    return (
        f'input {index} "{graph.inputs[index].name}": its first half is {flat.size // 2:,} bytes of '
        f"a longer file, and all elements behind them are {flat[-1]}; with the file's last bytes there the "
        f"answer is {other}; as sent it is {sent}: was the second half not filled?"
    )


def with_its_end(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    made: Any,
    sent: Answer,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model says another class, with hardly any of its doubt, of an input that ends
    with the end of a file, all of which is in its first half, and has that doubt if the end lies a few
    elements before, or "" if it doesn't. Raises NNError."""
    flat = inputs[index].numpy().reshape(-1)
    half = flat.size // 2
    moved = made.reshape(-1).copy()
    moved[half:-BESIDE], moved[-BESIDE:] = moved[half + BESIDE :], flat[-1]
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        other = runs.changed(index, made)
        if other is None or other.place == sent.place or 1 - other.sure > HARDLY * (1 - sent.sure):
            return ""
        beside = runs.changed(index, moved.reshape(made.shape)) if runs.left() else None
    if beside is None or 1 - other.sure > HARDLY * (1 - beside.sure):
        return ""
    return (
        f'input {index} "{graph.inputs[index].name}": the bytes of the file are in its first half, and all '
        f"of its second half is {flat[-1]}; with its last bytes at the end, too, the answer is {other}; "
        f"{BESIDE} elements before that it is {beside}, and as sent {sent}: was the second half not filled?"
    )


def beginning_first(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    place: int,
    sent: Answer,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model is far surer, or has half the doubt, of an input with what lies from an
    element on before the others, or "" if it isn't. Raises NNError."""
    array = inputs[index].numpy()
    flat = array.reshape(-1)
    made = numpy.concatenate([flat[place:], flat[:place]]).reshape(array.shape)
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        other = runs.changed(index, made)
    if other is None or other.sure < SURE:
        return ""
    is_less_doubtful = 1 - other.sure <= HALF * (1 - sent.sure)
    if sent.sure > FAR * other.sure and not (is_less_doubtful or is_far_surer(other, sent)):
        return ""
    return (
        f'input {index} "{graph.inputs[index].name}": it begins with the end of a file, and from element '
        f"{place:,} on is the file's beginning; with that first the answer is {other}; as sent it is {sent}: "
        "are the two exchanged?"
    )
