"""Features of WebAssembly that can be switched one by one: those beyond the core specification 3.0, and those
of it that a host may want to forbid.

What is here: the features, and which of them are on by default. What is not: their instructions, which say
their feature in the table (`instructions`), and proposals that aren't supported (`proposals.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..checks import refuse
from ..errors import MalformedError
from ..records import Frozen


class Feature(Frozen):
    """A proposal (https://github.com/WebAssembly/proposals) that is supported."""

    name: str
    title: str
    phase: int
    """Of the process of the W3C's group: 5 is part of the core specification, 4 is nearly a standard, 3 is
    being implemented."""
    default: bool
    """Whether it is on unless it is switched off: in phase 4, or if stock toolchains emit it."""


THREADS = Feature("threads", "atomic instructions and shared memories", 4, True)
WIDE_ARITHMETIC = Feature("wide-arithmetic", "128-bit addition, subtraction and multiplication", 4, True)
CUSTOM_PAGE_SIZES = Feature("custom-page-sizes", "memories with pages of one byte", 3, False)
DESCRIPTORS = Feature(
    "custom-descriptors", "structures described by structures, and references to exact types", 3, False
)
LEGACY_EXCEPTIONS = Feature("legacy-exceptions", "exceptions as they were before 3.0: try, delegate", 3, True)
MEMORY64 = Feature("memory64", "addresses and sizes of 64 bits", 5, True)
MULTI_MEMORY = Feature("multi-memory", "several memories", 5, True)
MULTI_TABLE = Feature("multi-table", "several tables", 5, True)
FEATURES: dict[str, Feature] = {
    feature.name: feature
    for feature in (
        THREADS,
        WIDE_ARITHMETIC,
        CUSTOM_PAGE_SIZES,
        DESCRIPTORS,
        LEGACY_EXCEPTIONS,
        MEMORY64,
        MULTI_MEMORY,
        MULTI_TABLE,
    )
}
CORE = frozenset(name for name, feature in FEATURES.items() if feature.phase == 5)
DEFAULT = frozenset(name for name, feature in FEATURES.items() if feature.default)
ALL = frozenset(FEATURES)


def chosen(words: Iterable[str]) -> frozenset[str]:
    """The names of the features that are on: the default ones, changed by each word in order. "threads"
    switches one on, "-threads" off, "all" all of them on, "none" all off that aren't part of the core
    specification. Raises TypeError, ValueError."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise refuse("features", "a list of names", words)
    found = set(DEFAULT)
    for word in words:
        if not isinstance(word, str):
            raise refuse("features", "a list of names", word)
        name = word.removeprefix("-")
        if word == "all":
            found |= ALL
        elif word == "none":
            found &= CORE
        elif name not in FEATURES:
            raise ValueError(f"no feature {name!r}; there are {', '.join(FEATURES)}, all and none")
        elif name == word:
            found.add(name)
        else:
            found.discard(name)
    return frozenset(found)


def require(name: str, words: Iterable[str], message: str, pos: int) -> None:
    """Raises MalformedError with this message, at this offset, unless the feature is on."""
    if name not in chosen(words):
        raise MalformedError(message, pos, proposal=name, feature=name)
