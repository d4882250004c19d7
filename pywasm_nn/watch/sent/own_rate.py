"""The rate of samples for which a program is made, by its own numbers and messages.

What is here: `own_rate`. What is not: rates in names of models and in inputs (`sounds.py`).

A program makes seconds of samples by dividing by their rate, and says what it needs. It may know several
rates; then nothing follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...errors import WasmError
from ...interpreter.module import Module
from ..origin.own_numbers import own_floats
from ..origin.waves import RATES
from ..regex import regex

IN_THOUSANDS = {"8": 8000, "11": 11025, "11.025": 11025, "16": 16000, "22": 22050, "22.05": 22050,
                "24": 24000, "32": 32000, "44": 44100, "44.1": 44100, "48": 48000}  # fmt: skip
SAID = regex(
    rb"(?<![\w.])((?:\d{1,2}(?:\.\d{1,3})?(?:, ?| or | and |/| to |-))*\d{1,2}(?:\.\d{1,3})?) ?kHz"
    rb"|(?<![\w.])(\d{4,5}) ?Hz",
    re.IGNORECASE,
)
NUMBER = regex(rb"[\d.]+")
MOST_DATA = 1 << 20
EXACT = 1e-6


def own_rate(module: Module, left: Callable[[], bool]) -> int:
    """Returns the only usual rate of samples that is among a program's floats or messages, or 0 if there is
    none, or if there are several."""
    found = said_in(module)
    try:
        floats = [float(one) for one in own_floats(module, left)]
    except WasmError:
        floats = []
    for rate in RATES:
        if any(abs(one - rate) < EXACT * rate or abs(one * rate - 1) < EXACT for one in floats):
            found.add(rate)
    return found.pop() if len(found) == 1 else 0


def said_in(module: Module) -> set[int]:
    """The rates in a program's texts."""
    found = set()
    for data in module.datas:
        for thousands, whole in SAID.findall(data.init[:MOST_DATA]):
            rates = {IN_THOUSANDS.get(one.decode(), 0) for one in NUMBER.findall(thousands)}
            found |= (rates | {int(whole or 0)}) & {*RATES}
    return found
