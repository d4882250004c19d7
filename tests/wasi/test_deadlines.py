"""No call of WASI lasts beyond the guest's deadline, nor takes memory that it merely names, whatever it
reads, writes or waits for. Each hostile call (`hostile.py`) is made in a process of its own.

How long a call took is not judged here, as that depends on what else the machine does: what nothing ends
meets the end of its process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.wasi.errors import Errno

from ..attempts.nursery import Nursery
from ..conftest import HANGS

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="made of pipes, terminals and POSIX limits")
ENDS_OTHERWISE: dict[str, Any] = {
    "empty_buffers": 0,
    "fd_allocate": Errno.NOSPC,
    "opening_a_fifo": 0,
    "links_that_lead_on": Errno.LOOP,
    "two_that_accept": ["0", "deadline", "deadline", "deadline"],
}
"""What isn't ended by the deadline, or not for everybody."""
BY_THE_DEADLINE = [
    "fd_write_to_dev_null",
    "fd_write_to_capture",
    "fd_write_to_callable",
    "fd_write_to_file",
    "fd_pwrite_to_file",
    "fd_write_to_memory",
    "fd_read_of_sparse_file",
    "fd_pread_of_sparse_file",
    "random_get",
    "fifo_nobody_writes_to",
    "fifo_with_a_large_number",
    "poll_of_a_large_number",
    "fifo_nobody_reads",
    "stdout_that_nobody_reads",
    "own_stdout_that_nobody_reads",
    "terminal_that_nobody_reads",
    "stdin_that_nobody_writes_to",
    "sock_send",
    "fd_write_to_socket",
    "sock_recv_of_all",
    "sock_accept",
    "poll_for_ever",
]
BY_THE_PERSON = [
    "fifo_nobody_writes_to",
    "fifo_nobody_reads",
    "sock_send",
    "sock_recv_of_all",
    "sock_accept",
    "poll_for_ever",
    "own_stdout_that_nobody_reads",
    "terminal_that_nobody_reads",
    "fd_read_of_sparse_file",
]


def start(name: str, seconds: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(HERE / "hostile.py"), name, str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("name", [*BY_THE_DEADLINE, *ENDS_OTHERWISE])
def test_the_deadline_ends_it(name: str, nursery: Nursery) -> None:
    seconds = "3" if name in ENDS_OTHERWISE else "0.3"  # a busy machine comes as far as the other end, too
    words = [str(HERE / "hostile.py"), name, seconds]
    source = f"""
import runpy, sys
sys.argv = {words}
sys.path.insert(0, {str(HERE)!r})  # as Python does for a script
runpy.run_path(sys.argv[0], run_name="__main__")
"""
    end = nursery.run(source, HANGS)
    assert end.returncode == 0, end
    found = json.loads(end.output.splitlines()[-1])
    # A capture refuses what is beyond its own limit, on a machine that gets there in time.
    ends = [ENDS_OTHERWISE.get(name, "deadline"), *([Errno.NOSPC] if name == "fd_write_to_capture" else [])]
    assert found["end"] in ends
    assert found["MiB"] < 1200


@pytest.mark.parametrize("name", BY_THE_PERSON)
@pytest.mark.parametrize("seconds", [1000.0, 0.0], ids=["with a deadline", "without"])
def test_the_person_ends_it(name: str, seconds: float) -> None:
    process = start(name, seconds)
    try:
        assert process.stderr and process.stderr.readline() == b"running\n"
        time.sleep(0.2)
        for _ in range(40):  # the first may come where Python can't be interrupted: while it imports
            process.send_signal(signal.SIGINT)
            try:
                out, _ = process.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                pass
        assert json.loads(out)["end"] == "interrupted"
    finally:
        process.kill()
