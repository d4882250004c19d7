"""The course in docs/learn, and docs/embedding.md: every example is run, and must print what the text says.

A lesson is played from top to bottom in an empty directory. Its blocks are files (the first line is a comment
with the file's name), shell sessions (`console`: a line after "$ " is a command, what follows is what a
terminal shows) and Python sessions (">>> "). "..." stands for anything, as times differ.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from .conftest import HANGS

ROOT = Path(__file__).parents[1]
LEARN = ROOT / "docs" / "learn"
LESSONS = sorted(LEARN.glob("[0-9][0-9]-*.md"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the lesson at which it begins."""

    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The name of the file that it is, or None."""
        found = re.match(r"(?:;;|#) (\S+\.\w+)\n", self.text)
        return found[1] if found else None


def blocks(lesson: Path) -> list[Block]:
    text = lesson.read_text()
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start(2)) + 1)
        for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def same(expected: str, given: str) -> bool:
    """Whether an output is the expected one; blanks at the ends of lines don't count."""
    pattern = ".*".join(map(re.escape, expected.strip().split("...")))
    return re.fullmatch(pattern, re.sub(r" +$", "", given, flags=re.MULTILINE).strip(), re.DOTALL) is not None


@pytest.fixture
def terminal(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `pywasm-nn` and `python` are those under test."""
    folder = tmp_path_factory.mktemp("bin")
    for name, words in {"pywasm-nn": " -m pywasm_nn", "python": ""}.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        script.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return {**kept, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "COLUMNS": "110"}


def play_console(block: Block, folder: Path, environment: dict[str, str]) -> None:
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=HANGS, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert same(expected, done.stdout), f"line {block.line}: {command}\n{done.stdout}"


def play_python(block: Block, names: dict[str, object]) -> None:
    session = doctest.DocTestParser().get_doctest(block.text, {}, f"line {block.line}", None, block.line)
    session.globs = names  # not a copy: functions of one block see what a later one assigns
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(session, out=said.append, clear_globs=False)
    assert not failed, "".join(said)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_lessons_do_what_they_say(
    lesson: Path, tmp_path: Path, terminal: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = play(lesson, tmp_path, terminal, monkeypatch)
    assert {block.language for block in played} >= {"console", "python"}, "a lesson shows both ways"


def test_the_guide_for_embedders_does_what_it_says(
    tmp_path: Path, terminal: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(ROOT / "docs" / "embedding.md", tmp_path, terminal, monkeypatch)


def play(
    lesson: Path, tmp_path: Path, terminal: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> list[Block]:
    """Play a lesson from top to bottom; what was played."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    played = blocks(lesson)
    for block in played:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text)
        elif block.language == "console":
            play_console(block, tmp_path, terminal)
        else:
            assert block.language == "python" and block.text.startswith(">>> "), (
                f"line {block.line}: of no kind"
            )
            play_python(block, names)
    return played


def test_there_are_ten_lessons_and_each_leads_on() -> None:
    assert len(LESSONS) == 10
    index = (LEARN / "README.md").read_text()
    for lesson, following in zip(LESSONS, [*LESSONS[1:], LEARN / "README.md"], strict=True):
        assert lesson.name in index
        assert f"({following.name})" in lesson.read_text().splitlines()[-1]
        assert len(lesson.read_text().splitlines()) <= 130, "a lesson is short"


def test_a_wrong_output_is_seen(tmp_path: Path, terminal: dict[str, str]) -> None:
    good = Block("console", "$ echo 1 2; echo 3 >&2\n1 ...\n3\n", 1)
    play_console(good, tmp_path, terminal)
    for text in ("$ echo 1\n2\n", "$ echo 1\n1\n1\n", "$ echo 1\n1\n$ echo 2\n"):
        with pytest.raises(AssertionError, match="line 1: echo"):
            play_console(Block("console", text, 1), tmp_path, terminal)
    with pytest.raises(AssertionError, match="Expected"):
        play_python(Block("python", ">>> 1 + 1\n3\n", 1), {})
