"""A sign of life on a terminal, and none where there is none."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from first_contact.place import Place, Report

SPIN = '(module (func $spinning (export "_start") (loop (br 0))))'
WORDS = re.compile(rb"running|compiling|decoding|in function|spinning")


def check(place: Place, report: Report) -> None:
    desk = place.desk()
    (desk / "spin.wat").write_text(SPIN)
    # The limit ends each run: what counts is the guest's own time, more than two seconds.
    shown = terminal(place, desk, "run", "--timeout", "6s", "spin.wat")
    before = shown.split(b"error:")[0]
    report.check("a line on a terminal says what is going on", WORDS.search(before) is not None, shown)
    report.check("it is wiped before the error is written", b"\r" in before or b"\x1b[" in before, shown)
    quiet = terminal(place, desk, "run", "--quiet", "--timeout", "4s", "spin.wat").split(b"error:")[0]
    report.check("--quiet: none", not re.sub(rb"\x1b\[\d*m|\s", b"", quiet), quiet)
    done = place.wasm("run", "--timeout", "4s", "spin.wat", where=desk)
    report.check("no terminal: none", done.stderr.startswith("error:"), done.stderr)
    report.check("no terminal: no control characters", "\x1b" not in done.stderr, done.stderr)
    long = terminal(place, desk, "run", "--timeout", "12s", "spin.wat")
    report.check("a long run says what took the time", b"guest" in long.split(b"error:")[0] + long, long)


def terminal(place: Place, desk: Path, *arguments: str) -> bytes:
    """All that a terminal gets to see."""
    if sys.platform == "win32":
        return b""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [place.program, *arguments],
        cwd=desk,
        env=place.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as running:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        running.wait()
    os.close(ours)
    return seen
