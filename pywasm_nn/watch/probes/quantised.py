"""Whole numbers of 8 bits that stand for others: are they brought to these by the model's scale and zero
point?

What is here: `misquantised`. One element is several bytes in turn; a number that follows it along a line says
by which scale and zero point. Bytes as they are, which people also write, are named where a unit stands
behind them. What is not: percents (`formulas.py`), shares (`softened.py`), and signs
(`classes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..spoken import Word, fit
from .asked import Asked, Given
from .formulas import numbers
from .raw import CLEAR_UNITS, UNIT, around
from .raw import OTHER as OTHER_SCALE
from .softened import softened

MOST = 4096
TOPS = {"u": (251, 202, 143), "i": (121, 77, 43)}
USUAL = {
    1 / 255: "divided by 255",
    1 / 256: "divided by 256",
    1 / 127: "divided by 127",
    1 / 128: "divided by 128",
}
MEASURED = CLEAR_UNITS | {"ppm", "ppb", "lux", "db", "dba", "rpm", "bpm", "hz", "khz"}
"""A model may measure something in these units."""
OTHER = 0.05
"""How far it is from the model's scale, if it is another one."""


def misquantised(asked: Asked) -> str:
    """Returns what is wrong with the scale of numbers that are written, or "" if nothing is."""
    for index, output in asked.fetched():
        if output.affine is None or output.array.dtype.itemsize != 1 or output.array.size > MOST:
            continue
        wrong = of_bytes(asked, index, output, *output.affine)
        if wrong := wrong or softened(asked, index, output, output.affine[0]):
            return f"{output.what}: {wrong}"
    return ""


def of_bytes(asked: Asked, index: int, output: Given, scale: float, zero: float) -> str:
    tops = TOPS[output.array.dtype.kind]
    place = output.array.size // 2
    texts = []
    for top in tops:
        made = output.filled([])
        made.reshape(-1)[place] = top
        texts.append(asked.text(index, made))
    said = [numbers(text) for text in texts if text]
    if len(said) < len(tops) or len({*map(len, said)}) > 1:
        return ""
    for words in zip(*said, strict=True):
        if wrong := of_words(words, tops, scale, zero):
            return wrong
    return as_bytes(texts[-1] or "", [*zip(*said, strict=True)], tops, scale, zero)


def as_bytes(
    text: str, said: Sequence[Sequence[Word]], tops: Sequence[int], scale: float, zero: float
) -> str:
    """Returns what is wrong with a number that is the byte itself and has a unit behind it, or "" if there is
    no such number."""
    if abs(scale - 1) <= OTHER and not zero:
        return ""
    found = [at for at, words in enumerate(said) if fit(words, tops)]
    if len(found) != 1:
        return ""
    before = [words[-1].text for words in said[: found[0]]]
    word, line, behind, _ = around(text, said[found[0]][-1].text, before)
    unit = UNIT.match(behind)
    if unit is None or OTHER_SCALE.search(line):
        return ""
    if unit[1] is not None and unit[1].lower() not in MEASURED:
        return ""
    return (
        f"the guest writes {word}{behind.rstrip()} for an element of {tops[-1]}, which is the byte itself; "
        f"by the model's scale {scale:.4g} and zero point {zero:g} it stands for "
        f"{scale * (tops[-1] - zero):.4g}"
    )


def of_words(words: Sequence[Word], tops: Sequence[int], scale: float, zero: float) -> str:
    """Returns what is wrong with the numbers that stand for these bytes, or "" if nothing is."""
    if len({word.text for word in words}) < len(words):
        return ""
    if any(fit(words, [scale * (top - zero) for top in tops], percent) for percent in (1.0, 100.0)):
        return ""
    for percent in (1.0, 100.0):
        ways = {scale: f"times the scale {scale:.4g}, without the zero point"} if zero else {}
        ways |= {by: how for by, how in USUAL.items() if zero or abs(by - scale) > OTHER * scale}
        for by, how in ways.items():
            if fit(words, tops, percent * by):
                sign = " in percent" if percent > 1 else ""
                return (
                    f"the guest writes {words[0].text} for an element of {tops[0]}, which is this {how}"
                    f"{sign}; by the model's scale {scale:.4g} and zero point {zero:g} it stands for "
                    f"{scale * (tops[0] - zero):.4g}"
                )
    return ""
