"""Options of the host's for a model on a server, and headers whose values nobody is shown.

{"timeout": 60, "binary": "auto", "headers": {"Authorization": "Bearer env:TOKEN"}}. A value ends in
`env:NAME` or `file:PATH`, so that no secret is in a command or a configuration; it is read at each request,
as tokens change.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....records import record
from ...errors import Code, NNError

SECONDS = 60.0
"""What a request may take, unless the option "timeout" says otherwise."""
MODES = ("auto", "always", "never")
HIDDEN = "***"
LONGEST_SECRET = 64 << 10


@record
class Settings:
    """`headers` are names and templates of values."""

    timeout: float
    binary: str
    headers: tuple[tuple[str, str], ...]

    def secrets(self) -> dict[str, str]:
        """The headers as they are now. Raises NNError(RUNTIME_ERROR), which names a source and shows no
        value."""
        return {name: filled(name, template) for name, template in self.headers}

    def hidden(self, text: str) -> str:
        """A server's words without a secret that it repeats."""
        for value in self.secrets().values():
            for part in (value, value.rpartition(" ")[2]):
                text = text.replace(part, HIDDEN)
        return text


def settings_of(options: Mapping[str, Any]) -> Settings:
    """Raises NNError(INVALID_ARGUMENT) for options of another kind."""
    timeout = options.get("timeout", SECONDS)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < 1e6:
        raise wrong("timeout", "seconds, more than 0")
    binary = options.get("binary", "auto")
    if binary not in MODES:
        raise wrong("binary", f"one of {', '.join(MODES)}")
    headers = options.get("headers", {})
    if not isinstance(headers, Mapping) or not all(map(is_header, headers.items())):
        raise wrong("headers", 'names with values like "Bearer env:TOKEN" or "file:PATH"')
    return Settings(float(timeout), binary, tuple(headers.items()))


def wrong(name: str, wanted: str) -> NNError:
    return NNError(Code.INVALID_ARGUMENT, f'the option "{name}" of a model on a server must be {wanted}')


def is_header(header: tuple[Any, Any]) -> bool:
    name, template = header
    if not isinstance(name, str) or not isinstance(template, str):
        return False
    is_name = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    source = template.rpartition(" ")[2]
    return is_name and is_value(template) and source.startswith(("env:", "file:"))


def is_value(text: str) -> bool:
    """Whether this is one line that a header can have."""
    return text.isascii() and text.isprintable()


def filled(name: str, template: str) -> str:
    """The value that a template stands for."""
    before, space, source = template.rpartition(" ")
    kind, _, place = source.partition(":")
    if kind == "env":
        value = os.environ.get(place)
    else:
        try:
            with Path(place).open(encoding="utf-8", errors="replace") as file:
                value = file.read(LONGEST_SECRET).strip()
        except OSError:
            value = None
    if not value or not is_value(value):
        what = "isn't there" if not value else "has characters that no header has"
        raise NNError(Code.RUNTIME_ERROR, f"the header {name} can't be sent: {source} {what}")
    return f"{before}{space}{value}"
