"""Plays the cells of a notebook in one IPython shell, and prints what each showed as JSON.

    python play_notebook.py NOTEBOOK.ipynb

A process of its own: a shell changes hooks of the whole interpreter. Ends with 1 if a cell fails.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def play(path: Path) -> int:
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
    json.dump(shown, sys.stdout)
    return int(any(cell["error"] for cell in shown))


if __name__ == "__main__":
    sys.exit(play(Path(sys.argv[1])))
