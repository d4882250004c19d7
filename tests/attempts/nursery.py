"""Processes that begin where Python has started and what every attempt imports is imported.

What is here: a server in a process of its own, which imports and then forks one child for each request, and
the child's way from there: a program that ends as any does, with its threads and `atexit`. Each child is a
process of its own, as if it had been started anew; only the second that imports take is spent once.
What is not: what a child's result means (`harness.py`).
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = """
from pywasm_nn import *
from pywasm_nn.errors import *
for engine in ("interpret", "compile"):
    Module.from_text('(module (memory 1) (func (export "f")))').instantiate(engine=engine).exports.f()
import faulthandler, resource
import pywasm_nn.interpreter.demangle, pywasm_nn.interpreter.runtime.activations
"""
"""What every attempt does before it attacks, and what many of them import. What else they import, each child
imports itself."""
MODELS = "tests.attempts.kit_models"
"""What attempts with models import: half a second, which a server of their own takes once."""


@dataclass(frozen=True)
class End:
    """How a child ended: `returncode` as of `subprocess`, None if it was ended because it hung."""

    returncode: int | None
    output: str
    told: list[str]
    """Words that it left in the file `TOLD`."""


class Server:
    """A process with one child for each request."""

    def __init__(self, imports: str) -> None:
        """It imports this at first."""
        (child_reads, self.requests), (answers, child_writes) = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(child_reads), str(child_writes), imports],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=(child_reads, child_writes),
        )
        os.close(child_reads)
        os.close(child_writes)
        self.answers = os.fdopen(answers, "rb", buffering=0)  # `select` sees what isn't read yet

    def close(self) -> None:
        os.close(self.requests)
        self._process.wait()
        self.answers.close()


class Nursery:
    """Runs sources, one at a time."""

    def __init__(self) -> None:
        self._servers: dict[bool, Server] = {}

    def _server(self, source: str) -> Server:
        """The server for a source, started for the first one."""
        with_models = f"from {MODELS} import" in source
        if with_models not in self._servers:
            imports = f"{IMPORTS}\nimport {MODELS}" if with_models else IMPORTS
            self._servers[with_models] = Server(imports)
        return self._servers[with_models]

    def run(self, source: str, seconds: float) -> End:
        """Run a source in an empty folder; after so many seconds it hangs."""
        with TemporaryDirectory() as folder:
            outside = Path(folder)
            (outside / "inside").mkdir()
            request = json.dumps({"source": source, "folder": folder}).encode() + b"\n"
            server = self._server(source)
            with os.fdopen(os.dup(server.requests), "wb") as stream:
                stream.write(request)
            pid = int(server.answers.readline())
            hangs = not select.select([server.answers], [], [], seconds)[0]
            if hangs:
                os.kill(pid, signal.SIGKILL)
            returncode = int(server.answers.readline())
            told = outside / "told"
            return End(
                None if hangs else returncode,
                (outside / "output").read_text(errors="replace"),
                told.read_text().split() if told.exists() else [],
            )

    def close(self) -> None:
        for server in self._servers.values():
            server.close()


@contextmanager
def started() -> Iterator[Nursery]:
    """Its servers run until it is no longer wanted."""
    made = Nursery()
    try:
        yield made
    finally:
        made.close()


def serve(requests: int, answers: int) -> dict[str, Any] | None:
    """Fork for each request. Returns the request in the child, None once there are no more. The collector
    leaves alone what is there before: to look at it a child would copy it, above all when it ends."""
    gc.collect()
    gc.freeze()
    with os.fdopen(requests, "rb") as asked, os.fdopen(answers, "wb", buffering=0) as told:
        for line in asked:
            pid = os.fork()
            if not pid:
                return dict(json.loads(line))
            told.write(b"%d\n" % pid)
            _, status = os.waitpid(pid, 0)
            told.write(b"%d\n" % os.waitstatus_to_exitcode(status))
    return None


def become(folder: Path) -> None:
    """Make this process one that was started in a folder, whose output is kept beside it."""
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT, 0o600)
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    os.chdir(folder / "inside")


if __name__ == "__main__":
    exec(sys.argv[3], {"__name__": "__main__"})
    request = serve(*map(int, sys.argv[1:3]))
    if request is not None:
        become(Path(request["folder"]))
        TOLD = Path(request["folder"], "told")
        exec(compile(request["source"], "attempt", "exec"), {"__name__": "__main__", "TOLD": str(TOLD)})
