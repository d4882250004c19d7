"""The host's options for a model on a server, and headers whose values are never shown.

{"timeout": 60, "binary": "auto", "headers": {"Authorization": "Bearer env:TOKEN"}}. A value ends with
`env:NAME` or `file:PATH`, so that commands and configurations contain no secrets; the source is read for each
request, because tokens change.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....records import Frozen
from ...errors import Code, NNError

SECONDS = 60.0
"""The time limit of a request, without the option "timeout"."""
MODES = ("auto", "always", "never")
HIDDEN = "***"
LONGEST_SECRET = 64 << 10


class Settings(Frozen):
    """The options. `headers` are names and templates of values."""

    timeout: float
    binary: str
    headers: tuple[tuple[str, str], ...]

    def secrets(self) -> dict[str, str]:
        """The headers with their current values. Raises NNError(RUNTIME_ERROR), which names a source but
        shows no value."""
        return {name: filled(name, template) for name, template in self.headers}

    def hidden(self, text: str) -> str:
        """A server's message without secrets that it repeats."""
        for value in self.secrets().values():
            for part in (value, value.rpartition(" ")[2]):
                text = text.replace(part, HIDDEN)
        return text


def settings_of(options: Mapping[str, Any]) -> Settings:
    """Parse options. Raises NNError(INVALID_ARGUMENT) for invalid ones."""
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
    """Whether a header can have this value, one line of printable ASCII."""
    return text.isascii() and text.isprintable()


def filled(name: str, template: str) -> str:
    """The value for a template."""
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
