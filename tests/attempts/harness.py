"""Runs an attempt in a process of its own, and says what came of it.

An attempt is Python source that uses the public API (or runs `python -m pywasm_nn`) and raises AssertionError
if the attack got through. What the process takes is measured from outside: how it ended, its peak of resident
memory and that of its children, its processor time beyond that of an empty program, and whether it hangs.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from .nursery import Nursery

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
    needs: str = ""
    """A package without which there is nothing to attack."""

    @property
    def lacks(self) -> str:
        """Why it can't run here, "" if it can."""
        return f"no {self.needs} is here" if self.needs and find_spec(self.needs) is None else ""


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt: "" in `wrong` if it failed, as it should."""

    wrong: str
    cpu: float
    peak: int


def run(attempt: Attempt, engine: str, nursery: Nursery) -> Outcome:
    """Run an attempt once."""
    source = PRELUDE.format(engine=engine) + attempt.source
    end = nursery.run(MEASURED.format(source=source), HANG)
    if end.returncode is None:
        return Outcome("it hangs", HANG, 0)
    if end.returncode or len(end.told) != 2:
        return Outcome(f"exit code {end.returncode}: {end.output.strip()[-2000:]}", 0.0, 0)
    cpu, peak = float(end.told[0]), int(end.told[1])
    if cpu > attempt.cpu:
        return Outcome(f"{cpu:.1f} s of processor time, at most {attempt.cpu:g}", cpu, peak)
    if peak > attempt.peak:
        return Outcome(f"{peak >> 20} MiB of memory, at most {attempt.peak >> 20}", cpu, peak)
    return Outcome("", cpu, peak)


MEASURED = """
import os, resource, sys
# Opened before the attempt may take every descriptor that there is.
told = os.open(TOLD, os.O_WRONLY | os.O_CREAT, 0o600)
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
before, _ = used()
exec(compile({source!r}, 'attempt', 'exec'), {{'__name__': '__main__'}})
seconds, peak = used()
os.write(told, f'{{seconds - before}} {{peak}}'.encode())
"""
"""What the child runs: it measures itself, its children included."""
