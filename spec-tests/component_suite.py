"""The component model's reference tests: where they are, and their commands.

Here are the place of the suite and how its files are read; `test_components.py` runs them. The data are
binaries and JSON, made from the text of the specification's repository (see the suite's own README).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMIT, DATE = "6d281648bd89caf885a7adcc412962dbd2425ab7", "2026-08-21"
"""Of the specification (https://github.com/WebAssembly/component-model) that the snapshot was made from."""

ROW = r"^\| (\w+/[-\w]+) \|[^|]*\|[^|]*\| (\d+) \|"
"""Of the suite's table of files: the name, and how many of the assertions run what is asynchronous."""


def find_suite() -> Path | None:
    """The folder `run` of the suite: WASM_COMPONENT_TESTSUITE, or shared data."""
    places = (os.environ.get("WASM_COMPONENT_TESTSUITE"), ROOT / ".." / "shared" / "component-testsuite")
    return next((Path(place, "run") for place in places if place and Path(place, "run").is_dir()), None)


SUITE = find_suite()
NO_SUITE = "no component test suite: set WASM_COMPONENT_TESTSUITE to its folder"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a file. `line` is that of the text."""

    name: str
    type: str
    line: int
    about: dict[str, Any]

    @property
    def is_text(self) -> bool:
        """Whether it is about text that must be malformed, which a decoder of binaries never sees."""
        return self.about.get("module_type") == "text"

    @property
    def data(self) -> bytes:
        """The binary that the command is about."""
        assert SUITE is not None
        return (SUITE / self.name).parent.joinpath(self.about["filename"]).read_bytes()

    def __str__(self) -> str:
        return f"{self.name}:{self.line} {self.type}"


def needing_async() -> dict[str, int]:
    """How many assertions of each file run what is asynchronous, as the suite's own table says."""
    assert SUITE is not None
    table = (SUITE.parent / "README.md").read_text("utf-8")
    return {name: int(count) for name, count in re.findall(ROW, table, re.MULTILINE)}


def files() -> list[str]:
    """Every file, as group/name."""
    if SUITE is None:
        return []
    return sorted(path.relative_to(SUITE).with_suffix("").as_posix() for path in SUITE.glob("*/*.json"))


def commands(name: str) -> Iterator[Command]:
    """The commands of a file, in order."""
    assert SUITE is not None
    for about in json.loads((SUITE / f"{name}.json").read_text("utf-8"))["commands"]:
        yield Command(name, about["type"], about["line"], about)
