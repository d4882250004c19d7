"""An answer for each place of a text, where a special token stands first: has each word the tag of its place?

What is here: `beside`. One place alone gets another class than all others. What is not: pictures and boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from .asked import Asked, Given, OneOutput

FEWEST, MOST = 3, 64
"""Words of a text."""


def beside(asked: Asked) -> str:
    """Returns a hint about words with the answers to the tokens before them, or "" if they are those to their
    own."""
    for index, output in asked.fetched():
        tokens = tokens_of(asked, output)
        if tokens is None or output.array.dtype.kind != "f":
            continue
        if wrong := Places(asked, index, output).wrong(tokens):
            return f"{output.what}: {wrong}"
    return ""


def tokens_of(asked: Asked, output: Given) -> list[int] | None:
    """The tokens of a text with a special one at its beginning, which has a number below all others, if the
    answer has a row for each of them."""
    shape = output.array.shape
    for one in asked.sent:
        if one.array is None or (1, *one.shape[1:]) != shape[:-1] or one.array.dtype.kind not in "iu":
            continue
        tokens = [int(token) for token in one.array]
        words = [token for token in tokens[1:] if token]
        if FEWEST <= len(words) <= MOST and 0 < tokens[0] < min(words) and not any(tokens[1 + len(words) :]):
            return [tokens[0], *words]
    return None


class Places(OneOutput):
    """What a guest writes if some places have a class, and all others class 0."""

    def _said(self, places: Sequence[int]) -> list[str]:
        low, high = float(self._output.array.min()), float(self._output.array.max())
        made: Any = numpy.full(self._output.array.shape, low, self._output.array.dtype)
        made[0, :, 0] = high
        for place in places:
            made[0, place, :2] = low, high
        return self._written(made).split()

    def wrong(self, tokens: Sequence[int]) -> str:
        count = len(tokens) - 1
        none, every = self._said([]), self._said(range(self._output.array.shape[1]))
        said = [word for word in every if word not in none]
        if len(said) != count:
            return ""
        first, last = self._said([0]), self._said([count])
        if first == [*none, said[0]] and last == none and self._said([1]) == [*none, said[1]]:
            return (
                f"the answer to place 0, where token {tokens[0]} stands before the text, is said of the "
                f"first of {count} words, and that to place {count}, the last word's, of none: does a token "
                "before the first word move all by one place?"
            )
        return ""
