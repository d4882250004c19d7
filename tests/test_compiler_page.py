"""docs/compiler.md follows a function through the compiler: each stage makes what the page shows.

`python -m tests.test_compiler_page` writes it anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pywasm_nn import Module, cli
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.stages import stage
from pywasm_nn.interpreter.runtime.memory import Flavour

PAGE = Path(__file__).parents[1] / "docs" / "compiler.md"
STAGES = {"analysis": "analysis", "tree": "tree", "python": "generated"}
"""The names of their blocks: one of Python itself would be formatted as people write it."""


def shown(name: str) -> str:
    """The page's only block of this name."""
    (block,) = re.findall(rf"```{name}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(block)


def made(name: str) -> str:
    """What a stage makes of the page's function."""
    lines = stage(Module.from_text(shown("wasm")), 0, Variant(Flavour.VIEW), name)
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", STAGES)
def test_stage_makes_what_the_page_shows(name: str) -> None:
    assert made(name) == shown(STAGES[name])


@pytest.mark.parametrize("name", STAGES)
def test_command_shows_stages(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sum.wat"
    path.write_text(shown("wasm"))
    assert cli.call(["compile", str(path), "--stage", name]) == 0
    if Flavour.default() is Flavour.VIEW:
        assert capsys.readouterr().out == shown(STAGES[name])


def test_page_names_what_there_is() -> None:
    root = PAGE.parents[1]
    for name in re.findall(r"`([\w/-]+\.py)`", PAGE.read_text()):
        inside = root / "pywasm_nn" / "interpreter"
        homes = [root, inside, inside / "compile"]
        assert any((home / name).exists() for home in homes), name


def write() -> None:
    """Write what the stages make into the page."""
    for name, block in STAGES.items():
        text = PAGE.read_text()
        PAGE.write_text(text.replace(f"```{block}\n{shown(block)}```", f"```{block}\n{made(name)}```"))


if __name__ == "__main__":
    write()
