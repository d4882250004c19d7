"""Rules of the house that no linter says: functions fit on a screen, imports form no circle, and one class
writes the names in generated code. What is not here: complexity (ruff, C901) and who may import whom
(import-linter)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from .source import PACKAGE, parsed

MOST_LINES = 50
"""Of a function, without its docstring."""


def functions() -> Iterator[tuple[str, int]]:
    """All functions of the package: file and name, and how many lines they have."""
    for name, tree in parsed():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{name} {node.name}", lines_of(node)


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_functions_are_short() -> None:
    assert [name for name, lines in functions() if lines > MOST_LINES] == []


def test_imports_form_no_circle() -> None:
    """Imports inside functions count, too; those for types alone don't."""
    graph = grimp.build_graph("pywasm_nn", exclude_type_checking_imports=True, cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imported) > 400
    TopologicalSorter(imported).prepare()  # raises CycleError, which shows the circle


def test_known_faults_can_still_be_planted() -> None:
    """`mutate.py` names places in the code: whoever changes one there changes it in the list."""
    script = "import mutate; [known.fault() for known in mutate.KNOWN]"
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tests, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


NAME = re.compile(r"\b(?:func|tail|tag|[lvcgtmd])\0|\Bat\0|\0at\0|\b(?:load|store|mem)_\0|\0_(?:\0|seen)")
"""Like a name in generated code; a character 0 stands for what is inserted into a text."""


def templates(path: Path) -> Iterator[str]:
    """The texts of a file into which values are inserted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)


def test_one_class_writes_the_names_in_generated_code() -> None:
    inside = PACKAGE / "interpreter"
    paths = [*(inside / "compile").rglob("*.py"), *(inside / "runtime").rglob("*.py"), inside / "engine.py"]
    assert {path.name for path in paths for text in templates(path) if NAME.search(text)} == set()
    written = [text for text in templates(inside / "namespace.py") if NAME.search(text)]
    assert len(written) > 15
