"""Rules about the inputs of language models: numbers of words, and the mask that goes with them.

Each is a pure function of facts that returns a sentence, or None. What is not here: what the numbers mean
(`origin.vocabulary`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.halves import as_halves
from ...nn.tensor import DType, Tensor
from ..facts import Compute, Input
from ..regex import regex

ATTENTION = regex("attention|attn", re.IGNORECASE)
INVERTED = "is it inverted?"
PADDED = 3
"""So many equal words at an end are padding, not words."""
OF_WORDS = regex(
    r"(?:^|[^a-z])(?:ids?|inputs?_?ids?|tokens?|words?|texts?|sentences?|sub_?words?|pieces?)(?:$|[^a-z])",
    re.IGNORECASE,
)
"""Names of inputs of words: beside others, such as counts, floats may be another kind of mask."""
SEGMENTS = ("token_type", "segment")
"""Parts of names of inputs that tell one text from a second one."""
LEAST = 4
"""Fewer words may have a 0 between them by chance."""
FEWEST_ROWS = 2
"""Of several texts so many must show a mistake: in one it may be by chance."""
PADDING = 0
"""The number that stands for padding in most vocabularies."""


def other_mask(compute: Compute) -> str | None:
    """A mask that doesn't fit the words beside it: it is inverted, or shows padding. What it hides may be
    anything, such as the rest of an earlier text."""
    for mask, words in pairs(compute):
        judged = [mask_wrong(*row) for row in rows(mask, words)]
        if len(judged) > 1 and not ATTENTION.search(mask.spec.name) and any(map(is_inverted, judged)):
            continue  # the masks of some models are 1 at padding
        if wrong := in_most(judged):
            return wrong.format(mask, words)
    return None


def is_inverted(said: str | None) -> bool:
    """Whether a mask is said to have the other meaning."""
    return said is not None and INVERTED in said


def mask_wrong(shown: Any, numbers: Any) -> str | None:
    """Returns what is wrong with the mask of one text, "" if nothing is, or None if that can't be seen."""
    number = padding_of(numbers)
    shown, padding = shown != 0, numbers == number
    if not padding.any() or padding.all():
        return None
    if shown.any() and (shown == padding).all():
        return f"{{0}} is 1 where {{1}} is {number}, and 0 at its words: {INVERTED}"
    if (shown != ~padding).any() and (shown[::-1] == ~padding).all():
        return "{0} and {1} are padded on opposite sides"
    count = trailing(padding)
    if count < PADDED or padding[:-count].any():
        return None
    if not shown[-count:].all():
        return ""
    return (
        f"{{0}} is 1 at the last {count} elements of {{1}}, which are all {number}: does the model read "
        "padding as words?"
    )


def padding_of(numbers: Any) -> int:
    """The number of padding: 1 where a text begins with 0 and ends with 2 before ones, as RoBERTa's do."""
    ones = trailing(numbers == 1)
    return 1 if 0 < ones < len(numbers) and numbers[0] == 0 and numbers[-ones - 1] == 2 else PADDING


def in_most(said: Sequence[str | None]) -> str:
    """Returns what is wrong with the first text, if something is wrong with each text of which that can be
    seen, or "" if not. Of several texts it has to be seen of some."""
    seen = [(row, one) for row, one in enumerate(said) if one is not None]
    if not seen or not all(one for _, one in seen) or (len(said) > 1 and len(seen) < FEWEST_ROWS):
        return ""
    row, wrong = seen[0]
    if len(said) == 1:
        return wrong or ""
    return f"{wrong} (so in {len(seen)} of {len(said)} rows; this is of row {row})"


def rows(one: Input, other: Input) -> Iterator[tuple[Any, Any]]:
    """The rows of two inputs of one shape, which belong to the texts of a batch."""
    length = one.tensor.shape[-1]
    yield from zip(one.values.reshape(-1, length), other.values.reshape(-1, length), strict=True)


def other_segments(compute: Compute) -> str | None:
    """Segments that don't fit the words beside them: those of one text are 0, those of a second one are 1."""
    for segments in compute.inputs:
        if segments.values is None or not any(one in segments.spec.name.lower() for one in SEGMENTS):
            continue
        for words in compute.inputs:
            if words is segments or not is_text(words) or words.tensor.shape != segments.tensor.shape:
                continue
            judged = [segments_wrong(two.tolist(), one.tolist()) for one, two in rows(segments, words)]
            if wrong := in_most(judged):
                return f"{segments} {wrong.format(words)}{exchanged(compute, segments, words)}"
    return None


def exchanged(compute: Compute, segments: Input, words: Input) -> str:
    """Returns what to add if a mask has no 1, and the segments are what it should be, or "" if that is not
    so."""
    shown = (words.values != PADDING).tolist()
    for mask in compute.inputs:
        named = "mask" in mask.spec.name.lower() and mask.values is not None
        if named and not mask.values.any() and (segments.values != 0).tolist() == shown:
            return f" (and {mask} is 0 throughout: are the two exchanged?)"
    return ""


def segments_wrong(words: list[int], segments: list[int]) -> str | None:
    """Returns what is wrong with segments, where texts begin and end with entries whose numbers follow each
    other, as [CLS] and [SEP] do in the usual vocabularies, "" if nothing is, or None if that can't be
    seen."""
    filled = [place for place, word in enumerate(words) if word != PADDING]
    if not filled:
        return None
    first, last = filled[0], filled[-1]
    separator = words[first] + 1
    ends = [place for place in filled if words[place] == separator]
    if words[last] != separator or len(ends) > 2 or last - first < PADDED or {*segments} - {0, 1}:
        return None
    own = segments[first : last + 1]
    if len(ends) == 1 and own == sorted(own) and not own[0] and own[-1]:
        return (
            f"becomes 1 at element {first + own.index(1)}, as for a second text in {{}}, and no separator "
            f"({separator}) stands before that: was it left out between the two?"
        )
    if len(ends) == 1:
        return "is 1 though there is one text in {}: its segments are 0" if any(own) else ""
    begins = ends[0] + 1 - first
    right = [int(place >= begins) for place in range(len(own))]
    if own == right:
        return ""
    if last - ends[0] < PADDED:
        return None
    if not any(own):
        return "is 0 throughout, and {} has two texts: the segments of the second one are 1"
    if own == [1 - one for one in right]:
        return "is 1 at the first of the two texts in {} and 0 at the second: is it inverted?"
    if sorted(own) == own and any(own):
        place = first + own.index(1)
        return f"becomes 1 at element {place}, and the second text in {{}} begins at {ends[0] + 1}"
    return ""


def other_width(compute: Compute) -> str | None:
    """Words of 64 bits whose halves are taken for words of 32: each second one is 0."""
    for words in compute.inputs:
        if words.values is None or words.tensor.dtype not in (DType.I32, DType.U32):
            continue
        flat = words.values.reshape(-1)
        first, second = flat[0::2], flat[1::2]
        first = first[: len(first) - trailing(first == 0)]
        named = any(one in words.spec.name.lower() for one in ("id", "token", "word"))
        varied = len(first) >= LEAST and (first > 0).all() and len({*first.tolist()}) >= LEAST - 1
        if named and varied and not second.any():
            return (
                f"each second element of {words} is 0: are they numbers of 64 bits, each of which is taken "
                f"for two of {words.tensor.dtype}?"
            )
    return None


def two_in_one(compute: Compute) -> str | None:
    """Words of 32 bits of which two are taken for one of 64, and which the model computed all the same."""
    for words in compute.inputs:
        is_wide = words.values is not None and words.tensor.dtype == DType.I64
        if is_wide and (said := as_halves(Tensor.from_numpy(words.values))):
            return f"{words}: {said}"
    return None


def pairs(compute: Compute) -> Iterator[tuple[Input, Input]]:
    """Each mask of a text with the words beside it: one text of whole numbers, and zeros and ones."""
    for mask in compute.inputs:
        name = mask.spec.name.lower()
        if "mask" not in name or "pad" in name or mask.values is None:
            continue
        for words in compute.inputs:
            if words is not mask and is_text(words) and words.tensor.shape == mask.tensor.shape:
                is_known = mask.values.dtype.kind != "f" or OF_WORDS.search(words.spec.name)
                if is_known and ((mask.values == 0) | (mask.values == 1)).all():
                    yield mask, words
                break


def is_text(given: Input) -> bool:
    """Whether an input has the numbers of the words of a text, or of several of the same length."""
    shape, values = given.tensor.shape, given.values
    if values is None or values.dtype.kind not in "iu" or not 1 <= len(shape) <= 2 or not len(values):
        return False
    return "mask" not in given.spec.name.lower() and int(values.max()) > 1 and int(values.min()) >= 0


def trailing(true: Any) -> int:
    """How many elements at the end are true."""
    others = numpy.flatnonzero(~true)
    return len(true) - 1 - int(others[-1]) if len(others) else len(true)
