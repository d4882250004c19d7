"""What the documents claim about the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pywasm_nn

from .conftest import HANGS

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", path.read_text()):
        assert target.startswith("https://") or (path.parent / target).exists(), target


def test_tests_that_the_rationale_names_exist() -> None:
    cells = [line.split(" | ")[-1] for line in (ROOT / "docs" / "RATIONALE.md").read_text().splitlines()]
    named = 0
    for cell in cells:
        parts = re.split(r"(tests/[\w/]+\.py)", cell)
        for path, names in zip(parts[1::2], parts[2::2], strict=True):
            source = (ROOT / path).read_text()
            for name in re.findall(r"`(test_\w+)`", names):
                assert f"def {name}(" in source, name
                named += 1
            for row in re.findall(r'"([^"]+)"', names):
                assert f'"{row}"' in source, row
                named += 1
    assert named >= 15


def test_every_limit_is_in_the_table_of_limits() -> None:
    text = (ROOT / "docs" / "embedding.md").read_text().partition("| `Limits(...)` |")[2].partition("\n\n")[0]
    named = [name for row in text.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(pywasm_nn.Limits.__match_args__)


def test_readme_has_its_two_commands_and_fits_a_screen() -> None:
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^python -m venv .*$", text, re.MULTILINE)
    assert [command.rsplit("/", 1)[1] for command in commands] == ["pywasm-nn demo", "pytest -n 2"]
    assert len(text.splitlines()) <= 70


def test_the_contract_in_the_architecture_is_the_one_that_is_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text().replace("\\|", "|")
    for contract in contracts:
        assert contract["exhaustive"]
        assert "ignore_imports" not in contract
        said = re.search(rf"^\| {contract['name']} \| `(.*)` \|$", text, re.MULTILINE)
        assert said is not None
        layers = [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
        layers = [layer for layer in layers if layer != {"__main__"}]
        assert [set(re.findall(r"\w+", layer)) for layer in said[1].split(" -> ")] == layers


def test_public_names_are_those_that_are_typed() -> None:
    source = (ROOT / "pywasm_nn" / "__init__.py").read_text()
    typed = source.split("if TYPE_CHECKING:")[1].split("__all__")[0]
    for name in pywasm_nn.__all__:
        assert getattr(pywasm_nn, name) is not None
        assert re.search(rf"\b{name}\b", typed), name
    assert [name for name in dir(pywasm_nn) if not name.startswith("__")] == sorted(
        name for name in pywasm_nn.__all__ if not name.startswith("__")
    )
    with pytest.raises(AttributeError):
        pywasm_nn.nonsense  # noqa: B018 - the access is the test


def test_no_file_is_too_long() -> None:
    for path in (ROOT / "pywasm_nn").rglob("*.py"):
        if "instructions" not in path.parent.name:
            assert len(path.read_text().splitlines()) <= 600, path


@pytest.mark.parametrize("script", ["run", "full"])
def test_scripts_parse(script: str) -> None:
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / script)], check=True)
    assert (ROOT / ".ci" / script).stat().st_mode & 0o111


def test_what_readme_says_of_use_works_as_written(tmp_path: Path) -> None:
    """Commands and Python, one after the other, where a reader stands who has only installed the package."""
    commands, code = re.findall(r"## Use\n```\n(.*?)```.*?```python\n(.*?)```", readme(), re.DOTALL)[0]
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "pywasm-nn"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pywasm_nn "$@"\n')
    command.chmod(0o755)
    paths = {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    (tmp_path / "use.py").write_text(code)
    script = f'set -e\n{commands}\n"{sys.executable}" ../use.py'
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True,
        timeout=HANGS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("5\n") >= 6
    assert (tmp_path / "guest" / "steps.html").is_file()


def readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")
