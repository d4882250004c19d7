"""Where a guest says yes: at which logit does what it writes change?

What is here: `on_logits`. All elements are made the same, a little below and above 0.5.
"""

from __future__ import annotations

import re
from typing import Any

from .asked import Asked, Given

BELOW, ABOVE = 0.47, 0.53
"""By a sigmoid these are 0.615 and 0.629, between which nobody decides."""
FAR = 6.0
BELOW_NOTHING = -0.05
"""Logits are less than probabilities can be. An amount that passes 0.5, such as rain, is not."""
DECIMAL = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def on_logits(asked: Asked) -> str:
    """A threshold of 0.5 on elements that are no probabilities; "" if there is none."""
    for index, output in asked.fetched():
        array = output.array
        if array.dtype.kind != "f" or (array.min() > BELOW_NOTHING and "logit" not in output.what.lower()):
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


def decided(asked: Asked, index: int, output: Given, value: float) -> str | None:
    """What a guest writes if all elements are this one, without decimals, which may follow them."""
    import numpy

    made: Any = numpy.full(output.array.shape, value, output.array.dtype)
    text = asked.text(index, made)
    return None if text is None else DECIMAL.sub("#", text)
