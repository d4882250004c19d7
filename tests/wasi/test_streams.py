"""Standard streams by themselves: writes end with the guest's time, and the host's own output comes first."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from pywasm_nn.errors import DeadlineError
from pywasm_nn.wasi import Dir, MemoryDirectory
from pywasm_nn.wasi.errors import Errno, WasiError
from pywasm_nn.wasi.inmemory import Node
from pywasm_nn.wasi.patience import PIECE
from pywasm_nn.wasi.streams import Budget, Output


def over_after(calls: int) -> Callable[[], float | None]:
    """The patience of a guest whose time is over when it has been asked about so often."""
    left = [calls]

    def patience() -> float | None:
        if not left[0]:
            raise DeadlineError(1.0)
        left[0] -= 1
        return None

    return patience


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_long_write_ends_with_the_guests_time(after: int) -> None:
    taken: list[int] = []
    output = Output(lambda data: taken.append(len(data)))
    with pytest.raises(DeadlineError):
        output.write([memoryview(bytes(PIECE))] * 8, over_after(after))
    assert sum(taken) <= (after + 1) * PIECE
    assert output.budget.written == sum(taken)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_file_in_memory_stops_growing_with_the_guests_time(after: int) -> None:
    directory = MemoryDirectory({"file": b"abc"})
    (node,) = (node for node in directory.root.names.values() if isinstance(node, Node))
    before = directory.used
    with pytest.raises(DeadlineError):
        directory.resize(node, 8 * PIECE, over_after(after))
    assert len(node.data) <= 3 + (after + 1) * PIECE
    assert directory.used - before == len(node.data) - 3


def test_a_guest_may_write_what_it_may_and_no_byte_more() -> None:
    """Both outputs together; what is refused doesn't count."""
    written: list[bytes] = []
    outputs = [Output(written.append), Output(written.append)]
    outputs[0].budget = outputs[1].budget = Budget(10)
    assert outputs[0].write([memoryview(b"1234")], lambda: None) == 4
    for too_much in (7, 8, 1000):
        with pytest.raises(WasiError) as caught:
            outputs[1].write([memoryview(bytes(too_much))], lambda: None)
        assert caught.value.errno == Errno.NOSPC
    assert outputs[1].write([memoryview(b"567890")], lambda: None) == 6
    with pytest.raises(WasiError):
        outputs[0].write([memoryview(b"!")], lambda: None)
    assert b"".join(written) == b"1234567890"


def test_what_the_host_wrote_to_a_terminal_comes_before_what_the_guest_writes() -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    waiting = [b"host "]

    def flush() -> None:
        while waiting:
            os.write(theirs, waiting.pop())

    output = Output(lambda data: os.write(theirs, data), theirs, flush)
    assert output.write([memoryview(b"guest")], lambda: 60.0) == 5
    shown = b""
    while len(shown) < 10 and select.select([ours], [], [], 10)[0]:  # a terminal gives what has come so far
        shown += os.read(ours, 100)
    assert shown == b"host guest"
    output.close()
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("wrong", [5, None, b"/tmp", ["/tmp"]])
def test_a_directory_of_a_wrong_type_is_refused_where_it_is_written(wrong: object) -> None:
    with pytest.raises(TypeError, match="host"):
        Dir(host=wrong)  # type: ignore[arg-type]


def test_a_directory_may_be_any_kind_of_path(tmp_path: Path) -> None:
    assert Dir(str(tmp_path)).host == str(tmp_path)
    assert Dir(tmp_path).host == tmp_path
