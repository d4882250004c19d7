"""Several outputs with names, which a guest writes with its numbers: does each name stand before its own?

What is here: `exchanged`. One output after the other is changed, and the numbers that follow are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations

from ..regex import regex
from .asked import Asked, Given

SHORTEST, MOST = 3, 64
CHANGE = 0.37
MIRROR = regex(r"mirror|selfie|flipp|swapp|opposite|viewer|your\b", re.IGNORECASE)
"""Words of a guest that says left for right on purpose."""


def exchanged(asked: Asked) -> str:
    """Returns a hint about two outputs of which each is written with the other's name, or "" if there are
    none."""
    outputs = {
        index: one for index, one in asked.fetched() if one.array.dtype.kind == "f" and one.array.size <= MOST
    }
    named = {index: name_of(one) for index, one in outputs.items() if len(name_of(one)) >= SHORTEST}
    own = numbers_by(asked.control.text, named)
    if len(own) < 2 or MIRROR.search(asked.control.text):
        return ""
    follows: dict[int, set[int]] = {}
    for index in own:
        text = asked.text(index, outputs[index].array + (CHANGE * (1 + abs(outputs[index].array))))
        said = numbers_by(text or "", named)
        follows[index] = {one for one in own if said.get(one) != own[one]}
    for one, other in combinations(own, 2):
        if follows[one] == {other} and follows[other] == {one}:
            return (
                f'the guest writes "{named[one]}" before a number that follows {outputs[other].what}, and '
                f'"{named[other]}" before one that follows {outputs[one].what}: are the two outputs '
                "exchanged?"
            )
    return ""


def name_of(output: Given) -> str:
    """The name of an output, without what is no letter before and after it."""
    return re.sub(r"^\W+|[\W\d_]+$", "", output.what.partition('"')[2].lower())


def numbers_by(text: str, names: Mapping[int, str]) -> dict[int, tuple[str, ...]]:
    """By output, the numbers that stand behind its name."""
    found = {}
    for index, name in names.items():
        if any(name in one or one in name for one in names.values() if one != name):
            continue
        behind = re.compile(rf"(?i)(?<!\w){re.escape(name)}\W{{1,4}}?([-+]?\d+(?:\.\d+)?)")
        said = tuple(behind.findall(text))
        if said:
            found[index] = said
    return found
