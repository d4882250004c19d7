"""The table that compares the hosts of wasi-nn, section 3 of the project's ABI reference, as tests.

Each dialect has a file with a test per row. Where the reference is at hand, the titles are compared with it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / ".." / "shared" / "design" / "wasi-nn-abi.md"

Test = Callable[..., None]


class Rows(dict[str, Test]):
    """Tests by title of the row."""

    def row(self, title: str) -> Callable[[Test], Test]:
        def keep(test: Test) -> Test:
            self[title] = test
            return test

        return keep

    def run(self, title: str, *arguments: object) -> None:
        """Run a row's test with as many of the arguments as it takes."""
        test = self[title]
        test(*arguments[: test.__code__.co_argcount])

    def check_titles(self) -> None:
        """All rows of the reference, in its order."""
        if not REFERENCE.is_file():
            pytest.skip("shared/design/wasi-nn-abi.md isn't here")
        section = REFERENCE.read_text().split("\n## 3. ")[1].split("\n## ")[0]
        lines = [line for line in section.splitlines() if line.startswith("| ")]
        titles = [line.split("|")[1].strip() for line in lines[1:]]
        assert len(titles) == 35
        assert list(self) == titles
