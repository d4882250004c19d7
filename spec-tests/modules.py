"""The modules in the suite's scripts, with their texts."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from conformance import commands_of, group_of

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.text import script as s
from pywasm_nn.interpreter.text.cursor import Cursor


class Found(NamedTuple):
    """A module of a script."""

    place: str
    """File and line."""
    text: str | None
    """As it is written; None if it is binary."""
    module: Module
    data: bytes
    """As we encode it."""
    decoded: Module
    """What we read of that."""


REFUSED = s.AssertMalformed, s.AssertMalformedCustom, s.AssertInvalidCustom
"""Assertions about texts and bytes that are no module."""


@cache
def modules_of(name: str) -> list[Found]:
    """All modules of a file that can be read: the invalid ones too."""
    found = []
    for command in commands_of(name):
        source = getattr(command, "source", None)
        if source is not None and not isinstance(command, REFUSED):
            features = group_of(name).features
            module = source.read(decode, features)
            data = encode(module)
            place = f"{name}:{command.line}"
            found.append(Found(place, text_of(source), module, data, decode(data, features=features)))
    return found


def text_of(source: s.Source) -> str | None:
    """The module's text, or None if it is binary."""
    if isinstance(source, s.TextSource):
        words, starts = source.tokens.words, source.tokens.starts
        cursor = Cursor(source.tokens, next(i for i in range(source.at, -1, -1) if words[i] == "module") - 1)
        first = cursor.at
        cursor.skip()
        text = source.tokens.text[starts[first] : starts[cursor.at - 1] + 1]
        return re.sub(r"^\(\s*module\s+definition", "(module", text)
    if isinstance(source, s.FieldsSource):
        return source.tokens.text
    return source.data.decode() if isinstance(source, s.QuotedSource) else None
