"""Names of imports, exports, parameters, fields and cases.

What is here: which names are valid, what they tell about their items, which names are too similar to be used
side by side, and which version of an interface can replace another.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#import-and-export-definitions
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..records import Frozen

LABEL = r"(?:[a-z][0-9a-z]*|[A-Z][0-9A-Z]*)(?:-(?:[0-9a-z]+|[0-9A-Z]+))*"
WORDS = r"[a-z][0-9a-z]*(?:-[0-9a-z]+)*"
NUMBER = r"(?:0|[1-9][0-9]*)"
IDENTIFIER = rf"(?:{NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
PRERELEASE = rf"-{IDENTIFIER}(?:\.{IDENTIFIER})*"
BUILD = r"\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
SEMVER = rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:{PRERELEASE})?(?:{BUILD})?"
CANONICAL_VERSION = r"(?:[1-9][0-9]*|0\.[1-9][0-9]*|0\.0\.[1-9][0-9]*|0\.0\.0)"

is_label = re.compile(LABEL).fullmatch
is_semver = re.compile(SEMVER).fullmatch
is_canonical_version = re.compile(CANONICAL_VERSION).fullmatch
plain_name = re.compile(
    rf"(?:(?P<label>{LABEL})"
    rf"|\[constructor\](?P<made>{LABEL})"
    rf"|\[(?P<verb>method|static)\](?P<owner>{LABEL})\.(?P<member>{LABEL}))"
).fullmatch
interface_name = re.compile(
    rf"(?P<interface>{WORDS}:{WORDS}/{LABEL})(?:@(?P<version>{SEMVER}|{CANONICAL_VERSION}))?"
).fullmatch


class ExternName(Frozen):
    """A parsed name of an import or export. `role` is "" (a plain name), "constructor", "method", "static" or
    "interface"; `resource` is the label of the resource to which a function belongs."""

    text: str
    role: str
    resource: str
    unique: str
    """A key that must differ from those of all other names."""
    version: str = ""


@lru_cache(4096)
def extern_name(text: str) -> ExternName | None:
    """The parsed name, or None for an invalid one."""
    if found := plain_name(text):
        return plain(text, found)
    found = interface_name(text)
    if found is None:
        return None
    version = found["version"] or ""
    return ExternName(text, "interface", "", text.lower(), version)


def plain(text: str, found: re.Match[str]) -> ExternName:
    if found["label"]:
        return ExternName(text, "", "", text.lower())
    if found["made"]:
        return ExternName(text, "constructor", found["made"], text.lower())
    owner, member = found["owner"], found["member"]
    unique = f"{owner}.{member}".lower()
    if owner.lower() == member.lower():
        unique = owner.lower()
    return ExternName(text, found["verb"], owner, unique)


def is_interface_name(text: str) -> bool:
    """Whether this is the name of an interface, with or without a version."""
    return interface_name(text) is not None


def compatible(version: str) -> str:
    """The key that compatible versions share: the major version, for 0.x the minor one, for 0.0.x and
    prereleases the whole version."""
    if "-" in version.partition("+")[0]:
        return version
    numbers = version.partition("+")[0].split(".")
    for count, number in enumerate(numbers, 1):
        if number != "0":
            return ".".join(numbers[:count])
    return version
