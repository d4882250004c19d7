"""Boxes whose scores the guest never asks for, though it writes how sure it is: is the output's index wrong?

What is here: `Unscored`. What is not: a guest that asks for no output at all (`unfetched.py`), and boxes and
scores that are both fetched (`probes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard

FEWEST_ROWS, NARROWEST, WIDEST = 32, 4, 64
SCORES = regex(r"score|conf|prob|class|logit", re.IGNORECASE)
OF_SERIES = regex(
    r"embed|feat|hidden|latent|state|\bmel|spec|frame|token|note|pitch|f0|voic|energy|power|volume|rms|onset"
    r"|mask|len|pad|weight|attention|durat|time|step|count|index|speaker|activation|hop",
    re.IGNORECASE,
)
"""Outputs with these names are no boxes, or no scores of boxes."""
SURE = regex(r"(?<![\d.,-])(?:[01]\.\d+|\d{1,3}(?:\.\d+)? ?%)(?![\d.,])")
"""A share, or percents."""
OTHER = regex(
    r"\b(?:mean|average|sum|min|max|norm|std|dev|deviation|shape|checksum|scale|bench\w*|latency|time|took|raw)\b",
    re.IGNORECASE,
)
"""Words for numbers that are none of scores."""


class Pair(Frozen):
    """The outputs of one model with boxes and with their scores, by index, and what each is called."""

    boxes: int
    scores: int
    what: tuple[str, str]
    rows: int
    width: int


def pair_of(names: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> Pair | None:
    """The only two outputs of a model, if they are rows of numbers and one score for each row."""
    if len(shapes) != 2:
        return None
    for boxes, scores in ((0, 1), (1, 0)):
        lengths, others = ([one for one in shapes[at] if one != 1] for at in (boxes, scores))
        if len(lengths) != 2 or lengths[0] < FEWEST_ROWS or not NARROWEST <= lengths[1] <= WIDEST:
            continue
        is_one = others == lengths[:1]
        is_named = len(others) == 2 and others[0] == lengths[0] and SCORES.search(names[scores])
        others_say = OF_SERIES.search(names[boxes]) or OF_SERIES.search(names[scores])
        if (is_one or is_named) and not SCORES.search(names[boxes]) and not others_say:
            what = tuple(f'output {at} "{names[at]}"' for at in (boxes, scores))
            return Pair(boxes, scores, (what[0], what[1]), *lengths)
    return None


class Unscored(Follower):
    """Gives a hint at the end."""

    def __init__(self) -> None:
        self._pairs: dict[Any, Pair] = {}
        """By the context that computed."""
        self._fetched: dict[Any, set[int]] = {}
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None and not event.delivered:
            names, shapes = [spec.name for spec in event.specs], [tensor.shape for tensor in event.tensors]
            pair = pair_of(names, shapes) if len(names) == len(shapes) else None
            if pair is not None:
                self._pairs[event.context_id] = pair
        elif event.operation.startswith("get_output") and event.index is not None:
            self._fetched.setdefault(event.context_id, set()).add(event.index)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._fetched:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        found = SURE.search(text)
        for context, pair in self._pairs.items():
            if self._fetched.get(context) == {pair.boxes} and found and not OTHER.search(text):
                boxes, scores = pair.what
                yield (
                    "answer",
                    f"the guest fetches {boxes} ({pair.rows} rows of {pair.width} numbers) and never "
                    f"{scores} (the scores of these rows), and writes {found[0]}, as if it were one: are "
                    f"scores taken from output {pair.boxes}, and is the index to be {pair.scores}?",
                )
                return
