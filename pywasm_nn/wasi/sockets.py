"""Sockets: listeners that a guest gets before it runs, and the connections that it accepts on them.

What is not here: making connections, which preview1 can't, and waiting for several descriptors (`system.py`).
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .codes import (
    CONNECTION_RIGHTS,
    LISTENER_RIGHTS,
    NO_FLAGS,
    FdFlags,
    Filetype,
    ReceiveFlags,
    ShutdownFlags,
)
from .descriptors import Descriptor
from .errors import Errno, WasiError
from .held import spare
from .patience import MAX_BUFFERS, POLLABLE, Buffers, Patience
from .ready import when_ready

if TYPE_CHECKING:
    from .provider import Listening

T = TypeVar("T")
HOW = {
    ShutdownFlags.RD: socket.SHUT_RD,
    ShutdownFlags.WR: socket.SHUT_WR,
    ShutdownFlags.RD | ShutdownFlags.WR: socket.SHUT_RDWR,
}


class Socket(Descriptor):
    """The base of listeners and connections. The system's socket never blocks; waiting is done by
    `patiently`."""

    filetype = Filetype.SOCKET_STREAM

    def __init__(self, socket_: socket.socket, flags: FdFlags = NO_FLAGS) -> None:
        super().__init__(self.applicable, flags=flags)
        self.socket = socket_
        if POLLABLE:  # on Windows, socket numbers are no descriptors
            self.descriptor = socket_.fileno()
        socket_.setblocking(False)

    def close(self) -> None:
        self.socket.close()

    def ready(self, write: bool) -> int | None:
        return self.socket.fileno()

    def patiently(self, do: Callable[[], T], write: bool, patience: Patience) -> T:
        """Call `do` when it is ready; with NONBLOCK call it at once."""
        if FdFlags.NONBLOCK in self.flags:
            return do()
        return when_ready(do, self.socket.fileno(), write, patience)


class Listener(Socket):
    """A socket that waits for connections."""

    applicable = LISTENER_RIGHTS
    preopen = ""

    def accept(self, flags: FdFlags, patience: Patience) -> Descriptor:
        connection, _ = self.patiently(self.socket.accept, False, patience)
        if POLLABLE:
            connection = socket.socket(fileno=spare(connection.detach()))
        return Connection(connection, flags)

    def receive(self, buffers: Buffers, flags: ReceiveFlags, patience: Patience) -> int:
        raise WasiError(Errno.NOTCONN)

    def send(self, buffers: Buffers, patience: Patience) -> int:
        raise WasiError(Errno.NOTCONN)

    def shutdown(self, how: ShutdownFlags) -> None:
        raise WasiError(Errno.NOTCONN)


class Connection(Socket):
    """A stream of bytes in both directions."""

    applicable = CONNECTION_RIGHTS

    def accept(self, flags: FdFlags, patience: Patience) -> Descriptor:
        raise WasiError(Errno.INVAL, "a connection accepts no others")

    def read(self, buffers: Buffers, patience: Patience) -> int:
        return self.receive(buffers, ReceiveFlags(0), patience)

    def write(self, buffers: Buffers, patience: Patience) -> int:
        return self.send(buffers, patience)

    def receive(self, buffers: Buffers, flags: ReceiveFlags, patience: Patience) -> int:
        wanted = list(filter(len, buffers))
        peek = ReceiveFlags.PEEK in flags
        total = 0
        while wanted:
            if total:
                patience()
            try:
                count = self.patiently(partial(self.receive_once, wanted, peek), False, patience)
            except OSError:
                if not total:
                    raise
                break
            total += count
            if not count or peek or ReceiveFlags.WAITALL not in flags:
                break
            wanted = without(wanted, count)
        return total

    def receive_once(self, buffers: Buffers, peek: bool) -> int:
        """Receive the bytes that are there."""
        how = socket.MSG_PEEK if peek else 0
        if hasattr(self.socket, "recvmsg_into"):
            return self.socket.recvmsg_into(buffers[:MAX_BUFFERS], 0, how)[0]
        return self.socket.recv_into(buffers[0], 0, how)

    def send(self, buffers: Buffers, patience: Patience) -> int:
        wanted = list(filter(len, buffers))
        return self.patiently(partial(self.send_once, wanted), True, patience)

    def send_once(self, buffers: Buffers) -> int:
        """Send as many bytes as there is room for."""
        if hasattr(self.socket, "sendmsg"):
            return self.socket.sendmsg(buffers[:MAX_BUFFERS])
        return self.socket.send(buffers[0] if buffers else b"")

    def shutdown(self, how: ShutdownFlags) -> None:
        if how not in HOW:
            raise WasiError(Errno.INVAL, "neither direction is to be shut down")
        self.socket.shutdown(HOW[how])


def without(buffers: Buffers, count: int) -> list[memoryview]:
    """The remaining buffers after the first `count` bytes."""
    rest = []
    for buffer in buffers:
        if count < len(buffer):
            rest.append(buffer[count:])
        count = max(count - len(buffer), 0)
    return rest


def listeners(places: Iterable[str | Listening]) -> list[Listener]:
    """Listeners for the user's `listen`: "HOST:PORT", or a listening socket, which the user keeps.

    Raises ValueError for any other text, OSError for an address that can't be used.
    """
    made: list[Listener] = []
    try:
        for place in places:
            made.append(Listener(listening(place) if isinstance(place, str) else place.dup()))
    except BaseException:
        for listener in made:
            listener.close()
        raise
    return made


def listening(text: str) -> socket.socket:
    """A socket that listens at HOST:PORT, [HOST]:PORT for IPv6."""
    host, port = address(text)
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise type(error)(error.errno, f"can't listen at {text}: {error.strerror}") from error


def address(text: str) -> tuple[str, int]:
    """The host and the port in HOST:PORT. Raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{text!r} is no HOST:PORT to listen at")
    return host.removeprefix("[").removesuffix("]"), int(port)
