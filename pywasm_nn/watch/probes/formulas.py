"""The formula by which a guest makes the number that it writes of an answer.

What is here: `miscalculated`. Answers with several values are given; a formula is known if a number at the
same place of the text fits it for each of them, and no number fits one that may be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.comparing import sigmoid, softmax
from ..regex import regex
from ..spoken import Word, fit
from ..whatif.views import Rescaled
from ..written.undone import LOG, OF_CHANCES, POWERS, SAID
from .asked import Asked, Given

Formula = Callable[[Any, int], float]
"""Maps a row of elements and the place of the largest to a number that a program may print."""
NUMBER = regex(r"(?<![\w.])-?\d{1,15}(?:\.\d{1,9})?(?:[eE][-+]?\d{1,3})?(?![\w]|\.\d)")
SIDES = regex(r"(?<=\d)(?<!\b0)x(?=\d)")
"""What stands between a width and a height, and not in a number of base 16 (0x1f)."""
COLOUR = regex(r"#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?(?!\w)")
"""A colour in base 16, which may have nothing but digits."""
FEWEST, MOST, MOST_ROWS = 3, 4096, 64
MANY = 64
"""So many elements from 0 to 1 are shares."""
ONE = regex(r"prob|sigmoid", re.IGNORECASE)
"""By such a name so is one."""
CONSTANTS = (0.23, 0.87)
FACTORS, AT_END = (-1000.0, -30.0, 1e-6, 30.0, 1000.0), 1e-3
"""By these a model's input is multiplied, to see whether its answers are shares, and how near to 0 or 1 one
of them comes then."""
AMOUNTS = (2.31, 4.17, 6.26)
RAISED = ((2.9, 5), (4.2, 3), (3.4, 7))
"""By how much the largest element is larger than the next one, and how far the others reach below it."""
MOST_PERCENT, WHOLE, ROUNDED, NEAR_ONE = 100, 256, 12, 0.05
"""The most percents, the steps of bytes that are 1 together, by how much their sum may be off, and a scale by
which bytes stand for themselves."""
UNDECIDED = 0.3, 1.4, 3.4
"""The same of rows whose shares differ much."""


def rights() -> Mapping[str, Formula]:
    found: dict[str, Formula] = {
        "as it is": lambda row, best: float(row[best]),
        "softmax": lambda row, best: float(softmax(row)[best]),
        "sigmoid": lambda row, best: float(sigmoid(row[best])),
        "exp": lambda row, best: float(numpy.exp(min(row[best], 50.0))),
    }
    return found


def wrongs(*, are_signed: bool) -> Mapping[str, Formula]:
    """Of elements that are never below 0, such as votes and amounts, the share of the sum is meant."""
    parts: Mapping[str, Formula] = {
        "the largest element divided by the sum of all": lambda row, best: float(row[best] / row.sum()),
        "the largest element divided by the sum of all without their signs": (
            lambda row, best: float(row[best] / abs(row).sum())
        ),
    }
    return {
        **(parts if are_signed else {}),
        "the power of 2 divided by the sum of the powers of 2": (
            lambda row, best: float(softmax(row * numpy.log(2))[best])
        ),
        "softmax of softmax": lambda row, best: float(softmax(softmax(row))[best]),
        "sigmoid of softmax": lambda row, best: float(sigmoid(softmax(row)[best])),
    }


def miscalculated(asked: Asked) -> str:
    """Returns a hint about the wrong formula of a number that a guest writes, or "" if none is known."""
    for index, output in asked.fetched():
        if output.array.dtype.kind == "f":
            wrong = (
                of_logits(asked, index, output)
                or of_whole_batch(asked, index, output)
                or of_shares(asked, index, output)
                or of_logarithm(asked, index, output)
            )
        else:
            wrong = of_bytes(asked, index, output)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def numbers(text: str) -> list[Word]:
    """The numbers of a text, of which two may be sides: 76x48. Colours (#565358) are none."""
    return [Word.of(one) for one in NUMBER.findall(SIDES.sub(" ", COLOUR.sub(" ", text)))]


def place_of(said: Sequence[Sequence[Word]], wanted: Sequence[float]) -> int | None:
    """The place at which numbers of all texts are what they should be, as shares or in percent."""
    for place in range(min(map(len, said))):
        words = [line[place] for line in said]
        is_told = len({word.value for word in words}) > 1  # -0 is 0
        is_share = max(map(abs, wanted)) <= 1 and any(word.is_whole for word in words)
        factors = (100.0,) if is_share else (1.0, 100.0)  # 0 and 1 may be counts of anything
        if is_told and any(fit(words, wanted, factor) for factor in factors):
            return place
    return None


def said_of(asked: Asked, index: int, arrays: Sequence[Any]) -> list[list[Word]]:
    """Returns the numbers that are written for each array, or [] if there are none for one of them."""
    texts = [asked.text(index, array) for array in arrays]
    found = [numbers(text) for text in texts if text is not None]
    return found if len(found) == len(arrays) and all(found) else []


def of_logits(asked: Asked, index: int, output: Given) -> str:
    """Shares of classes that are made of logits without softmax, of one row or of several."""
    array, count = output.array, (output.lengths or [0])[-1]
    many = array.size // max(count, 1)
    if len(output.lengths) not in (1, 2) or many > MOST_ROWS or not FEWEST <= count <= MOST:
        return ""
    if array.ndim > 1 and array.shape[0] == array.size:  # one number of each input
        return ""
    if array.min() >= 0 and abs(float(array.sum()) - many) < 0.05:  # they are shares
        return ""
    rows = []
    for number, (top, depth) in enumerate(RAISED):
        row = numpy.roll(-numpy.linspace(0.4, depth, count), number + 1)
        row[count // 2] = top
        rows.append(row.astype(array.dtype))
    said = said_of(asked, index, [numpy.tile(row, many).reshape(array.shape) for row in rows])
    best = count // 2

    def follows(formula: Formula) -> bool:
        wanted = [formula(row.astype("f8"), best) for row in rows]
        return bool(said) and place_of(said, wanted) is not None

    if not said or any(map(follows, rights().values())):
        return ""
    ways = wrongs(are_signed=bool(array.min() < 0))
    what = next((what for what, formula in ways.items() if follows(formula)), "")
    return what and f"its elements are logits, and the number that is said is {what}; softmax is meant"


def of_whole_batch(asked: Asked, index: int, output: Given) -> str:
    """Shares of all rows of a batch together, which are those of softmax divided by the number of rows."""
    array, count = output.array, (output.lengths or [0])[-1]
    many = array.shape[0]
    if not (asked.is_batch(output) and array.size == many * count and 1 < many <= MOST_ROWS):
        return ""
    are_shares = array.min() >= 0 and abs(float(array.sum()) - many) < 0.05
    if are_shares or not 1 < count <= MOST:
        return ""
    rows = []
    for number, top in enumerate(UNDECIDED):
        row = numpy.roll(-numpy.linspace(0, 1.5, count), number + 1)
        row[count // 2] = top
        rows.append(row.astype(array.dtype))
    said = said_of(asked, index, [numpy.tile(row, many).reshape(array.shape) for row in rows])
    wanted = [float(softmax(row.astype("f8"))[count // 2]) for row in rows]
    if not said or place_of(said, wanted) is not None:
        return ""
    if place_of(said, [one / many for one in wanted]) is None:
        return ""
    return (
        f"its elements are logits, and the number that is said is a share of all {many} rows together, as of "
        "softmax over the whole batch; softmax of each row is meant"
    )


def of_shares(asked: Asked, index: int, output: Given) -> str:
    """The sigmoid of what are shares already."""
    array = output.array
    is_one = array.size == 1 or (asked.is_batch(output) and array.size == len(array))
    is_many = array.size >= MANY and array.max() > array.min()
    if not (is_one or is_many) or array.min() < 0 or array.max() > 1:
        return ""
    said = said_of(asked, index, [numpy.full(array.shape, one, array.dtype) for one in CONSTANTS])
    if not said or place_of(said, CONSTANTS) is not None:
        return ""
    if place_of(said, [float(sigmoid(one)) for one in CONSTANTS]) is None:
        return ""
    if not is_many and ONE.search(output.what) is None and not never_leaves(asked, index):
        return ""
    return (
        f"its elements are from {array.min():.4g} to {array.max():.4g}, so they are shares already, and the "
        "number that the guest says is their sigmoid (sigmoid applied twice)"
    )


def never_leaves(asked: Asked, index: int) -> bool:
    """Whether a model's answers stay from 0 to 1 however large its input is made, and come to an end of that:
    so does a share, and no logit."""
    found = [asked.answer_to(Rescaled(0.0, 1 / factor)).get(index) for factor in FACTORS]
    known = [one.reshape(-1).astype("f8") for one in found if one is not None and one.size]
    if len(known) < len(FACTORS):
        return False
    every = numpy.concatenate(known)
    is_within = bool(every.min() >= 0 and every.max() <= 1)
    return is_within and float(numpy.minimum(every, 1 - every).min()) <= AT_END and numpy.ptp(every) > AT_END


def of_logarithm(asked: Asked, index: int, output: Given) -> str:
    """A logarithm, by its name, that is written as an amount."""
    array, name = output.array, output.what.lower().partition('"')[2].rstrip('"')
    named = LOG.search(name) and not OF_CHANCES.search(name)
    if array.size > MOST_ROWS or not named or SAID.search(asked.control.text):
        return ""
    if not is_left_as_it_is(asked, index, output):
        return ""
    return (
        "by its name it is a logarithm, and the guest writes it as it is, whatever it is; exp (or expm1) "
        "would undo it"
    )


def may_be_percents(output: Given) -> bool:
    """Whether bytes may be percents as they are: none is beyond 100, and together they are no whole of 256
    steps, nor does a scale say that they stand for something else."""
    low, high, total = (
        int(one) for one in (output.array.min(), output.array.max(), output.array.sum(dtype="i8"))
    )
    if output.affine is not None and (output.affine[1] or abs(output.affine[0] - 1) > NEAR_ONE):
        return False
    return low >= 0 and high <= MOST_PERCENT and abs(total - WHOLE) > ROUNDED


def is_left_as_it_is(asked: Asked, index: int, output: Given) -> bool:
    """Whether the guest writes an answer as it is, and no power of it."""
    array = output.array
    said = said_of(asked, index, [numpy.full(array.shape, one, array.dtype) for one in AMOUNTS])
    if not said or place_of(said, AMOUNTS) is None:
        return False
    return all(place_of(said, [float(undone(one)) for one in AMOUNTS]) is None for undone in POWERS)


def of_bytes(asked: Asked, index: int, output: Given) -> str:
    """Whole numbers of 8 bits that are written as percents, as which they would reach 255."""
    array = output.array
    if array.dtype.itemsize != 1 or len(output.lengths) != 1 or not FEWEST <= array.size <= MOST:
        return ""
    if may_be_percents(output):
        return ""
    tops = (251, 202, 143) if array.dtype.kind == "u" else (121, 77, 43)
    made = []
    for top in tops:
        one = output.filled([array.size // 2])
        one.reshape(-1)[array.size // 2] = top
        made.append(one)
    texts = [asked.text(index, one) for one in made]
    percents = [re.findall(r"(-?\d+(?:\.\d+)?)\s*(?:%|per ?cent)", text or "") for text in texts]
    if any(not found for found in percents):
        return ""
    if all(float(top) in map(float, found) for top, found in zip(tops, percents, strict=True)):
        return (
            f"the guest writes an element as it is with a sign of percent, also {tops[0]} %: elements are "
            f"{array.dtype.name}, and their scale makes shares of them"
        )
    return ""
