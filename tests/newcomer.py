"""What a newcomer does in the first hour, from outside: `python tests/newcomer.py [CHAPTER ...]`.

A fresh clone of the checkout that this file lies in (what is committed), a fresh environment made by README's
first command, then the chapters: documents, first mistakes, interrupts, embedding, packaging and so on. It
knows README, docs, --help and help() and nothing of the code. One line per check; exit code 0 if all pass.
Nothing depends on how fast the machine is. `.ci/full` runs it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from first_contact import (
    commands,
    documents,
    embedding,
    interrupts,
    life,
    mistakes,
    models,
    packaging,
    programs,
)
from first_contact.place import Place, Report

CHAPTERS: dict[str, Callable[[Place, Report], None]] = {
    "documents": documents.check,
    "mistakes": mistakes.check,
    "commands": commands.check,
    "interrupts": interrupts.check,
    "life": life.check,
    "embedding": embedding.check,
    "models": models.check,
    "programs": programs.check,
    "packaging": packaging.check,
}


def settle(place: Place, report: Report) -> None:
    """Clone, and run README's first command as it is written."""
    if not place.clone.exists():
        origin = Path(__file__).resolve().parent.parent
        subprocess.run(["git", "clone", "--quiet", str(origin), str(place.clone)], check=True)
    if not place.program.exists():
        line = documents.first_command(place)
        done = place.shell(line, place.clone)
        report.check(f"README: {line}", done.returncode == 0, done.stderr[-300:])
        report.check("README: the demo's answer is there", documents.shown_answer(place) in done.stdout)
    # What the documents name (backends, a compiler of C), and a package to make models with.
    tools = place.shell(f"{place.python} -m pip install -q '.[all]' onnx ziglang", place.clone)
    report.check("what this script needs is installed", tools.returncode == 0, tools.stderr[-300:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help=", ".join(CHAPTERS))
    parser.add_argument("--folder", help="work in this folder, and keep it for the next time")
    options = parser.parse_args()
    unknown = set(options.chapters) - set(CHAPTERS)
    if unknown:
        parser.error(f"no such chapter: {', '.join(sorted(unknown))}; there are {', '.join(CHAPTERS)}")
    report = Report()
    with tempfile.TemporaryDirectory() as passing:
        place = Place(Path(options.folder or passing).resolve())
        settle(place, report)
        for name in options.chapters or CHAPTERS:
            try:
                CHAPTERS[name](place, report)
            except Exception:
                report.check(f"{name}: runs to its end", False, traceback.format_exc())
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
