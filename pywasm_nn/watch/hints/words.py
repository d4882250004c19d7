"""Rules about the inputs of language models: numbers of words, and the mask that goes with them.

Each is a pure function of facts that returns a sentence, or None. What is not here: what the numbers mean
(`origin.vocabulary`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.halves import as_halves
from ...nn.tensor import DType, Tensor
from ..facts import Compute, Input

PADDED = 3
"""So many equal words at an end are padding, not words."""
SEGMENTS = ("token_type", "segment")
"""Parts of names of inputs that tell one text from a second one."""
LEAST = 4
"""Fewer words may have a 0 between them by chance."""
PADDING = 0
"""The number that stands for padding in most vocabularies."""


def other_mask(compute: Compute) -> str | None:
    """A mask that doesn't fit the words beside it: it is inverted, or shows padding. What it hides may be
    anything, such as the rest of an earlier text."""
    for mask, words in pairs(compute):
        shown, numbers = mask.values != 0, words.values
        padding = numbers == PADDING
        if shown.any() and not shown.all() and (shown == padding).all():
            return f"{mask} is 1 where {words} is 0, and 0 at its words: is it inverted?"
        if padding.any() and (shown != ~padding).any() and (shown[::-1] == ~padding).all():
            return f"{mask} and {words} are padded on opposite sides"
        count = trailing(padding)
        if count >= PADDED and shown[-count:].all() and not (padding[:-count]).any():
            return (
                f"{mask} is 1 at the last {count} elements of {words}, which are all 0: does the model read "
                "padding as words?"
            )
    return None


def other_segments(compute: Compute) -> str | None:
    """Segments that don't fit the words beside them: those of one text are 0, those of a second one are 1."""
    for segments in compute.inputs:
        if segments.values is None or not any(one in segments.spec.name.lower() for one in SEGMENTS):
            continue
        for words in compute.inputs:
            if words is segments or not is_text(words) or words.tensor.shape != segments.tensor.shape:
                continue
            if wrong := segments_wrong(words.values.tolist(), segments.values.tolist()):
                return f"{segments} {wrong.format(words)}{exchanged(compute, segments, words)}"
    return None


def exchanged(compute: Compute, segments: Input, words: Input) -> str:
    """What to add if a mask has no 1, and the segments are what it should be."""
    shown = (words.values != PADDING).tolist()
    for mask in compute.inputs:
        named = "mask" in mask.spec.name.lower() and mask.values is not None
        if named and not mask.values.any() and (segments.values != 0).tolist() == shown:
            return f" (and {mask} is 0 throughout: are the two exchanged?)"
    return ""


def segments_wrong(words: list[int], segments: list[int]) -> str:
    """What is wrong with segments, where texts begin and end with entries whose numbers follow each other, as
    [CLS] and [SEP] do in the usual vocabularies; "" if nothing is known to be."""
    filled = [place for place, word in enumerate(words) if word != PADDING]
    first, last = filled[0], filled[-1]
    separator = words[first] + 1
    ends = [place for place in filled if words[place] == separator]
    if words[last] != separator or len(ends) > 2 or last - first < PADDED or {*segments} - {0, 1}:
        return ""
    own = segments[first : last + 1]
    if len(ends) == 1:
        return "is 1 though there is one text in {}: its segments are 0" if any(own) else ""
    begins = ends[0] + 1 - first
    right = [int(place >= begins) for place in range(len(own))]
    if own == right or last - ends[0] < PADDED:
        return ""
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
                if ((mask.values == 0) | (mask.values == 1)).all():
                    yield mask, words
                break


def is_text(given: Input) -> bool:
    """Whether an input has the numbers of the words of one text."""
    shape, values = given.tensor.shape, given.values
    if values is None or values.dtype.kind not in "iu" or not shape or shape[-1] != len(values):
        return False
    return "mask" not in given.spec.name.lower() and int(values.max()) > 1 and int(values.min()) >= 0


def trailing(true: Any) -> int:
    """How many elements at the end are true."""
    import numpy

    others = numpy.flatnonzero(~true)
    return len(true) - 1 - int(others[-1]) if len(others) else len(true)
