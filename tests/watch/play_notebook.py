"""Plays the cells of a notebook in one IPython shell, and prints what each showed as JSON.

    python play_notebook.py NOTEBOOK.ipynb            --store writes what they showed into the notebook

A process of its own: a shell changes hooks of the whole interpreter. Ends with 1 if a cell fails.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def store(path: Path, shown: list[dict[str, Any]]) -> None:
    """Put what the cells showed into the notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, one) in enumerate(zip(codes, shown, strict=True), 1):
        text = one["printed"].partition("Out[")[0]  # what follows is shown as the result
        printed = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        data = {kind: text.splitlines(keepends=True) for kind, text in one["formats"].items()}
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data}
        cell["outputs"] = [printed] * bool(text) + [result] * bool(data)
        cell["execution_count"] = number
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def play(path: Path, keeps: bool) -> int:
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    shell = InteractiveShell.instance(config=config)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    shown = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcome = shell.run_cell("".join(cell["source"]), store_history=True)
        formats = {} if outcome.result is None else shell.display_formatter.format(outcome.result)[0]
        failure = outcome.error_before_exec or outcome.error_in_exec
        shown.append({"formats": formats, "printed": printed.getvalue(), "error": failure and repr(failure)})
    if keeps:
        store(path, shown)
    json.dump(shown, sys.stdout)
    return int(any(cell["error"] for cell in shown))


if __name__ == "__main__":
    sys.exit(play(Path(sys.argv[1]), "--store" in sys.argv[2:]))
