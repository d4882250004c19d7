"""Dark ink on white paper that a model gets which was trained on bright ink on black, as those of MNIST are.

What is here: `on_paper`, for one picture, where white paper alone decides the answer or the swapped picture
is read far more firmly, `is_ink_on_paper`, for one of several pictures that mostly get the same answer, also
of bright ink on black, `are_surer`, for several whose answers differ, and `all_on_paper`, for those of a
batch. What is not: pictures in several computes (`several.py`), and far surer
answers to a picture with black and white swapped (`asking.py`).

Such a model is often sure of what it says, as it says the same of white paper without ink, and of the ink's
pixels in any order. With black and white swapped it is sure of another class, which it says of the ink alone:
the same of it a pixel aside, and something else of black paper and of pixels in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from statistics import median
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..facts import picture_of
from .asking import CHANGED, MOST, Change, Runs
from .sureness import MOST_SURE, Answer, mean

FEWEST_CLASSES, MOST_CLASSES = 5, 128
SIDES = (8, 128)
"""Rows and columns of a picture of a digit, letter or sign."""
BRIGHT, BORDER, OF_SMALL = 0.85, 0.8, 0.6
"""How far up in the picture's range paper is; the least part of the border that is paper; and the same of
small pictures, in which strokes reach the border."""
SMALL = 32
"""A square picture of fewer rows may have been cut out right around its strokes."""
INK, AS_DARK = (0.02, 0.5), 0.5
"""The part of the elements that ink has, and how far down in the range it is."""
SURE, HALF = 0.75, 0.5
CONTROLS = 3
ASIDE, ROOM = ((0, 1), (1, 0), (0, -1)), 16
"""Pixels to the right, down and left by which a picture is moved that has so many rows and columns: in a
smaller one a pixel is a stroke."""
FEWEST_PICTURES = 3
"""Pictures of a batch, and different answers to them."""
SURE_OF_ALL = 0.88
"""How sure answers to several pictures are on average."""
INVERSE = "with black and white swapped"
CERTAIN, TIMES, MOSTLY = 3.0, 2.0, 0.8
"""The least margin of answers to swapped pictures, in the middle of all; how many times as large it is as
that of those as sent, and of random orders; and the part of the pictures for which it is larger, and another
class."""
FIRM, LEAST_FIRM, FIRM_KEPT, SURER = 0.95, 4.0, 0.9, 0.1
"""How sure an answer to a swapped picture is, alone, and its margin; how sure it stays; and by how much surer
the model is of random orders as sent."""
NOISE, PALER = 0.08, 0.8
"""The deviation of noise, as a part of a picture's range, and the contrast of a paler one."""


def on_paper(
    graph: Graph, inputs: Sequence[Tensor], sent: Answer | None, seconds: float, most: float = MOST
) -> str | None:
    """A sentence if much speaks for a picture with black and white swapped, or None. `sent` is the answer to
    the inputs as they are. Raises NNError."""
    if sent is None or not FEWEST_CLASSES <= sent.classes <= MOST_CLASSES:
        return None
    papers = [(index, found) for index, one in enumerate(inputs) if (found := paper_of(one)) is not None]
    if len(papers) != 1 or len(inputs) > 1:
        return None
    index, array = papers[0]
    also = "says the same of white paper without ink"
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        if is_of_paper(runs, index, array, sent):
            answer = of_ink(runs, index, array, sent)
        else:
            answer = of_firmer_ink(runs, index, array, sent)
            also = "is as sure of its elements in random orders, which show nothing"
    if answer is None or answer.place == sent.place:
        return None
    return (
        f'input {index} "{graph.inputs[index].name}": {INVERSE} the answer is {answer}; '
        f"as sent it is {sent}, and the model {also}: does it want bright ink on black (255 - pixel)?"
    )


def all_on_paper(
    graph: Graph, inputs: Sequence[Tensor], sent: Sequence[Answer], seconds: float, most: float = MOST
) -> str | None:
    """A sentence if all pictures of a batch are ink on paper, and with black and white swapped the model is
    far surer of them, or sure of several classes, where paper without ink gets what all of them do; or None.
    `sent` are the answers to them as they are. Raises NNError."""
    count = inputs[0].shape[0] if len(inputs) == 1 and inputs[0].shape else 0
    numbers = inputs[0].numbers() if FEWEST_PICTURES <= count == len(sent) else None
    if numbers is None or not FEWEST_CLASSES <= sent[0].classes <= MOST_CLASSES:
        return None
    rows = numbers.reshape(count, 1, *inputs[0].shape[1:])
    papers = [found for one in rows if (found := paper_of(Tensor.from_numpy(one))) is not None]
    if len(papers) < count:
        return None
    turned, order = inverse(numpy.stack(papers)), numpy.random.default_rng(0)
    name = f'input 0 "{graph.inputs[0].name}"'
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        swapped = runs.rows(0, turned)
        places = [*dict.fromkeys(one.place for one in swapped)]
        if len(places) < FEWEST_PICTURES or not runs.left():
            return None
        mixed = runs.rows(0, order.permuted(turned.reshape(count, -1), axis=1))
        if are_surer(sent, swapped, mixed):
            return f"{name}: {told_of_all(sent, swapped)}"
        if mean(swapped) >= SURE_OF_ALL and are_of_none(runs, turned, sent, swapped):
            return f"{name}: {told_of_none(sent, places)}"
    return None


def are_of_none(runs: Runs, turned: Any, sent: Sequence[Answer], swapped: Sequence[Answer]) -> bool:
    """Whether all pictures of a batch got the answer of paper without ink, and with black and white swapped
    get the same as a pixel aside. `turned` are those, [pictures, height, width]."""
    if len({one.place for one in sent}) > 1:
        return False
    ground = runs.rows(0, numpy.full_like(turned, turned.min() + turned.max() - numpy.median(turned)))
    if {one.place for one in ground} != {sent[0].place}:
        return False
    places = [one.place for one in swapped]
    asked = (runs.rows(0, numpy.roll(turned, by, (1, 2))) for by in aside(turned[0]))
    return all([one.place for one in found] == places for found in asked)


def told_of_all(sent: Sequence[Answer], swapped: Sequence[Answer]) -> str:
    """What is said of pictures of which a model is far surer with black and white swapped."""
    before, after = (", ".join(map(str, answers)) for answers in (sent, swapped))
    return (
        f"all {len(sent)} pictures are dark ink on white paper; {INVERSE} the answers are {after}, and as "
        f"sent {before}, far less sure by how many times as probable each is as the next one: does it want "
        "bright ink on black (255 - pixel)?"
    )


def told_of_none(sent: Sequence[Answer], places: Sequence[int], *, is_paper: bool = True) -> str:
    """What is said of pictures of which a model sees as much as of white paper, or of a black ground;
    `places` are the classes that they get with black and white swapped."""
    own = [one.place for one in sent]
    place = max(own, key=own.count)
    count = own.count(place)
    which = f"all {len(own)}" if count == len(own) else f"{count} of {len(own)}"
    ground, wanted = ("white paper", "bright ink on black") if is_paper else ("black", "dark ink on white")
    return (
        f"{which} pictures get the answer {place}, which the model says of {ground} without ink, too; "
        f"{INVERSE} they get {', '.join(map(str, places))}: does it want {wanted} (255 - pixel)?"
    )


def paper_of(tensor: Tensor) -> Any:
    """The elements [height, width] of a picture of dark ink on a bright ground, or None for any other."""
    array = drawing_of(tensor)
    return None if array is None or not is_bright(array) else array


def is_bright(array: Any) -> bool:
    """Whether more of a picture's border is above the middle of its range than below."""
    edge = numpy.concatenate([array[0], array[-1], array[1:-1, 0], array[1:-1, -1]]).astype("f8")
    return bool(numpy.median(edge) > (float(array.min()) + float(array.max())) / 2)


def drawing_of(tensor: Tensor) -> Any:
    """Returns the elements [height, width] of a picture of ink on an even ground, bright or dark, or None."""
    numbers, picture = tensor.numbers(), picture_of(tensor.shape)
    if numbers is None or tensor.dtype not in CHANGED:
        return None
    side = isqrt(numbers.size)
    size = (picture.height, picture.width) if picture is not None and picture.channels == 1 else (side, side)
    if size[0] * size[1] != numbers.size or not SIDES[0] <= min(size) <= max(size) <= SIDES[1]:
        return None
    array = numbers.reshape(size)
    low, high = float(array.min()), float(array.max())
    if not low < high < float("inf"):
        return None
    level = (array.astype("f8") - low) / (high - low)
    level = level if is_bright(array) else 1 - level
    edge = [*level[0], *level[-1], *level[1:-1, 0], *level[1:-1, -1]]
    is_small = max(size) < ROOM or (size[0] == size[1] < SMALL)
    least = OF_SMALL if is_small else BORDER
    is_even = sum(one >= BRIGHT for one in edge) >= least * len(edge)
    return array if is_even and INK[0] <= float((level < AS_DARK).mean()) <= INK[1] else None


def is_ink_on_paper(runs: Runs, index: int, tensor: Tensor, sent: Answer, swapped: Answer) -> bool:
    """Whether a picture is one of ink on paper, or of bright ink on black, that gets the answer of the ground
    without ink, and with black and white swapped another one, also a pixel aside."""
    array = drawing_of(tensor)
    if array is None or swapped.place == sent.place or not is_of_blank(runs, index, array, sent):
        return False
    turned = inverse(array)
    return all(one is not None and one.place == swapped.place for one in asked_aside(runs, index, turned))


def is_of_blank(runs: Runs, index: int, array: Any, sent: Answer) -> bool:
    """Whether paper without ink gets the same answer, not far less surely."""
    answer = runs.changed(index, numpy.full_like(array, numpy.median(array)))
    return answer is not None and answer.place == sent.place and answer.sure >= HALF * sent.sure


def are_surer(sent: Sequence[Answer], swapped: Sequence[Answer], mixed: Sequence[Answer]) -> bool:
    """Whether a model is far surer of pictures with black and white swapped, nearly each of which gets
    another class, than as sent, and than of the swapped ones' elements in random orders."""
    pairs = [*zip(sent, swapped, strict=False)]
    if not len(sent) == len(swapped) == len(mixed):
        return False
    larger = sum(other.place != one.place and other.margin > one.margin for one, other in pairs)
    own, before, after = (median(one.margin for one in answers) for answers in (swapped, sent, mixed))
    is_far = CERTAIN <= own <= MOST_SURE and own >= TIMES * max(before, after)
    return is_far and larger >= MOSTLY * len(pairs)


def inverse(array: Any) -> Any:
    """A picture with black and white swapped."""
    return (array.min() + (array.max() - array)).astype(array.dtype)


def is_of_paper(runs: Runs, index: int, array: Any, sent: Answer) -> bool:
    """Whether a model gives the answer as sent to paper without ink, and to the same elements in most
    orders."""
    if not is_of_blank(runs, index, array, sent):
        return False
    mixed = runs.shuffled(Change("as sent", index, array), range(CONTROLS))
    return len(mixed) == CONTROLS and sum(one.place == sent.place for one in mixed) >= CONTROLS - 1


def of_ink(runs: Runs, index: int, array: Any, sent: Answer) -> Answer | None:
    """The answer to bright ink on black, if the model is sure of it because of the ink; or None. It has to be
    surer of a small picture than as sent, or sure where that is noisy: a model that wants paper may say of
    one letter what it says of paper alone."""
    turned = inverse(array)
    answer = runs.changed(index, turned)
    if answer is None or answer.sure < SURE:
        return None
    is_firm = answer.margin >= sent.margin or min(array.shape) >= ROOM
    if not is_firm and not kept(runs, index, turned, answer):
        return None
    for other in asked_aside(runs, index, turned):
        if other is None or other.place != answer.place or other.sure < SURE:
            return None
    ground = runs.changed(index, numpy.full_like(turned, numpy.median(turned)))
    mixed = runs.shuffled(Change("swapped", index, turned), range(2))
    others = [one for one in (ground, *mixed) if one is not None]
    is_own = len(others) == 3 and others[0].place != answer.place
    return answer if is_own and any(one.place != answer.place for one in others[1:]) else None


def of_firmer_ink(runs: Runs, index: int, array: Any, sent: Answer) -> Answer | None:
    """The answer to bright ink on black, if the model has twice the margin of it, keeps it if the picture is
    noisy or pale, and is less sure of its elements in random orders than of those as sent; or None."""
    turned = inverse(array)
    answer = runs.changed(index, turned)
    if answer is None or answer.sure < FIRM or answer.place == sent.place:
        return None
    if not max(LEAST_FIRM, TIMES * sent.margin) <= answer.margin <= MOST_SURE:
        return None
    if not kept(runs, index, turned, answer):
        return None
    orders = range(CONTROLS)
    mixed, after = (runs.shuffled(Change("", index, one), orders) for one in (array, turned))
    if len(mixed) + len(after) < 2 * CONTROLS:
        return None
    return answer if mean(mixed) >= mean(after) + SURER else None


def kept(runs: Runs, index: int, array: Any, answer: Answer) -> bool:
    """Whether an answer stays nearly as sure if a picture is noisy, and if it is paler."""
    low, high = float(array.min()), float(array.max())
    noise = numpy.random.default_rng(0).normal(0, NOISE * (high - low), array.shape)
    noisy = (array.astype("f8") + noise).clip(low, high)
    pale = (low + high) / 2 + (array.astype("f8") - (low + high) / 2) * PALER
    for one in (noisy, pale):
        other = runs.changed(index, one.astype(array.dtype))
        if other is None or other.place != answer.place or other.sure < FIRM_KEPT:
            return False
    return True


def asked_aside(runs: Runs, index: int, array: Any) -> Iterator[Answer | None]:
    """The answers to a picture a pixel aside, in several directions."""
    for by in aside(array):
        yield runs.changed(index, numpy.roll(array, by, (0, 1)))


def aside(array: Any) -> Sequence[tuple[int, int]]:
    """By how many pixels a picture may be moved."""
    return ASIDE if min(array.shape) >= ROOM else ()
