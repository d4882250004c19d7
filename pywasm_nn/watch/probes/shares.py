"""Shares of classes, and what a guest makes of them: softmax once more, a sign of percent behind a share, a
whole number that cuts it.

What is here: `misused`. Answers with several shares are given, of which the guest says numbers or a class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.comparing import are_shares, softmax
from ..regex import regex
from ..spoken import Word
from . import again
from .asked import Asked, Given
from .formulas import numbers, place_of, said_of

MOST = 4096
TOPS = (0.92, 0.71, 0.55)
SEVERAL = range(2, 65)
NEARLY = 0.9999
"""A share that is as good as 1 for everybody, and not 1."""
FAR = 30.0
"""A logit that is so much larger than 0, of which the others are so much smaller, has a share of 1."""
BEYOND = 9.0
"""An element that is no share: its power of e is all but all of their sum, and as percents it is little."""
LONGEST = 40
RAISED, A_LITTLE = 60.0, 0.01
"""Elements that are all so large have equal shares by softmax, with one a little larger, and their powers of
e are still f32; each of them is more than what is compared with percents below `BEYOND`."""
BELOW_ONE = 14.0
"""By how much a logit is larger than all others if its share is the last below 1, nearly: of one that is cut
the same is said as of all smaller ones, and a margin that a guest asks for is mostly smaller."""
LOWER = 25.0
"""By how much all logits are less without another share."""
NAMED = regex(r"prob|sigmoid|confid|speech|voice|(?:^|[^a-z])vad(?:[^a-z]|$)", re.IGNORECASE)
WORD = regex(r"[^\W\d_]+")
PERCENT = regex(r"(-?\d+(?:\.\d+)?)\s*(?:%|per ?cent)")
LIFT = regex(r"chance|random|likel(?:y|ier)|\blift|baseline|relative|compared", re.IGNORECASE)
"""Words for how many times as likely as something else a class is."""


def misused(asked: Asked) -> str:
    """Returns what is wrong with the use of shares, or "" if nothing is."""
    for index, output in asked.fetched():
        array = output.array
        if array.dtype.kind == "f" and is_one_share(output):
            if wrong := unscaled(asked, index, output):
                return f"{output.what}: {wrong}"
            continue
        if len(output.lengths) != 1 or not 2 <= array.size <= MOST:
            continue
        if array.dtype.kind != "f":
            if wrong := again.of_bytes(asked, index, output):
                return f"{output.what}: {wrong}"
            continue
        ways = (twice, unscaled, summed, cut, out_of_reach) if are_shares(array.reshape(-1)) else (cut,)
        ways = (cut, *ways) if asked.is_stuck else ways  # which explains it, and copies may have taken long
        if wrong := next(filter(None, (way(asked, index, output) for way in ways)), ""):
            return f"{output.what}: {wrong}"
    return ""


def is_one_share(output: Given) -> bool:
    """Whether an output is one number that is a probability, by its name and value."""
    array = output.array
    return bool(array.size == 1 and 0 <= array.min() <= 1 and NAMED.search(output.what))


def shared(output: Given, top: float, place: int) -> Any:
    """Elements of which one has this share, and the others the rest: as shares, or as logits if the output's
    are no shares."""
    array = output.array
    if array.size == 1:
        return array * 0 + array.dtype.type(top)
    rest = (1 - top) / (array.size - 1)
    if are_shares(array.reshape(-1)):
        made = numpy.full(array.size, rest)
        made[place] = top
    else:
        high = numpy.log(top / (1 - top)) if rest else FAR
        made = numpy.full(array.size, high - (numpy.log(top / rest) if rest else FAR + FAR))
        made[place] = high  # which has this share as a sigmoid, too
    return made.astype(array.dtype).reshape(array.shape)


def said(asked: Asked, index: int, arrays: Sequence[Any]) -> list[list[Word]]:
    """Returns the numbers that are written for each answer, or [] if they are not as many each time."""
    found = said_of(asked, index, arrays)
    return found if len({*map(len, found)}) == 1 else []


def twice(asked: Asked, index: int, output: Given) -> str:
    """The softmax of shares."""
    if not numbers(asked.control.text):
        return ""
    rows = [shared(output, top, output.array.size // 2) for top in TOPS]
    words = said(asked, index, rows)
    known = [float(softmax(row.reshape(-1).astype("f8")).max()) for row in rows]
    if not words or place_of(words, TOPS) is not None:
        return ""
    if (place := place_of(words, known)) is None:
        return again.of_many(asked, index, output)
    return (
        "its elements are probabilities already, and the number that is said is their softmax (softmax "
        f"applied twice): {words[0][place].text} for an element of {TOPS[0]}"
    )


def softened_again(asked: Asked, index: int, output: Given) -> str:
    """Returns what is wrong if softmax of shares is compared with a threshold, or "" if it isn't."""
    wrong = twice(asked, index, output) or out_of_reach(asked, index, output)
    return wrong and f"{output.what}: {wrong}"


def unscaled(asked: Asked, index: int, output: Given) -> str:
    """A share with a sign of percent behind it, which nothing has multiplied by 100."""
    if not PERCENT.search(asked.control.text):
        return ""
    place = output.array.size // 2
    shares, percents = (
        [(100 * by * shared(output, top, place)).astype(output.array.dtype) for top in TOPS[:2]]
        for by in (0.01, 1.0)
    )
    for arrays, factor in ((percents, 100.0), (shares, 1.0)):
        texts = [asked.text(index, one) for one in arrays]
        for text, top in zip(texts, TOPS, strict=False):
            words = [Word.of(one) for one in PERCENT.findall(text or "")]
            if not any(bool(word.fits(factor * top)) for word in words):
                return ""
            if factor == 1.0 and any(bool(word.fits(100 * top)) for word in words):
                return ""
    word = PERCENT.findall(texts[0] or "")[0]
    return (
        f"its elements are shares from 0 to 1, and the guest writes them as they are with a sign of percent "
        f'("{word} %" for {TOPS[0]}): they are to be multiplied by 100'
    )


def summed(asked: Asked, index: int, output: Given) -> str:
    """Percents of several answers that were added and not divided by their number."""
    if not PERCENT.search(asked.control.text) or LIFT.search(asked.control.text):
        return ""
    place = output.array.size // 2
    sums: list[set[int]] = []
    for top in TOPS[:2]:
        text = asked.text(index, shared(output, top, place)) or ""
        words = [Word.of(one) for one in PERCENT.findall(text)]
        sums.append({by for by in SEVERAL for word in words if bool(word.fits(100 * by * top))})
    known = sums[0] & sums[1]
    if len(known) != 1:
        return ""
    count = known.pop()
    return (
        f"if all answers have a share of {TOPS[0]}, the guest says {100 * count * TOPS[0]:.0f} %, which is "
        f"{count} times that: is the sum of {count} answers to be divided by {count}?"
    )


def cut(asked: Asked, index: int, output: Given) -> str:
    """A class that is only said if its share is exactly 1, or a percent that is 0 else."""
    places = (1, output.array.size - 1) if output.array.size > 2 else (0, 1)
    nearly = [asked.text(index, shared(output, NEARLY, place)) or "" for place in places]
    percents = [float(one) for one in PERCENT.findall(nearly[0])]
    none = bool(percents) and not any(percents)
    if not all(nearly) or not (none or nearly[0] == nearly[1]):
        return ""
    whole = [asked.text(index, shared(output, 1.0, place)) or "" for place in places]
    if nearly[0] == nearly[1] and all(whole) and whole[0] != whole[1]:
        if not is_by_share(asked, index, output, places[0], nearly[0], whole[0]):
            return ""
        return (
            f"the guest says the same whichever class has a share of {NEARLY}, and only says another if "
            "one has exactly 1: is a share, a sum or a difference of shares cut to a whole number?"
        )
    if none and 100.0 in map(float, PERCENT.findall(whole[0])):
        return (
            f"the guest says 0 % of a share of {NEARLY}, and 100 % of exactly 1: is a share cut to a whole "
            "number before it is multiplied by 100?"
        )
    return ""


def is_by_share(asked: Asked, index: int, output: Given, place: int, nearly: str, whole: str) -> bool:
    """Whether what is written depends on a share that is exactly 1, and not on the elements of logits, nor on
    whether the share is more than that of another model's sure answer."""
    kind = output.array.dtype
    if are_shares(output.array.reshape(-1)):
        almost = float(numpy.nextafter(kind.type(1), kind.type(0)))
        return asked.text(index, shared(output, almost, place)) == nearly
    lower = shared(output, 1.0, place) - LOWER
    less = numpy.full(output.array.size, -BELOW_ONE / 2)
    less[place] = BELOW_ONE / 2
    as_nearly = asked.text(index, less.astype(kind).reshape(output.array.shape)) == nearly
    return as_nearly and asked.text(index, lower.astype(kind)) == whole


def out_of_reach(asked: Asked, index: int, output: Given) -> str:
    """Returns a hint if what is said changes for elements beyond all shares, and not for a share of 1, or ""
    if it doesn't: softmax again makes little of shares, and much of logits."""
    place = output.array.size // 2

    def said(element: float, others: float = 0.0) -> str:
        made = numpy.full(output.array.shape, others, output.array.dtype)
        made.reshape(-1)[place] = element
        return asked.text(index, made) or ""

    def is_same(one: str, other: str) -> bool:
        return WORD.findall(one) == WORD.findall(other)

    few, every, beyond = (said(one) for one in (TOPS[-1], 1.0, BEYOND))
    if not beyond or not is_same(few, every) or is_same(every, beyond):
        return ""
    if not is_same(every, said(RAISED + A_LITTLE, RAISED)):  # compared with percents
        return ""
    most = float(softmax(numpy.eye(1, output.array.size)[0]).max())
    line = next((one for one in every.splitlines() if one not in beyond.splitlines()), every)
    return (
        f'the guest says "{line.strip()[:LONGEST]}" of a share of {TOPS[-1]} as of 1, and another thing of '
        f"an element of {BEYOND:g}: its elements are shares already; softmax once more makes {most:.3g} at "
        "most of them"
    )
