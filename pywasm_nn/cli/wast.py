"""`wast`: runs scripts in the format of the official test suite."""

from __future__ import annotations

import click

from .complete import files
from .failure import Exit, Failure
from .load import read
from .terminal import print_text

MOST_FAILURES = 20
"""The number of failures that are shown of one script."""


@click.command(name="wast")
@click.argument("scripts", nargs=-1, required=True, shell_complete=files)
@click.option("--engine", type=click.Choice(["compile", "interpret"]), default="compile")
def command(scripts: tuple[str, ...], engine: str) -> int:
    """Run SCRIPTS and count their assertions by kind; the exit code is 1 if anything fails."""
    from ..interpreter.engine import ENGINES
    from ..interpreter.script import Report, run_script

    total = Report()
    for path in scripts:
        try:
            text = read(path).decode("utf-8")
        except UnicodeDecodeError:
            raise Failure(f"{path}: this is no text") from None
        report = run_script(text, ENGINES[engine])
        total.add(report)
        print_text(f"{path}: {report}")
        for failure in report.failures[:MOST_FAILURES]:
            print_text(f"  {failure}")
        if len(report.failures) > MOST_FAILURES:
            print_text(f"  ... {len(report.failures) - MOST_FAILURES} more")
    if len(scripts) > 1:
        print_text(f"total: {total}")
    return Exit.FAILED if total.failed else Exit.OK
