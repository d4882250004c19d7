"""A sine and a cosine, by the output's name, of which the guest writes the angle: does it give them to atan2
in the right order?

What is here: `exchanged`. A few angles are given, and then neither sine nor cosine. What is not: inputs that
are angles (`sent/degrees.py`), and models whose outputs have no such names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers

PAIR = 2
ANGLES = (0.35, 1.9, 3.35, 5.6, 2.6)
"""In radians, in all quarters of the circle."""
TURNS = (-1, 0, 1)
UNITS = {"degrees": 180 / pi, "radians": 1.0}
BOTH = regex(
    r"(?<![a-z])(sin|cos)(?:ine|e)?[^a-z]*(?:and)?[^a-z]*(sin|cos)(?:ine|e)?(?![a-z])", re.IGNORECASE
)
ONE = {kind: regex(rf"(?<![a-z]){kind}(?:ine|e)?(?![a-z])", re.IGNORECASE) for kind in ("sin", "cos")}
FROM_ABOVE = regex(
    r"bearing|compass|heading|north|south|azimuth|clock|above|upright|vertical|from (?:the )?(?:top|y)|course"
    r"|wind|complement|elevation|tilt",
    re.IGNORECASE,
)
"""Words for angles that begin above, of which the two change places on purpose."""


def exchanged(asked: Asked) -> str:
    """Returns a hint if a guest writes the angle of a sine and a cosine as if each were the other, or ""."""
    pair = Pair.of(dict(asked.fetched()))
    if pair is None or FROM_ABOVE.search(asked.control.text):
        return ""
    texts = [asked.said(pair.made(sin(one), cos(one))) for one in ANGLES]
    said = [numbers(text) for text in texts if text]
    nothing = numbers(asked.said(pair.made(0.0, 0.0)) or "")
    if len(said) < len(ANGLES) or len({*map(len, said)}) > 1 or len(nothing) != len(said[0]):
        return ""
    columns = [*zip(*said, strict=True)]
    if any(are(words, ANGLES, scale) for words in columns for scale in UNITS.values()):
        return ""
    for zero, words in zip(nothing, columns, strict=True):
        for unit, scale in UNITS.items():
            # The angle was not taken from a quarter of the circle afterwards: of nothing 90 would be left.
            if are(words, [pi / 2 - one for one in ANGLES], scale) and abs(zero.value) <= zero.unit:
                return (
                    f"{pair.what}: by its name the angle is atan2(sine, cosine); the guest writes that of "
                    f"each as the other, {'90 - the angle' if scale > 1 else 'pi / 2 - the angle'} (in "
                    f"{unit}, {words[0].text} where it is {ANGLES[0] * scale:.4g}): are the arguments of "
                    "atan2 exchanged?"
                )
    return ""


def are(words: Sequence[Word], angles: Sequence[float], scale: float) -> bool:
    """Whether numbers are these angles, or whole turns more or less."""
    return all(
        any(bool(word.fits((angle + 2 * pi * turn) * scale)) for turn in TURNS)
        for word, angle in zip(words, angles, strict=True)
    )


class Pair:
    """Where the sine and the cosine lie: their output and place in its rows."""

    def __init__(
        self, what: str, outputs: Mapping[int, Given], places: Mapping[str, tuple[int, int]]
    ) -> None:
        self.what = what
        self._outputs, self._places = outputs, places

    @staticmethod
    def of(outputs: Mapping[int, Given]) -> Pair | None:
        """By the names of outputs, or None if none has such a name, or more than one."""
        floats = {index: one for index, one in outputs.items() if one.array.dtype.kind == "f"}
        found = []
        for index, one in floats.items():
            both = BOTH.search(one.what.partition('"')[2])
            if both is not None and one.array.shape[-1:] == (PAIR,):
                first, second = both[1].lower(), both[2].lower()
                if first != second:
                    found.append(Pair(one.what, {index: one}, {first: (index, 0), second: (index, 1)}))
        alone = {
            kind: [at for at, one in floats.items() if one.array.size == 1 and form.search(one.what)]
            for kind, form in ONE.items()
        }
        if all(len(places) == 1 for places in alone.values()) and alone["sin"] != alone["cos"]:
            own = {kind: (places[0], 0) for kind, places in alone.items()}
            both_are = {at: floats[at] for at, _ in own.values()}
            found.append(Pair(" and ".join(one.what for one in both_are.values()), both_are, own))
        return found[0] if len(found) == 1 else None

    def made(self, sine: float, cosine: float) -> dict[int, Any]:
        """The outputs with these in all rows."""
        rows = {
            at: numpy.array(one.array).reshape(-1, one.array.shape[-1] if one.array.ndim else 1)
            for at, one in self._outputs.items()
        }
        for kind, value in (("sin", sine), ("cos", cosine)):
            at, column = self._places[kind]
            rows[at][:, column] = value
        return {at: made.reshape(self._outputs[at].array.shape) for at, made in rows.items()}
