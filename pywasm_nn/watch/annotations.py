"""Hints and failed inference of a trace in formats that CI systems show beside the code: GitHub's workflow
commands, and JUnit.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
https://github.com/testmoapp/junitxml

What is not here: JSON and CSV (`records.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import quoteattr

from ..printable import printable
from . import events

ESCAPES: dict[str, str | int | None] = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTIES: dict[str, str | int | None] = {":": "%3A", ",": "%2C"}
"""Characters with a meaning in the properties of a workflow command."""


def escaped(text: str, more: dict[str, str | int | None] | None = None) -> str:
    """A text, escaped for workflow commands."""
    return printable(text).translate(str.maketrans(ESCAPES | (more or {})))


class Github:
    """Writes a workflow command for each hint (a warning) and each failed inference (an error)."""

    def __init__(self, write: Callable[[str], None], module: str = "") -> None:
        self._write = write
        self._module = module

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.Hint():
                self._say("warning", f"{self._module}: {event.rule}", event.text)
            case events.Inference() if event.error is not None:
                self._say("error", f"{self._module}: {event.operation}", event.failure)
            case events.End() if event.outcome != "exit":
                self._say("error", f"{self._module}: {event.outcome}", event.text)

    def _say(self, kind: str, title: str, text: str) -> None:
        self._write(f"::{kind} title={escaped(title, IN_PROPERTIES)}::{escaped(text)}")

    def flush(self) -> None:
        """Does nothing: every line is already written."""


class JUnit:
    """Writes a test suite at the end of the run: a test case for each operation of wasi-nn, and a failed one
    for each hint."""

    def __init__(self, write: Callable[[str], None], module: str = "") -> None:
        self._write = write
        self._module = module
        self._cases: list[str] = []
        self._failures = 0

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.Inference():
                self._case(
                    f"{event.number} {event.operation}", event.seconds, event.failure, event.error or ""
                )
            case events.Hint():
                self._case(f"{event.number} hint {event.rule}", 0.0, event.text, event.rule)
            case events.End() if event.outcome != "exit":
                self._case(f"{event.number} {event.outcome}", 0.0, event.text, event.outcome)

    def _case(self, name: str, seconds: float, problem: str, kind: str) -> None:
        given = f'classname={attribute(self._module)} name={attribute(name)} time="{seconds:.6f}"'
        if problem:
            self._failures += 1
            failure = f"<failure type={attribute(kind)} message={attribute(problem)}/>"
            self._cases.append(f"  <testcase {given}>{failure}</testcase>")
        else:
            self._cases.append(f"  <testcase {given}/>")

    def flush(self) -> None:
        """Write the document."""
        counts = f'tests="{len(self._cases)}" failures="{self._failures}"'
        self._write('<?xml version="1.0" encoding="UTF-8"?>')
        self._write(f"<testsuites><testsuite name={attribute(self._module)} {counts}>")
        for case in self._cases:
            self._write(case)
        self._write("</testsuite></testsuites>")


def attribute(text: str) -> str:
    """A quoted XML attribute; characters that XML doesn't allow are replaced."""
    shown = "".join(one if one.isascii() or one.isprintable() else "?" for one in printable(text))
    return quoteattr(shown)
