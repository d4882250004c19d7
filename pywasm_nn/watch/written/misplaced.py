"""Answers of which a guest takes elements from the wrong places: neighbours, the other layout, rows of
another length, x for y, another output.

What is here: rules, each a function of a `Round` that returns a sentence or "". What is not: elements that
are read or scaled wrongly (`misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..classes import CALENDAR, WITH_BACKGROUND
from ..origin.comparing import softmax
from ..regex import regex
from ..spoken import Word
from ..subjects import counted_things, subjects
from .misread import Fetched, Round, fits, plain, told

FEWEST = 4
FEW, MOST_INPUTS, MOST_STEP, MOST_SAID = 3, 64, 4, 6
"""The fewest inputs and classes of a batch, the most inputs, the most numbers from one that is said of an
input to the next, and how many of these are shown."""
SMALL = 10
"""Smaller counts may be anything."""
MOST_CHANNELS = 256
SCORE = regex(
    r"\b(?:score|prob(?:ability)?|conf(?:idence)?)\b[\s:=(]{1,4}(\d{1,6}(?:\.\d{1,9})?)", re.IGNORECASE
)
ZEROS = regex(
    r"\b(?:best|class|label|top|index|prediction|predicted|argmax|digit)\b[\s:=(]{1,4}0\b[^\n\d]{1,16}0\.0{2,9}(?!\d)",
    re.IGNORECASE,
)
NO_CLASS = regex(
    r"\b(?:unknown|none|background|silen\w+|blank|noise|others?|reject\w*|threshold|nothing|no|unsure"
    r"|uncertain)\b",
    re.IGNORECASE,
)
"""A guest with one of these words knows a class that stands for no class."""
SIDES = regex(r"\b([xy])(?:_?(?:1|min|0))?\s*[:=]\s*(-?\d{1,6}(?:\.\d{1,9})?)", re.IGNORECASE)


def single(of: Round) -> Iterator[tuple[Fetched, Any]]:
    """Outputs that are one row of classes."""
    for output in of.outputs:
        if output.rows.shape[0] == 1 and output.rows.shape[1] >= FEWEST:
            yield output, output.flat


def at(output: Fetched, place: int, word: Word) -> bool:
    """Whether a number stands for the element at a place."""
    return any(bool(fits(word, numbers[place])) for numbers in plain(output))


def neighbours(of: Round) -> str:
    """Several indices with the values of the elements before or after them."""
    pairs = {(index, word) for index, word, _ in of.text.pairs()}
    for output, flat in single(of):
        count = len(flat)
        if is_of_inputs(output, of) or any(i < count and at(output, i, word) for i, word in pairs):
            continue
        for by in (1, -1):
            found = {i: w for i, w in pairs if 0 <= i - by < count and at(output, i - by, w)}
            if len(found) < 2 or 2 * len(of.text.wholes) > count or is_meant(of.text, by, count):
                continue
            if by > 0 and {*found} <= counted_things(of.text):
                continue
            index, word = next(iter(found.items()))
            return (
                f"{output.what}: the guest says {index} with {word.text}, which is the value of element "
                f"{index - by}, and so {len(found)} times: is the index off by one?"
            )
    return ""


def is_of_inputs(output: Fetched, of: Round) -> bool:
    """Whether each element is of another input: people count those from 1."""
    length = output.numbers.shape[0]
    return length == len(output.flat) and any(one.numbers.shape[:1] == (length,) for one in of.inputs)


def is_meant(text: str, by: int, count: int) -> bool:
    """Whether classes may be counted from 1 on purpose, or without the background."""
    if by < 0:
        return count in WITH_BACKGROUND
    if len(subjects(text)) > 1:
        return True
    return count in CALENDAR or re.search(rf"(?:\bof|/)\s*{count}\b", text) is not None


def not_the_last(of: Round) -> str:
    """Returns a hint if the guest says the largest of all elements but the last, and that is the largest of
    all; or "". A guest with words for a class that is none may leave the last out, which often is that
    one."""
    if NO_CLASS.search(of.text):
        return ""
    words = [word for word in of.text.words if told(word)]
    for output, flat in single(of):
        best = int(flat.argmax())
        if best != len(flat) - 1 or best in of.text.wholes or any(at(output, best, word) for word in words):
            continue
        others = flat[:-1]
        place = int(others.argmax())
        value = float(softmax(others).max())
        said = [word for index, word, _ in of.text.pairs() if index == place]
        if {i for i, w, _ in of.text.pairs() if i < len(flat) and at(output, i, w)} - {place}:
            continue
        if any(at(output, place, word) or bool(fits(word, value)) for word in said):
            return (
                f"{output.what}: the guest says {place}, which is the largest of all elements but the last; "
                f"the largest is the last, {best} ({flat[best]:.4g}): does the search end too early?"
            )
    return ""


def never_written(of: Round) -> str:
    """Class 0 at nothing: zeros, which stand in no answer."""
    found = ZEROS.search(of.text)
    if found is None or any(word.value for word in of.text.words):
        return ""
    for output, flat in single(of):
        if flat.argmax() != 0 and flat.max() > 0.05 and abs(flat[0]) > 1e-3:
            return (
                f'{output.what}: the guest says "{found[0]}", but the largest element is {flat.argmax()} '
                f"({flat.max():.4g}), and element 0 is {flat[0]:.4g}: does it read a buffer that get_output "
                "never wrote?"
            )
    return ""


def beyond_its_row(of: Round) -> str:
    """Returns a hint if of each of several inputs the largest element is said that lies between the first row
    and the end of its own, or between the beginning of its own and the last row; or "". Some of these numbers
    are no class, and the right ones aren't written."""
    wholes = [int(word.value) if word.is_whole else -1 for word in of.text.words]
    for output in of.outputs:
        rows, flat = output.rows, output.flat
        count, classes = rows.shape
        if output.numbers.ndim != rows.ndim or not FEW <= count <= MOST_INPUTS or classes < FEW:
            continue
        if not any(one.numbers.shape[:1] == (count,) for one in of.inputs):
            continue
        own = rows.argmax(axis=1)
        ends = [classes * at for at in range(count + 1)]
        for begins, finishes, where in (
            ([0] * count, ends[1:], "from the first row on to the end of its own"),
            (ends[:-1], [flat.size] * count, "from its own row on to the end of the last one"),
        ):
            places = [int(flat[one:end].argmax()) for one, end in zip(begins, finishes, strict=True)]
            is_other = max(places) >= classes and int((own != places).sum()) > 1
            if is_other and is_written(places, wholes) and not is_written(own.tolist(), wholes):
                said = ", ".join(map(str, places[:MOST_SAID]))
                return (
                    f"{output.what}: of {count} inputs the guest says {said}{' ...' * (count > MOST_SAID)}, "
                    f"which is where the largest element lies {where}; each has a row of {classes} elements: "
                    "does the search go beyond the row?"
                )
    return ""


def is_written(numbers: Sequence[int], among: Sequence[int]) -> bool:
    """Whether numbers stand in a text one after the other, or with as many others between each two."""
    reach = len(numbers)
    return any(
        [*among[at::step][:reach]] == [*numbers]
        for step in range(1, MOST_STEP + 1)
        for at in range(len(among))
    )


def layouts(output: Fetched) -> tuple[Any, Any, str] | None:
    """For each pixel the largest channel, as the shape says and in the other layout, and how that is read."""
    shape = [length for length in output.numbers.shape if length != 1]
    if len(shape) != 3 or not 2 <= min(shape) <= MOST_CHANNELS or shape.count(min(shape)) > 1:
        return None
    flat, channels = output.flat, min(shape)
    planar, interleaved = flat.reshape(channels, -1).argmax(0), flat.reshape(-1, channels).argmax(1)
    if shape[0] == channels:
        return planar, interleaved, "NHWC; it is NCHW"
    return (interleaved, planar, "NCHW; it is NHWC") if shape[2] == channels else None


def other_layout(of: Round) -> str:
    """Numbers of pixels by class, as they are if the answer is read in the other layout."""
    for output in (*of.outputs, *of.maps):
        if (read := layouts(output)) is None:
            continue
        right, other = (set(numpy.bincount(one).tolist()) for one in read[:2])
        total = len(read[0])
        wholes = {one for one in of.text.wholes if one >= SMALL}
        found = (other - right) & wholes
        if 2 * len(found) < len(wholes):
            found = set()  # of many numbers some are counts by chance
        sure = [word for word in of.text.words if told(word)]
        found |= {one for one in other - right if any(fits(word, one / total) for word in sure)}
        known = bool(right & wholes) or any(
            bool(fits(word, one / total)) for one in right if one for word in sure
        )
        if len(found) >= 2 and not known:
            counts = ", ".join(map(str, sorted(found)[-3:]))
            return (
                f"{output.what}: the guest says how many pixels are of which class ({counts} of {total}) as "
                f"if the answer {list(output.numbers.shape)} were {read[2]}"
            )
    return ""


def exchanged(of: Round) -> str:
    """A row and a column with the value that stands there only if rows are as long as columns."""
    for output in of.outputs:
        shape = [length for length in output.numbers.shape if length != 1]
        if len(shape) != 2 or shape[0] == shape[1]:
            continue
        height, width = shape
        found = []
        for line in of.text.lines:
            for one, next_ in pairwise(line):
                for word in filter(told, line):
                    if not (one.is_whole and next_.is_whole and one.value > 0 <= next_.value):
                        continue
                    if int(word.fits(output.flat).sum()) > 1:  # as 1.000, which is anywhere
                        continue
                    a, b = int(one.value), int(next_.value)
                    places = (a * height + b, a * width + b, b * width + a, b * height + a)
                    hits = [0 <= p < height * width and bool(fits(word, output.flat[p])) for p in places]
                    if any(hits[1:3]):
                        return ""
                    if hits[0] and b < height:
                        found.append((a, b, places[0]))
        if len(found) >= 2 or (found and found[0][2] == int(output.flat.argmax())):
            a, b, place = found[0]
            return (
                f"{output.what}: the guest says ({a}, {b}) of element {place}, which is there if rows have "
                f"{height} elements; they have {width}, and it is ({place // width}, {place % width}): are "
                "rows and columns exchanged?"
            )
    return ""


def other_output(of: Round) -> str:
    """A score that is an element of an output of whole numbers, when another has shares."""
    for text in SCORE.findall(of.text):
        word = Word.of(text)
        if word.value <= 1 or "%" in of.text:
            continue
        for output in of.outputs:
            flat = output.flat
            shares = [
                one for one in of.outputs
                if one is not output and one.flat.size == flat.size and one.flat.min() >= 0
                and one.flat.max() <= 1 and bool((one.flat != numpy.rint(one.flat)).any())
            ]  # fmt: skip
            whole = bool((flat == numpy.rint(flat)).all()) and flat.max() > 1 and flat.size > 1
            if (
                whole
                and shares
                and bool(word.fits(flat).any())
                and not bool((word.fits(100 * shares[0].flat)).any())
            ):
                return (
                    f"the guest says a score of {text}, which is an element of {output.what}: its elements "
                    f"are whole numbers, as classes are; those of {shares[0].what} are from 0 to 1"
                )
    return ""


def sides(of: Round) -> str:
    """x and y of a box, where the model gives them in the other order."""
    words = [
        {name.lower(): Word.of(text) for name, text in reversed(SIDES.findall(line))}
        for line in of.text.splitlines()
    ]
    words = [one for one in words if set(one) == {"x", "y"}]
    lengths = [float(length) for given in of.inputs for length in given.numbers.shape if length > SMALL]
    for output in of.outputs:
        places = order_of_box(output, of.outputs)
        if places is None:
            continue
        rows = output.rows[:256]
        x, y = rows[:, places[0]], rows[:, places[1]]
        swapped = 0
        for one in words:
            for scale in (1.0, *sorted(set(lengths))):
                meant = one["x"].fits(scale * x) & one["y"].fits(scale * y)
                other = one["x"].fits(scale * y) & one["y"].fits(scale * x)
                if bool(meant.any()):
                    return ""
                swapped += bool((other & (abs(x - y) * scale > 2 * one["x"].unit)).any())
        enough = 1 if words and min(one["x"].digits for one in words) >= 3 else 2
        if swapped >= enough:
            first = words[0]
            return (
                f"{output.what}: the guest says x {first['x'].text} and y {first['y'].text}; in this answer "
                f"{'y stands before x' if places[0] > places[1] else 'x stands before y'}: are "
                "x and y exchanged?"
            )
    return ""


OF_TENSORFLOW = regex(r"detection_boxes|detection_postprocess", re.IGNORECASE)
"""TensorFlow's boxes have these names, and y first; others call theirs "detections", with x first."""


def order_of_box(output: Fetched, outputs: Sequence[Fetched]) -> tuple[int, int] | None:
    """Where x and y stand in a row of a detector's usual answers: TensorFlow's, OpenVINO's and Caffe's."""
    shape = output.numbers.shape
    if len(shape) == 4 and shape[:2] == (1, 1) and shape[3] == 7:
        return 3, 4
    sizes = sorted(one.flat.size for one in outputs)
    named = OF_TENSORFLOW.search(output.what) is not None
    alike = len(shape) == 3 and shape[2] == 4 and len(outputs) == 4 and sizes[:3] == [1, shape[1], shape[1]]
    return (1, 0) if len(shape) == 3 and shape[2] == 4 and (named or alike) else None


RULES = (
    neighbours, not_the_last, never_written, beyond_its_row, other_layout, exchanged, other_output, sides,
)  # fmt: skip


def misplaced(of: Round) -> str:
    """Returns what is wrong with the places that a guest takes elements from, or "" if nothing is."""
    return next(filter(None, (rule(of) for rule in RULES)), "")
