"""Runs an attempt in a process of its own, and says what came of it.

An attempt is Python source that uses the public API (or runs `python -m pywasm_nn`) and raises AssertionError
if the attack got through. What the process takes is measured from outside: how it ended, its peak of resident
memory and that of its children, its processor time beyond that of an empty program, and whether it hangs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANG = 120.0
"""Seconds of wall time after which a process hangs, however busy the machine is."""
PRELUDE = """
import faulthandler, os, sys
faulthandler.enable()
ENGINE = {engine!r}
"""


@dataclass(frozen=True)
class Attempt:
    """`cpu` are seconds of processor time, of the process and its children together; `peak` bytes of resident
    memory of the largest of them."""

    name: str
    source: str
    cpu: float = 2.0
    peak: int = 1 << 30
    engines: tuple[str, ...] = ("compile", "interpret")


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt: "" in `wrong` if it failed, as it should."""

    wrong: str
    cpu: float
    peak: int


def run(attempt: Attempt, engine: str) -> Outcome:
    """Run an attempt once. Without `resource` (Windows) it isn't measured."""
    read, write = os.pipe()
    source = PRELUDE.format(engine=engine) + attempt.source
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [sys.executable, "-c", MEASURED, str(write)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=(write,),
        )
        os.close(write)
        try:
            output, _ = child.communicate(source.encode(), timeout=HANG)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            os.close(read)
            return Outcome("it hangs", HANG, 0)
    told = os.read(read, 200).split()
    os.close(read)
    if child.returncode or len(told) != 2:
        last = output.decode(errors="replace").strip()[-2000:]
        return Outcome(f"exit code {child.returncode}: {last}", 0.0, 0)
    cpu, peak = float(told[0]), int(told[1])
    if cpu > attempt.cpu:
        return Outcome(f"{cpu:.1f} s of processor time, at most {attempt.cpu:g}", cpu, peak)
    if peak > attempt.peak:
        return Outcome(f"{peak >> 20} MiB of memory, at most {attempt.peak >> 20}", cpu, peak)
    return Outcome("", cpu, peak)


MEASURED = """
import os, resource, runpy, sys, time
source = sys.stdin.read()
def peak_here(usage):
    # Linux counts the parent's memory in ru_maxrss, as the child begins as a copy of it; VmHWM begins anew.
    try:
        with open('/proc/self/status') as file:
            return next(int(line.split()[1]) for line in file if line.startswith('VmHWM'))
    except (OSError, StopIteration):
        return usage.ru_maxrss
def used():
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(each.ru_utime + each.ru_stime for each in (own, children))
    return seconds, max(peak_here(own), children.ru_maxrss) * (1 if sys.platform == 'darwin' else 1024)
import pywasm_nn
before, _ = used()
exec(compile(source, 'attempt', 'exec'), {'__name__': '__main__'})
seconds, peak = used()
os.write(int(sys.argv[1]), f'{seconds - before} {peak}'.encode())
"""
"""What the child runs: it measures itself, its children included."""


def measurable() -> bool:
    """Whether this system tells what a process took."""
    return hasattr(resource, "getrusage")
