"""Where a newcomer stands: the folders, the environment, and ways to run things in them. And the report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 900
"""Seconds after which a command counts as hung, on any machine."""


class Report:
    """A line per check."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, what: str, good: bool, found: object = "") -> None:
        """`found` is shown if the check fails."""
        if good:
            self.passed += 1
            print(f"ok    {what}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL  {what}\n      found: {str(found).strip()[-1500:]}", flush=True)


class Place:
    """A folder with the clone, and a new home for each newcomer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clone = folder / "pywasm-nn"
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.bin = self.clone / ".venv" / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = self.bin / "python"
        self.program = self.bin / "pywasm-nn"

    def environment(self) -> dict[str, str]:
        """The environment as after `activate`, with a home of its own."""
        kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        search = os.pathsep.join([str(self.bin), os.environ.get("PATH", "")])
        return kept | {"PATH": search, "HOME": str(self.home), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def desk(self) -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def shell(self, script: str, where: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run lines as somebody types them into bash."""
        return self.run(["bash", "-c", script], where, stdin)

    def run(
        self, command: Sequence[str | Path], where: Path, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command; one that hangs is a failure with the exit code 124."""
        try:
            return subprocess.run(
                [str(word) for word in command], cwd=where, env=self.environment(), input=stdin,
                capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", f"hung for {PATIENCE} s")

    def wasm(self, *arguments: str | Path, where: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run `pywasm-nn`."""
        return self.run([self.program, *arguments], where, stdin)

    def script(self, source: str, where: Path) -> subprocess.CompletedProcess[str]:
        """Run a Python program of the newcomer's."""
        path = where / "program.py"
        path.write_text(source, encoding="utf-8")
        return self.run([self.python, path], where)
