"""Copies of a guest's world: alike, and then each by itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import MemoryDirectory
from pywasm_nn.wasi import Capture
from pywasm_nn.wasi.errors import Errno, WasiError
from pywasm_nn.wasi.provider import WasiHost

READ = 2


@pytest.fixture
def twice() -> Any:
    """A guest and its copy, made by the class of the guest."""
    made: list[Any] = []

    def copy(guest: Any) -> Any:
        made.append(type(guest)(WasiHost(guest.host.system.copy()), guest.notes))
        return made[-1]

    yield copy
    for guest in made:
        guest.host.close()


def test_a_copy_goes_its_own_way(start: Any, tree: Path, twice: Any) -> None:
    out = Capture()
    guest = start(
        dirs={"/": tree, "/m": MemoryDirectory({"f": "0123"})}, stdin=b"abcdef", stdout=out, args=["x"]
    )
    fd = guest.opened("f", 0, READ, fd=4)
    assert (guest.read_fd(0, 2), guest.read_fd(fd, 1)) == ((0, b"ab"), (0, b"0"))
    copy = twice(guest)
    for one in (guest, copy):
        assert (one.read_fd(0, 3), one.read_fd(fd, 2)) == ((0, b"cde"), (0, b"12"))
        assert one.write_fd(1, b"!") == (0, 1)
    assert out.value == b"!!"
    assert guest.call("fd_close", fd) == guest.call("fd_close", 3) == 0
    assert copy.read_fd(fd, 2) == (0, b"3")
    assert copy.open("file", 0, READ)[0] == 0
    assert copy.open("..", 0, READ)[0] == Errno.PERM
    assert guest.open("file", 0, READ)[0] == Errno.BADF


def test_rights_that_were_given_up_stay_given_up(start: Any, tree: Path, twice: Any) -> None:
    guest = start(dirs={"/": tree})
    assert guest.call("fd_fdstat_set_rights", 3, 1 << 13, READ) == 0
    assert guest.call("fd_fdstat_set_rights", 1, 0, 0) == 0
    copy = twice(guest)
    assert copy.open("file", 0, 66)[0] == Errno.NOTCAPABLE
    assert copy.stat("file")[0] == Errno.NOTCAPABLE
    assert copy.write_fd(1, b"x")[0] == Errno.NOTCAPABLE


def test_what_is_live_can_not_be_copied_and_nothing_stays_open(start: Any, tree: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not list the descriptors of a process")
    guest = start(dirs={"/": tree}, listen=["127.0.0.1:0"])
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(WasiError) as caught:
        guest.host.system.copy()
    assert caught.value.errno is Errno.NOTSUP
    file = start(dirs={"/": tree})
    file.opened("file", 0, READ)
    during = len(os.listdir("/proc/self/fd"))
    with pytest.raises(WasiError):
        file.host.system.copy()
    with pytest.raises(WasiError):
        start(stdin=lambda count: b"").host.system.copy()
    assert (before <= during, len(os.listdir("/proc/self/fd"))) == (True, during)
