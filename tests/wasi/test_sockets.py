"""Listeners that a guest is given: accepting, receiving, sending, waiting; all on the loopback interface."""

from __future__ import annotations

import socket
import struct
import threading
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.limits import Limits
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.wasi.errors import Errno

NONBLOCK = 4
PEEK, WAITALL = 1, 2
RD, WR = 1, 2
GUESTS = Path(__file__).parents[1] / "guests"


@pytest.fixture
def listener() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def connected(listener: socket.socket, make_guest: Any) -> Any:
    """A guest with an accepted connection, its descriptor, and the other end."""
    guest = make_guest(listen=[listener])
    with socket.create_connection(listener.getsockname(), timeout=10) as client:
        assert guest.call("sock_accept", 3, 0, 8) == 0
        yield guest, guest.unpack("I", 8)[0], client


def receive(guest: Any, fd: int, flags: int, *lengths: int) -> tuple[int, bytes]:
    errno = guest.call("sock_recv", fd, *guest.vector(*lengths), flags, 8, 12)
    if errno:
        return errno, b""
    assert guest.unpack("H", 12) == (0,)
    return errno, guest.read(16384, guest.unpack("I", 8)[0])


def test_a_conversation(connected: Any) -> None:
    guest, fd, client = connected
    assert fd == 4
    client.sendall(b"hello")
    assert receive(guest, fd, PEEK, 3) == (0, b"hel")
    assert receive(guest, fd, 0, 2, 0, 8) == (0, b"hello")
    guest.write(16384, b"answer")
    assert guest.call("sock_send", fd, *guest.vector(2, 4), 0, 8) == 0
    assert guest.unpack("I", 8) == (6,)
    assert guest.write_fd(fd, b"!") == (0, 1)
    assert guest.call("sock_shutdown", fd, WR) == 0
    data = b""
    while part := client.recv(100):
        data += part
    assert data == b"answer!"
    client.sendall(b"bye")
    assert guest.read_fd(fd, 10) == (0, b"bye")
    client.close()
    assert receive(guest, fd, 0, 5) == (0, b"")
    assert guest.write_fd(fd, b"x")[0] in (Errno.PIPE, Errno.CONNRESET)
    assert guest.call("fd_close", fd) == 0
    assert receive(guest, fd, 0, 5)[0] == Errno.BADF


def test_waiting_for_all_of_it(connected: Any) -> None:
    guest, fd, client = connected
    client.sendall(b"abc")
    timer = threading.Timer(0.05, client.sendall, (b"def",))
    timer.start()
    assert receive(guest, fd, WAITALL, 6) == (0, b"abcdef")
    timer.join()


def test_what_sockets_refuse(connected: Any) -> None:
    guest, fd, _ = connected
    assert guest.call("sock_accept", fd, 0, 8) == Errno.INVAL
    assert receive(guest, 3, 0, 1)[0] == Errno.NOTCONN
    assert guest.call("sock_send", 3, *guest.vector(1), 0, 8) in (Errno.NOTCONN, Errno.NOTCAPABLE)
    assert guest.call("sock_shutdown", 3, RD) == Errno.NOTCONN
    assert guest.call("sock_shutdown", fd, 0) == Errno.INVAL
    assert guest.call("sock_send", fd, *guest.vector(1), 1, 8) == Errno.INVAL
    assert guest.call("fd_seek", fd, 0, 0, 8) == Errno.SPIPE
    assert guest.call("fd_fdstat_get", fd, 512) == 0
    assert guest.unpack("B", 512) == (6,)


def test_no_waiting_where_none_is_wanted(listener: socket.socket, make_guest: Any) -> None:
    guest = make_guest(listen=[listener])
    assert guest.call("fd_fdstat_set_flags", 3, NONBLOCK) == 0
    assert guest.call("sock_accept", 3, 0, 8) == Errno.AGAIN
    with socket.create_connection(listener.getsockname()):
        assert poll(guest, 3) == [(3, 0, 1)]
        assert guest.call("sock_accept", 3, NONBLOCK, 8) == 0
        assert receive(guest, 4, 0, 1)[0] == Errno.AGAIN


def poll(guest: Any, fd: int, tag: int = 1, patience: int = 10**10) -> list[tuple[int, ...]]:
    """Wait for a descriptor, or for the clock: userdata, error and type of what came."""
    clock = struct.pack("<QB7xI4xQQH6x", 99, 0, 1, patience, 0, 0)
    address, _ = guest.put(struct.pack("<QB7xI28x", fd, tag, fd) + clock)
    assert guest.call("poll_oneoff", address, 20000, 2, 8) == 0
    return [guest.unpack("QHB", 20000 + 32 * index) for index in range(guest.unpack("I", 8)[0])]


def test_waiting_for_data(connected: Any) -> None:
    guest, fd, client = connected
    assert poll(guest, fd, 1, 1_000_000) == [(99, 0, 0)]
    assert poll(guest, fd, 2) == [(fd, 0, 2)]
    timer = threading.Timer(0.05, client.sendall, (b"x",))
    timer.start()
    assert poll(guest, fd) == [(fd, 0, 1)]
    timer.join()


def test_addresses_and_whose_socket_it_is(listener: socket.socket, make_guest: Any) -> None:
    guest = make_guest(listen=["127.0.0.1:0", listener])
    guest.host.close()
    with socket.create_connection(listener.getsockname()):
        listener.accept()[0].close()
    taken = "{}:{}".format(*listener.getsockname())
    with pytest.raises(OSError, match="can't listen at"):
        make_guest(listen=[taken])
    for wrong in ("80", "localhost", ":80", "127.0.0.1:x", "127.0.0.1:70000"):
        with pytest.raises(ValueError, match="HOST:PORT"):
            make_guest(listen=[wrong])


def test_no_more_connections_than_descriptors(listener: socket.socket, make_guest: Any) -> None:
    guest = make_guest(listen=[listener], limits=Limits(descriptors=4))
    with socket.create_connection(listener.getsockname(), timeout=10) as client:
        assert guest.call("sock_accept", 3, 0, 8) == Errno.MFILE
        assert client.recv(1) == b"", "what the guest can't have is closed"


def test_a_c_library_finds_its_directories_behind_listeners(engine: str, tmp_path: Path) -> None:
    out = Capture()
    wasi = Wasi(["files", "/work"], dirs={"/work": tmp_path}, stdout=out, listen=["127.0.0.1:0"])
    with Module.from_file(GUESTS / "files.wasm").instantiate(wasi, engine=engine) as instance:
        instance.exports["_start"]()
    assert out.value.startswith(b'a.txt holds "0123456789"')
