"""Where a guest says yes: at which logit, or share, does what it writes change?

What is here: `on_logits`, `of_shares` for a map, `never_passed` for many answers. All elements are made the
same, such as a little below and above 0.5.
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from .asked import Asked, Given

BELOW, ABOVE = 0.47, 0.53
"""By a sigmoid these are 0.615 and 0.629, between which nobody decides."""
FAR = 6.0
MANY = 64
"""So many elements from 0 to 1 are shares."""
LITTLE, NEARLY, BEYOND = 0.004, 0.97, 200.0
"""Shares between which everybody decides, and what is none."""
BYTES, WHOLE = (0, 2, 250), (0.9, 1.1)
BELOW_NOTHING = -0.05
"""Logits are less than probabilities can be. An amount that passes 0.5, such as rain, is not."""
SURELY_NOT = -1.0
"""The least of many logits is less than that; scores that a model makes nearly 0 are not."""
SHARES = 0.001, 0.999, 1.0, 100.0
PROBABLE = re.compile(
    r"prob|score|conf|speech|voice|(?:^|[^a-z])vad(?:[^a-z]|$)|wake|keyword|sigmoid|silero|detect",
    re.IGNORECASE,
)
"""By such a name of an output or a model its number is a probability."""
DENIALS = frozenset({"no", "not", "nobody", "nothing", "none", "never", "without", "isn", "doesn", "t"})
ABSENCE = re.compile(
    r"(?:^|[^a-z])(?:no|not|non|un\w*|absen\w*|silen\w*|background|miss\w*|empty|free|error)(?:[^a-z]|$)"
)
WORD = re.compile(r"[a-z]+")
LONGEST, FEWEST_LETTERS = 40, 4
DECIMAL = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def on_logits(asked: Asked) -> str:
    """Returns a hint about a threshold of 0.5 on elements that are no probabilities, or "" if there is
    none."""
    for index, output in asked.fetched():
        array = output.array
        least = BELOW_NOTHING if array.size < MANY else SURELY_NOT
        if array.dtype.kind != "f" or (array.min() > least and "logit" not in output.what.lower()):
            continue
        near = [decided(asked, index, output, one) for one in (BELOW, ABOVE)]
        if None in near or near[0] == near[1]:
            continue
        if near == [decided(asked, index, output, one) for one in (-FAR, FAR)]:
            return (
                f"{output.what}: what the guest writes changes where its elements pass 0.5; they are logits, "
                f"here from {array.min():.4g} to {array.max():.4g}: a sigmoid or softmax makes probabilities "
                "of them, and 0.5 is logit 0"
            )
    return ""


def of_shares(asked: Asked) -> str:
    """Returns a hint about a threshold below all shares that there are, or "" if there is none."""
    for index, output in asked.fetched():
        array = output.array
        is_map = array.dtype.kind == "f" and len(output.lengths) > 1 and array.size >= MANY
        if not is_map or not 0 <= array.min() <= LITTLE or not NEARLY <= array.max() <= 1:
            continue
        few, most = (alike(asked, index, output, one) for one in (LITTLE, NEARLY))
        if few is None or few != most:
            continue
        none, beyond = (alike(asked, index, output, one) for one in (0.0, BEYOND))
        if none is not None and none != few == beyond == asked.text(index, uneven(array)):
            return (
                f"{output.what}: its elements are shares, from {array.min():.3g} to {array.max():.3g}; what "
                f"the guest writes is the same if all are {LITTLE} or {NEARLY}, and another if all are 0: "
                "does everything above 0 count, however small?"
            )
    return ""


def uneven(array: Any) -> Any:
    """Shares above 0 of different size, which count alike if all above 0 do; the largest may be looked for,
    too."""
    made = numpy.full(array.shape, LITTLE, array.dtype)
    made.reshape(-1)[1::3] = NEARLY
    return made


def of_bytes(asked: Asked) -> str:
    """Returns a hint about bytes that stand for shares, of which all above 0 count, or "" if it isn't so."""
    for index, output in asked.fetched():
        is_map = len(output.lengths) > 1 and output.array.size >= MANY
        if output.array.dtype.str != "|u1" or output.affine is None or not (is_map or output.array.size == 1):
            continue
        scale, zero = output.affine
        if zero or not WHOLE[0] <= scale * 255 <= WHOLE[1]:
            continue
        none, few, most = (decided(asked, index, output, one) for one in BYTES)
        if few and few == most and none and none != few:
            return (
                f"{output.what}: its bytes stand for shares from 0 to 1 (times {scale:.4g}), and what the "
                f"guest writes is the same if all are {BYTES[1]} or {BYTES[2]}, and another if all are 0: "
                "are bytes compared with a share, such as 0.5?"
            )
    return ""


def above_nothing(asked: Asked) -> str:
    """A word that is said of the smallest share as of the largest, and not of 0: supposed to be wrong, until
    more answers show that they are shares."""
    for index, output in asked.fetched():
        array = output.array
        if array.size != 1 or array.dtype.kind != "f" or not 0 < array.min() <= 1:
            continue
        ways = (decided(asked, index, output, one) for one in (SHARES[0], SHARES[1], 0.0, -SHARES[0]))
        little, much, none, less = ways
        if little and little == much and none and none == less != little:
            line = little.strip().splitlines()[0][:LONGEST]
            asked.supposed = (
                f'{output.what}: the guest says "{line}" of {SHARES[0]} as of {SHARES[1]}, and another '
                "thing of 0: does everything above 0 count? That is half of the way for logits; "
                "for probabilities it is 0.5"
            )
    return ""


def turned(asked: Asked) -> str:
    """What is said of a small share denies what is said of a large one, the wrong way round."""
    for index, output in asked.fetched():
        array = output.array
        if array.size != 1 or array.dtype.kind != "f" or not 0 <= array.min() <= array.max() <= 1:
            continue
        name = f"{output.what} {asked.model}".lower()
        texts = [decided(asked, index, output, value) for value in SHARES[:2]]
        if None in texts or ABSENCE.search(name):
            continue
        small, large = ({*WORD.findall((text or "").lower())} for text in texts)
        denied, named = (
            large - small,
            [word for word in small if len(word) >= FEWEST_LETTERS and word in name],
        )
        if denied and denied <= DENIALS and named:
            first, second = ((text or "").strip()[:LONGEST] for text in texts)
            return (
                f'{output.what}: the guest says "{second}" of a share of {SHARES[1]} and "{first}" of '
                f"{SHARES[0]}: is the comparison the wrong way round?"
            )
    return ""


def has_share(event: NNEvent) -> bool:
    """Whether an answer has an output of one number, which is a probability by its name and value."""
    for spec, tensor in zip(event.specs, event.tensors, strict=False):
        numbers = tensor.numbers()
        if numbers is not None and numbers.size == 1 and numbers.dtype.kind == "f":
            return 0 <= numbers[0] <= 1 and bool(PROBABLE.search(f"{spec.name} {event.model}"))
    return False


def never_passed(asked: Asked) -> str:
    """What a guest says of many answers, at its end, is the same for the smallest and the largest share."""
    for index, output in asked.fetched():
        if output.array.size != 1 or output.array.dtype.kind != "f":
            continue
        small, large, one, many = (decided(asked, index, output, value) for value in SHARES)
        if None in (small, large, one, many) or small != large:
            continue
        if one != large:
            return (
                f"{output.what}: what the guest writes at its end is the same if all answers are {SHARES[0]} "
                f"or {SHARES[1]}, and another if all are 1: is a share made a whole number, which cuts it?"
            )
        if many != large:
            return (
                f"{output.what}: what the guest writes at its end is the same if all answers are {SHARES[0]} "
                f"or 1, and another if all are {SHARES[3]:.0f}: is a share compared with percents?"
            )
    return ""


def alike(asked: Asked, index: int, output: Given, value: float) -> str | None:
    """Returns what a guest writes if all elements are this one."""
    return asked.text(index, numpy.full(output.array.shape, value, output.array.dtype))


def decided(asked: Asked, index: int, output: Given, value: float) -> str | None:
    """Returns what a guest writes if all elements are this one, without decimals, which may follow them."""
    made: Any = numpy.full(output.array.shape, value, output.array.dtype)
    text = asked.text(index, made)
    return None if text is None else DECIMAL.sub("#", text)
