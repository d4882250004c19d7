"""Children for models that begin where Python has started and frameworks are imported.

What is here: a server in a process of its own, which imports and then forks a process for each child that a
test's host starts, and `Forked`, which the host takes for the `subprocess.Popen` of its child. Each child is
a process of its own, with the arguments, environment, folder and pipes that the host gives; only the time
that imports take is spent once. Tests of the process itself use the fixture `real_children`.
What is not: processes that hosts in other processes start; those are real ones.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[1]
SERVED = "pywasm_nn.nn.child.serve"
FRAMEWORKS = ("numpy", "onnxruntime", "openvino")
LONGEST = 1 << 16
"""Bytes of a request."""
POSSIBLE = sys.platform == "linux" and hasattr(os, "pidfd_open")


class Server:
    """Started with the first child."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def ask(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> int:
        """The process of a new child."""
        with self._lock:
            if self._process is None:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", __file__, str(self._theirs.fileno())],
                    # `ROOT` first, as a child has it; arenas are counted when a process starts.
                    env={**os.environ, "PYTHONPATH": str(ROOT), "MALLOC_ARENA_MAX": "2"},
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    pass_fds=(self._theirs.fileno(),),
                    start_new_session=True,
                )  # fmt: skip
                self._theirs.close()
            socket.send_fds(self._line, [json.dumps(request).encode()], descriptors)
            return int(self._line.recv(LONGEST))

    def close(self) -> None:
        self._line.close()
        if self._process is not None:
            self._process.wait()
        self._theirs.close()


class Forked:
    """What the host uses of a `subprocess.Popen`."""

    returncode: int | None = None

    def __init__(
        self, server: Server, command: list[str], *, cwd: Path, env: Mapping[str, str],
        pass_fds: tuple[int, ...], **others: Any,
    ) -> None:  # fmt: skip
        assert command[1:3] == ["-m", SERVED]
        assert others["stdin"] == others["stdout"] == subprocess.PIPE
        (theirs_in, ours_in), (ours_out, theirs_out), (ended, ends) = os.pipe(), os.pipe(), os.pipe()
        given = (theirs_in, theirs_out, ends, *pass_fds)
        try:
            request = {"arguments": command[3:], "folder": str(cwd), "environment": dict(env)}
            self.pid = server.ask(request, given)
        finally:
            for descriptor in given[:3]:
                os.close(descriptor)
        self.stdin, self.stdout = os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb")
        self._ended = os.fdopen(ended, "rb")

    def kill(self) -> None:
        if self.returncode is None and not select.select([self._ended], [], [], 0)[0]:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = int(self._ended.read())
            self._ended.close()
        return self.returncode


@contextmanager
def forked() -> Iterator[None]:
    """Children of models are forked, where the system can do that."""
    if not POSSIBLE:
        yield
        return
    from unittest.mock import patch

    from pywasm_nn.nn.child import process

    server = Server()
    names = {name: getattr(subprocess, name) for name in ("PIPE", "DEVNULL")}

    def start(command: list[str], **settings: Any) -> Forked:
        return Forked(server, command, **settings)

    with patch.object(process, "subprocess", SimpleNamespace(Popen=start, **names)):
        try:
            yield
        finally:
            server.close()


def serve(line: socket.socket) -> list[str] | None:
    """Fork for each request, and tell how children end. Returns the arguments in the child, None once there
    are no more requests."""
    gc.collect()
    gc.freeze()
    ready = select.poll()
    ready.register(line, select.POLLIN)
    waiting: dict[int, tuple[int, int]] = {}
    while True:
        for descriptor, _ in ready.poll():
            if descriptor in waiting:
                pid, ends = waiting.pop(descriptor)
                tell_end(pid, ends)
                ready.unregister(descriptor)
                os.close(descriptor)
                continue
            text, given, _, _ = socket.recv_fds(line, LONGEST, 16)
            if not text:
                return None
            pid = os.fork()
            if not pid:
                for each in (line.detach(), *chain(waiting, (ends for _, ends in waiting.values()))):
                    os.close(each)
                return become(json.loads(text), given)
            line.send(b"%d" % pid)
            theirs_in, theirs_out, ends, *kept = given
            for each in (theirs_in, theirs_out, *kept):
                os.close(each)
            handle = os.pidfd_open(pid)
            waiting[handle] = pid, ends
            ready.register(handle, select.POLLIN)


def tell_end(pid: int, ends: int) -> None:
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        os.write(ends, b"%d" % os.waitstatus_to_exitcode(status))
    os.close(ends)


def become(request: Mapping[str, Any], given: Sequence[int]) -> list[str]:
    """Make this process the child that a host asked for. Returns its arguments."""
    theirs_in, theirs_out, ends, shared = given
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor, standard in ((theirs_in, 0), (theirs_out, 1), (nowhere, 2)):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.close(ends)
    os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[:] = os.environ["PYTHONPATH"].split(os.pathsep)
    _, allowance, _ = request["arguments"]
    return [SERVED, str(shared), allowance, str(os.getppid())]


def main() -> None:
    line = socket.socket(fileno=int(sys.argv[1]))
    served = import_module(SERVED)
    for framework in FRAMEWORKS:
        with suppress(ImportError):
            import_module(framework)
    arguments = serve(line)
    if arguments is not None:
        sys.argv = arguments
        served.main()


if __name__ == "__main__":
    main()
